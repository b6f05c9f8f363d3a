import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { CardRows } from "../../parts/card_table";
import { State } from "../../parts/icon";
import { isOver, runState } from "../../parts/states";
import { Duration, Elapsed, Moment, NOTHING, ZoneName } from "../../parts/time";
import { useProject } from "../project_context";
import type { Run } from "../project_queries";
import { runReason } from "./run_reason";
import type { HeldRows } from "./use_held_rows";

const TRIGGERS = { remote: "token or key", manual: "dashboard", schedule: "" } as const;

/** Returns `01a1f9fb…a502`. */
export const shortId = (id: string): string => `${id.slice(0, 8)}…${id.slice(-4)}`;

/** Returns who started a run. */
export const starter = (run: Pick<Run, "trigger" | "triggeredBy">): string =>
  run.trigger === "schedule" ? "Schedule" : run.triggeredBy;

function parametersText(run: Run): string {
  const entries = Object.entries(run.parameters);
  return entries.length === 1 ? entries[0]![1] : entries.map(([name, value]) => `${name}=${value}`).join(" ");
}

function testsText(run: Run): string {
  if (!isOver(run.status)) return String(run.testCount || NOTHING);
  const passed = run.tests.filter((test) => test.status === "passed").length;
  return run.tests.length ? `${passed} of ${run.tests.length}` : String(run.testCount || NOTHING);
}

function RunRow({ run, showJob }: { run: Run; showJob: boolean }) {
  const { path } = useProject();
  const parameters = parametersText(run);
  const reason = runReason(run);
  return (
    <tr role="row">
      <td className="cell-state" role="cell"><State state={runState(run.status)} /></td>
      <th scope="row" role="rowheader" className="cell-grow">
        <div className="cell-name">
          {showJob
            ? <Link className="clip" to={path("runs", run.id)} dir="auto">{run.jobName ?? "Single test"}</Link>
            : <Link className="mono small" to={path("runs", run.id)}>{shortId(run.id)}</Link>}
          {(showJob || parameters) && (
            <span className="cell-sub mono clip" dir="auto">{[showJob && shortId(run.id), parameters].filter(Boolean).join(" ")}</span>
          )}
          {reason && <span className="cell-sub clip" dir="auto" title={reason}>{reason}</span>}
        </div>
      </th>
      <td data-label="Started by" role="cell">
        <div className="cell-name">
          <span className="nowrap" dir="auto">{starter(run)}</span>
          {TRIGGERS[run.trigger] && <span className="cell-sub nowrap">{TRIGGERS[run.trigger]}</span>}
        </div>
      </td>
      <td data-label="Queued" role="cell"><Moment value={run.queuedAt} /></td>
      <td className="num nowrap" data-label="Tests" role="cell">{testsText(run)}</td>
      <td className="num" data-label="Duration" role="cell">
        {run.status === "queued" && <span className="muted nowrap">waits <Elapsed since={run.queuedAt} /></span>}
        {run.status === "running" && run.startedAt && <Elapsed since={run.startedAt} />}
        {run.status !== "queued" && !(run.status === "running" && run.startedAt) && <Duration milliseconds={run.durationMs} />}
      </td>
    </tr>
  );
}

interface RunTableProps {
  caption: string;
  held: HeldRows<Run>;
  showJob?: boolean;
  children?: ReactNode;
}

export function RunTable({ caption, held, showJob = false, children }: RunTableProps) {
  return (
    <div className="panel">
      {held.fresh > 0 && (
        <p className="new-rows" role="status">
          <button className="btn btn-s btn-quiet" type="button" onClick={held.show}>
            {held.fresh === 1 ? "1 new run" : `${held.fresh} new runs`}: show
          </button>
        </p>
      )}
      <CardRows
        caption={caption}
        heads={
          <>
            <th scope="col" role="columnheader">State</th>
            <th scope="col" role="columnheader">Run</th>
            <th scope="col" role="columnheader">Started by</th>
            <th scope="col" role="columnheader" aria-sort="descending">Queued, <ZoneName /></th>
            <th scope="col" role="columnheader" className="num">Tests</th>
            <th scope="col" role="columnheader" className="num">Duration</th>
          </>
        }
      >
        {held.rows.map((run) => <RunRow key={run.id} run={run} showJob={showJob} />)}
      </CardRows>
      {children}
    </div>
  );
}
