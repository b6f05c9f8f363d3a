import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { usePolled } from "../../../api/use_polled";
import { svcLine } from "../../../parts/api_lines";
import { AsApi } from "../../../parts/as_api";
import { Blank, LoadError, PageError, Skeleton } from "../../../parts/feedback";
import { SelectField } from "../../../parts/field";
import { ListFoot } from "../../../parts/list_foot";
import { hasRole } from "../../../parts/states";
import { useProject } from "../../project_context";
import { StatusPageFrame } from "../page_frame";
import { type IncidentStatus, type StatusPage, readIncidents, useComponents } from "../page_queries";
import { INCIDENT_STATES } from "../page_states";
import { IncidentTable } from "./incident_table";

const ROUTE = "/signed-in/$org/$project/status-pages/$pageId/incidents";
const PAGE = 50;
const STATUSES = [
  ["", "Any status"],
  ...(["investigating", "identified", "monitoring", "resolved"] as const).map((one) => [one, INCIDENT_STATES[one].word] as const),
] as const;

function NoIncidents({ page, filtered }: { page: StatusPage; filtered: boolean }) {
  const { path, project } = useProject();
  return (
    <div className="panel">
      <Blank icon="broadcast" title={filtered ? "No incident has this status" : "No incident yet"}>
        <p>An incident tells visitors what is wrong, and what you do about it.</p>
        <div className="row">
          {filtered
            ? <Link className="btn" to={path("status-pages", page.id, "incidents")}>Show all incidents</Link>
            : hasRole(project.role, "project_editor") && (
              <Link className="btn" to={path("status-pages", page.id, "incidents", "new")}>Create incident</Link>
            )}
        </div>
      </Blank>
    </div>
  );
}

function History({ page }: { page: StatusPage }) {
  const { api, key } = useProject();
  const navigate = useNavigate();
  const query = useSearch({ from: ROUTE });
  const { status } = query;
  const components = useComponents(page.id);
  const incidents = usePolled({
    key: [key, "page-incidents", page.id, query], keep: true,
    read: (headers, signal) => readIncidents(api, page.id, query, headers, signal, PAGE),
  });
  const again = () => void incidents.refetch();
  const { data } = incidents;
  return (
    <section className="section" aria-label={`Incidents of ${page.name}`}>
      <div className="filters" role="search" aria-label="Filter incidents">
        <SelectField
          label="Status" name="status" hideLabel value={status ?? ""} options={STATUSES}
          onChange={(value) => void navigate({ to: ".", search: value ? { status: value as IncidentStatus } : {} })}
        />
      </div>
      {data && incidents.error && <LoadError what="Changes" error={incidents.error} retry={again} />}
      {!data && (incidents.error
        ? <PageError thing="This list" what="The incidents" error={incidents.error} retry={again} />
        : <Skeleton name="incidents" />)}
      {data?.pagination.total === 0 && <NoIncidents page={page} filtered={Boolean(status)} />}
      {data && data.pagination.total > 0 && (
        <IncidentTable
          caption={`Incidents of ${page.name}, newest start first`} pageId={page.id} rows={data.rows} components={components.data ?? []}
          foot={<ListFoot things="Incidents" page={data} />}
        />
      )}
      <AsApi
        views={[{
          request: { method: "GET", path: `/api/status-pages/${page.id}/incidents`, query: { status, limit: PAGE, page: query.page } },
          svc: svcLine(["incident", "list", page.slug], { status, limit: PAGE, page: query.page }),
        }]}
      />
    </section>
  );
}

export default function IncidentsPage() {
  const { pageId } = useParams({ from: ROUTE });
  return <StatusPageFrame id={pageId} tab="history">{(page) => <History page={page} />}</StatusPageFrame>;
}
