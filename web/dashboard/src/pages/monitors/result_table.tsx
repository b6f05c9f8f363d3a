import type { ReactNode } from "react";
import { CardRows } from "../../parts/card_table";
import { Icon, State } from "../../parts/icon";
import { Moment, NOTHING, ZoneName } from "../../parts/time";
import { durationText, numberText } from "../../time/format";
import { IN_MAINTENANCE } from "../maintenance/window_states";
import type { MonitorResult } from "./monitor_queries";
import { findingOf, resultState } from "./monitor_states";
import { ResultFacts, hasFacts } from "./result_facts";

const KINDS: Record<string, string> = { confirm: "asked to confirm", manual: "asked by hand" };

interface TableProps {
  caption: string;
  rows: readonly MonitorResult[];
  heartbeat: boolean;
  /** Shows what else a result has. */
  open?: boolean;
  foot?: ReactNode;
}

function Finding({ result, open }: { result: MonitorResult; open: boolean }) {
  const { code, text } = findingOf(result);
  const kind = KINDS[result.kind];
  return (
    <div className="cell-name">
      {text ? <span className="wrap-any" dir="auto">{text}</span> : !code && !kind && <span className="faint">{NOTHING}</span>}
      {code && <span className="cell-sub mono">{code}</span>}
      {kind && <span className="cell-sub">{kind}</span>}
      {open && hasFacts(result) && (
        <details className="details"><summary><Icon name="right" />Details</summary><ResultFacts result={result} /></details>
      )}
    </div>
  );
}

/** Results of checks, or pings of a heartbeat, the newest first. */
export function ResultTable({ caption, rows, heartbeat, open = false, foot }: TableProps) {
  return (
    <div className="panel">
      <CardRows
        caption={caption}
        heads={
          <>
            <th scope="col" role="columnheader">Result</th>
            <th scope="col" role="columnheader">{heartbeat ? "Received" : "Checked at"}, <ZoneName /></th>
            <th scope="col" role="columnheader">Finding</th>
            {!heartbeat && <th scope="col" role="columnheader" className="num">Attempts</th>}
            <th scope="col" role="columnheader" className="num">{heartbeat ? "Duration" : "Response"}</th>
          </>
        }
      >
        {rows.map((one) => (
          <tr role="row" key={one.checkedAt + one.location + one.kind}>
            <td className="cell-state" role="cell">
              <div className="cell-name">
                <State state={resultState(one)} />
                {one.maintenance && <State state={IN_MAINTENANCE} />}
              </div>
            </td>
            <th scope="row" role="rowheader"><Moment value={one.checkedAt} /></th>
            <td className="cell-grow cell-wide" data-label="Finding" role="cell"><Finding result={one} open={open} /></td>
            {!heartbeat && <td className="num" data-label="Attempts" role="cell">{one.attempts}</td>}
            <td className="num nowrap" data-label={heartbeat ? "Duration" : "Response"} role="cell">
              {one.responseTimeMs === null ? <span className="faint">{NOTHING}</span>
                : heartbeat ? durationText(one.responseTimeMs) : `${numberText(one.responseTimeMs)} ms`}
            </td>
          </tr>
        ))}
      </CardRows>
      {foot}
    </div>
  );
}
