import { Link, useParams } from "@tanstack/react-router";
import { usePolled } from "../../api/use_polled";
import { svcLine } from "../../parts/api_lines";
import { AsApi } from "../../parts/as_api";
import { CommandLine } from "../../parts/copy";
import { Blank, LoadError, PageError, Skeleton } from "../../parts/feedback";
import { Icon } from "../../parts/icon";
import { hasRole } from "../../parts/states";
import { useProject } from "../project_context";
import { ComponentTable } from "./components/component_table";
import { MOST_COMPONENTS } from "./components/component_values";
import { IncidentTable } from "./incidents/incident_table";
import { ContentAside } from "./content_aside";
import { StatusPageFrame } from "./page_frame";
import { type PageComponent, type StatusPage, readOpenIncidents, useComponents } from "./page_queries";

/** Milliseconds between polls of open incidents, three requests each. The feed names their changes at once. */
const INCIDENTS_EVERY = 60_000;

function OpenIncidents({ page, components }: { page: StatusPage; components: readonly PageComponent[] | undefined }) {
  const { api, key, path, project } = useProject();
  const incidents = usePolled({
    key: [key, "page-incidents", page.id, "open"], every: INCIDENTS_EVERY,
    read: (headers, signal) => readOpenIncidents(api, page.id, headers, signal),
  });
  const again = () => void incidents.refetch();
  return (
    <section className="section" aria-labelledby="incidents-head">
      <div className="section-head">
        <h2 id="incidents-head">Open incidents</h2>
        <Link className="more" to={path("status-pages", page.id, "incidents")}>All incidents</Link>
      </div>
      {incidents.error && <LoadError what="The incidents" error={incidents.error} retry={again} />}
      {!incidents.data && !incidents.error && <Skeleton name="incidents" rows={2} />}
      {incidents.data?.length === 0 && (
        <div className="panel">
          <div className="panel-body row between">
            <span className="muted">No incident is open.</span>
            {hasRole(project.role, "project_editor") && (
              <Link className="btn btn-s" to={path("status-pages", page.id, "incidents", "new")}>
                <Icon name="plus" small />Create incident
              </Link>
            )}
          </div>
        </div>
      )}
      {incidents.data && incidents.data.length > 0 && (
        <IncidentTable
          caption={`Open incidents of ${page.name}`} pageId={page.id} rows={incidents.data} components={components ?? []} ends={false}
        />
      )}
    </section>
  );
}

function NoComponents({ page }: { page: StatusPage }) {
  const { path, project } = useProject();
  return (
    <div className="panel">
      <Blank icon="broadcast" title="No component yet">
        <p>A component is a service as visitors know it. Its monitors give it its status.</p>
        {hasRole(project.role, "project_editor") && (
          <>
            <div className="row">
              <Link className="btn btn-primary" to={path("status-pages", page.id, "components", "new")}>
                <Icon name="plus" />Add component
              </Link>
            </div>
            <p className="small faint">Or from a shell:</p>
            <CommandLine command={svcLine(["page", "component", "create", page.slug, "Website"])} />
          </>
        )}
      </Blank>
    </div>
  );
}

function Content({ page }: { page: StatusPage }) {
  const { path, project } = useProject();
  const components = useComponents(page.id);
  const again = () => void components.refetch();
  const rows = components.data;
  const adds = hasRole(project.role, "project_editor") && rows && rows.length > 0 && rows.length < MOST_COMPONENTS;
  return (
    <>
      <div className="split split-aside">
        <div className="stack g-6">
          <OpenIncidents page={page} components={rows} />
          <section className="section" aria-labelledby="components-head">
            <div className="section-head">
              <h2 id="components-head">Components</h2>
              {adds && (
                <Link className="btn btn-s" to={path("status-pages", page.id, "components", "new")}>
                  <Icon name="plus" small />Add component
                </Link>
              )}
            </div>
            {rows && components.error && <LoadError what="Changes" error={components.error} retry={again} />}
            {!rows && (components.error
              ? <PageError thing="This list" what="The components" error={components.error} retry={again} />
              : <Skeleton name="components" />)}
            {rows?.length === 0 && <NoComponents page={page} />}
            {rows && rows.length > 0 && <ComponentTable page={page} components={rows} />}
          </section>
        </div>
        <ContentAside page={page} />
      </div>
      <AsApi
        views={[
          {
            word: "Show the status page", request: { method: "GET", path: `/api/status-pages/${page.id}` },
            svc: svcLine(["page", "get", page.slug]),
          },
          {
            word: "List its components", request: { method: "GET", path: `/api/status-pages/${page.id}/components` },
            svc: svcLine(["page", "component", "list", page.slug]),
          },
        ]}
      />
    </>
  );
}

export default function StatusPageContentPage() {
  const { pageId } = useParams({ from: "/signed-in/$org/$project/status-pages/$pageId" });
  return <StatusPageFrame id={pageId} tab="content">{(page) => <Content page={page} />}</StatusPageFrame>;
}
