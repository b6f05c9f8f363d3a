import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Suspense, useEffect, useRef, useState } from "react";
import { usePolled } from "../../api/use_polled";
import { svcLine } from "../../parts/api_lines";
import { AsApi } from "../../parts/as_api";
import { copyId } from "../../parts/copy";
import { CardRows } from "../../parts/card_table";
import { Blank, LoadError, PageError, Skeleton } from "../../parts/feedback";
import { SelectField } from "../../parts/field";
import { Icon, State } from "../../parts/icon";
import { ListFoot, type ListPage } from "../../parts/list_foot";
import { ActionMenu } from "../../parts/menu";
import { PageHead } from "../../parts/page";
import { SearchForm } from "../../parts/search_form";
import { useTitle } from "../../parts/use_title";
import { hasRole, jobState } from "../../parts/states";
import { Moment, NOTHING, ZoneName } from "../../parts/time";
import { durationText } from "../../time/format";
import { pageAddress } from "../page_address";
import { useProject } from "../project_context";
import { type Job, type JobStatus, jobsRead } from "../project_queries";
import { ScheduleWords } from "./schedule_words";
import { EMPTY_POLL } from "./start/first_steps_state";
import { FirstSteps } from "./start/later_steps";
import { TriggerButton } from "./trigger_button";

const STATES = [
  ["", "Any state"], ["failed", "Failing"], ["error", "Error"], ["timed_out", "Timed out"], ["running", "Running"],
  ["queued", "Queued"], ["passed", "Passed"], ["cancelled", "Cancelled"], ["pending", "Never run"],
] as const;

function Filters() {
  const search = useSearch({ from: "/signed-in/$org/$project/jobs" });
  const navigate = useNavigate({ from: "/$org/$project/jobs" });
  const setStatus = (status: string) =>
    void navigate({ search: { ...search, status: (status || undefined) as JobStatus | undefined, page: undefined, cursor: undefined } });
  return (
    <SearchForm
      things="jobs" placeholder="Search by name" most={255} value={search.search}
      onSearch={(words) => void navigate({ search: { ...search, search: words, page: undefined, cursor: undefined } })}
      rest={(clear) => (search.status || search.search) && (
        <Link className="btn btn-quiet" to="." search={{ sort: search.sort }} onClick={clear}>Show all</Link>
      )}
    >
      <SelectField label="State" name="status" hideLabel value={search.status ?? ""} onChange={setStatus} options={STATES} />
    </SearchForm>
  );
}

function JobRow({ job }: { job: Job }) {
  const { path, project } = useProject();
  const address = path("jobs", job.id);
  const last = job.lastRun;
  return (
    <tr role="row">
      <td className="cell-state" role="cell"><State state={jobState(job)} /></td>
      <th scope="row" role="rowheader" className="cell-grow">
        <div className="cell-name">
          <Link to={address} className="clip" dir="auto">{job.name}</Link>
          <span className="cell-sub">{job.jobType}</span>
        </div>
      </th>
      <td data-label="Last run" role="cell">
        <div className="cell-name">
          {last
            ? <Link className="quiet-link" to={path("runs", last.id)}><Moment value={job.lastRunAt} form="minutes" /></Link>
            : <span className="faint">{NOTHING}</span>}
          {last?.durationMs != null && <span className="cell-sub">{durationText(last.durationMs)}</span>}
        </div>
      </td>
      <td data-label="Schedule" role="cell">
        <div className="cell-name nowrap">
          <ScheduleWords job={job} />
          {job.nextRunAt && <span className="cell-sub nowrap">next: <Moment value={job.nextRunAt} form="minutes" /></span>}
        </div>
      </td>
      <td className="num cell-hide-m" data-label="Tests" role="cell">{job.testCount}</td>
      <td className="cell-actions" role="cell">
        {hasRole(project.role, "project_editor") && <TriggerButton job={job} small />}{" "}
        <ActionMenu
          label={`More for ${job.name}`} small
          entries={[
            { id: "runs", icon: "runs", word: "Runs", href: `${pageAddress(path("runs"))}?jobId=${job.id}` },
            ...(hasRole(project.role, "project_editor")
              ? [{ id: "edit", icon: "edit", word: "Edit", href: `${pageAddress(address)}/edit` } as const] : []),
            { id: "copy", icon: "copy", word: "Copy id", act: () => void copyId(job.id) },
          ]}
        />
      </td>
    </tr>
  );
}

function SortHead({ word, sort, children }: { word: string; sort: "name" | "createdAt"; children?: string }) {
  const search = useSearch({ from: "/signed-in/$org/$project/jobs" });
  const current = search.sort ?? "name";
  const active = current.replace("-", "") === sort;
  const descending = active && current.startsWith("-");
  const next = active && !descending ? (`-${sort}` as const) : sort;
  return (
    <th scope="col" role="columnheader" aria-sort={active ? (descending ? "descending" : "ascending") : undefined}>
      <Link to="." search={{ ...search, sort: next, page: undefined, cursor: undefined }}>
        {word}
        {active && <Icon name="sort" small />}
        {children}
      </Link>
    </th>
  );
}

function JobTable({ page }: { page: ListPage<Job> }) {
  return (
    <div className="panel">
      <CardRows
        caption="Jobs"
        heads={
          <>
            <th scope="col" role="columnheader">State</th>
            <SortHead word="Name" sort="name" />
            <th scope="col" role="columnheader">Last run, <ZoneName /></th>
            <th scope="col" role="columnheader">Schedule</th>
            <th scope="col" role="columnheader" className="num cell-hide-m">Tests</th>
            <th scope="col" role="columnheader"><span className="vh">Actions</span></th>
          </>
        }
      >
        {page.rows.map((job) => <JobRow key={job.id} job={job} />)}
      </CardRows>
      <ListFoot things="Jobs" page={page} words={["Previous", "Next"]} />
    </div>
  );
}

/** True if the project may still be on its way to a first run. Until the jobs of other filters are read, the answer stays. */
function useStarts(filtered: boolean, jobs: { data?: ListPage<Job>; isPlaceholderData: boolean }): boolean {
  const before = useRef(false);
  // A project with more jobs has been started before.
  const few = jobs.isPlaceholderData ? before.current : (jobs.data?.pagination.total ?? 2) <= 1;
  const starts = few && !filtered;
  useEffect(() => {
    before.current = starts;
  });
  return starts;
}

export default function JobsPage() {
  const { key, project, path } = useProject();
  const search = useSearch({ from: "/signed-in/$org/$project/jobs" });
  useTitle("Jobs", project.name);
  const filtered = Boolean(search.status || search.search);
  const query = { ...search, cursor: undefined, sort: search.sort ?? "name", limit: 50 };
  const client = useQueryClient();
  // An empty project also asks for its first test.
  const isEmpty = client.getQueryData<ListPage<Job>>([key, "jobs", search])?.rows.length === 0;
  const jobs = usePolled({ ...jobsRead(key, search), keep: true, every: isEmpty ? EMPTY_POLL : undefined });
  const edits = hasRole(project.role, "project_editor");
  const empty = !filtered && !jobs.isPlaceholderData && jobs.data?.pagination.total === 0;
  const fewJobs = useStarts(filtered, jobs);
  const starts = edits && fewJobs;
  // The steps have the act that is due, and a page has one of these.
  const [stepsShown, setStepsShown] = useState(true);
  const look = starts && stepsShown ? "btn" : "btn btn-primary";
  const create = <Link className={look} to={path("jobs", "new")}><Icon name="plus" />Create job</Link>;
  return (
    <div className="page">
      <PageHead title="Jobs" actions={edits && jobs.data?.rows.length ? create : undefined} />
      <section className="section" aria-label={`Jobs of ${project.name}`}>
        {!empty && !(starts && stepsShown) && <Filters key={`${search.search}`} />}
        {jobs.error && jobs.data && <LoadError what="Changes" error={jobs.error} retry={() => void jobs.refetch()} />}
        {jobs.error && !jobs.data && (
          <PageError thing="This list" what="The jobs" error={jobs.error} retry={() => void jobs.refetch()} />
        )}
        {(!jobs.data || (jobs.isPlaceholderData && jobs.data.rows.length === 0)) && !jobs.error && <Skeleton name="jobs" />}
        {starts && <Suspense><FirstSteps job={jobs.data?.rows[0]} onShown={setStepsShown} /></Suspense>}
        {jobs.data && jobs.data.rows.length > 0 && <JobTable page={jobs.data} />}
        {jobs.data && !jobs.isPlaceholderData && jobs.data.rows.length === 0 && !starts && (
          <div className="panel">
            {filtered
              ? (
                <Blank icon="search" title="No job matches these filters">
                  <p>The filters leave no job of {project.name}.</p>
                  <div className="row"><Link className="btn" to={path("jobs")}>Show all jobs</Link></div>
                </Blank>
              )
              : (
                <Blank icon="jobs" title="No jobs yet">
                  <p>A job runs one or more tests. Pipelines, schedules and people trigger it. An editor of {project.name} can make one.</p>
                </Blank>
              )}
          </div>
        )}
      </section>
      {jobs.data && <AsApi views={[{ request: { method: "GET", path: "/api/jobs", query }, svc: svcLine(["job", "list"], query) }]} />}
    </div>
  );
}
