import type { UseQueryResult } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { usePolled } from "../../api/use_polled";
import { PageError, Skeleton } from "../../parts/feedback";
import { Badge, Icon, Sign } from "../../parts/icon";
import { Crumbs, PageHead, Tabs } from "../../parts/page";
import { hasRole } from "../../parts/states";
import { Elapsed, Moment } from "../../parts/time";
import { useNow } from "../../parts/use_clock";
import { useProject } from "../project_context";
import { DeleteMonitor } from "./delete_monitor";
import { MaintenanceNote } from "./maintenance_note";
import { MonitorMenu } from "./monitor_menu";
import { type Monitor, readMonitor } from "./monitor_queries";
import { isMuted, monitorState, targetText } from "./monitor_states";
import { MuteMenu } from "./mute_menu";
import { useOpenOutage } from "./outage_banner";
import { StartMaintenance } from "./start_maintenance";
import { useMonitorActs } from "./use_monitor_acts";

/** The monitor with its newest results, read again every ten seconds. */
export function useMonitor(id: string): UseQueryResult<Monitor> {
  const { api, key } = useProject();
  return usePolled({ key: [key, "monitor", id, "state"], read: (headers, signal) => readMonitor(api, id, headers, signal) });
}

export function MonitorCrumbs({ monitor, id, last }: { monitor?: Monitor; id: string; last?: string }) {
  const { path } = useProject();
  const name = monitor?.name ?? "Monitor";
  const own = last ? [{ word: name, to: path("monitors", id) }, { word: last }] : [{ word: name }];
  return <Crumbs crumbs={[{ word: "Monitors", to: path("monitors") }, ...own]} />;
}

/** What holds for the monitor besides its state: deleted, muted, or failing without being down yet. */
function Notes({ monitor, restore, unmute }: { monitor: Monitor; restore: () => void; unmute: () => void }) {
  const { project } = useProject();
  const now = useNow();
  const edits = hasRole(project.role, "project_editor");
  if (monitor.deletedAt) {
    return (
      <section className="banner s-cancelled" aria-label="Deleted">
        <Sign name="cancelled" look="s-cancelled" />
        <div className="stack g-1">
          <p className="banner-title">Deleted at <Moment value={monitor.deletedAt} /></p>
          <p className="small">It is no longer checked. Its history stays readable.</p>
        </div>
        <div className="actions">{edits && <button className="btn btn-s" type="button" onClick={restore}>Restore</button>}</div>
      </section>
    );
  }
  return (
    <>
      {monitor.maintenance && <MaintenanceNote maintenance={monitor.maintenance} />}
      {isMuted(monitor, now) && (
        <section className="banner s-info" aria-label="Muted">
          <Sign name="info" look="s-info" />
          <div className="stack g-1">
            <p className="banner-title">Muted until <Moment value={monitor.mutedUntil} form="minutes" /></p>
            <p className="small">Alerts are recorded but not sent.</p>
          </div>
          <div className="actions">
            {edits && <button className="btn btn-s" type="button" onClick={unmute}>Send alerts again</button>}
          </div>
        </section>
      )}
      {monitor.suspectSince && (
        <section className="banner s-warning" aria-label="Failing">
          <Sign name="degraded" look="s-warning" />
          <div className="stack g-1">
            <p className="banner-title">Failing since <Moment value={monitor.suspectSince} />, and not down yet</p>
            <p className="small">It is down after {monitor.alertConfig?.failureThreshold ?? 1} failed checks in a row.</p>
          </div>
          <div className="actions" />
        </section>
      )}
      {monitor.status === "error" && monitor.reason && (
        <section className="banner s-error" aria-label="No evidence">
          <Sign name="error" look="s-error" />
          <div className="stack g-1">
            <p className="banner-title">The checks say nothing about the target</p>
            <p className="small wrap-any"><span dir="auto">{monitor.reason.message}</span> (<code>{monitor.reason.code}</code>)</p>
          </div>
          <div className="actions" />
        </section>
      )}
    </>
  );
}

interface FrameProps {
  monitor: UseQueryResult<Monitor>;
  id: string;
  tab: "state" | "results" | "outages";
  children: (monitor: Monitor) => ReactNode;
}

/** Heading, acts and parts of one monitor. */
export function MonitorFrame({ monitor: query, id, tab, children }: FrameProps) {
  const { path, project } = useProject();
  const navigate = useNavigate();
  const { act, mute, busy, changed } = useMonitorActs();
  const [asking, setAsking] = useState(false);
  const [planning, setPlanning] = useState(false);
  const monitor = query.data;
  const outage = useOpenOutage(monitor);
  if (!monitor) {
    return (
      <div className="page">
        <MonitorCrumbs id={id} />
        {query.error
          ? (
            <PageError
              page thing="This monitor" what="The monitor" error={query.error} retry={() => void query.refetch()}
              back={<Link className="btn" to={path("monitors")}>Show all monitors</Link>}
            />
          )
          : <Skeleton name="the monitor" />}
      </div>
    );
  }
  const edits = hasRole(project.role, "project_editor") && !monitor.deletedAt;
  // The outage starts with the first failed check, and the state changes with the last one that the threshold asks for.
  const loads = monitor.openOutageId && outage.isPending;
  const since = monitor.status === "down" && !loads ? outage.data?.startedAt ?? monitor.lastStatusChangeAt : null;
  return (
    <div className="page">
      <MonitorCrumbs monitor={monitor} id={id} />
      <PageHead
        title={monitor.name} badge={<Badge state={monitorState(monitor.status)} more={since && <Elapsed since={since} />} />}
        lead={monitor.type === "heartbeat"
          ? "Heartbeat: the job pings an address, and a missing ping means down."
          : <code className="wrap-any">{targetText(monitor)}</code>}
        actions={
          <>
            {edits && monitor.enabled && monitor.type !== "heartbeat" && (
              <button className="btn" type="button" aria-disabled={busy} onClick={() => act("check", monitor)}>
                <Icon name="rerun" />Check now
              </button>
            )}
            {edits && <MuteMenu monitor={monitor} mute={mute} unmute={(one) => act("unmute", one)} />}
            {edits && (
              <button className="btn" type="button" aria-disabled={busy} onClick={() => act(monitor.enabled ? "pause" : "resume", monitor)}>
                <Icon name={monitor.enabled ? "pause" : "play"} />{monitor.enabled ? "Pause" : "Resume"}
              </button>
            )}
            {edits && <Link className="btn" to={path("monitors", id, "edit")}>Edit</Link>}
            {!monitor.deletedAt && (
              <MonitorMenu
                monitor={monitor} act={act} remove={() => setAsking(true)} maintain={() => setPlanning(true)}
                without={["check", "pause", "resume", "edit"]}
              />
            )}
          </>
        }
      />
      <Tabs
        label="Parts of the monitor"
        tabs={[
          { word: "State", to: path("monitors", id), current: tab === "state" },
          { word: monitor.type === "heartbeat" ? "Pings" : "Results", to: path("monitors", id, "results"), current: tab === "results" },
          { word: "Outages", to: path("monitors", id, "outages"), current: tab === "outages" },
        ]}
      />
      <Notes monitor={monitor} restore={() => act("restore", monitor)} unmute={() => act("unmute", monitor)} />
      {children(monitor)}
      {planning && <StartMaintenance monitor={monitor} onClose={() => setPlanning(false)} />}
      {asking && (
        <DeleteMonitor
          monitor={monitor} onClose={() => setAsking(false)}
          onDeleted={() => {
            void changed();
            void navigate({ to: path("monitors") });
          }}
        />
      )}
    </div>
  );
}
