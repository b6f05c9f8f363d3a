import { useMutation } from "@tanstack/react-query";
import { Link, useBlocker, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { take } from "../../../api/services";
import { AsApi } from "../../../parts/as_api";
import { PageHead } from "../../../parts/page";
import { toast } from "../../../parts/toasts";
import { useZone } from "../../../parts/use_clock";
import { useTitle } from "../../../parts/use_title";
import type { JsonObject } from "../../monitors/form/merge_patch";
import { NeedsEditor } from "../../needs_project_role";
import { useProject } from "../../project_context";
import { PageCrumbs } from "../page_frame";
import { useComponents, usePage } from "../page_queries";
import { usePagesChanged } from "../use_page_acts";
import { IncidentForm } from "./incident_form";
import { incidentBody, incidentErrors, newIncident } from "./incident_values";

function NewIncident() {
  const { api, path, project } = useProject();
  const { pageId } = useParams({ from: "/signed-in/$org/$project/status-pages/$pageId/incidents/new" });
  const navigate = useNavigate();
  const changedLists = usePagesChanged();
  const page = usePage(pageId);
  const components = useComponents(pageId);
  const [zone] = useState(useZone());
  const [values, setValues] = useState(newIncident);
  const [tried, setTried] = useState(false);
  useTitle("Create incident", page.data?.name, project.name);
  const create = useMutation({
    mutationFn: (body: JsonObject) => take(api.POST("/api/status-pages/{id}/incidents", {
      params: { path: { id: pageId } }, body: body as never,
    })),
    onSuccess: async (made) => {
      toast({ text: `Incident ${made.name} was published.` });
      void changedLists();
      await navigate({ to: path("status-pages", pageId, "incidents", made.id), ignoreBlocker: true });
    },
  });
  const changed = !create.isSuccess && JSON.stringify(values) !== JSON.stringify(newIncident());
  useBlocker({
    shouldBlockFn: () => changed && !window.confirm("Leave the form? What you typed is lost."), enableBeforeUnload: () => changed,
  });
  const body = incidentBody(values, zone);
  const submit = () => {
    if (create.isPending) return;
    setTried(true);
    if (incidentErrors(values, zone, new Date()).length === 0) create.mutate(body);
  };
  return (
    <div className="page page-narrow">
      <PageCrumbs page={page.data} id={pageId} rest={[{ word: "Create incident" }]} />
      <PageHead
        title="Create incident" lead={<>Planned work is announced by a <Link to={path("maintenance", "new")}>window</Link> instead.</>}
      />
      {page.data && page.data.status !== "published" && (
        <p className="small muted">The page is not published: visitors see the incident once it is.</p>
      )}
      <IncidentForm
        values={values} zone={zone} components={components.data ?? []} errors={tried ? incidentErrors(values, zone, new Date()) : []}
        refusal={create.error} submit={submit} set={(part) => (create.reset(), setValues((old) => ({ ...old, ...part })))}
      >
        <div className="form-actions">
          <button className="btn btn-primary" type="submit" aria-disabled={create.isPending} data-pending={create.isPending || undefined}>
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
