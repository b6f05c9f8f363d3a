import type { DashboardSchemas } from "../../../../api/client";

export type RunWaiting = DashboardSchemas["RunWaiting"];

/** Returns why a run waits: a heading, and what can be done about it. */
export function waitingWords({ reasons, running, limit, runners }: RunWaiting, type: string): { title: string; act: string } {
  if (reasons.includes("no_runner_for_type")) {
    return {
      title: "no runner takes runs of this type",
      act: `No runner that takes runs of ${type} was seen in the last minute. Start one: the run starts as soon as it signs in.`,
    };
  }
  if (reasons.includes("max_concurrent_runs")) {
    return {
      title: `the job has ${running ?? limit ?? 1} of at most ${limit ?? 1} running runs`,
      act: "The run starts when one of them ends. The job's settings hold the limit.",
    };
  }
  if (reasons.includes("runners_busy")) {
    const slots = runners.reduce((sum, one) => sum + one.slots, 0);
    const act = `All ${slots} slots are in use. The run starts when one is free. Another runner adds slots.`;
    return { title: "all runners are busy", act };
  }
  return { title: "a runner takes it in a moment", act: "There is no reason to wait." };
}
