import { useQuery } from "@tanstack/react-query";
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

export default function OwnTokensPage() {
  useTitle("Tokens and keys", "Your account");
  const now = useNow();
  const tokens = useQuery({
    queryKey: ["own-tokens"],
    queryFn: async ({ signal }) =>
      take(client.GET("/dashboard/v1/me/tokens", { signal, headers: WHOLE, params: { query: { limit: 100 } } })),
  });
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
              <div className="cell-name">
                <span className="medium clip" dir="auto">{one.name}</span>
                <span className="cell-sub">{KINDS[one.kind] ?? one.kind} <code>{one.start}</code></span>
              </div>
            </th>
            <td data-label="Project" role="cell"><span dir="auto">{one.organization} / {one.project}</span></td>
            <td data-label="Last used" role="cell"><Moment value={one.lastUsedAt} form="minutes" missing="Never" /></td>
            <td data-label="Expires" role="cell"><Moment value={one.expiresAt} form="date" missing="Does not expire" /></td>
          </tr>
        ))}
      </CardRows>
      <div className="panel-foot"><span>{data.length} of {pagination.total}</span></div>
    </div>
  );
}
