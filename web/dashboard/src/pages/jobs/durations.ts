import type { Run } from "../project_queries";

export interface Bar {
  id: string;
  x: number;
  y: number;
  height: number;
  /** The class of a bar: sums are ink, single troubles wear their state. */
  look: string;
  cap: boolean;
}

export const CHART = { width: 960, height: 160, bars: 30, pitch: 32, bar: 20 };

const LOOKS: Record<string, string> = {
  failed: "f-failed", error: "f-error", timed_out: "f-timed-out", cancelled: "f-cancelled", passed: "quiet",
};

/** Returns the bars of ended runs, the oldest first, and the largest duration, from runs with the newest first. */
export function durationBars(runs: readonly Pick<Run, "id" | "status" | "durationMs">[]): { bars: Bar[]; most: number } {
  const ended = runs.filter((run) => run.durationMs != null && LOOKS[run.status]).slice(0, CHART.bars).reverse();
  const most = Math.max(1, ...ended.map((run) => run.durationMs!));
  const offset = (CHART.bars - ended.length) * CHART.pitch;
  const bars = ended.map((run, at) => {
    const height = Math.max(2, Math.round((run.durationMs! / most) * (CHART.height - 20)));
    const look = LOOKS[run.status]!;
    return {
      id: run.id, x: offset + at * CHART.pitch + 6, y: CHART.height - height, height, look,
      cap: look !== "quiet" && look !== "f-cancelled",
    };
  });
  return { bars, most };
}

export interface Streak {
  /** Ended runs in a row, from the newest, that are no success; cancelled ones are left out. */
  count: number;
  first?: Pick<Run, "id" | "queuedAt">;
  /** The newest passed run before them. */
  passed?: Pick<Run, "id" | "queuedAt">;
}

/** Returns since when a job fails, from runs with the newest first. */
export function failureStreak(runs: readonly Pick<Run, "id" | "status" | "queuedAt">[]): Streak {
  const streak: Streak = { count: 0 };
  for (const run of runs) {
    if (run.status === "passed") return { ...streak, passed: run };
    if (run.status !== "failed" && run.status !== "error" && run.status !== "timed_out") continue;
    streak.count++;
    streak.first = run;
  }
  return streak;
}
