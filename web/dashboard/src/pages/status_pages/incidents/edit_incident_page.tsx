import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { take } from "../../../api/services";
import { AsApi } from "../../../parts/as_api";
import { PageError, Skeleton } from "../../../parts/feedback";
import { PageHead } from "../../../parts/page";
import { toast } from "../../../parts/toasts";
import { useNow, useZone } from "../../../parts/use_clock";
import { useTitle } from "../../../parts/use_title";
import { NeedsEditor } from "../../needs_project_role";
import { useProject } from "../../project_context";
import { FormBanner, errorFinder } from "../field_errors";
import { PageCrumbs } from "../page_frame";
import { type Incident, type Version, readIncidentVersion, useComponents, usePage } from "../page_queries";
import { EditConflict, useEdit } from "../use_edit";
import { usePagesChanged } from "../use_page_acts";
import { ComponentStatuses, NameFields, TimeField } from "./incident_fields";
import { componentNames } from "./incident_table";
import { FACT_WORDS, type FactValues, factErrors, factText, factsBody, factsOf } from "./incident_values";

const FORM = "incident";

function FactsForm({ pageId, version }: { pageId: string; version: Version<Incident> }) {
  const { api, path } = useProject();
  const navigate = useNavigate();
  const changedLists = usePagesChanged();
  const components = useComponents(pageId);
  const now = useNow();
  const [zone] = useState(useZone());
  const { id } = version.thing;
  const edit = useEdit<Incident, FactValues>({
    version, valuesOf: (thing) => factsOf(thing, zone), bodyOf: (values, stored) => factsBody(values, zone, stored),
    wrongOf: (values, stored) => factErrors(values, zone, new Date(), stored), read: () => readIncidentVersion(api, pageId, id),
    write: (body, etag) => take(api.PATCH("/api/status-pages/{id}/incidents/{incidentId}", {
      params: { path: { id: pageId, incidentId: id }, header: { "If-Match": etag } }, body: body as never,
    })),
    onSaved: async (made) => {
      toast({ text: `Incident ${(made as Incident).name} was saved.` });
      void changedLists();
      await navigate({ to: path("status-pages", pageId, "incidents", id), ignoreBlocker: true });
    },
  });
  const { values, set, changed, busy, etag, patch } = edit;
  const errorOf = errorFinder(edit.errors, edit.refusal);
  const nameOf = componentNames(components.data ?? []);
  const send = (event: FormEvent) => {
    event.preventDefault();
    edit.submit();
  };
  return (
    <>
      <EditConflict
        edit={edit} thing="incident" words={FACT_WORDS} textOf={(field, body) => factText(field, body, { nameOf, zone, now })}
      />
      <form className="form" noValidate onSubmit={send}>
        <FormBanner form={FORM} failure="The incident was not saved" errors={edit.errors} refusal={edit.refusal} />
        <NameFields form={FORM} values={values} set={set} errorOf={errorOf} />
        <ComponentStatuses
          components={components.data ?? []} chosen={values.components} onChange={(chosen) => set({ components: chosen })}
        />
        <TimeField
          form={FORM} name="startedAt" label="Started" zone={zone} value={values.startedAt} errorOf={errorOf}
          onChange={(startedAt) => set({ startedAt })}
        />
        <div className="form-actions">
          <button className="btn btn-primary" type="submit" aria-disabled={!changed || busy}>Save incident</button>
          <Link className="btn" to={path("status-pages", pageId, "incidents", id)}>Cancel</Link>
        </div>
      </form>
      {changed && (
        <AsApi
          views={[{
            request: { method: "PATCH", path: `/api/status-pages/${pageId}/incidents/${id}`, headers: { "If-Match": etag }, body: patch },
          }]}
        />
      )}
    </>
  );
}

function EditIncident() {
  const { api, key, path, project } = useProject();
  const { pageId, incidentId } = useParams({ from: "/signed-in/$org/$project/status-pages/$pageId/incidents/$incidentId/edit" });
  const page = usePage(pageId);
  // The form starts from one version and keeps it: only a save or a conflict replaces it.
  const found = useQuery({
    queryKey: [key, "incident-edit", incidentId], queryFn: ({ signal }) => readIncidentVersion(api, pageId, incidentId, signal),
    staleTime: Infinity, gcTime: 0,
  });
  const name = found.data?.thing.name;
  useTitle("Edit", name, project.name);
  return (
    <div className="page page-narrow">
      <PageCrumbs
        page={page.data} id={pageId}
        rest={[{ word: name ?? "Incident", to: path("status-pages", pageId, "incidents", incidentId) }, { word: "Edit" }]}
      />
      <PageHead title={`Edit ${name ?? "incident"}`} lead="Nobody is notified. A new status needs an update." />
      {found.error && (
        <PageError
          thing="This incident" what="The incident" error={found.error} retry={() => void found.refetch()}
          back={<Link className="btn" to={path("status-pages", pageId, "incidents")}>Show all incidents</Link>}
        />
      )}
      {!found.data && !found.error && <Skeleton name="the incident" rows={4} />}
      {found.data && <FactsForm key={incidentId} pageId={pageId} version={found.data} />}
    </div>
  );
}

export default function EditIncidentPage() {
  return <NeedsEditor><EditIncident /></NeedsEditor>;
}
