import { useQuery } from "@tanstack/react-query";
import type { PublicSchemas } from "../../../../api/client";
import { take } from "../../api/services";
import { Icon, Sign } from "../../parts/icon";
import { hasRole } from "../../parts/states";
import { Moment } from "../../parts/time";
import { useProject } from "../project_context";
import { MemberName } from "./member_name";
import { type Monitor, readOutages } from "./monitor_queries";
import { suppressedWords } from "./monitor_states";
import { OutageCauser } from "./outage_causer";
import { useAcknowledge } from "./use_acknowledge";

type OutageAlert = Pick<
  PublicSchemas["Alert"], "id" | "outageId" | "reminder" | "notificationProvider" | "status" | "sentAt" | "suppressedBy"
>;

/** Who was notified of an outage, and who was not, from the newest alerts of its monitor. */
export function NotifiedList({ alerts, outage }: { alerts: readonly OutageAlert[]; outage: string | null }) {
  const own = alerts.filter((one) => one.outageId === outage && one.reminder === 0);
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

function Notified({ monitor }: { monitor: Monitor }) {
  const { api, key } = useProject();
  const alerts = useQuery({
    queryKey: [key, "monitor", monitor.id, "outage-alerts", monitor.openOutageId, monitor.lastCheckAt],
    queryFn: ({ signal }) =>
      take(api.GET("/api/alerts", { params: { query: { targetId: monitor.id, type: "monitor_failure", limit: 20 } }, signal })),
  });
  return alerts.data ? <NotifiedList alerts={alerts.data.data} outage={monitor.openOutageId} /> : null;
}

/** The open outage: since when, why, who knows, and the act that is due. */
export function OutageBanner({ monitor }: { monitor: Monitor }) {
  const { api, key, project } = useProject();
  const acknowledge = useAcknowledge();
  const open = useQuery({
    queryKey: [key, "monitor", monitor.id, "open-outage", monitor.openOutageId],
    queryFn: async ({ signal }) => (await readOutages(api, monitor.id, { open: true }, {}, signal, 1)).rows[0] ?? null,
    enabled: monitor.openOutageId !== null,
  });
  const outage = open.data;
  if (!monitor.openOutageId || !outage) return null;
  const failures = Math.max(0, ...monitor.locations.map((one) => one.consecutiveFailureCount));
  const unknown = monitor.status === "error";
  return (
    <section className={`banner ${unknown ? "s-error" : "s-down"}`} aria-labelledby="outage-head">
      <Sign name={unknown ? "error" : "failed"} look={unknown ? "s-error" : "s-down"} />
      <div className="stack g-2">
        <div className="stack g-1">
          <h2 className="banner-title" id="outage-head">Down since <Moment value={outage.startedAt} /></h2>
          <p className="wrap-any">
            <span dir="auto">{outage.cause.message}</span> (<code>{outage.cause.code}</code>){" "}
            {failures > 1 && monitor.type !== "heartbeat" && `The last ${failures} checks failed.`}
          </p>
        </div>
        {outage.causedBy && <p className="small"><OutageCauser id={outage.causedBy} /></p>}
        <Notified monitor={monitor} />
        {outage.acknowledgedAt && (
          <p className="small muted">
            <bdi>{outage.acknowledgedBy ? <MemberName id={outage.acknowledgedBy} /> : "A token"}</bdi> acknowledged it at{" "}
            <Moment value={outage.acknowledgedAt} />. There are no reminders.
          </p>
        )}
      </div>
      <div className="actions">
        {!outage.acknowledgedAt && hasRole(project.role, "project_editor") && (
          <button
            className="btn btn-primary" type="button" aria-disabled={acknowledge.isPending}
            onClick={() => !acknowledge.isPending && acknowledge.mutate(outage)}
          >
            <Icon name="check" />Acknowledge
          </button>
        )}
      </div>
    </section>
  );
}
