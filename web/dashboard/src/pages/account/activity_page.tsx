import { useQuery } from "@tanstack/react-query";
import { account as client, take } from "../../api/services";
import { CardRows } from "../../parts/card_table";
import { Blank, LoadError, Skeleton } from "../../parts/feedback";
import { useTitle } from "../../parts/use_title";
import { Moment, ZoneName } from "../../parts/time";
import { numberText } from "../../time/format";

/** Names of events in words; others show their API name. */
const WORDS: Record<string, string> = {
  "session.created": "Signed in", "session.ended": "A session ended", "session.refreshed": "Signed in again",
  "sign_in.failed": "A sign-in failed", "sign_in.limited": "Too many failed sign-ins", "password.set": "Password set",
  "identity.linked": "Identity provider linked", "identity.removed": "Identity provider removed", "link.created": "Sign-in link created",
  "link.used": "Sign-in link used", "user.updated": "Account changed",
};

export default function ActivityPage() {
  useTitle("Activity", "Your account");
  const events = useQuery({
    queryKey: ["own-events"],
    queryFn: async ({ signal }) =>
      take(client.GET("/dashboard/v1/me/events", { signal, params: { query: { limit: 100 } } })),
  });
  if (events.error && !events.data) return <LoadError what="Your activity" error={events.error} retry={() => void events.refetch()} />;
  if (!events.data) return <Skeleton name="activity" />;
  const { data, pagination } = events.data;
  if (data.length === 0) {
    return (
      <div className="panel">
        <Blank icon="clock" title="Nothing has happened yet"><p>Sign-ins and changes of your account appear here.</p></Blank>
      </div>
    );
  }
  return (
    <div className="panel">
      <CardRows
        caption="What happened to your account, the newest first"
        heads={
          <>
            <th scope="col" role="columnheader">Event</th>
            <th scope="col" role="columnheader">At, <ZoneName /></th>
            <th scope="col" role="columnheader">IP address</th>
          </>
        }
      >
        {data.map((one) => (
          <tr role="row" key={one.id}>
            <th scope="row" role="rowheader">
              <div className="cell-name">
                <span className="medium">{WORDS[one.action] ?? one.action}</span>
                {WORDS[one.action] && <code className="cell-sub">{one.action}</code>}
              </div>
            </th>
            <td data-label="At" role="cell"><Moment value={one.createdAt} /></td>
            <td data-label="IP address" role="cell" className="mono">{one.ip ?? "–"}</td>
          </tr>
        ))}
      </CardRows>
      {pagination.total > data.length && (
        <div className="panel-foot"><span>The newest {data.length} of {numberText(pagination.total)} events</span></div>
      )}
    </div>
  );
}
