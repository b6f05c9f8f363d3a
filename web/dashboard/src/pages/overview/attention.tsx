import { Link } from "@tanstack/react-router";
import { Icon, Sign } from "../../parts/icon";
import { hasRole } from "../../parts/states";
import { Moment } from "../../parts/time";
import { numberText } from "../../time/format";
import { MemberName } from "../monitors/member_name";
import { Notified } from "../monitors/notified";
import { useAcknowledge } from "../monitors/use_acknowledge";
import type { ProjectOutage } from "../outages/open_first";
import { useProject } from "../project_context";

function Acknowledged({ outage }: { outage: ProjectOutage }) {
  if (!outage.acknowledgedAt) return <>Nobody has acknowledged the outage.</>;
  const person = outage.acknowledgedBy ? <MemberName id={outage.acknowledgedBy} /> : "A token";
  return <><bdi>{person}</bdi> acknowledged the outage at <Moment value={outage.acknowledgedAt} />.</>;
}

/** One open outage: since when, why, who knows, and the act that is due. */
function OneOutage({ outage }: { outage: ProjectOutage }) {
  const { path, project } = useProject();
  const acknowledge = useAcknowledge();
  return (
    <section className="banner s-down" aria-label="Needs attention">
      <Sign name="failed" look="s-down" />
      <div className="stack g-1">
        <p className="banner-title wrap-any"><bdi>{outage.monitorName}</bdi> is down since <Moment value={outage.startedAt} /></p>
        <p className="small wrap-any">
          <span dir="auto">{outage.cause.message}</span> (<code>{outage.cause.code}</code>) <Acknowledged outage={outage} />
        </p>
        <Notified outage={outage} />
      </div>
      <div className="actions">
        {!outage.acknowledgedAt && hasRole(project.role, "project_editor") && (
          <button
            className="btn btn-s" type="button" aria-disabled={acknowledge.isPending}
            onClick={() => !acknowledge.isPending && acknowledge.mutate(outage)}
          >
            <Icon name="check" small />Acknowledge
          </button>
        )}
        <Link className="btn btn-s" to={path("monitors", outage.monitorId)}>Open monitor</Link>
      </div>
    </section>
  );
}

/** The banner of open outages; without one it shows nothing. */
export function Attention({ rows, total }: { rows: readonly ProjectOutage[]; total: number }) {
  const { path } = useProject();
  // The two come from answers of different age.
  const open = Math.max(total, rows.length);
  const others = open - rows.length;
  if (rows.length === 0) return null;
  if (open === 1) return <OneOutage outage={rows[0]!} />;
  return (
    <section className="banner s-down" aria-label="Needs attention">
      <Sign name="failed" look="s-down" />
      <div className="stack g-1">
        <p className="banner-title">{numberText(open)} outages are open</p>
        <ul className="small stack g-1">
          {rows.map((one) => (
            <li className="wrap-any" key={one.id}>
              <Link to={path("monitors", one.monitorId)} dir="auto">{one.monitorName}</Link> since <Moment value={one.startedAt} />
              {one.acknowledgedAt ? ", acknowledged" : ""}
            </li>
          ))}
          {others > 0 && <li>and {numberText(others)} earlier {others === 1 ? "one" : "ones"}</li>}
        </ul>
      </div>
      <div className="actions"><Link className="btn btn-s" to={path("outages")} search={{ open: "true" }}>Show outages</Link></div>
    </section>
  );
}
