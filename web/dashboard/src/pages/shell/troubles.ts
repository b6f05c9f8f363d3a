import { failingJobs } from "../../parts/states";
import { numberText } from "../../time/format";

/** The most jobs that an overview has; those whose last run failed come first. */
export const MOST_JOBS = 100;

export interface Trouble {
  count: string;
  /** Such as `2 failing`, for people who do not see the sign. */
  label: string;
  /** The class that holds the colours. */
  look: "s-failed" | "s-down";
}

/** The counts of the navigation; a place without trouble has none. */
export interface Troubles {
  jobs?: Trouble;
  monitors?: Trouble;
  outages?: Trouble;
}

interface Counted {
  jobs: readonly { status: string }[];
  monitors: { down: number };
  openOutages: number;
}

function trouble(count: number, word: string, look: Trouble["look"], most = Infinity): Trouble | undefined {
  if (count === 0) return undefined;
  const text = numberText(count) + (count >= most ? "+" : "");
  return { count: text, label: `${text} ${word}`, look };
}

/** Returns the trouble in an overview: jobs whose last run failed, monitors that are down, and open outages. */
export const troublesOf = ({ jobs, monitors, openOutages }: Counted): Troubles => ({
  jobs: trouble(failingJobs(jobs).length, "failing", "s-failed", MOST_JOBS),
  monitors: trouble(monitors.down, "down", "s-down"),
  outages: trouble(openOutages, "open", "s-down"),
});
