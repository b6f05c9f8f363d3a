interface Schedule {
  everySeconds?: number | null;
  cron?: string | null;
}

/** Returns the five fields of a crontab for a schedule; a schedule that crontabs cannot say starts with a comment. */
function fieldsOf(schedule: Schedule): string {
  if (schedule.cron) return schedule.cron;
  const minutes = Math.max(1, Math.floor((schedule.everySeconds ?? 60) / 60));
  if (minutes < 60 && 60 % minutes === 0) return minutes === 1 ? "* * * * *" : `*/${minutes} * * * *`;
  const hours = Math.floor(minutes / 60);
  if (minutes % 60 === 0 && hours <= 24 && 24 % hours === 0) return hours === 24 ? "0 0 * * *" : `0 */${hours} * * *`;
  return "* * * * *";
}

/**
 * Returns lines for a crontab that report the exit code of a job, without and with the start. The percent sign ends a command in
 * a crontab, and the lines have none.
 */
export function crontabLines(url: string, config: unknown): { plain: string; timed: string } {
  const { schedule = {}, methods } = config as { schedule?: Schedule; methods?: string };
  const curl = `curl -fsS -m 10 --retry 3${methods === "post" ? " -X POST" : ""}`;
  const fields = fieldsOf(schedule);
  return {
    plain: `${fields}  backup.sh; ${curl} ${url}/$?`,
    timed: `${fields}  ${curl} ${url}/start; backup.sh; ${curl} ${url}/$?`,
  };
}
