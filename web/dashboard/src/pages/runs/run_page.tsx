import { Link, useParams } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { svcLine } from "../../parts/api_lines";
import { type ApiView, AsApi } from "../../parts/as_api";
import { CopyButton } from "../../parts/copy";
import { LoadError, PageError, Skeleton } from "../../parts/feedback";
import { Badge, Sign } from "../../parts/icon";
import { Crumbs, PageHead } from "../../parts/page";
import { showEnd } from "../../parts/tab_icon";
import { useTitle } from "../../parts/use_title";
import { isOver, runState } from "../../parts/states";
import { Elapsed, Moment, ZoneName } from "../../parts/time";
import { durationText } from "../../time/format";
import { useProject } from "../project_context";
import type { Run } from "../project_queries";
import { RunActions } from "./run_actions";
import { RunOutputPanel } from "./run_output";
import { shortId, starter } from "./run_table";
import { TestsPanel } from "./tests_panel";
import { useFollowedRun, useRun } from "./use_followed_run";
import { WaitingPanel } from "./waiting_panel";

const WAYS = { remote: "by a token or key", manual: "in the dashboard", schedule: "" } as const;

function Facts({ run }: { run: Run }) {
  const parameters = Object.entries(run.parameters);
  const waited = run.startedAt ? Date.parse(run.startedAt) - Date.parse(run.queuedAt) : undefined;
  return (
    <dl className="facts">
      <div>
        <dt>Run</dt>
        <dd className="row row-tight g-1"><code className="clip">{run.id}</code><CopyButton text={run.id} label="Copy run id" /></dd>
      </div>
      <div><dt>Triggered by</dt><dd dir="auto">{[starter(run), WAYS[run.trigger]].filter(Boolean).join(", ")}</dd></div>
      <div><dt>Queued, <ZoneName /></dt><dd><Moment value={run.queuedAt} /></dd></div>
      <div>
        <dt>Started, <ZoneName /></dt>
        <dd>
          <Moment value={run.startedAt} missing="Not yet" />
          {waited !== undefined && waited >= 0 && <span className="faint"> after {durationText(waited)}</span>}
        </dd>
      </div>
      {run.completedAt && <div><dt>Ended, <ZoneName /></dt><dd><Moment value={run.completedAt} /></dd></div>}
      {run.attempt > 1 && <div><dt>Attempt</dt><dd>{run.attempt}</dd></div>}
      {parameters.length > 0 && (
        <div>
          <dt>Parameters</dt>
          <dd>{parameters.map(([name, value]) => <div key={name}><code className="wrap-any">{name}={value}</code></div>)}</dd>
        </div>
      )}
    </dl>
  );
}

function RunBadge({ run }: { run: Run }) {
  const state = runState(run.status);
  const since = run.status === "running" ? run.startedAt : run.status === "queued" ? run.queuedAt : undefined;
  if (since) {
    return (
      <span className={`badge ${state.look}`}>
        <Sign name={state.sign} look={state.look} />
        <span>{state.word}, <Elapsed since={since} /></span>
      </span>
    );
  }
  return <Badge state={state} more={run.durationMs != null ? durationText(run.durationMs) : undefined} />;
}

/** The run, and its output: what is stored of a run that is over, what arrives of another one. */
const viewsOf = ({ id, status }: Run): ApiView[] => [
  { word: "Show this run", request: { method: "GET", path: `/api/runs/${id}` }, svc: svcLine(["run", "get", id]) },
  isOver(status)
    ? { word: "Print its output", request: { method: "GET", path: `/api/runs/${id}/output` }, svc: svcLine(["run", "output", id]) }
    : { word: "Follow its output", request: { method: "GET", path: `/api/runs/${id}/stream` }, svc: svcLine(["run", "stream", id]) },
];

function RunDetails({ run, refetch }: { run: Run; refetch: () => void }) {
  const restoreIcon = useRef(() => {});
  useEffect(() => () => restoreIcon.current(), []);
  const { output, wasOver, failed, announced, save } = useFollowedRun({
    run, refetch, word: "Run", onOver: (status) => {
      document.title = `${runState(status).word}: ${document.title}`;
      restoreIcon.current = showEnd(status);
    },
  });
  return (
    <>
      <Facts run={run} />
      {run.errorDetails && (
        <div className={`banner ${runState(run.status).look}`}>
          <Sign name={runState(run.status).sign} look={runState(run.status).look} />
          <div className="stack g-1"><p className="banner-title wrap-any" dir="auto">{run.errorDetails}</p></div>
          <div className="actions" />
        </div>
      )}
      {run.status === "queued" && <WaitingPanel run={run} />}
      <TestsPanel run={run} progress={output.progress} />
      {output.state.name === "failed"
        ? <LoadError what="The output" error={output.state.error} />
        : <RunOutputPanel output={output} wasOver={wasOver} failed={failed} save={save} />}
      <p className="vh" role="status">{announced}</p>
    </>
  );
}

export default function RunPage() {
  const { project, path } = useProject();
  const { runId } = useParams({ from: "/signed-in/$org/$project/runs/$runId" });
  const { run, refetch } = useRun(runId);
  const name = run.data?.jobName ?? (run.data ? "Single test" : "Run");
  useTitle(run.data && runState(run.data.status).word, name, project.name);
  const last = { word: `Run ${shortId(runId)}` };
  const crumbs = run.data?.jobId
    ? [{ word: "Jobs", to: path("jobs") }, { word: name, to: path("jobs", run.data.jobId) }, last]
    : run.data?.testId
    ? [{ word: "Tests", to: path("tests") }, { word: run.data.tests[0]?.title ?? "Test", to: path("tests", run.data.testId) }, last]
    : [{ word: "Runs", to: path("runs") }, last];
  return (
    <div className="page">
      <Crumbs crumbs={crumbs} />
      {!run.data && run.error && (
        <PageError
          page thing="This run" what="The run" error={run.error} retry={refetch}
          back={<Link className="btn" to={path("runs")}>Show all runs</Link>}
        />
      )}
      {!run.data && !run.error && <Skeleton name="the run" />}
      {run.data && (
        <>
          <PageHead title={name} badge={<RunBadge run={run.data} />} actions={<RunActions run={run.data} changed={refetch} />} />
          {run.error && <LoadError what="Changes" error={run.error} retry={refetch} />}
          <RunDetails key={runId} run={run.data} refetch={refetch} />
          <AsApi views={viewsOf(run.data)} />
        </>
      )}
    </div>
  );
}
