import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Suspense } from "react";
import { usePolled } from "../../api/use_polled";
import { svcLine } from "../../parts/api_lines";
import { AsApi } from "../../parts/as_api";
import { DayFields } from "../../parts/day_fields";
import { Blank, LoadError, PageError, Skeleton } from "../../parts/feedback";
import { SelectField } from "../../parts/field";
import { Icon } from "../../parts/icon";
import { loadLater } from "../../parts/later";
import { ListFoot } from "../../parts/list_foot";
import { PageHead } from "../../parts/page";
import { lazyPage } from "../../parts/reload";
import { Moment } from "../../parts/time";
import { useZone } from "../../parts/use_clock";
import { useTitle } from "../../parts/use_title";
import { queryText } from "../../parts/url_state";
import { dayStartingAt, startOfDay } from "../../time/zone_day";
import { useProject } from "../project_context";
import { readJob, runsRead } from "../project_queries";
import { RunTable } from "./run_table";
import { useHeldRows } from "./use_held_rows";

const STATES = [
  ["", "Any state"], ["queued", "Queued"], ["running", "Running"], ["passed", "Passed"], ["failed", "Failed"], ["error", "Error"],
  ["timed_out", "Timed out"], ["cancelled", "Cancelled"],
] as const;
const TRIGGERS = [
  ["", "Started in any way"], ["remote", "By token or key"], ["manual", "In the dashboard"], ["schedule", "By schedule"],
] as const;

// The field loads after the page, which works without it.
const JobFilter = lazyPage(loadLater, "JobFilter");

const ROUTE = "/signed-in/$org/$project/runs";

function Filters() {
  const { api, key } = useProject();
  const search = useSearch({ from: ROUTE });
  const navigate = useNavigate({ from: "/$org/$project/runs" });
  const job = useQuery({
    queryKey: [key, "job", search.jobId], queryFn: ({ signal }) => readJob(api, search.jobId!, {}, signal), enabled: Boolean(search.jobId),
  });
  const zone = useZone();
  const set = (name: "status" | "trigger") => (value: string) =>
    void navigate({ search: { ...search, [name]: value || undefined, page: undefined, cursor: undefined } });
  // The address has moments, as that of the service. Fields show whole days; other moments, such as an hour's start, are chips.
  const days = { from: dayStartingAt(search.from, zone), to: dayStartingAt(search.to, zone, 1) };
  const setDays = (change: { from?: string; to?: string }) =>
    void navigate({
      search: {
        ...search,
        ...("from" in change && { from: change.from && startOfDay(change.from, zone)?.toISOString() }),
        ...("to" in change && { to: change.to && startOfDay(change.to, zone, 1)?.toISOString() }),
        page: undefined, cursor: undefined,
      },
    });
  return (
    <div className="filters" role="search" aria-label="Filter runs">
      <SelectField label="State" name="status" hideLabel value={search.status ?? ""} onChange={set("status")} options={STATES} />
      <SelectField label="Started by" name="trigger" hideLabel value={search.trigger ?? ""} onChange={set("trigger")} options={TRIGGERS} />
      <DayFields from={days.from} to={days.to} onChange={setDays} />
      {!search.jobId && (
        <Suspense fallback={<span className="filter-job" />}>
          <span className="filter-job">
            <JobFilter onChoose={(jobId) => void navigate({ search: { ...search, jobId, page: undefined, cursor: undefined } })} />
          </span>
        </Suspense>
      )}
      {search.jobId && (
        <Link
          className="chip" to="." search={{ ...search, jobId: undefined, page: undefined, cursor: undefined }}
          aria-label={`Remove the filter by job ${job.data?.name ?? search.jobId}`}
        >
          job: {job.data?.name ?? search.jobId.slice(0, 8)} <Icon name="x" small />
        </Link>
      )}
      {(["from", "to"] as const).map((name) => search[name] && !days[name] && (
        <Link
          className="chip" to="." search={{ ...search, [name]: undefined, page: undefined, cursor: undefined }} key={name}
        >
          <span className="vh">Remove the filter </span>
          {name === "from" ? "from" : "before"}{" "}
          {Number.isNaN(Date.parse(search[name])) ? search[name] : <Moment value={search[name]} form="minutes" />} <Icon name="x" small />
        </Link>
      ))}
      {(search.status || search.trigger || search.jobId || search.from || search.to) && (
        <Link className="btn btn-quiet" to="." search={{}}>Show all</Link>
      )}
    </div>
  );
}

export default function RunsPage() {
  const { key, project, path } = useProject();
  const search = useSearch({ from: ROUTE });
  useTitle("Runs", project.name);
  const runs = usePolled({ ...runsRead(key, search), keep: true });
  const held = useHeldRows(runs.isPlaceholderData ? "" : key + queryText(search), runs.isPlaceholderData ? undefined : runs.data?.rows);
  const filtered = Boolean(search.status || search.trigger || search.jobId || search.from || search.to);
  const { jobId, cursor: _, ...filters } = search;
  const query = { ...filters, limit: 50 };
  const again = () => void runs.refetch();
  return (
    <div className="page">
      <PageHead title="Runs" />
      <section className="section" aria-label={`Runs of ${project.name}`}>
        <Filters />
        {runs.error && runs.data && <LoadError what="Changes" error={runs.error} retry={again} />}
        {runs.error && !runs.data && <PageError thing="This list" what="The runs" error={runs.error} retry={again} />}
        {(!runs.data || runs.isPlaceholderData) && !runs.error && <Skeleton name="runs" />}
        {runs.data && held.rows.length > 0 && (
          <RunTable caption={`Runs of ${project.name}, newest first`} held={held} showJob>
            <ListFoot things="Runs" page={runs.data} />
          </RunTable>
        )}
        {runs.data && !runs.isPlaceholderData && held.rows.length === 0 && (
          <div className="panel">
            {filtered
              ? (
                <Blank icon="search" title="No run matches these filters">
                  <p>The filters leave no run of {project.name}.</p>
                  <div className="row"><Link className="btn" to={path("runs")}>Show all runs</Link></div>
                </Blank>
              )
              : (
                <Blank icon="runs" title="No runs yet">
                  <p>A run executes the tests of a job. Trigger a job to see its first run here.</p>
                  <div className="row"><Link className="btn btn-primary" to={path("jobs")}>Show jobs</Link></div>
                </Blank>
              )}
          </div>
        )}
      </section>
      {runs.data && (
        <AsApi
          views={[{
            request: { method: "GET", path: "/api/runs", query: { jobId, ...query } },
            svc: svcLine(["run", "list"], { job: jobId, ...query }),
          }]}
        />
      )}
    </div>
  );
}
