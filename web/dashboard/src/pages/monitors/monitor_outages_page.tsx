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
import { readOutages } from "./monitor_queries";
import { OutageTable } from "./outage_table";

const ROUTE = "/signed-in/$org/$project/monitors/$monitorId/outages";
const STATES = [["", "Open and ended"], ["true", "Open"], ["false", "Ended"]] as const;

export default function MonitorOutagesPage() {
  const { api, key, project } = useProject();
  const { monitorId } = useParams({ from: ROUTE });
  const search = useSearch({ from: ROUTE });
  const navigate = useNavigate({ from: "/$org/$project/monitors/$monitorId/outages" });
  const { from, to, open, ...place } = search;
  const monitor = useMonitor(monitorId);
  const query = { ...place, ...(open ? { open: open === "true" } : {}), ...useDayRange({ from, to }) };
  const lines = { ...query, cursor: undefined, open, limit: 50 };
  const outages = usePolled({
    key: [key, "monitor", monitorId, "outages", query], keep: true,
    read: (headers, signal) => readOutages(api, monitorId, query, headers, signal),
  });
  useTitle("Outages", monitor.data?.name, project.name);
  const go = (change: Partial<typeof search>) =>
    void navigate({ search: { ...search, ...change, page: undefined, cursor: undefined }, replace: true });
  const rows = outages.data?.rows ?? [];
  return (
    <MonitorFrame monitor={monitor} id={monitorId} tab="outages">
      {(shown) => (
        <section className="section" aria-label={`Outages of ${shown.name}`}>
          <div className="filters" role="search" aria-label="Filter outages">
            <SelectField
              label="State" name="open" hideLabel value={open ?? ""} options={STATES}
              onChange={(value) => go({ open: value === "true" || value === "false" ? value : undefined })}
            />
            <DayFields from={from} to={to} onChange={go} />
            {(open || from || to) && <Link className="btn btn-quiet" to="." search={{}}>Show all</Link>}
          </div>
          {outages.error && <LoadError what="The outages" error={outages.error} retry={() => void outages.refetch()} />}
          {!outages.data && !outages.error && <Skeleton name="outages" />}
          {rows.length > 0 && (
            <OutageTable
              caption={`Outages of ${shown.name}, newest first`} rows={rows} monitorName={shown.name}
              foot={<ListFoot things="Outages" page={outages.data!} />}
            />
          )}
          {outages.data && rows.length === 0 && !outages.isPlaceholderData && (
            <div className="panel">
              <Blank icon="outage" title={open || from || to ? "No outage matches these filters" : "No outages so far"}>
                <p>An outage is a period in which {shown.name} was down.</p>
              </Blank>
            </div>
          )}
          <AsApi
            views={[{
              request: { method: "GET", path: `/api/monitors/${monitorId}/outages`, query: lines },
              svc: svcLine(["monitor", "outages", monitorId], lines),
            }]}
          />
        </section>
      )}
    </MonitorFrame>
  );
}
