import type { DashboardSchemas } from "../../../../../api/client";

export type ScheduledTime = DashboardSchemas["ScheduledTime"];

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Returns `Sunday, 14 Mar 2027, 03:00 (UTC-04:00)`; the job's zone decides, not the reader's. */
export function localWords({ local, offset }: Pick<ScheduledTime, "local" | "offset">): string {
  const time = new Date(`${local}Z`);
  if (Number.isNaN(time.getTime())) return local;
  const day = `${DAYS[time.getUTCDay()]}, ${time.getUTCDate()} ${MONTHS[time.getUTCMonth()]} ${time.getUTCFullYear()}`;
  return `${day}, ${local.slice(11, 16)} (UTC${offset})`;
}

const ACTS = { job: "it runs", window: "the window starts" } as const;

/** Returns what a change of the clocks does to a time of a job or of a maintenance window. */
export function noteWords(note: NonNullable<ScheduledTime["note"]>, thing: keyof typeof ACTS = "job"): string {
  if (note === "doubled") return "The clocks show this time twice.";
  return `The clocks skip the scheduled time; ${ACTS[thing]} at the end of the gap.`;
}
