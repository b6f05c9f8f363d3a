import { Link } from "@tanstack/react-router";
import { Blank, LoadError, PageError, Skeleton } from "../../parts/feedback";
import { Sign, State } from "../../parts/icon";
import { runState } from "../../parts/states";
import { Elapsed, Moment } from "../../parts/time";
import { useProject } from "../project_context";
import type { Run } from "../project_queries";
import { RunOutputPanel } from "../runs/run_output";
import { useFollowedRun, useRun } from "../runs/use_followed_run";
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
  const { path } = useProject();
  const { output, wasOver, failed, announced, save } = useFollowedRun({ run, refetch, word: "Test" });
  if (output.state.name === "failed") return <LoadError what="The output" error={output.state.error} />;
  return (
    <>
      <RunOutputPanel
        output={output} wasOver={wasOver} failed={failed} save={save} boxed
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
  const { run, refetch } = useRun(runId);
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
