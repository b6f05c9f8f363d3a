import { Sign } from "../../parts/icon";
import { isOver, testState } from "../../parts/states";
import { NOTHING } from "../../parts/time";
import { useNow } from "../../parts/use_clock";
import { durationText } from "../../time/format";
import type { Run } from "../project_queries";
import type { TestProgress } from "./test_progress";
import { type Span, type Timeline, WIDTH, layTimeline } from "./timeline";

interface PanelProps {
  run: Run;
  progress: readonly TestProgress[];
}

const FILLS: Record<string, string> = {
  "s-passed": "f-passed", "s-failed": "f-failed", "s-error": "f-error", "s-timed-out": "f-timed-out", "s-running": "f-running",
  "s-queued": "f-queued",
};

function Lane({ span, look, timeline }: { span?: Span; look: string; timeline: Timeline }) {
  const step = WIDTH / (timeline.ticks.length - 1);
  const lines = timeline.ticks.slice(1, -1).map((_, at) => `M${Math.round((at + 1) * step)} 0V28`).join("");
  return (
    <svg viewBox={`0 0 ${WIDTH} 28`} preserveAspectRatio="none" aria-hidden="true">
      {lines && <path className="lane" d={lines} vectorEffect="non-scaling-stroke" />}
      {span && <rect className={FILLS[look] ?? "f-cancelled"} x={span.x} y="9" width={span.width} height="10" rx="2" />}
      {timeline.now !== undefined && <path className="now" d={`M${Math.round(timeline.now)} 0V28`} vectorEffect="non-scaling-stroke" />}
    </svg>
  );
}

/** One row for each test: sign, name, bar on one time axis, duration; the error opens under its row. */
export function TestsPanel({ run, progress }: PanelProps) {
  const over = isOver(run.status);
  const now = useNow(over ? 60_000 : 1000);
  if (run.tests.length === 0) return null;
  const tests = run.tests.map((test, at) => {
    const seen = progress[at];
    return over || test.status !== "queued" || !seen ? test : { ...test, status: seen.status, durationMs: seen.durationMs };
  });
  const timeline = layTimeline({
    queuedAt: Date.parse(run.queuedAt),
    startedAt: run.startedAt ? Date.parse(run.startedAt) : undefined,
    completedAt: over && run.completedAt ? Date.parse(run.completedAt) : undefined,
    now: Math.max(now.getTime(), Date.parse(run.startedAt ?? run.queuedAt)),
    tests,
  });
  const looks = [...new Map(tests.map((test) => [testState(test.status).word, testState(test.status)])).values()];
  return (
    <section className="panel" aria-labelledby="tests-head">
      <div className="panel-head">
        <h2 id="tests-head">Tests</h2>
        <ul className="legend">
          {looks.map((look) => (
            <li key={look.word}>
              <Sign name={look.sign} look={look.look} />
              {tests.filter((test) => testState(test.status).word === look.word).length} {look.word.toLowerCase()}
            </li>
          ))}
        </ul>
      </div>
      <div className="panel-body">
        <ol className="timeline">
          <li>
            <span className="name">
              <Sign name="queued" look="s-queued" />
              <span className="muted">{run.startedAt || over ? "Waited for a runner" : "Waits for a runner"}</span>
            </span>
            <Lane span={timeline.wait} look="s-queued" timeline={timeline} />
            <span className="num faint">{durationText(timeline.wait.milliseconds ?? 0)}</span>
          </li>
          {tests.map((test, at) => {
            const state = testState(test.status);
            const span = timeline.tests[at];
            const line = progress[at]?.line;
            const name = `${at + 1} ${test.title}`;
            return (
              <li key={test.id}>
                <span className="name">
                  <Sign name={state.sign} look={state.look} label={state.word} />
                  {line
                    ? <a className={`quiet-link clip${test.status === "failed" ? " medium" : ""}`} href={`#L${line}`} dir="auto">{name}</a>
                    : <span className={`clip${span ? "" : " muted"}`} dir="auto">{name}</span>}
                </span>
                <Lane span={span} look={state.look} timeline={timeline} />
                <span className={`num${span ? "" : " faint"}`}>{span ? durationText(span.milliseconds ?? 0) : NOTHING}</span>
                {test.errorDetails && (
                  <div className="failure">
                    <pre tabIndex={0} role="region" aria-label={`Error of ${test.title}`}>{test.errorDetails}</pre>
                    {line && <span className="row g-3 small"><a href={`#L${line}`}>Line {line}</a></span>}
                  </div>
                )}
              </li>
            );
          })}
          <li className="timeline-axis" aria-hidden="true">
            <span />
            <span className="ticks">
              {timeline.ticks.map((tick) => <span key={tick}>{tick === 0 ? "0" : durationText(tick)}</span>)}
            </span>
            <span />
          </li>
        </ol>
      </div>
    </section>
  );
}
