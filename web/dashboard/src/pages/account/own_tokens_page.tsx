import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { DashboardSchemas } from "../../../../api/client";
import { projectsQuery } from "../../api/account";
import { WHOLE, account as client, take } from "../../api/services";
import { CardRows } from "../../parts/card_table";
import { Blank, LoadError, Skeleton } from "../../parts/feedback";
import { State } from "../../parts/icon";
import { useTitle } from "../../parts/use_title";
import { type StateLook, tokenState } from "../../parts/states";
import { Moment, ZoneName } from "../../parts/time";
import { useNow } from "../../parts/use_clock";

const STOPPED: StateLook = { word: "Stopped", sign: "cancelled", look: "s-cancelled" };
const KINDS: Record<string, string> = { cli: "CLI token", test: "Test token", trigger: "Trigger key", legacy_trigger: "Trigger key" };

type OwnToken = DashboardSchemas["OwnToken"];
type OwnProject = DashboardSchemas["OwnProject"];

/** The list in which a token is rotated or revoked, if its project is one of the user's. */
function listOf({ jobId, projectId }: OwnToken, projects: readonly OwnProject[] | undefined): string | undefined {
  const project = projects?.find((one) => one.id === projectId);
  if (!project) return undefined;
  return `/${project.organization.slug}/${project.slug}/${jobId ? `jobs/${jobId}/keys` : "tokens"}`;
}

function TokenName({ token, to }: { token: OwnToken; to: string | undefined }) {
  return (
    <div className="cell-name">
      {to ? <Link className="clip" dir="auto" to={to}>{token.name}</Link> : <span className="medium clip" dir="auto">{token.name}</span>}
      <span className="cell-sub">{KINDS[token.kind] ?? token.kind} <code>{token.start}</code></span>
    </div>
  );
}

export default function OwnTokensPage() {
  useTitle("Tokens and keys", "Your account");
  const now = useNow();
  const tokens = useQuery({
    queryKey: ["own-tokens"],
    queryFn: async ({ signal }) =>
      take(client.GET("/dashboard/v1/me/tokens", { signal, headers: WHOLE, params: { query: { limit: 100 } } })),
  });
  const { data: projects } = useQuery(projectsQuery());
  if (tokens.error && !tokens.data) return <LoadError what="Your tokens" error={tokens.error} retry={() => void tokens.refetch()} />;
  if (!tokens.data) return <Skeleton name="tokens" />;
  const { data, pagination } = tokens.data;
  if (data.length === 0) {
    return (
      <div className="panel">
        <Blank icon="key" title="You have no tokens or keys">
          <p>Your CLI tokens and trigger keys of all projects appear here.</p>
        </Blank>
      </div>
    );
  }
  return (
    <div className="panel">
      <CardRows
        caption="Your tokens and keys in all projects, the oldest first"
        heads={
          <>
            <th scope="col" role="columnheader">State</th>
            <th scope="col" role="columnheader">Name</th>
            <th scope="col" role="columnheader">Project</th>
            <th scope="col" role="columnheader">Last used, <ZoneName /></th>
            <th scope="col" role="columnheader">Expires</th>
          </>
        }
      >
        {data.map((one) => (
          <tr role="row" key={one.id}>
            <td className="cell-state" role="cell"><State state={one.stopped ? STOPPED : tokenState(one, now)} /></td>
            <th scope="row" role="rowheader" className="cell-grow">
              <TokenName token={one} to={one.stopped ? undefined : listOf(one, projects)} />
            </th>
            <td data-label="Project" role="cell">
              <div className="cell-name"><bdi>{one.project}</bdi><bdi className="cell-sub">{one.organization}</bdi></div>
            </td>
            <td data-label="Last used" role="cell"><Moment value={one.lastUsedAt} form="minutes" missing="Never" /></td>
            <td className="nowrap" data-label="Expires" role="cell">
              <Moment value={one.expiresAt} form="date" missing="Does not expire" />
            </td>
          </tr>
        ))}
      </CardRows>
      <div className="panel-foot">
        <span>{data.length} of {pagination.total}</span>
        <span className="faint">The name of each leads to the list where you rotate or revoke it.</span>
      </div>
    </div>
  );
}
