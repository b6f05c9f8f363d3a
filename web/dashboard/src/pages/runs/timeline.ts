import { isOver } from "../../parts/states";

export const WIDTH = 1000;

export interface TimelineTest {
  status: string;
  durationMs?: number | null;
}

export interface TimelineInput {
  queuedAt: number;
  startedAt?: number;
  completedAt?: number;
  now: number;
  tests: readonly TimelineTest[];
}

export interface Span {
  x: number;
  width: number;
  milliseconds?: number;
}

export interface Timeline {
  /** The time in which the run waited for a runner. */
  wait: Span;
  tests: (Span | undefined)[];
  /** Position of now, while the run is not over. */
  now?: number;
  ticks: number[];
}

const STEPS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800, 86400].map((seconds) => seconds * 1000);

/** Returns at most five equal steps that cover the length; the last one ends at or behind it. */
export function ticksOf(length: number): number[] {
  const step = STEPS.find((one) => length / one <= 4) ?? Math.ceil(length / 4);
  const count = Math.max(1, Math.ceil(length / step));
  return Array.from({ length: count + 1 }, (_, at) => at * step);
}

/** Places the tests, which run one after the other, on one time axis that starts when the run was queued. */
export function layTimeline(input: TimelineInput): Timeline {
  const { queuedAt, startedAt, completedAt, now, tests } = input;
  const end = Math.max(completedAt ?? now, queuedAt + 1000);
  const ticks = ticksOf(end - queuedAt);
  const scale = WIDTH / ticks.at(-1)!;
  const place = (from: number, to: number): Span => ({
    x: Math.max(0, Math.min(WIDTH, (from - queuedAt) * scale)),
    width: Math.max(2, Math.min(WIDTH, (to - from) * scale)),
    milliseconds: to - from,
  });
  const wait = place(queuedAt, startedAt ?? completedAt ?? now);
  let at = startedAt ?? queuedAt;
  const spans = tests.map((test) => {
    if (startedAt === undefined) return undefined;
    if (test.status === "running") return place(at, Math.max(now, at));
    if (!isOver(test.status) || test.durationMs == null) return undefined;
    const span = place(at, at + test.durationMs);
    at += test.durationMs;
    return { ...span, milliseconds: test.durationMs };
  });
  return { wait, tests: spans, now: completedAt === undefined ? Math.min(WIDTH, (now - queuedAt) * scale) : undefined, ticks };
}
