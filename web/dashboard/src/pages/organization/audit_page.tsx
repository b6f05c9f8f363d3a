import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { BACKGROUND, account } from "../../api/services";
import { usePolled } from "../../api/use_polled";
import { Blank, LoadError, PageError, Skeleton } from "../../parts/feedback";
import { ListFoot } from "../../parts/list_foot";
import { PageHead } from "../../parts/page";
import { hasWords, searchPages } from "../../parts/search_pages";
import { SHOWN } from "../../parts/search_select";
import { roleWord } from "../../parts/states";
import { queryText } from "../../parts/url_state";
import { useTitle } from "../../parts/use_title";
import { useZone } from "../../parts/use_clock";
import { AuditFilters } from "../audit/audit_filters";
import { AuditTable } from "../audit/audit_table";
import { type AuditEntry, auditFilters } from "../audit/audit_words";
import { list } from "../project_queries";
import { NeedsAdmin } from "./needs_admin";
import { useOrganization } from "./organization_context";
import { readMembers } from "./organization_queries";

const ROUTE = "/signed-in/$org/_/audit";

function Audit() {
  const { organization, key, path } = useOrganization();
  const search = useSearch({ from: ROUTE });
  const navigate = useNavigate({ from: "/$org/_/audit" });
  const zone = useZone();
  const { page, cursor, ...query } = search;
  useTitle("Audit", organization.name);
  const audit = usePolled({
    key: [key, "audit", search, zone], keep: true, every: 30_000,
    read: (headers, signal) => list<AuditEntry>(account.GET("/dashboard/v1/organizations/{organizationId}/audit", {
      params: { path: { organizationId: organization.id }, query: { limit: 50, page, cursor, ...auditFilters(query, zone) } },
      headers, signal,
    })),
  });
  const findMembers = (matches: (id: string, name: string, email: string) => boolean, most: number, signal: AbortSignal) =>
    searchPages(
      (place) => readMembers(organization.id, place, BACKGROUND, signal), (one) => matches(one.id, one.name, one.email), most,
    );
  const actor = useQuery({
    queryKey: [key, "actor", query.actorId], enabled: query.actorId !== undefined, staleTime: 300_000,
    queryFn: async ({ signal }) => (await findMembers((id) => id === query.actorId, 1, signal)).rows[0]?.name ?? null,
  });
  const searchActors = async (words: string, signal: AbortSignal) => {
    const found = await findMembers((_, name, email) => hasWords(words, name, email), SHOWN, signal);
    return { ...found, rows: found.rows.map((one) => ({ id: one.id, word: one.name, note: one.email })) };
  };
  const again = () => void audit.refetch();
  const filtered = Object.values(query).some(Boolean);
  return (
    <div className="page">
      <PageHead
        title="Audit"
        lead={`Every change in ${organization.name} and its projects: the actor, the time and the details. Nobody can edit these rows.`}
      />
      <section className="section" aria-label="Audit trail">
        <AuditFilters
          key={queryText({ ...query })} query={query} actorName={actor.data ?? undefined} queryKey={key} searchActors={searchActors}
          apply={(next) => void navigate({ search: { ...next } })}
        />
        {audit.error && audit.data && <LoadError what="Changes" error={audit.error} retry={again} />}
        {audit.error && !audit.data && (
          <PageError
            thing="This list" what="The audit trail" error={audit.error} retry={again}
            roles={{ needed: "administrator", own: roleWord(organization.role) }}
          />
        )}
        {(!audit.data || audit.isPlaceholderData) && !audit.error && <Skeleton name="the audit trail" />}
        {audit.data && audit.data.rows.length > 0 && (
          <AuditTable
            caption={`Audit trail of ${organization.name}, newest first`} page={audit.data}
            foot={<ListFoot things="Rows" page={audit.data} />}
          />
        )}
        {audit.data && !audit.isPlaceholderData && audit.data.rows.length === 0 && (
          <div className="panel">
            {filtered
              ? (
                <Blank icon="search" title="No change matches these filters">
                  <p>An action is written as in a row, such as <code>job.updated</code>.</p>
                  <div className="row"><Link className="btn" to={path("audit")}>Show all changes</Link></div>
                </Blank>
              )
              : <Blank icon="audit" title="No changes yet"><p>Each change in {organization.name} gets a row here.</p></Blank>}
          </div>
        )}
      </section>
    </div>
  );
}

export default function AuditPage() {
  return <NeedsAdmin><Audit /></NeedsAdmin>;
}
