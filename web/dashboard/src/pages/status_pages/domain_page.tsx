import { useMutation } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { take } from "../../api/services";
import { svcLine } from "../../parts/api_lines";
import { AsApi } from "../../parts/as_api";
import { CopyButton } from "../../parts/copy";
import { ActError, Blank } from "../../parts/feedback";
import { Icon, Sign, State } from "../../parts/icon";
import { Moment } from "../../parts/time";
import { toast } from "../../parts/toasts";
import { useProject } from "../project_context";
import { domainState } from "./domain_states";
import { LogoPanel } from "./logo_panel";
import { StatusPageFrame } from "./page_frame";
import type { StatusPage } from "./page_queries";
import { usePagesChanged } from "./use_page_acts";

/** The TXT record to create, with buttons that copy its parts. */
function Record({ domain }: { domain: NonNullable<StatusPage["domain"]> }) {
  return (
    <dl className="facts-rows">
      {([["Type", "TXT"], ["Name", domain.txtName], ["Value", domain.txtValue]] as const).map(([word, value]) => (
        <div key={word}>
          <dt>{word}</dt>
          <dd className="row row-tight g-2">
            <code className="wrap-any">{value}</code>
            {word !== "Type" && <CopyButton text={value} label={`Copy the ${word.toLowerCase()} of the record`} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Records that the lookup found, when none of them proves the domain. */
function NotFound({ found }: { found: readonly string[] }) {
  return (
    <div className="banner s-warning" role="alert">
      <Sign name="degraded" look="s-warning" />
      <div className="stack g-2">
        <p className="banner-title">The record does not prove the domain yet</p>
        {found.length === 0 && <p className="small">No TXT record has this name. A new record may need some minutes until it is seen.</p>}
        {found.length > 0 && (
          <>
            <p className="small">These records were found:</p>
            <ul className="stack g-1 small">{found.map((one) => <li key={one}><code className="wrap-any">{one}</code></li>)}</ul>
          </>
        )}
      </div>
      <div className="actions" />
    </div>
  );
}

function DomainPanel({ page }: { page: StatusPage }) {
  const { api, path } = useProject();
  const changed = usePagesChanged();
  const { id, customDomain, domain } = page;
  const state = domainState(page);
  const verify = useMutation({
    mutationFn: () => take(api.POST("/api/status-pages/{id}/verify-domain", { params: { path: { id } } })),
    onSuccess: ({ verified }) => {
      if (verified) toast({ text: `${customDomain} is verified.` });
      return changed();
    },
  });
  if (!customDomain || !domain || !state) {
    return (
      <div className="panel">
        <Blank icon="globe" title="No domain of its own">
          <p>The page can also be served at a name of yours, such as status.example.org.</p>
          <div className="row"><Link className="btn" to={path("status-pages", id, "settings")}>Set a domain</Link></div>
        </Blank>
      </div>
    );
  }
  return (
    <section className="panel" aria-labelledby="domain-head">
      <div className="panel-head"><h2 className="wrap-any" id="domain-head">{customDomain}</h2><State state={state} /></div>
      <div className="panel-body stack g-4">
        {verify.error && <ActError title="The domain was not verified" error={verify.error} />}
        {verify.data && !verify.data.verified && <NotFound found={verify.data.found} />}
        {domain.verifiedAt
          ? <p>Proved at <Moment value={domain.verifiedAt} form="minutes" />. The proof is repeated daily; three days of failure end it.</p>
          : <p>Create this record with your name server, then verify it. Until then the page is only at its address here.</p>}
        {page.visibility === "members" && <p className="small muted">A page for members is served only at its address here.</p>}
        <Record domain={domain} />
        <p className="small muted">
          The name itself must lead to this service, for example by a CNAME record, and its certificate is that of the server in front.
        </p>
        <div className="form-actions">
          <button
            className="btn" type="button" aria-disabled={verify.isPending} data-pending={verify.isPending || undefined}
            onClick={() => !verify.isPending && verify.mutate()}
          >
            <Icon name="check" />{domain.verifiedAt ? "Verify again" : "Verify domain"}
          </button>
          <Link className="btn btn-quiet" to={path("status-pages", id, "settings")}>Change domain</Link>
        </div>
      </div>
    </section>
  );
}

function DomainAndLogo({ page }: { page: StatusPage }) {
  return (
    <>
      <div className="stack g-6 form-width">
        <DomainPanel page={page} />
        <LogoPanel key={page.id} page={page} />
      </div>
      {page.customDomain && (
        <AsApi
          views={[{
            word: "Verify the domain", request: { method: "POST", path: `/api/status-pages/${page.id}/verify-domain` },
            svc: svcLine(["page", "verify-domain", page.slug]),
          }]}
        />
      )}
    </>
  );
}

export default function StatusPageDomainPage() {
  const { pageId } = useParams({ from: "/signed-in/$org/$project/status-pages/$pageId/domain" });
  return <StatusPageFrame id={pageId} tab="domain" needsEditor>{(page) => <DomainAndLogo page={page} />}</StatusPageFrame>;
}
