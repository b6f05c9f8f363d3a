import { Link } from "@tanstack/react-router";
import { useHeard } from "../../api/use_heard";
import { Icon, Sign } from "../../parts/icon";
import { hasRole } from "../../parts/states";
import { Moment } from "../../parts/time";
import { useProject } from "../project_context";
import { MemberName } from "./member_name";
import { type Monitor, readOutages } from "./monitor_queries";
import { Notified } from "./notified";
import { OutageCauser } from "./outage_causer";
import { useAcknowledge } from "./use_acknowledge";

/** Reads the open outage of a monitor. Another person may acknowledge it, and its cause may be found after its start. */
export function useOpenOutage(monitor: Pick<Monitor, "id" | "openOutageId"> | undefined) {
  const { api, key } = useProject();
  return useHeard({
    key: [key, "monitor", monitor?.id, "open-outage", monitor?.openOutageId], enabled: Boolean(monitor?.openOutageId), staleTime: 5_000,
    read: async (headers, signal) => (await readOutages(api, monitor!.id, { open: true }, headers, signal, 1)).rows[0] ?? null,
  });
}

/** The open outage: since when, why, who knows, and the act that is due. */
export function OutageBanner({ monitor }: { monitor: Monitor }) {
  const { path, project } = useProject();
  const acknowledge = useAcknowledge();
  const open = useOpenOutage(monitor);
  const outage = open.data;
  if (!monitor.openOutageId || !outage) return null;
  const failures = Math.max(0, ...monitor.locations.map((one) => one.consecutiveFailureCount));
  const unknown = monitor.status === "error";
  const reminds = Boolean(monitor.alertConfig?.enabled && monitor.alertConfig.reminderMinutes);
  return (
    <section className={`banner ${unknown ? "s-error" : "s-down"}`} aria-labelledby="outage-head">
      <Sign name={unknown ? "error" : "failed"} look={unknown ? "s-error" : "s-down"} />
      <div className="stack g-2">
        <div className="stack g-1">
          <h2 className="banner-title" id="outage-head">Down since <Moment value={outage.startedAt} /></h2>
          <p className="wrap-any">
            <span dir="auto">{outage.cause.message}</span> (<code>{outage.cause.code}</code>).{" "}
            {failures > 1 && monitor.type !== "heartbeat" && `The last ${failures} checks failed.`}
          </p>
        </div>
        {outage.causedBy && <p className="small"><OutageCauser id={outage.causedBy} /></p>}
        <Notified outage={outage} />
        {outage.acknowledgedAt && (
          <p className="small muted">
            <bdi>{outage.acknowledgedBy ? <MemberName id={outage.acknowledgedBy} /> : "A token"}</bdi> acknowledged it at{" "}
            <Moment value={outage.acknowledgedAt} />.{reminds && " There are no more reminders."}
          </p>
        )}
      </div>
      <div className="actions">
        {hasRole(project.role, "project_editor") && (
          <Link className="btn" to={path("status-pages", "post")} search={{ monitorId: monitor.id }}>
            <Icon name="broadcast" />Post update
          </Link>
        )}
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
