import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { CardRows } from "../../parts/card_table";
import { Icon, State } from "../../parts/icon";
import { hasRole } from "../../parts/states";
import { Duration, Elapsed, Moment, ZoneName } from "../../parts/time";
import { durationText } from "../../time/format";
import { useProject } from "../project_context";
import { MemberName } from "./member_name";
import type { Outage } from "./monitor_queries";
import { outageState } from "./monitor_states";
import { OutageCauser } from "./outage_causer";
import { useAcknowledge } from "./use_acknowledge";

type ShownOutage = Outage & { monitorName?: string };

interface TableProps {
  caption: string;
  rows: readonly ShownOutage[];
  /** Outages of several monitors have a column for them. */
  showMonitor?: boolean;
  /** The name of the monitor, if all outages are of one. */
  monitorName?: string;
  /** Leaves out the acts, which the page has elsewhere. */
  plain?: boolean;
  foot?: ReactNode;
}

function Acknowledged({ outage, name, plain }: { outage: ShownOutage; name: string; plain: boolean }) {
  const { project } = useProject();
  const acknowledge = useAcknowledge();
  if (outage.acknowledgedAt) {
    const person = outage.acknowledgedBy ? <MemberName id={outage.acknowledgedBy} /> : "A token";
    return <span><bdi>{person}</bdi>, <Moment value={outage.acknowledgedAt} form="minutes" /></span>;
  }
  if (outage.endedAt) return <span className="muted">No</span>;
  if (plain || !hasRole(project.role, "project_editor")) return <span className="muted">Not yet</span>;
  return (
    <button
      className="btn btn-s" type="button" aria-label={`Acknowledge the outage of ${name}`} aria-disabled={acknowledge.isPending}
      onClick={() => !acknowledge.isPending && acknowledge.mutate(outage)}
    >
      <Icon name="check" small />Acknowledge
    </button>
  );
}

interface RowProps {
  outage: ShownOutage;
  showMonitor: boolean;
  monitorName?: string;
  plain: boolean;
  /** The monitor whose outage caused this one, if the table shows it. */
  causer?: string;
}

function OutageRow({ outage, showMonitor, monitorName, plain, causer }: RowProps) {
  const { path, project } = useProject();
  const name = outage.monitorName ?? monitorName ?? "the monitor";
  const started = <Moment value={outage.startedAt} />;
  const posts = !plain && !outage.endedAt && hasRole(project.role, "project_editor");
  return (
    <tr role="row">
      <td className="cell-state" role="cell"><State state={outageState(outage)} /></td>
      {showMonitor
        ? (
          <>
            <th scope="row" role="rowheader">
              <Link className="clip" to={path("monitors", outage.monitorId)} dir="auto">{name}</Link>
            </th>
            <td data-label="Started" role="cell">{started}</td>
          </>
        )
        : <th scope="row" role="rowheader">{started}</th>}
      <td className="cell-grow cell-wide" data-label="Cause" role="cell">
        <div className="cell-name">
          <span className="wrap-any" dir="auto">{outage.cause.message}</span>
          <span className="cell-sub mono">{outage.cause.code}</span>
          {outage.causedBy && <span className="cell-sub"><OutageCauser id={outage.causedBy} name={causer} /></span>}
        </div>
      </td>
      <td className="num" data-label="Duration" role="cell">
        <div className="cell-name">
          {outage.endedAt ? <Duration milliseconds={outage.durationSeconds * 1000} /> : <Elapsed since={outage.startedAt} />}
          {outage.excludedSeconds > 0 && <span className="cell-sub nowrap">{durationText(outage.excludedSeconds * 1000)} not counted</span>}
        </div>
      </td>
      <td data-label="Acknowledged" role="cell"><Acknowledged outage={outage} name={name} plain={plain} /></td>
      <td className={posts ? "cell-actions" : "cell-hide"} role="cell">
        {posts && (
          <Link
            className="btn btn-s btn-quiet" to={path("status-pages", "post")} search={{ monitorId: outage.monitorId }}
            aria-label={`Post update about ${name}`}
          >
            <Icon name="broadcast" small />Post update
          </Link>
        )}
      </td>
    </tr>
  );
}

/** Outages with cause, duration and who acknowledged them. */
export function OutageTable({ caption, rows, showMonitor = false, monitorName, plain = false, foot }: TableProps) {
  return (
    <div className="panel">
      <CardRows
        caption={caption}
        heads={
          <>
            <th scope="col" role="columnheader">State</th>
            {showMonitor && <th scope="col" role="columnheader">Monitor</th>}
            <th scope="col" role="columnheader">Started, <ZoneName /></th>
            <th scope="col" role="columnheader">Cause</th>
            <th scope="col" role="columnheader" className="num">Duration</th>
            <th scope="col" role="columnheader">Acknowledged</th>
            <th scope="col" role="columnheader"><span className="vh">Actions</span></th>
          </>
        }
      >
        {rows.map((one) => (
          <OutageRow
            key={one.id} outage={one} showMonitor={showMonitor} monitorName={monitorName} plain={plain}
            causer={rows.find((other) => other.id === one.causedBy)?.monitorName}
          />
        ))}
      </CardRows>
      {foot}
    </div>
  );
}
