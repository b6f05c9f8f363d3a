import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { usePolled } from "../../api/use_polled";
import { svcLine } from "../../parts/api_lines";
import { type ApiView, AsApi } from "../../parts/as_api";
import { DayFields } from "../../parts/day_fields";
import { Blank, LoadError, PageError, Skeleton } from "../../parts/feedback";
import { SelectField } from "../../parts/field";
import { Icon } from "../../parts/icon";
import { ListFoot } from "../../parts/list_foot";
import { PageHead } from "../../parts/page";
import { SearchSelect } from "../../parts/search_select";
import { useDayRange } from "../../parts/use_days";
import { useTitle } from "../../parts/use_title";
import { searchMonitors } from "../monitors/monitor_names";
import { readMonitor } from "../monitors/monitor_queries";
import { OutageTable } from "../monitors/outage_table";
import { useProject } from "../project_context";
import { list } from "../project_queries";
import { type ProjectOutage, openFirst } from "./open_first";

const ROUTE = "/signed-in/$org/$project/outages";
const STATES = [["", "Open and ended"], ["true", "Open"], ["false", "Ended"]] as const;

const ANY: ReadonlySet<string> = new Set();

// The public API has the outages of one monitor only.
const DOWN_NOW: ApiView = {
  word: "List the monitors that are down", request: { method: "GET", path: "/api/monitors", query: { status: "down" } },
  svc: svcLine(["outage", "open"]),
};

function ofMonitor(id: string, { monitorId: _, ...lines }: Record<string, string | number | undefined>): ApiView {
  return {
    word: "List the outages of this monitor", request: { method: "GET", path: `/api/monitors/${id}/outages`, query: lines },
    svc: svcLine(["outage", "list", id], lines),
  };
}

export default function OutagesPage() {
  const { api, pages, key, project, path } = useProject();
  const search = useSearch({ from: ROUTE });
  const navigate = useNavigate({ from: "/$org/$project/outages" });
  const { from, to, open, ...rest } = search;
  useTitle("Outages", project.name);
  const query = { ...rest, ...(open ? { open: open === "true" } : {}), ...useDayRange({ from, to }) };
  const outages = usePolled({
    key: [key, "outages", query], keep: true,
    read: (headers, signal) =>
      list<ProjectOutage>(pages.GET("/dashboard/v1/outages", { params: { query: { limit: 50, ...query } }, headers, signal })),
  });
  const monitor = useQuery({
    queryKey: [key, "monitor", search.monitorId, "name"], enabled: Boolean(search.monitorId), staleTime: Infinity,
    queryFn: ({ signal }) => readMonitor(api, search.monitorId!, {}, signal),
  });
  const name = monitor.data?.name ?? search.monitorId?.slice(0, 8);
  const go = (change: Partial<typeof search>) =>
    void navigate({ search: { ...search, ...change, page: undefined, cursor: undefined } });
  const filtered = Boolean(open || from || to || search.monitorId);
  const rows = openFirst(outages.data?.rows ?? []);
  const again = () => void outages.refetch();
  return (
    <div className="page">
      <PageHead title="Outages" />
      <section className="section" aria-label={`Outages of ${project.name}`}>
        <div className="filters" role="search" aria-label="Filter outages">
          <SelectField
            label="State" name="open" hideLabel value={open ?? ""} options={STATES}
            onChange={(value) => go({ open: value === "true" || value === "false" ? value : undefined })}
          />
          {!search.monitorId && (
            <SearchSelect
              label="Monitor" name="monitor" hideLabel placeholder="Any monitor" queryKey={[key, "monitor-choice", ""]}
              search={(words, signal) => searchMonitors(api, ANY, words, signal)} onChoose={({ id }) => go({ monitorId: id })}
            />
          )}
          <DayFields from={from} to={to} onChange={go} />
          {search.monitorId && (
            <Link
              className="chip" to="." search={{ ...search, monitorId: undefined, page: undefined, cursor: undefined }}
              aria-label={`Remove the filter by ${name}`}
            >
              of: {name} <Icon name="x" small />
            </Link>
          )}
          {filtered && <Link className="btn btn-quiet" to="." search={{}}>Show all</Link>}
        </div>
        {outages.error && outages.data && <LoadError what="Changes" error={outages.error} retry={again} />}
        {outages.error && !outages.data && <PageError thing="This list" what="The outages" error={outages.error} retry={again} />}
        {!outages.data && !outages.error && <Skeleton name="outages" />}
        {rows.length > 0 && (
          <OutageTable
            caption={`Outages of ${project.name}, open ones first`} rows={rows} showMonitor
            foot={<ListFoot things="Outages" page={outages.data!} />}
          />
        )}
        {outages.data && rows.length === 0 && !outages.isPlaceholderData && (
          <div className="panel">
            <Blank icon="outage" title={filtered ? "No outage matches these filters" : "No outages so far"}>
              <p>An outage is a period in which a monitor was down.</p>
              <div className="row">
                {filtered
                  ? <Link className="btn" to={path("outages")}>Show all outages</Link>
                  : <Link className="btn" to={path("monitors")}>Show monitors</Link>}
              </div>
            </Blank>
          </div>
        )}
      </section>
      <AsApi views={[search.monitorId ? ofMonitor(search.monitorId, { ...query, cursor: undefined, open, limit: 50 }) : DOWN_NOW]} />
    </div>
  );
}
