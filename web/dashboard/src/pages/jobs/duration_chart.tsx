import { Sign } from "../../parts/icon";
import { RUN_STATES, runState } from "../../parts/states";
import { Moment } from "../../parts/time";
import { durationText } from "../../time/format";
import type { Run } from "../project_queries";
import { CHART, durationBars } from "./durations";

const TROUBLES = ["failed", "error", "timed_out", "cancelled"] as const;

/** Duration of the last ended runs; the table of runs on the page has the same numbers. */
export function DurationChart({ runs }: { runs: readonly Run[] }) {
  const { bars, most } = durationBars(runs);
  if (bars.length < 2) return null;
  const shown = bars.map((bar) => runs.find((run) => run.id === bar.id)!);
  const count = (status: string) => shown.filter((run) => run.status === status).length;
  const least = Math.min(...shown.map((run) => run.durationMs!));
  const troubles = TROUBLES.filter((status) => count(status) > 0);
  const sentence = troubles.map((status) => `${count(status)} ${runState(status).word.toLowerCase()}`).join(", ");
  return (
    <section className="panel" aria-labelledby="duration-head">
      <div className="panel-head">
        <h2 id="duration-head">Duration of the last {bars.length} runs</h2>
        <ul className="legend">
          <li><svg aria-hidden="true"><rect className="quiet" width="12" height="12" rx="2" /></svg>Passed {count("passed")}</li>
          {troubles.map((status) => (
            <li key={status}>
              <Sign name={RUN_STATES[status].sign} look={RUN_STATES[status].look} />
              {RUN_STATES[status].word} {count(status)}
            </li>
          ))}
        </ul>
      </div>
      <div className="panel-body">
        <div className="chart chart-s">
          <div className="chart-y" aria-hidden="true">
            <span>{durationText(most)}</span>
            <span>0</span>
          </div>
          <div
            className="chart-plot" role="img"
            aria-label={
              `Duration of the last ${bars.length} runs: ${durationText(least)} to ${durationText(most)}. ` +
              `${sentence || "All passed"}. The table below lists them.`
            }
          >
            <svg viewBox={`0 0 ${CHART.width} ${CHART.height}`} preserveAspectRatio="none" aria-hidden="true">
              <path className="grid" d={`M0 20H${CHART.width}M0 90H${CHART.width}`} />
              {bars.map((bar) => (
                <g key={bar.id}>
                  <rect className={bar.look} x={bar.x} y={bar.y} width={CHART.bar} height={bar.height} />
                  {bar.cap && <rect className={bar.look} x={bar.x} y={bar.y - 10} width={CHART.bar} height="5" />}
                </g>
              ))}
              <path className="axis" d={`M0 ${CHART.height}H${CHART.width}`} />
            </svg>
          </div>
          <div className="chart-x" aria-hidden="true">
            {bars.length === CHART.bars ? <Moment value={shown[0]!.queuedAt} form="minutes" /> : <span />}
            <Moment value={shown.at(-1)!.queuedAt} form="minutes" />
          </div>
        </div>
      </div>
    </section>
  );
}
