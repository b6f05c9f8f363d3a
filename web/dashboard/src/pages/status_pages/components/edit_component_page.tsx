import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { take } from "../../../api/services";
import { AsApi } from "../../../parts/as_api";
import { PageError, Skeleton } from "../../../parts/feedback";
import { PageHead } from "../../../parts/page";
import { toast } from "../../../parts/toasts";
import { useNow, useZone } from "../../../parts/use_clock";
import { useTitle } from "../../../parts/use_title";
import { useMonitorNames } from "../../monitors/monitor_names";
import { NeedsEditor } from "../../needs_project_role";
import { useProject } from "../../project_context";
import { PageCrumbs } from "../page_frame";
import { type PageComponent, type Version, readComponentVersion, useComponents, usePage } from "../page_queries";
import { EditConflict, useEdit } from "../use_edit";
import { usePagesChanged } from "../use_page_acts";
import { ComponentForm } from "./component_form";
import { type ComponentValues, FIELD_WORDS, bodyOf, errorsOf, memberText, valuesOf, withOverride } from "./component_values";
import { DeleteComponent } from "./delete_component";
import { groupsOf } from "./new_component_page";

interface FormProps {
  pageId: string;
  version: Version<PageComponent>;
}

function EditForm({ pageId, version }: FormProps) {
  const { api, path } = useProject();
  const navigate = useNavigate();
  const changedLists = usePagesChanged();
  const components = useComponents(pageId);
  const now = useNow();
  const [zone] = useState(useZone());
  const [asking, setAsking] = useState(false);
  const { id, name, missingMonitors } = version.thing;
  const back = path("status-pages", pageId);
  const edit = useEdit<PageComponent, ComponentValues>({
    version, valuesOf: (thing) => valuesOf(thing, zone), bodyOf: (values, stored) => bodyOf(values, zone, stored),
    wrongOf: (values, stored) => errorsOf(values, zone, new Date(), stored), read: () => readComponentVersion(api, pageId, id),
    write: (body, etag) => take(api.PATCH("/api/status-pages/{id}/components/{componentId}", {
      params: { path: { id: pageId, componentId: id }, header: { "If-Match": etag } }, body: body as never,
    })),
    complete: withOverride,
    onSaved: async (made) => {
      toast({ text: `Component ${(made as PageComponent).name} was saved.` });
      void changedLists();
      await navigate({ to: back, ignoreBlocker: true });
    },
  });
  const { conflict, changed, busy, etag, patch } = edit;
  const nameOf = useMonitorNames(conflict ? [...edit.values.monitorIds, ...conflict.thing.monitorIds] : []);
  return (
    <>
      <EditConflict
        edit={edit} thing="component" words={FIELD_WORDS} textOf={(field, body) => memberText(field, body, { nameOf, zone, now })}
      />
      {missingMonitors > 0 && (
        <p className="small muted">
          {missingMonitors === 1 ? "A monitor of this component was" : `${missingMonitors} monitors of this component were`} deleted, so its
          status is not known in full. Remove {missingMonitors === 1 ? "it" : "them"}, or restore {missingMonitors === 1 ? "it" : "them"}.
        </p>
      )}
      <ComponentForm
        values={edit.values} set={edit.set} zone={zone} groups={groupsOf(components.data)} errors={edit.errors} refusal={edit.refusal}
        failure="The component was not saved" submit={edit.submit}
      >
        <div className="form-actions">
          <button className="btn btn-primary" type="submit" aria-disabled={!changed || busy}>Save component</button>
          <Link className="btn" to={back}>Cancel</Link>
          <button className="btn btn-danger-quiet push" type="button" aria-haspopup="dialog" onClick={() => setAsking(true)}>
            Delete component
          </button>
        </div>
      </ComponentForm>
      {changed && (
        <AsApi
          views={[{
            request: { method: "PATCH", path: `/api/status-pages/${pageId}/components/${id}`, headers: { "If-Match": etag }, body: patch },
          }]}
        />
      )}
      {asking && (
        <DeleteComponent
          page={{ id: pageId, name: "the page" }} component={{ id, name }} onClose={() => setAsking(false)}
          onDone={() => navigate({ to: back, ignoreBlocker: true, replace: true })}
        />
      )}
    </>
  );
}

function EditComponent() {
  const { api, key, path, project } = useProject();
  const { pageId, componentId } = useParams({ from: "/signed-in/$org/$project/status-pages/$pageId/components/$componentId" });
  const page = usePage(pageId);
  // The form starts from one version and keeps it: only a save or a conflict replaces it.
  const found = useQuery({
    queryKey: [key, "component-edit", componentId], queryFn: ({ signal }) => readComponentVersion(api, pageId, componentId, signal),
    staleTime: Infinity, gcTime: 0,
  });
  const name = found.data?.thing.name;
  useTitle(name, page.data?.name, project.name);
  return (
    <div className="page page-narrow">
      <PageCrumbs page={page.data} id={pageId} rest={[{ word: name ?? "Component" }]} />
      <PageHead title={name ?? "Component"} />
      {found.error && (
        <PageError
          thing="This component" what="The component" error={found.error} retry={() => void found.refetch()}
          back={<Link className="btn" to={path("status-pages", pageId)}>Show the status page</Link>}
        />
      )}
      {!found.data && !found.error && <Skeleton name="the component" rows={4} />}
      {found.data && <EditForm key={componentId} pageId={pageId} version={found.data} />}
    </div>
  );
}

export default function EditComponentPage() {
  return <NeedsEditor><EditComponent /></NeedsEditor>;
}
