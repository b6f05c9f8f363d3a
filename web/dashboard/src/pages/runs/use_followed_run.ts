import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { ApiError } from "../../api/errors";
import { BACKGROUND } from "../../api/services";
import { isOver, runState } from "../../parts/states";
import { warn } from "../../parts/toasts";
import { useProject } from "../project_context";
import { type Run, readRun } from "../project_queries";
import { saveOutput } from "./save_output";
import { useRunStream } from "./use_run_stream";

/** A run, and a read of it that nobody caused by hand. Without an id nothing is read. */
export function useRun(runId: string | undefined) {
  const { api, key } = useProject();
  const client = useQueryClient();
  const run = useQuery({
    queryKey: [key, "run", runId], queryFn: ({ signal }) => readRun(api, runId!, {}, signal), enabled: runId !== undefined,
  });
  const refetch = useCallback(() => {
    void client.fetchQuery({
      queryKey: [key, "run", runId], queryFn: ({ signal }) => readRun(api, runId!, BACKGROUND, signal), staleTime: 0,
    }).catch(() => {});
  }, [client, key, runId, api]);
  return { run, refetch };
}

interface Options {
  run: Run;
  refetch: () => void;
  /** What has ended, for people who listen, such as `Run`. */
  word: string;
  onOver?: (status: string) => void;
}

/** Follows the output of a run, and reads the run again when its status changes or while no stream names that. */
export function useFollowedRun({ run, refetch, word, onOver }: Options) {
  const { project } = useProject();
  const [wasOver] = useState(isOver(run.status));
  const [announced, setAnnounced] = useState("");
  const status = useRef<string>(run.status);
  const onStatus = (next: string | undefined) => {
    // A stream starts with the statuses that the run has had. A run that is over stays over, so they are no news.
    if (next !== undefined && isOver(status.current)) return;
    if (next === undefined || next !== status.current) refetch();
    if (next && isOver(next)) {
      setAnnounced(`${word} ${runState(next).word.toLowerCase()}`);
      onOver?.(next);
    }
    status.current = next ?? status.current;
  };
  const output = useRunStream({ runId: run.id, testCount: run.tests.length, onStatus });
  const polls = output.state.name === "polling" || output.state.name === "lost";
  useEffect(() => {
    if (!polls) return;
    const timer = setInterval(refetch, 10_000);
    return () => clearInterval(timer);
  }, [polls, refetch]);
  const save = () =>
    void saveOutput(project.id, run, output.buffer).catch((error: Error) =>
      warn(`The output was not saved. ${error instanceof ApiError ? error.message : ""}`));
  const failed = ["failed", "error", "timed_out"].includes(run.status);
  return { output, wasOver, failed, announced, save };
}
