import { useMutation } from "@tanstack/react-query";
import { Link, useBlocker, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { take } from "../../api/services";
import { AsApi } from "../../parts/as_api";
import { Crumbs, PageHead } from "../../parts/page";
import { toast } from "../../parts/toasts";
import { useZone } from "../../parts/use_clock";
import { useTitle } from "../../parts/use_title";
import type { JsonObject } from "../monitors/form/merge_patch";
import { NeedsEditor } from "../needs_project_role";
import { useProject } from "../project_context";
import { PageForm } from "./page_form";
import { type PageValues, createBody, errorsOf, newValues, slugOf } from "./page_values";
import { usePagesChanged } from "./use_page_acts";

function NewStatusPage() {
  const { api, path, project } = useProject();
  const navigate = useNavigate();
  const changedLists = usePagesChanged();
  const [zone] = useState(useZone());
  const [values, setValues] = useState(() => newValues(zone));
  const [publish, setPublish] = useState(false);
  const [tried, setTried] = useState(false);
  useTitle("Create status page", project.name);
  const create = useMutation({
    mutationFn: (body: JsonObject) => take(api.POST("/api/status-pages", { body: body as never })),
    onSuccess: async (made) => {
      toast({ text: `Status page ${made.name} was created.` });
      void changedLists();
      await navigate({ to: path("status-pages", made.id), ignoreBlocker: true });
    },
  });
  const changed = !create.isSuccess && (publish || JSON.stringify(values) !== JSON.stringify(newValues(zone)));
  useBlocker({
    shouldBlockFn: () => changed && !window.confirm("Leave the form? What you typed is lost."), enableBeforeUnload: () => changed,
  });
  const set = (part: Partial<PageValues>) => {
    if (!create.isPending) create.reset();
    setValues((old) => {
      // The short name follows the name until somebody types into it.
      const follows = part.name !== undefined && old.slug === slugOf(old.name);
      return { ...old, ...part, ...(follows ? { slug: slugOf(part.name!) } : {}) };
    });
  };
  const body = createBody(values, publish);
  const submit = () => {
    if (create.isPending) return;
    setTried(true);
    if (errorsOf(values).length === 0) create.mutate(body);
  };
  return (
    <div className="page page-narrow">
      <Crumbs crumbs={[{ word: "Status pages", to: path("status-pages") }, { word: "Create status page" }]} />
      <PageHead title="Create status page" lead="Your visitors read how your services are, what is wrong and what is planned." />
      <PageForm
        values={values} set={set} errors={tried ? errorsOf(values) : []} refusal={create.error}
        failure="The status page was not created" submit={submit}
      >
        <label className="check">
          <input type="checkbox" name="publish" checked={publish} onChange={(event) => setPublish(event.target.checked)} />
          <span>Publish it now. Otherwise it is a draft that only this project sees.</span>
        </label>
        <div className="form-actions">
          <button className="btn btn-primary" type="submit" aria-disabled={create.isPending} data-pending={create.isPending || undefined}>
            Create status page
          </button>
          <Link className="btn btn-quiet" to={path("status-pages")}>Cancel</Link>
        </div>
      </PageForm>
      {changed && <AsApi views={[{ request: { method: "POST", path: "/api/status-pages", body } }]} />}
    </div>
  );
}

export default function NewStatusPagePage() {
  return <NeedsEditor><NewStatusPage /></NeedsEditor>;
}
