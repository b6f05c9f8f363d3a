import { take } from "../../api/services";
import { usePolled } from "../../api/use_polled";
import { Moment } from "../../parts/time";
import { useProject } from "../project_context";
import type { Outage } from "./monitor_queries";
import { suppressedWords } from "./monitor_states";

/** The newest alerts of a monitor, which follow the project's feed: among them are those of its open outage. */
function useOutageAlerts({ id, monitorId }: Pick<Outage, "id" | "monitorId">) {
  const { api, key } = useProject();
  const query = { targetId: monitorId, type: "monitor_failure", limit: 20 } as const;
  return usePolled({
    key: [key, "alerts", "outage", id],
    read: async (headers, signal) => (await take(api.GET("/api/alerts", { params: { query }, headers, signal }))).data,
  });
}

/** Who was notified of an outage, and who was not. */
export function Notified({ outage }: { outage: Pick<Outage, "id" | "monitorId"> }) {
  const alerts = useOutageAlerts(outage);
  const own = alerts.data?.filter((one) => one.outageId === outage.id && one.reminder === 0);
  if (!own) return null;
  if (!own.length) return <p className="small muted">Nobody was notified.</p>;
  return (
    <ul className="small muted stack g-1">
      {own.map((one) => (
        <li key={one.id}>
          <bdi>{one.notificationProvider}</bdi>
          {one.status === "sent" && <> was notified at <Moment value={one.sentAt} /></>}
          {one.status === "pending" && " is being notified"}
          {one.status === "failed" && " could not be notified"}
          {one.status === "suppressed" && ` was not notified${suppressedWords(one.suppressedBy)}`}
        </li>
      ))}
    </ul>
  );
}
