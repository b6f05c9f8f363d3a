import type { Job } from "../project_queries";

/** The conditions of alerts about runs, in the order of the form. */
export const CONDITIONS = [
  ["alertOnFailure", "Each run that failed or had an error"], ["alertOnTimeout", "Each run that timed out"],
  ["alertOnRecovery", "The first run that passes after a notified failure"], ["alertOnSuccess", "Each run that passed"],
] as const;

/** The conditions that count runs in a row; the others have no threshold. */
const THRESHOLDS = { alertOnFailure: "failureThreshold", alertOnSuccess: "recoveryThreshold" } as const;

type Conditions = Pick<NonNullable<Job["alertConfig"]>, (typeof CONDITIONS)[number][0] | "failureThreshold" | "recoveryThreshold">;

/** Returns the conditions that are on, each with its threshold. */
export function alertWords(config: Conditions): string[] {
  return CONDITIONS.filter(([name]) => config[name]).map(([name, words]) => {
    const threshold = name in THRESHOLDS ? config[THRESHOLDS[name as keyof typeof THRESHOLDS]] ?? 1 : 1;
    return threshold > 1 ? `${words}, from ${threshold} in a row on` : words;
  });
}
