import { Link, useSearch } from "@tanstack/react-router";
import { useAccount } from "../../api/account";
import { usePolled } from "../../api/use_polled";
import { svcLine } from "../../parts/api_lines";
import { AsApi } from "../../parts/as_api";
import { CommandLine } from "../../parts/copy";
import { Blank, LoadError, PageError, Skeleton } from "../../parts/feedback";
import { Icon } from "../../parts/icon";
import { ListFoot } from "../../parts/list_foot";
import { PageHead, Tabs } from "../../parts/page";
import { hasRole } from "../../parts/states";
import { useTitle } from "../../parts/use_title";
import { CredentialTable } from "../credentials/credential_table";
import { NeedsEditor } from "../needs_project_role";
import { useProject } from "../project_context";
import { readTokens } from "../project_queries";
import { useTokenKind } from "./token_kind";

function Tokens() {
  const { api, key, project, path } = useProject();
  const { user } = useAccount();
  const kind = useTokenKind();
  const { view, ...place } = useSearch({ from: "/signed-in/$org/$project/tokens" });
  useTitle("Tokens", project.name);
  const tokens = usePolled({
    key: [key, "tokens", place], keep: true, every: 30_000,
    read: (headers, signal) => readTokens(api, place, headers, signal),
  });
  const rows = tokens.data?.rows ?? [];
  const own = rows.filter((token) => token.createdBy.id === user.id);
  const shown = view === "own" ? own : rows;
  const creates = hasRole(project.role, "project_editor");
  const query = { page: place.page, limit: 100 };
  const again = () => void tokens.refetch();
  return (
    <div className="page">
      <PageHead
        title="CLI tokens"
        lead={`A token has the permissions of its owner’s role in ${project.name}. Programs and the client svc sign in with it.`}
        actions={creates && <Link className="btn btn-primary" to={path("tokens", "new")}><Icon name="plus" />Create token</Link>}
      />
      <Tabs
        label="Tokens shown"
        tabs={[
          { word: "The project’s", to: path("tokens"), count: tokens.data?.pagination.total, current: view !== "own" },
          {
            word: "Yours", to: path("tokens"), search: { view: "own" }, count: tokens.data ? own.length : undefined,
            current: view === "own",
          },
        ]}
      />
      <section className="section" aria-label="Tokens">
        {tokens.error && tokens.data && <LoadError what="Changes" error={tokens.error} retry={again} />}
        {tokens.error && !tokens.data && <PageError thing="This list" what="The tokens" error={tokens.error} retry={again} />}
        {!tokens.data && !tokens.error && <Skeleton name="tokens" />}
        {tokens.data && shown.length > 0 && (
          <CredentialTable
            caption={`CLI tokens of ${project.name}`} rows={shown} kind={kind}
            foot={
              <ListFoot things="Tokens" page={{ ...tokens.data, rows: shown }} words={["Previous", "Next"]} />
            }
          />
        )}
        {tokens.data && shown.length === 0 && (
          <div className="panel">
            <Blank icon="key" title={view === "own" ? "You have no token here" : "No tokens yet"}>
              <p>A token lets a program or the client svc act with your role in {project.name}.</p>
              {creates && <div className="row"><Link className="btn btn-primary" to={path("tokens", "new")}>Create token</Link></div>}
              <p className="small faint">Once you have one, sign the client in:</p>
              <CommandLine command={`svc login --url ${location.origin}`} />
            </Blank>
          </div>
        )}
      </section>
      {tokens.data && (
        <AsApi views={[{ request: { method: "GET", path: "/api/cli-tokens", query }, svc: svcLine(["token", "list"], query) }]} />
      )}
    </div>
  );
}

export default function TokensPage() {
  return <NeedsEditor><Tokens /></NeedsEditor>;
}
