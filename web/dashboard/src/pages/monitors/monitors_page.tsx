import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { usePolled } from "../../api/use_polled";
import { svcLine } from "../../parts/api_lines";
import { AsApi } from "../../parts/as_api";
import { CommandLine } from "../../parts/copy";
import { Blank, LoadError, PageError, Skeleton } from "../../parts/feedback";
import { SelectField } from "../../parts/field";
import { Icon, Sign } from "../../parts/icon";
import { ListFoot, type ListPage } from "../../parts/list_foot";
import { PageHead } from "../../parts/page";
import { SearchForm } from "../../parts/search_form";
import { hasRole } from "../../parts/states";
import { useTitle } from "../../parts/use_title";
import { useProject } from "../project_context";
import { useTags } from "../tags/use_tags";
import { useDayBars } from "./day_bars";
import { type Monitor, readMonitors } from "./monitor_queries";
import { MONITOR_STATES, STATUSES, TYPES } from "./monitor_states";
import { MonitorTable, ROUTE } from "./monitor_table";

const STATES = [["", "Any state"], ...STATUSES.map((status) => [status, MONITOR_STATES[status].word] as const)] as const;
const KINDS = [["", "Any type"], ...TYPES] as const;

function Filters() {
  const search = useSearch({ from: ROUTE });
  const navigate = useNavigate({ from: "/$org/$project/monitors" });
  const tags = useTags();
  const names = (tags.data ?? []).map((tag) => tag.name);
  if (search.tag && !names.includes(search.tag)) names.unshift(search.tag);
  const go = (change: Partial<typeof search>) =>
    void navigate({ search: { ...search, ...change, page: undefined, cursor: undefined } });
  const filtered = search.status || search.type || search.tag || search.search;
  return (
    <SearchForm
      things="monitors" placeholder="Search by name or target" most={255} value={search.search}
      onSearch={(words) => go({ search: words })}
      rest={(clear) => (
        <>
          {filtered && (
            <Link className="btn btn-quiet" to="." search={{ sort: search.sort, deleted: search.deleted }} onClick={clear}>Show all</Link>
          )}
          {search.deleted
            ? <Link className="more push" to="." search={{}}>Monitors in use</Link>
            : <Link className="more push" to="." search={{ deleted: "true" }}>Deleted monitors</Link>}
        </>
      )}
    >
      <SelectField
        label="State" name="status" hideLabel value={search.status ?? ""} options={STATES}
        onChange={(value) => go({ status: STATUSES.find((one) => one === value) })}
      />
      <SelectField
        label="Type" name="type" hideLabel value={search.type ?? ""} options={KINDS}
        onChange={(value) => go({ type: TYPES.find(([one]) => one === value)?.[0] })}
      />
      {names.length > 0 && (
        <SelectField
          label="Tag" name="tag" hideLabel value={search.tag ?? ""} onChange={(value) => go({ tag: value || undefined })}
          options={[["", "Any tag"], ...names.map((name) => [name, name] as const)]}
        />
      )}
    </SearchForm>
  );
}

/** Numbers of monitors by state, where the page has all of them. */
function Counts({ page }: { page: ListPage<Monitor> }) {
  if (page.pagination.total > page.rows.length || page.rows.length < 2) return null;
  return (
    <dl className="figures figures-s">
      {STATUSES.map((status) => (
        <div key={status}>
          <dt><Sign name={MONITOR_STATES[status].sign} look={MONITOR_STATES[status].look} />{MONITOR_STATES[status].word}</dt>
          <dd className="figure">{page.rows.filter((one) => one.status === status).length}</dd>
        </div>
      ))}
    </dl>
  );
}

function NoMonitors({ filtered, deleted }: { filtered: boolean; deleted: boolean }) {
  const { project, path } = useProject();
  if (deleted) {
    return (
      <Blank icon="trash" title="No deleted monitors">
        <p>A deleted monitor can be restored here for some time. Its history stays readable.</p>
        <div className="row"><Link className="btn" to={path("monitors")}>Show monitors</Link></div>
      </Blank>
    );
  }
  if (filtered) {
    return (
      <Blank icon="search" title="No monitor matches these filters">
        <p>The filters leave no monitor of {project.name}.</p>
        <div className="row"><Link className="btn" to={path("monitors")}>Show all monitors</Link></div>
      </Blank>
    );
  }
  return (
    <Blank icon="pulse" title="No monitors yet">
      <p>A monitor checks a website, an API, a host or a name at an interval, or expects a ping of scheduled work.</p>
      {hasRole(project.role, "project_editor") && (
        <>
          <div className="row"><Link className="btn btn-primary" to={path("monitors", "new")}>Create monitor</Link></div>
          <p className="small faint">Or from a shell:</p>
          <CommandLine command="svc monitor create 'Shop front' --type website --target https://example.org/" />
        </>
      )}
    </Blank>
  );
}

export default function MonitorsPage() {
  const { api, key, project, path } = useProject();
  const { deleted: chosen, ...search } = useSearch({ from: ROUTE });
  const deleted = chosen === "true";
  useTitle("Monitors", project.name);
  const query = { ...search, sort: search.sort ?? ("status" as const), ...(deleted ? { deleted } : {}) };
  const lines = { ...search, cursor: undefined, sort: query.sort, deleted: deleted ? "true" : undefined, limit: 50 };
  const monitors = usePolled({
    key: [key, "monitors", query], keep: true, read: (headers, signal) => readMonitors(api, query, headers, signal),
  });
  const rows = monitors.data?.rows ?? [];
  const bars = useDayBars(deleted ? [] : rows);
  const filtered = Boolean(search.status || search.type || search.tag || search.search);
  const again = () => void monitors.refetch();
  const all = monitors.data && !filtered && !deleted && !search.page && !monitors.isPlaceholderData;
  return (
    <div className="page">
      <PageHead
        title={deleted ? "Deleted monitors" : "Monitors"}
        actions={
          hasRole(project.role, "project_editor") && !deleted
          && <Link className="btn btn-primary" to={path("monitors", "new")}><Icon name="plus" />Create monitor</Link>
        }
      />
      {all && <Counts page={monitors.data!} />}
      <section className="section" aria-label={`Monitors of ${project.name}`}>
        <Filters key={`${search.search}`} />
        {monitors.error && monitors.data && <LoadError what="Changes" error={monitors.error} retry={again} />}
        {monitors.error && !monitors.data && <PageError thing="This list" what="The monitors" error={monitors.error} retry={again} />}
        {!monitors.data && !monitors.error && <Skeleton name="monitors" />}
        {monitors.data && rows.length > 0 && (
          <MonitorTable
            caption={query.sort === "status" ? "Monitors, worst first" : "Monitors"} rows={rows} deleted={deleted}
            bars={deleted ? undefined : bars}
            foot={<ListFoot things="Monitors" page={monitors.data} words={["Previous", "Next"]} />}
          />
        )}
        {monitors.data && rows.length === 0 && !monitors.isPlaceholderData && (
          <div className="panel"><NoMonitors filtered={filtered} deleted={deleted} /></div>
        )}
      </section>
      {monitors.data && (
        <AsApi views={[{ request: { method: "GET", path: "/api/monitors", query: lines }, svc: svcLine(["monitor", "list"], lines) }]} />
      )}
    </div>
  );
}
