import { durationText } from "../../time/format";

interface Schedule {
  everySeconds?: number | null;
  cron?: string | null;
  timeZone?: string | null;
}

const WEEK = 10_080;

// Intervals in minutes that five fields can say, the longest first.
const INTERVALS = [WEEK, 1440, 720, 480, 360, 240, 180, 120, 60, 30, 20, 15, 12, 10, 6, 5, 4, 3, 2, 1];

function fieldsOfMinutes(minutes: number): string {
  if (minutes === WEEK) return "0 0 * * 0";
  if (minutes === 1440) return "0 0 * * *";
  if (minutes >= 60) return minutes === 60 ? "0 * * * *" : `0 */${minutes / 60} * * *`;
  return minutes === 1 ? "* * * * *" : `*/${minutes} * * * *`;
}

/** Returns the five fields of a crontab for a schedule, and a sentence if they say something else than the schedule. */
function fieldsOf({ cron, everySeconds, timeZone }: Schedule): { fields: string; note?: string } {
  if (cron) return { fields: cron, note: `The schedule is in ${timeZone ?? "UTC"}. A crontab uses the zone of its machine.` };
  const seconds = everySeconds ?? 60;
  if (seconds < 60) {
    return { fields: "* * * * *", note: "A crontab runs a command at most once a minute. Send the pings from the program itself." };
  }
  const minutes = INTERVALS.find((one) => one * 60 <= seconds)!;
  const fields = fieldsOfMinutes(minutes);
  if (minutes * 60 === seconds) return { fields };
  const words = [durationText(seconds * 1000), durationText(minutes * 60_000)];
  return { fields, note: `A crontab cannot say every ${words[0]}. This line runs every ${words[1]}, which is early enough.` };
}

/**
 * Returns lines for a crontab that report the exit code of a job, without and with the start. The percent sign ends a command in
 * a crontab, and the lines have none.
 */
export function crontabLines(url: string, config: unknown): { plain: string; timed: string; note?: string } {
  const { schedule = {}, methods } = config as { schedule?: Schedule; methods?: string };
  const curl = `curl -fsS -m 10 --retry 3${methods === "post" ? " -X POST" : ""}`;
  const { fields, note } = fieldsOf(schedule);
  return {
    plain: `${fields}  backup.sh; ${curl} ${url}/$?`,
    timed: `${fields}  ${curl} ${url}/start; backup.sh; ${curl} ${url}/$?`,
    note,
  };
}
