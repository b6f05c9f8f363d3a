import { RUN_STATES } from "../../parts/states";
import { numberText } from "../../time/format";
import { axisTop } from "../monitors/series";
import type { OverviewHour, OverviewJob } from "./overview_query";

type Recent = Pick<OverviewJob, "lastStatuses" | "runs" | "passed">;

const MOST_RECENT = 10;

/** Returns how many of the newest ended runs did not pass, such as `3 runs in a row did not pass`; one alone needs no words. */
export function streakWords({ lastStatuses, runs, passed }: Recent): string | undefined {
  if (runs > 1 && passed === 0) return `None of its last ${numberText(runs)} runs passed`;
  const at = lastStatuses.findIndex((status) => status === "passed");
  const count = at < 0 ? lastStatuses.length : at;
  if (count < 2) return undefined;
  return `${count === MOST_RECENT ? "10 or more" : count} runs in a row did not pass`;
}

/** Returns the success rate, such as `81.0 %`, cut and never rounded up to 100. */
export const successText = ({ runs, passed }: Pick<OverviewJob, "runs" | "passed">): string =>
  `${(Math.floor((passed * 1000) / runs) / 10).toFixed(1)}\u00a0%`;

export interface Mark {
  look: string;
  x: number;
  y: number;
  height: number;
}

/** The pieces of a mark from the top: their starts and heights. The worse the run, the taller its mark. */
const PIECES: Record<string, readonly (readonly [number, number])[]> = {
  passed: [[9, 11]],
  failed: [[0, 20]],
  timed_out: [[0, 9], [11, 9]],
  error: [[0, 5.5], [7.25, 5.5], [14.5, 5.5]],
  none: [[18, 2]],
};
export const MARKS = { width: 106, height: 20, mark: 7, pitch: 11 };

/** Returns the shapes of the newest ten ended runs, the oldest at the left. A run that does not exist is a dash. */
export function marksOf(lastStatuses: readonly string[]): Mark[] {
  return Array.from({ length: MOST_RECENT }, (_, at) => lastStatuses[MOST_RECENT - 1 - at] ?? "none").flatMap((status, at) =>
    (PIECES[status] ?? PIECES.none!).map(([y, height]) => ({
      look: status in PIECES && status !== "none" ? `f-${status.replace("_", "-")}` : "f-unknown", x: at * MARKS.pitch, y, height,
    })),
  );
}

/** Returns a sentence such as `Last ten ended runs: 7 passed, 3 failed`. */
export function marksSentence(lastStatuses: readonly string[]): string {
  if (!lastStatuses.length) return "No run has ended yet";
  const counts = (["passed", "failed", "error", "timed_out"] as const)
    .map((status) => [lastStatuses.filter((one) => one === status).length, RUN_STATES[status].word.toLowerCase()] as const)
    .filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  const head = lastStatuses.length === MOST_RECENT ? "Last ten ended runs" : `Ended runs, ${lastStatuses.length} in all`;
  return `${head}: ${counts.join(", ")}`;
}

interface Block {
  y: number;
  height: number;
}

export interface HourBar {
  x: number;
  passed?: Block;
  notPassed?: Block;
}

export const HOURS = { width: 960, height: 176, pitch: 40, bar: 28, base: 175 };
const LEAST = 2;

/** Returns the bars of the hours, those that passed below, and the top of their axis. Every number above 0 is visible. */
export function hourBars(hours: readonly Omit<OverviewHour, "start">[]): { bars: HourBar[]; top: number } {
  const top = axisTop(hours.map((hour) => hour.passed + hour.notPassed));
  const scale = (count: number) => (count ? Math.max(LEAST, (count / top) * (HOURS.base - 1)) : 0);
  const bars = hours.map(({ passed, notPassed }, at) => {
    const [low, high] = [scale(passed), scale(notPassed)];
    // A gap of one keeps the two apart.
    const start = HOURS.base - low - (low ? 1 : 0);
    return {
      x: at * HOURS.pitch + (HOURS.pitch - HOURS.bar) / 2,
      ...(low ? { passed: { y: HOURS.base - low, height: low } } : {}),
      ...(high ? { notPassed: { y: start - high, height: high } } : {}),
    };
  });
  return { bars, top };
}

/** Returns a sentence about the content of the chart. `label` returns the words for the start of an hour. */
export function hoursSentence(hours: readonly OverviewHour[], label: (start: string) => string): string {
  const all = (hour: OverviewHour) => hour.passed + hour.notPassed;
  const total = hours.reduce((sum, hour) => sum + all(hour), 0);
  const fullest = hours.reduce((most, hour) => (all(hour) > all(most) ? hour : most));
  const worst = hours.reduce((most, hour) => (hour.notPassed > most.notPassed ? hour : most));
  const failed = hours.reduce((sum, hour) => sum + hour.notPassed, 0);
  const trouble = failed
    ? `${numberText(failed)} did not pass, the most from ${label(worst.start)} (${numberText(worst.notPassed)}).` : "All passed.";
  return `Runs in each of the last 24 hours: ${numberText(total)} in all, at most ${numberText(all(fullest))} ` +
    `from ${label(fullest.start)}. ${trouble} The table below has the numbers.`;
}
