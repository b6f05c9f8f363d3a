/** How often an empty project reads its jobs, tests and runners, in milliseconds: a tab sends six requests a minute. */
export const EMPTY_POLL = 20_000;

export interface FirstFacts {
  hasTest: boolean;
  hasJob: boolean;
  /** The status of the newest run, if there is one. */
  newest: string | undefined;
  hasPassed: boolean;
  /** Runners that are connected; undefined if the role does not see them. */
  runners: number | undefined;
}

export type FirstStep = "test" | "job" | "run";

export interface FirstState {
  /** The step to do now; undefined once a run has passed. */
  current: FirstStep | undefined;
  done: Record<FirstStep, boolean>;
  /** True if a run would wait for ever. */
  needsRunner: boolean;
}

/** Returns how far a new project is on its way to the first run that passes. */
export function firstState({ hasTest, hasJob, newest, hasPassed, runners }: FirstFacts): FirstState {
  const done = { test: hasTest || hasJob, job: hasJob, run: hasPassed };
  const current = (["test", "job", "run"] as const).find((step) => !done[step]);
  const waits = newest === undefined || newest === "queued";
  return { current: hasPassed ? undefined : current, done, needsRunner: !hasPassed && waits && runners === 0 };
}
