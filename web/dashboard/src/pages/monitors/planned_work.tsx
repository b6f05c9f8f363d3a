import { Link } from "@tanstack/react-router";
import { useHeard } from "../../api/use_heard";
import { State } from "../../parts/icon";
import { hasRole } from "../../parts/states";
import { Moment } from "../../parts/time";
import { readUnfinished } from "../maintenance/window_queries";
import { groupsOf, windowState } from "../maintenance/window_states";
import { useProject } from "../project_context";
import type { Monitor } from "./monitor_queries";

const SHOWN = 3;

/** The windows that cover the monitor, the next ones first. Without any it is only a link for editors. */
export function PlannedWork({ monitor }: { monitor: Monitor }) {
  const { api, key, path, project } = useProject();
  const windows = useHeard({
    key: [key, "maintenance", "of-monitor", monitor.id, monitor.maintenance?.id ?? ""],
    read: (headers, signal) => readUnfinished(api, { monitorId: monitor.id }, headers, signal),
  });
  if (!windows.data) return null;
  const { active, scheduled, recurring } = groupsOf(windows.data);
  const rows = [...active, ...scheduled, ...recurring];
  const edits = hasRole(project.role, "project_editor") && !monitor.deletedAt;
  if (rows.length === 0 && !edits) return null;
  return (
    <section className="panel" aria-labelledby="planned-head">
      <div className="panel-head">
        <h2 id="planned-head">Planned work</h2>
        {edits && <Link className="more" to={path("maintenance", "new")} search={{ monitorId: monitor.id }}>Plan</Link>}
      </div>
      {rows.length === 0 && <div className="panel-body muted">No window covers this monitor.</div>}
      {rows.length > 0 && (
        <ul className="list">
          {rows.slice(0, SHOWN).map((one) => (
            <li key={one.id} className="stack g-1">
              <Link className="wrap-any" to={path("maintenance", one.id)} dir="auto">{one.name}</Link>
              <span className="small row g-2">
                <State state={windowState(one.state)} />
                {one.current
                  ? <span className="muted">until <Moment value={one.current.endsAt} form="minutes" /></span>
                  : one.next && <span className="muted">from <Moment value={one.next.startsAt} form="minutes" /></span>}
              </span>
            </li>
          ))}
          {rows.length > SHOWN && (
            <li><Link className="more" to={path("maintenance")} search={{ monitorId: monitor.id }}>All {rows.length} windows</Link></li>
          )}
        </ul>
      )}
    </section>
  );
}
