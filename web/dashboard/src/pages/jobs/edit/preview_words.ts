import type { DashboardSchemas } from "../../../../../api/client";

type ScheduledTime = DashboardSchemas["ScheduledTime"];

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Returns `Sunday, 14 Mar 2027, 03:00 (UTC-04:00)`; the job's zone decides, not the reader's. */
export function localWords({ local, offset }: Pick<ScheduledTime, "local" | "offset">): string {
  const time = new Date(`${local}Z`);
  if (Number.isNaN(time.getTime())) return local;
  const day = `${DAYS[time.getUTCDay()]}, ${time.getUTCDate()} ${MONTHS[time.getUTCMonth()]} ${time.getUTCFullYear()}`;
  return `${day}, ${local.slice(11, 16)} (UTC${offset})`;
}

const NOTES: Record<NonNullable<ScheduledTime["note"]>, string> = {
  skipped: "The clocks skip the scheduled time; it runs at the end of the gap.",
  doubled: "The clocks show this time twice.",
};

export const noteWords = (note: NonNullable<ScheduledTime["note"]>): string => NOTES[note];
