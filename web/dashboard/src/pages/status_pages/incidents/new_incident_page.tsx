import { Link, useParams } from "@tanstack/react-router";
import { AsApi } from "../../../parts/as_api";
import { PageHead } from "../../../parts/page";
import { useTitle } from "../../../parts/use_title";
import { NeedsEditor } from "../../needs_project_role";
import { useProject } from "../../project_context";
import { PageCrumbs } from "../page_frame";
import { useComponents, usePage } from "../page_queries";
import { IncidentForm } from "./incident_form";
import { newIncident } from "./incident_values";
import { useNewIncident } from "./use_new_incident";

function NewIncident() {
  const { path, project } = useProject();
  const { pageId } = useParams({ from: "/signed-in/$org/$project/status-pages/$pageId/incidents/new" });
  const page = usePage(pageId);
  const components = useComponents(pageId);
  const { body, changed, busy, ...form } = useNewIncident(pageId, newIncident);
  useTitle("Create incident", page.data?.name, project.name);
  return (
    <div className="page page-narrow">
      <PageCrumbs page={page.data} id={pageId} rest={[{ word: "Create incident" }]} />
      <PageHead
        title="Create incident" lead={<>Planned work is announced by a <Link to={path("maintenance", "new")}>window</Link> instead.</>}
      />
      {page.data && page.data.status !== "published" && (
        <p className="small muted">The page is not published: visitors see the incident once it is.</p>
      )}
      <IncidentForm {...form} components={components.data ?? []}>
        <div className="form-actions">
          <button className="btn btn-primary" type="submit" aria-disabled={busy} data-pending={busy || undefined}>
            Publish incident
          </button>
          <Link className="btn btn-quiet" to={path("status-pages", pageId)}>Cancel</Link>
        </div>
      </IncidentForm>
      {changed && <AsApi views={[{ request: { method: "POST", path: `/api/status-pages/${pageId}/incidents`, body } }]} />}
    </div>
  );
}

export default function NewIncidentPage() {
  return <NeedsEditor><NewIncident /></NeedsEditor>;
}
