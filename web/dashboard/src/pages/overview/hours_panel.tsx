import { Link } from "@tanstack/react-router";
import { Icon, Sign } from "../../parts/icon";
import { RUN_STATES } from "../../parts/states";
import { ZoneName } from "../../parts/time";
import { useNow, useZone } from "../../parts/use_clock";
import { minuteText, numberText } from "../../time/format";
import { useProject } from "../project_context";
import type { Overview, OverviewHour } from "./overview_query";
import { HOURS, hourBars, hoursSentence } from "./overview_words";

const NOT_PASSED = [["failed", "failed"], ["error", "error"], ["timed_out", "timedOut"], ["cancelled", "cancelled"]] as const;
/** Hours whose starts are labels of the axis. */
const LABELLED = [0, 6, 12, 18];
const DAY = 86_400_000;

type Label = (start: string) => string;

function HoursChart({ hours, label, tick }: { hours: readonly OverviewHour[]; label: Label; tick: Label }) {
  const { bars, top } = hourBars(hours);
  const step = HOURS.base / 3;
  return (
    <div className="chart">
      <div className="chart-y" aria-hidden="true">
        {[top, (top / 3) * 2, top / 3, 0].map((value) => <span key={value}>{numberText(value)}</span>)}
      </div>
      <div className="chart-plot" role="img" aria-label={hoursSentence(hours, label)}>
        <svg viewBox={`0 0 ${HOURS.width} ${HOURS.height}`} preserveAspectRatio="none" aria-hidden="true">
          <path className="grid" d={[0, 1, 2].map((line) => `M0 ${line * step + 0.5}H${HOURS.width}`).join("")} />
          {bars.map((bar) => (
            <g key={bar.x}>
              {bar.passed && <rect className="quiet" x={bar.x} width={HOURS.bar} {...bar.passed} />}
              {bar.notPassed && <rect className="f-failed" x={bar.x} width={HOURS.bar} {...bar.notPassed} />}
            </g>
          ))}
          <path className="axis" d={`M0 ${HOURS.base}H${HOURS.width}`} />
        </svg>
      </div>
      <div className="chart-x" aria-hidden="true">
        {LABELLED.map((at) => <span key={at}>{hours[at] && tick(hours[at].start)}</span>)}
        <span>now</span>
      </div>
    </div>
  );
}

function HoursTable({ hours, label }: { hours: readonly OverviewHour[]; label: Label }) {
  return (
    <details className="details">
      <summary><Icon name="right" small />Show as a table</summary>
      <div className="table-box" tabIndex={0} role="region" aria-label="Runs by hour">
        <table className="table">
          <caption className="vh">Runs of the last 24 hours by hour, the newest first</caption>
          <thead>
            <tr>
              <th scope="col">From, <ZoneName /></th><th scope="col" className="num">Passed</th>
              <th scope="col" className="num">Not passed</th>
            </tr>
          </thead>
          <tbody>
            {[...hours].reverse().map((hour) => (
              <tr key={hour.start}>
                <th scope="row">{label(hour.start)}</th><td className="num">{numberText(hour.passed)}</td>
                <td className="num">{numberText(hour.notPassed)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/** The runs that were triggered in the last 24 hours, by hour, and how many did not pass. */
export function HoursPanel({ overview }: { overview: Overview }) {
  const { path } = useProject();
  const zone = useZone();
  const now = useNow();
  const { last24h: counts, asOf } = overview;
  const hours = counts.hours ?? [];
  const start = new Date(Date.parse(asOf) - DAY).toISOString();
  const failed = NOT_PASSED.reduce((sum, [, name]) => sum + counts[name], 0);
  const label: Label = (time) => minuteText(new Date(time), zone, now);
  // The head names the 24 hours, so that the axis needs no day.
  const tick: Label = (time) => minuteText(new Date(time), zone, new Date(time));
  const least = counts.atLeast ? "at least " : "";
  return (
    <section className="panel" aria-labelledby="hours-head">
      <div className="panel-head">
        <h2 id="hours-head">Runs by hour, last 24 hours</h2>
        <ul className="legend">
          <li>
            <svg aria-hidden="true"><rect className="quiet" width="12" height="12" rx="2" /></svg>Passed {least}{numberText(counts.passed)}
          </li>
          <li>
            <svg aria-hidden="true"><rect className="f-failed" width="12" height="12" rx="2" /></svg>Not passed {least}{numberText(failed)}
          </li>
        </ul>
      </div>
      <div className="panel-body stack g-3">
        {counts.passed + failed === 0 && <p className="muted">No run that has ended was triggered in the last 24 hours.</p>}
        {counts.atLeast && <p className="muted">There are more runs than the service counts by hour, so these are totals only.</p>}
        {counts.passed + failed > 0 && hours.length > 0 && <HoursChart hours={hours} label={label} tick={tick} />}
        {failed > 0 && (
          <ul className="row g-4 small" aria-label="Runs that did not pass">
            {NOT_PASSED.filter(([, name]) => counts[name] > 0).map(([status, name]) => (
              <li className="row row-tight g-2" key={status}>
                <Sign name={RUN_STATES[status].sign} look={RUN_STATES[status].look} />
                <Link className="quiet-link" to={path("runs")} search={{ status, from: start }}>
                  {RUN_STATES[status].word} <span className="medium">{numberText(counts[name])}</span>
                </Link>
              </li>
            ))}
          </ul>
        )}
        {counts.passed + failed > 0 && hours.length > 0 && <HoursTable hours={hours} label={label} />}
      </div>
    </section>
  );
}
