import { isOver } from "../../parts/states";
import type { Run } from "../project_queries";

type Ended = Pick<Run, "status" | "errorDetails"> & { tests: readonly Pick<Run["tests"][number], "title" | "status" | "errorDetails">[] };

const LONGEST = 300;

const firstLine = (text: string | null | undefined): string | undefined =>
  text?.split(/[\r\n]+/).map((line) => line.trim()).find(Boolean)?.slice(0, LONGEST);

/** Returns in one line why a run did not pass: its first test with an error and the error's first line, or the run's own error. */
export function runReason({ status, errorDetails, tests }: Ended): string | undefined {
  if (!isOver(status) || status === "passed" || status === "cancelled") return undefined;
  const failed = tests.filter((test) => ["failed", "error", "timed_out"].includes(test.status));
  const first = failed.find((test) => firstLine(test.errorDetails)) ?? failed[0];
  if (!first) return firstLine(errorDetails);
  const text = [first.title, firstLine(first.errorDetails) ?? firstLine(errorDetails)].filter(Boolean).join(": ");
  return failed.length > 1 ? `${text} (and ${failed.length - 1} more)` : text;
}
