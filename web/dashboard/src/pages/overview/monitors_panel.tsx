import { Link } from "@tanstack/react-router";
import { Sign } from "../../parts/icon";
import { hasRole } from "../../parts/states";
import { numberText } from "../../time/format";
import { MONITOR_STATES, STATUSES } from "../monitors/monitor_states";
import { useProject } from "../project_context";
import type { Overview } from "./overview_query";

/** Numbers of monitors by state, the worst first. */
export function MonitorsPanel({ monitors }: { monitors: Overview["monitors"] }) {
  const { path, project } = useProject();
  const total = STATUSES.reduce((sum, status) => sum + monitors[status], 0);
  const all = total === 1 ? "1 monitor" : `All ${numberText(total)} monitors`;
  return (
    <section className="panel" aria-labelledby="monitors-head">
      <div className="panel-head">
        <h2 id="monitors-head">Monitors</h2>
        {total > 0 && <Link className="more" to={path("monitors")}>{all}</Link>}
      </div>
      {total === 0 && (
        <div className="panel-body stack g-3">
          <p className="muted">No monitors yet. A monitor checks a target at intervals and alerts when it is down.</p>
          {hasRole(project.role, "project_editor") && (
            <div className="row"><Link className="btn btn-s" to={path("monitors", "new")}>Create monitor</Link></div>
          )}
        </div>
      )}
      {total > 0 && (
        <ul className="list">
          {STATUSES.filter((status) => monitors[status] > 0).map((status) => {
            const { word, sign, look } = MONITOR_STATES[status];
            return (
              <li className="row row-tight" key={status}>
                <span className={`state ${look}`}>
                  <Sign name={sign} look={look} />
                  <Link className="quiet-link" to={path("monitors")} search={{ status }}>{word}</Link>
                </span>
                <span className="push medium">{numberText(monitors[status])}</span>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}
