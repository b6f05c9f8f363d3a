import { cronWords } from "../../time/cron_words";
import type { Job } from "../project_queries";

/** The schedule in words, or its five fields. */
export function ScheduleWords({ job }: { job: Pick<Job, "cronSchedule" | "enabled"> }) {
  if (!job.cronSchedule) return <span>When triggered</span>;
  const words = cronWords(job.cronSchedule);
  return words ? <span>{words}</span> : <code className="nowrap">{job.cronSchedule}</code>;
}
