import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { usePolled } from "../../api/use_polled";
import { svcLine } from "../../parts/api_lines";
import { AsApi } from "../../parts/as_api";
import { DayFields } from "../../parts/day_fields";
import { Blank, LoadError, Skeleton } from "../../parts/feedback";
import { SelectField } from "../../parts/field";
import { ListFoot } from "../../parts/list_foot";
import { useDayRange } from "../../parts/use_days";
import { useTitle } from "../../parts/use_title";
import { useProject } from "../project_context";
import { MonitorFrame, useMonitor } from "./monitor_frame";
import { readResults } from "./monitor_queries";
import { ResultTable } from "./result_table";

const ROUTE = "/signed-in/$org/$project/monitors/$monitorId/results";
export const RESULT_STATUSES = ["up", "down", "timeout", "error"] as const;
const STATES = [["", "Any result"], ["down", "Down"], ["timeout", "Timeout"], ["error", "No evidence"], ["up", "Up"]] as const;

function Filters() {
  const search = useSearch({ from: ROUTE });
  const navigate = useNavigate({ from: "/$org/$project/monitors/$monitorId/results" });
  const go = (change: Partial<typeof search>) =>
    void navigate({ search: { ...search, ...change, page: undefined, cursor: undefined }, replace: true });
  return (
    <div className="filters" role="search" aria-label="Filter results">
      <SelectField
        label="Result" name="status" hideLabel value={search.status ?? ""} options={STATES}
        onChange={(value) => go({ status: RESULT_STATUSES.find((one) => one === value) })}
      />
      <DayFields from={search.from} to={search.to} onChange={go} />
      {(search.status || search.from || search.to) && <Link className="btn btn-quiet" to="." search={{}}>Show all</Link>}
    </div>
  );
}

export default function ResultsPage() {
  const { api, key, project } = useProject();
  const { monitorId } = useParams({ from: ROUTE });
  const { from, to, ...search } = useSearch({ from: ROUTE });
  const monitor = useMonitor(monitorId);
  const query = { ...search, ...useDayRange({ from, to }) };
  const lines = { ...query, cursor: undefined, limit: 50 };
  const results = usePolled({
    key: [key, "monitor", monitorId, "results", query], keep: true, every: search.page ? false : undefined,
    read: (headers, signal) => readResults(api, monitorId, query, headers, signal),
  });
  useTitle("Results", monitor.data?.name, project.name);
  const rows = results.data?.rows ?? [];
  return (
    <MonitorFrame monitor={monitor} id={monitorId} tab="results">
      {(shown) => (
        <section className="section" aria-label={`Results of ${shown.name}`}>
          <Filters />
          {results.error && <LoadError what="The results" error={results.error} retry={() => void results.refetch()} />}
          {!results.data && !results.error && <Skeleton name="results" />}
          {rows.length > 0 && (
            <ResultTable
              caption={`Results of ${shown.name}, newest first`} rows={rows} heartbeat={shown.type === "heartbeat"} open
              foot={<ListFoot things="Results" page={results.data!} />}
            />
          )}
          {results.data && rows.length === 0 && !results.isPlaceholderData && (
            <div className="panel">
              <Blank icon="pulse" title={search.status || from || to ? "No result matches these filters" : "No results yet"}>
                <p>Single results are kept for some weeks. Outages and the numbers of hours and days stay longer.</p>
              </Blank>
            </div>
          )}
          <AsApi
            views={[{
              request: { method: "GET", path: `/api/monitors/${monitorId}/results`, query: lines },
              svc: svcLine(["monitor", "results", monitorId], lines),
            }]}
          />
        </section>
      )}
    </MonitorFrame>
  );
}
