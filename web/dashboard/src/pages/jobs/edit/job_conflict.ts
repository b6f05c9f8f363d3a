import type { Difference } from "../../../parts/conflict";
import { differencesBetween } from "../../../parts/differences";
import { cronWords } from "../../../time/cron_words";
import { durationText } from "../../../time/format";
import { FIELD_WORDS, type JobBody, type JobField, type JobValues } from "./job_values";

/** Names of tests and notification providers by their ids. */
export type NameOf = (id: string) => string;

const NONE = "none";

/** Returns the value of a member in words. */
export function fieldText(field: JobField, body: JobBody, nameOf: NameOf): string {
  const { alertConfig } = body;
  switch (field) {
    case "enabled": return body.enabled ? "yes" : "no";
    case "tests": return body.tests.map((one, at) => `${at + 1}. ${nameOf(one.id)}`).join("\n") || NONE;
    case "cronSchedule": {
      const words = body.cronSchedule && cronWords(body.cronSchedule);
      return body.cronSchedule ? [words, body.cronSchedule].filter(Boolean).join(": ") : "when triggered";
    }
    case "timeoutSeconds": return durationText(body.timeoutSeconds * 1000);
    case "maxConcurrentRuns": return body.maxConcurrentRuns ? `at most ${body.maxConcurrentRuns}` : "no limit of the job";
    case "parameters":
      return body.parameters.map((one) => {
        const rule = one.default != null ? `, default ${one.default || "empty"}` : "";
        return one.name + (one.required ? ", required" : "") + rule;
      }).join("\n") || NONE;
    case "alertConfig":
      if (!alertConfig) return NONE;
      return Object.entries(alertConfig).map(([name, value]) =>
        `${name}: ${Array.isArray(value) ? value.map(nameOf).join(", ") || NONE : String(value) || "empty"}`).join("\n");
    default: return String(body[field] ?? "") || NONE;
  }
}

/** Returns the members whose saved version is not the own one. `base` is the version that the edit started from. */
export const differencesOf = (base: JobBody, saved: JobBody, mine: JobBody, nameOf: NameOf): Difference<JobField>[] =>
  differencesBetween(FIELD_WORDS, { base, saved, mine }, (field, body) => fieldText(field, body, nameOf));

/** Returns the form with the saved version of some members. */
export function withSaved(mine: JobValues, saved: JobValues, fields: readonly JobField[]): JobValues {
  return { ...mine, ...Object.fromEntries(fields.map((field) => [field, saved[field]])) };
}
