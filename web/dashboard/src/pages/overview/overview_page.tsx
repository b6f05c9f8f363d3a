import { Link } from "@tanstack/react-router";
import { Suspense, useEffect } from "react";
import { visibility } from "../../api/services";
import { useLive } from "../../api/use_live";
import { usePolled } from "../../api/use_polled";
import { svcLine } from "../../parts/api_lines";
import { type ApiView, AsApi } from "../../parts/as_api";
import { Blank, LoadError, PageError, Skeleton } from "../../parts/feedback";
import { hasRole } from "../../parts/states";
import { Moment } from "../../parts/time";
import { useTitle } from "../../parts/use_title";
import { FirstSteps } from "../jobs/start/later_steps";
import type { ProjectOutage } from "../outages/open_first";
import { useProject } from "../project_context";
import { readJobs } from "../project_queries";
import { Attention } from "./attention";
import { HoursPanel } from "./hours_panel";
import { JobsSection } from "./jobs_section";
import { MonitorsPanel } from "./monitors_panel";
import { NowFigures } from "./now_figures";
import { type Overview, SETTLE, openOutagesRead, overviewRead } from "./overview_query";

/** The last 24 hours move on without a change that the feed could name. */
const MOVES_EVERY = 300_000;

const failedList = (thing: "job" | "run", status: string): Pick<ApiView, "request" | "svc"> => ({
  request: { method: "GET", path: `/api/${thing}s`, query: { status } }, svc: svcLine([thing, "list"], { status }),
});
const VIEWS: readonly ApiView[] = [
  { word: "List jobs whose last run failed", ...failedList("job", "failed") },
  { word: "List runs that failed", ...failedList("run", "failed") },
  {
    word: "List monitors that are down", request: { method: "GET", path: "/api/monitors", query: { status: "down" } },
    svc: svcLine(["monitor", "list"], { status: "down" }),
  },
];

/** Reads the overview again while nothing changes, so that its 24 hours end now. */
function useMovingDay(refetch: () => unknown): void {
  useEffect(() => {
    const timer = setInterval(() => visibility.visible && void refetch(), MOVES_EVERY);
    return () => clearInterval(timer);
  }, [refetch]);
}

/** Three steps to the first green run, for people who may take them. */
function NewProject() {
  const { api, key, project } = useProject();
  const edits = hasRole(project.role, "project_editor");
  const jobs = usePolled({
    key: [key, "jobs", "start"], every: edits ? undefined : false,
    read: (headers, signal) => readJobs(api, { sort: "name" }, headers, signal, 2),
  });
  if (edits) return jobs.data && jobs.data.pagination.total <= 1 ? <Suspense><FirstSteps job={jobs.data.rows[0]} /></Suspense> : null;
  if (jobs.data?.pagination.total !== 0) return null;
  return (
    <div className="panel">
      <Blank icon="jobs" title="No jobs yet">
        <p>A job runs one or more tests. Pipelines, schedules and people trigger it. An editor of {project.name} can make one.</p>
      </Blank>
    </div>
  );
}

/** True if no run of the project has passed as far as its overview says; it has at most one job then. */
const isNew = ({ jobs }: Overview): boolean => jobs.length === 0 || (jobs.length === 1 && jobs[0]!.passed === 0);

const isEmpty = ({ jobs, monitors, openOutages }: Overview): boolean =>
  jobs.length === 0 && openOutages === 0 && Object.values(monitors).every((count) => count === 0);

function Content({ overview, outages }: { overview: Overview; outages: readonly ProjectOutage[] }) {
  const { path, project } = useProject();
  if (isEmpty(overview)) {
    return (
      <>
        <NewProject />
        {hasRole(project.role, "project_editor") && (
          <p className="small muted page-narrow">
            The service can also watch targets from outside: <Link to={path("monitors", "new")}>create a monitor</Link>.
          </p>
        )}
      </>
    );
  }
  return (
    <>
      <Attention rows={outages} total={overview.openOutages} />
      <NowFigures overview={overview} newest={outages[0]} />
      {isNew(overview) && <NewProject />}
      <div className="split split-wide">
        <HoursPanel overview={overview} />
        <MonitorsPanel monitors={overview.monitors} />
      </div>
      {overview.jobs.length > 0 && <JobsSection jobs={overview.jobs} />}
    </>
  );
}

export default function OverviewPage() {
  const { key, project } = useProject();
  useTitle("Overview", project.name);
  const live = useLive(key);
  const overview = usePolled({ ...overviewRead(key), settle: SETTLE });
  const outages = usePolled(openOutagesRead(key));
  const { data, error, refetch } = overview;
  // A stream without the numbers it announces is not live.
  const current = live && !error;
  useMovingDay(refetch);
  const again = () => void Promise.all([refetch(), outages.refetch()]);
  return (
    <div className="page">
      <div className="page-head">
        <div className="page-title">
          <h1>Overview</h1>
          {data && (
            <span className="as-of push">
              <span className="live" data-off={current ? undefined : true}>{current ? "Live" : "Not live"}</span> as of{" "}
              <Moment value={data.asOf} />
            </span>
          )}
        </div>
      </div>
      {error && data && <LoadError what="Changes" error={error} retry={again} />}
      {error && !data && <PageError thing="This page" what="The overview" error={error} retry={again} />}
      {!error && outages.error && <LoadError what="The open outages" error={outages.error} retry={again} />}
      {!data && !error && <Skeleton name="the overview" />}
      {data && <Content overview={data} outages={outages.data?.rows ?? []} />}
      {data && <AsApi views={VIEWS} />}
    </div>
  );
}
