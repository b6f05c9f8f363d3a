import { Link, useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { CardRows } from "../../parts/card_table";
import { Icon, State } from "../../parts/icon";
import { hasRole } from "../../parts/states";
import { Moment, NOTHING, ZoneName } from "../../parts/time";
import { useNow } from "../../parts/use_clock";
import { numberText } from "../../time/format";
import { IN_MAINTENANCE } from "../maintenance/window_states";
import { useProject } from "../project_context";
import { DeleteMonitor } from "./delete_monitor";
import { MonitorMenu } from "./monitor_menu";
import type { Monitor } from "./monitor_queries";
import { isMuted, monitorState, targetText } from "./monitor_states";
import { StartMaintenance } from "./start_maintenance";
import { useMonitorActs } from "./use_monitor_acts";

export const ROUTE = "/signed-in/$org/$project/monitors";

/** Words below the state: since when, or what comes first. */
function Since({ monitor }: { monitor: Monitor }) {
  const now = useNow();
  if (isMuted(monitor, now)) {
    return <span className="cell-sub nowrap">muted until <Moment value={monitor.mutedUntil} form="minutes" /></span>;
  }
  if (monitor.suspectSince) {
    return <span className="cell-sub nowrap">failing since <Moment value={monitor.suspectSince} form="minutes" /></span>;
  }
  if (monitor.status === "pending") {
    return <span className="cell-sub nowrap">{monitor.type === "heartbeat" ? "no ping yet" : "first check soon"}</span>;
  }
  if (monitor.status === "up" || !monitor.lastStatusChangeAt) return null;
  return <span className="cell-sub nowrap">since <Moment value={monitor.lastStatusChangeAt} form="minutes" /></span>;
}

interface RowProps {
  monitor: Monitor;
  /** The last 24 hours, where the service has them. */
  bars?: (monitor: Monitor) => ReactNode;
  acts: ReactNode;
}

function MonitorRow({ monitor, bars, acts }: RowProps) {
  const { path } = useProject();
  return (
    <tr role="row">
      <td className="cell-state" role="cell">
        <div className="cell-name">
          <State state={monitorState(monitor.status)} />
          <Since monitor={monitor} />
          {monitor.maintenance && (
            <span className="small nowrap">
              <State state={IN_MAINTENANCE} />{" "}
              <span className="cell-sub">until <Moment value={monitor.maintenance.until} form="minutes" /></span>
            </span>
          )}
        </div>
      </td>
      <th scope="row" role="rowheader" className="cell-grow">
        <div className="cell-name">
          <Link className="clip" to={path("monitors", monitor.id)} dir="auto">{monitor.name}</Link>
          <span className="cell-sub clip" dir="auto">{targetText(monitor)}</span>
        </div>
      </th>
      {bars && <td className="cell-bars cell-wide" data-label="Last 24 hours" role="cell">{bars(monitor)}</td>}
      <td className="num" data-label="Response" role="cell">
        {monitor.lastResponseTimeMs === null
          ? <span className="faint">{NOTHING}</span>
          : <span className="nowrap">{numberText(monitor.lastResponseTimeMs)} ms</span>}
      </td>
      {monitor.deletedAt
        ? <td className="num" data-label="Deleted" role="cell"><Moment value={monitor.deletedAt} form="minutes" /></td>
        : <td className="num cell-hide-m" data-label="Next check" role="cell"><Moment value={monitor.nextCheckAt} /></td>}
      <td className="cell-actions" role="cell">{acts}</td>
    </tr>
  );
}

function SortHead({ word, sort, className }: { word: string; sort: "status" | "name"; className?: string }) {
  const search = useSearch({ from: ROUTE });
  const active = (search.sort ?? "status") === sort;
  const order = sort === "status" ? "descending" : "ascending";
  return (
    <th scope="col" role="columnheader" className={className} aria-sort={active ? order : undefined}>
      <Link to="." search={{ ...search, sort: sort === "status" ? undefined : sort, page: undefined, cursor: undefined }}>
        {word}
        {active && <Icon name="sort" small />}
      </Link>
    </th>
  );
}

interface TableProps {
  caption: string;
  rows: readonly Monitor[];
  deleted: boolean;
  bars?: (monitor: Monitor) => ReactNode;
  foot: ReactNode;
}

/** Monitors with their states, and what can be done with them. */
export function MonitorTable({ caption, rows, deleted, bars, foot }: TableProps) {
  const { project } = useProject();
  const { act, busy, changed } = useMonitorActs();
  const [asking, setAsking] = useState<Monitor>();
  const [planning, setPlanning] = useState<Monitor>();
  const edits = hasRole(project.role, "project_editor");
  const restore = (monitor: Monitor) => edits && (
    <button
      className="btn btn-s" type="button" aria-label={`Restore ${monitor.name}`} aria-disabled={busy}
      onClick={() => act("restore", monitor)}
    >
      Restore
    </button>
  );
  return (
    <div className="panel">
      <CardRows
        caption={caption}
        heads={
          <>
            <SortHead word="State" sort="status" />
            <SortHead word="Name" sort="name" className="cell-grow" />
            {bars && <th scope="col" role="columnheader">Last 24 hours</th>}
            <th scope="col" role="columnheader" className="num">Response</th>
            <th scope="col" role="columnheader" className={deleted ? "num" : "num cell-hide-m"}>
              {deleted ? "Deleted" : "Next check"}, <ZoneName />
            </th>
            <th scope="col" role="columnheader"><span className="vh">Actions</span></th>
          </>
        }
      >
        {rows.map((monitor) => (
          <MonitorRow
            key={monitor.id} monitor={monitor} bars={bars}
            acts={monitor.deletedAt
              ? restore(monitor)
              : (
                <MonitorMenu
                  monitor={monitor} small act={act} remove={() => setAsking(monitor)} maintain={() => setPlanning(monitor)}
                />
              )}
          />
        ))}
      </CardRows>
      {foot}
      {planning && <StartMaintenance monitor={planning} onClose={() => setPlanning(undefined)} />}
      {asking && (
        <DeleteMonitor
          monitor={asking} onClose={() => setAsking(undefined)}
          onDeleted={() => (setAsking(undefined), void changed())}
        />
      )}
    </div>
  );
}
