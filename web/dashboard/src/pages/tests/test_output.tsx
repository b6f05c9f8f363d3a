import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState } from "react";
import { ApiError } from "../../api/errors";
import { BACKGROUND } from "../../api/services";
import { Blank, LoadError, PageError, Skeleton } from "../../parts/feedback";
import { Sign, State } from "../../parts/icon";
import { isOver, runState } from "../../parts/states";
import { Elapsed, Moment } from "../../parts/time";
import { warn } from "../../parts/toasts";
import { useProject } from "../project_context";
import { type Run, readRun } from "../project_queries";
import { RunOutputPanel } from "../runs/run_output";
import { saveOutput } from "../runs/save_output";
import { useRunStream } from "../runs/use_run_stream";
import { WaitingPanel } from "../runs/waiting_panel";
import { outcomeWords } from "./test_words";

function Outcome({ run }: { run: Run }) {
  const state = runState(run.status);
  const since = run.status === "running" ? run.startedAt : run.status === "queued" ? run.queuedAt : undefined;
  if (!since) return <State state={{ ...state, word: outcomeWords(state.word, run.durationMs) }} />;
  return (
    <span className={`state ${state.look}`}>
      <Sign name={state.sign} look={state.look} /><span>{state.word}, <Elapsed since={since} /></span>
    </span>
  );
}

interface LiveProps {
  run: Run;
  refetch: () => void;
  /** The saved version of the test is newer than the executed one. */
  outdated: boolean;
}

function LiveOutput({ run, refetch, outdated }: LiveProps) {
  const { project, path } = useProject();
  const [wasOver] = useState(isOver(run.status));
  const [announced, setAnnounced] = useState("");
  const status = useRef<string>(run.status);
  const onStatus = useCallback(
    (next: string | undefined) => {
      if (next === undefined || next !== status.current) refetch();
      if (next && isOver(next) && !isOver(status.current)) setAnnounced(`Test ${runState(next).word.toLowerCase()}`);
      status.current = next ?? status.current;
    },
    [refetch],
  );
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
  if (output.state.name === "failed") return <LoadError what="The output" error={output.state.error} />;
  return (
    <>
      <RunOutputPanel
        output={output} wasOver={wasOver} failed={["failed", "error", "timed_out"].includes(run.status)} save={save} boxed
        state={<Outcome run={run} />}
        foot={
          <>
            <span>Executed at <Moment value={run.queuedAt} />{outdated && ". The saved version is newer."}</span>
            <Link className="more push" to={path("runs", run.id)}>Open run</Link>
          </>
        }
      />
      {run.errorDetails && <p className="small wrap-any" dir="auto">{run.errorDetails}</p>}
      {run.status === "queued" && <WaitingPanel run={run} />}
      <p className="vh" role="status">{announced}</p>
    </>
  );
}

interface OutputProps {
  testId: string;
  /** Absent until the test is executed. */
  runId?: string;
  savedAt: string;
  executes: boolean;
}

/** The output of the last execution from this page, next to the script. */
export function TestOutput({ testId, runId, savedAt, executes }: OutputProps) {
  const { api, key } = useProject();
  const client = useQueryClient();
  const queryKey = [key, "run", runId];
  const run = useQuery({ queryKey, queryFn: ({ signal }) => readRun(api, runId!, {}, signal), enabled: runId !== undefined });
  const refetch = useCallback(() => {
    void client.fetchQuery({
      queryKey: [key, "run", runId], queryFn: ({ signal }) => readRun(api, runId!, BACKGROUND, signal), staleTime: 0,
    }).catch(() => {});
  }, [client, key, runId, api]);
  if (runId && run.data?.testId === testId) {
    return <LiveOutput key={runId} run={run.data} refetch={refetch} outdated={run.data.queuedAt < savedAt} />;
  }
  return (
    <section className="section" aria-labelledby="output-head">
      <div className="section-head"><h2 id="output-head">Output</h2></div>
      {runId && run.error && <PageError thing="This run" what="The run" error={run.error} retry={refetch} />}
      {runId && !run.error && !run.data && <Skeleton name="the run" rows={3} />}
      {(!runId || run.data) && (
        <div className="panel">
          <Blank icon="terminal" title={run.data ? "This run is not of this test" : "No output yet"}>
            <p>
              {executes
                ? "Execute the test to see here what it prints. A run of a single test needs no job."
                : "An editor of the project can execute the test. Its output appears here and on the page of the run."}
            </p>
          </Blank>
        </div>
      )}
    </section>
  );
}
