import { Link, useParams, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { usePolled } from "../../api/use_polled";
import { svcLine } from "../../parts/api_lines";
import { AsApi } from "../../parts/as_api";
import { CommandLine } from "../../parts/copy";
import { Blank, LoadError, Skeleton } from "../../parts/feedback";
import { Sign } from "../../parts/icon";
import { ListFoot } from "../../parts/list_foot";
import { useTitle } from "../../parts/use_title";
import { Moment } from "../../parts/time";
import { useProject } from "../project_context";
import { readRuns } from "../project_queries";
import { RunTable } from "../runs/run_table";
import { useHeldRows } from "../runs/use_held_rows";
import { queryText } from "../../parts/url_state";
import { DurationChart } from "./duration_chart";
import { type Streak, failureStreak } from "./durations";
import { JobAside } from "./job_aside";
import { JobFrame, useJob } from "./job_frame";

const ROUTE = "/signed-in/$org/$project/jobs/$jobId";

function FailingBanner({ streak }: { streak: Streak }) {
  const { path } = useProject();
  if (streak.count === 0 || !streak.first) return null;
  return (
    <section className="banner s-failed" aria-label="Failing since">
      <Sign name="failed" look="s-failed" />
      <div className="stack g-1">
        <p className="banner-title">
          {streak.passed
            ? <>This job has failed since <Moment value={streak.first.queuedAt} /></>
            : "This job has failed in all runs shown here"}
        </p>
        {streak.passed && (
          <p className="small">
            It last passed at <Link to={path("runs", streak.passed.id)}><Moment value={streak.passed.queuedAt} /></Link>.
          </p>
        )}
      </div>
      <div className="actions"><Link className="btn btn-s" to={path("runs", streak.first.id)}>First failed run</Link></div>
    </section>
  );
}

export default function JobPage() {
  const { api, key, project, path } = useProject();
  const { jobId } = useParams({ from: ROUTE });
  const search = useSearch({ from: ROUTE });
  const job = useJob(jobId);
  const runs = usePolled({
    key: [key, "job-runs", jobId, search], keep: true,
    read: (headers, signal) => readRuns(api, { jobId, ...search }, headers, signal),
  });
  const held = useHeldRows(runs.isPlaceholderData ? "" : jobId + queryText(search), runs.isPlaceholderData ? undefined : runs.data?.rows);
  useTitle(job.data?.name, project.name);
  // The list says when the job has changed, so that the page polls one address only.
  const newest = runs.data?.rows[0];
  const mark = newest && `${newest.id} ${newest.status}`;
  const { refetch } = job;
  useEffect(() => {
    if (mark) void refetch();
  }, [mark, refetch]);
  const again = () => void Promise.all([job.refetch(), runs.refetch()]);
  const first = !search.page;
  const streak = first ? failureStreak(runs.data?.rows ?? []) : { count: 0 };
  const failing = streak.count > 0 && job.data?.enabled === true;
  const more = failing && job.data?.status === "failed" ? `${streak.count} in a row` : undefined;
  return (
    <JobFrame job={job} jobId={jobId} tab="runs" more={more}>
      <div className="split split-aside">
        <div className="stack g-6">
          {failing && <FailingBanner streak={streak} />}
          {first && runs.data && <DurationChart runs={runs.data.rows} />}
          <section className="section" aria-labelledby="runs-head">
            <div className="section-head">
              <h2 id="runs-head">Runs</h2>
              <Link className="more" to={path("runs")} search={{ jobId }}>All runs with filters</Link>
            </div>
            {runs.error && <LoadError what="The runs" error={runs.error} retry={again} />}
            {(!runs.data || runs.isPlaceholderData) && !runs.error && <Skeleton name="runs" />}
            {runs.data && held.rows.length > 0 && (
              <RunTable caption={`Runs of ${job.data?.name ?? "the job"}, newest first`} held={held}>
                <ListFoot things="Runs" page={runs.data} />
              </RunTable>
            )}
            {runs.data && !runs.isPlaceholderData && held.rows.length === 0 && (
              <div className="panel">
                <Blank icon="runs" title="This job has not run yet">
                  <p>Trigger it here, or from a shell:</p>
                  <CommandLine command={`svc job trigger ${jobId} --follow`} />
                </Blank>
              </div>
            )}
          </section>
        </div>
        {job.data && <JobAside job={job.data} />}
      </div>
      <AsApi
        views={[
          { word: "Show this job", request: { method: "GET", path: `/api/jobs/${jobId}` }, svc: svcLine(["job", "get", jobId]) },
          {
            word: "List its runs", request: { method: "GET", path: "/api/runs", query: { jobId, limit: 50, page: search.page } },
            svc: svcLine(["run", "list"], { job: jobId, limit: 50, page: search.page }),
          },
        ]}
      />
    </JobFrame>
  );
}
