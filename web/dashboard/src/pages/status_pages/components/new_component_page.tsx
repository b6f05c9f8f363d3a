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
import { ComponentForm } from "./component_form";
import { lastPosition } from "./component_order";
import { type ComponentValues, createBody, errorsOf, newValues } from "./component_values";

/** Returns the names of the groups of a page, in its order. */
export const groupsOf = (components: readonly { group: string | null }[] | undefined): string[] =>
  [...new Set((components ?? []).flatMap((one) => (one.group ? [one.group] : [])))];

function NewComponent() {
  const { api, path, project } = useProject();
  const { pageId } = useParams({ from: "/signed-in/$org/$project/status-pages/$pageId/components/new" });
  const navigate = useNavigate();
  const changedLists = usePagesChanged();
  const page = usePage(pageId);
  const components = useComponents(pageId);
  const [zone] = useState(useZone());
  const [values, setValues] = useState(newValues);
  const [tried, setTried] = useState(false);
  useTitle("Add component", page.data?.name, project.name);
  const create = useMutation({
    mutationFn: (body: JsonObject) => take(api.POST("/api/status-pages/{id}/components", {
      params: { path: { id: pageId } }, body: body as never,
    })),
    onSuccess: async (made) => {
      toast({ text: `Component ${made.name} was added.` });
      void changedLists();
      await navigate({ to: path("status-pages", pageId), ignoreBlocker: true });
    },
  });
  const changed = !create.isSuccess && JSON.stringify(values) !== JSON.stringify(newValues());
  useBlocker({
    shouldBlockFn: () => changed && !window.confirm("Leave the form? What you typed is lost."), enableBeforeUnload: () => changed,
  });
  const set = (part: Partial<ComponentValues>) => {
    if (!create.isPending) create.reset();
    setValues((old) => ({ ...old, ...part }));
  };
  const body = createBody(values, zone, lastPosition(components.data ?? []));
  const submit = () => {
    if (create.isPending) return;
    setTried(true);
    if (errorsOf(values, zone, new Date()).length === 0) create.mutate(body);
  };
  return (
    <div className="page page-narrow">
      <PageCrumbs page={page.data} id={pageId} rest={[{ word: "Add component" }]} />
      <PageHead title="Add component" lead="A service that visitors know, with the monitors that watch it." />
      <ComponentForm
        values={values} zone={zone} groups={groupsOf(components.data)} errors={tried ? errorsOf(values, zone, new Date()) : []}
        refusal={create.error} failure="The component was not added" submit={submit}
        set={set}
      >
        <div className="form-actions">
          <button className="btn btn-primary" type="submit" aria-disabled={create.isPending} data-pending={create.isPending || undefined}>
            Add component
          </button>
          <Link className="btn btn-quiet" to={path("status-pages", pageId)}>Cancel</Link>
        </div>
      </ComponentForm>
      {changed && <AsApi views={[{ request: { method: "POST", path: `/api/status-pages/${pageId}/components`, body } }]} />}
    </div>
  );
}

export default function NewComponentPage() {
  return <NeedsEditor><NewComponent /></NeedsEditor>;
}
