import { useMutation } from "@tanstack/react-query";
import { Link, useBlocker, useNavigate, useSearch } from "@tanstack/react-router";
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
import { useWindowsChanged } from "./use_window_acts";
import { WindowForm } from "./window_form";
import { type WindowValues, bodyOf, errorsOf, newValues, partsOf } from "./window_values";

function NewWindow() {
  const { api, path, project } = useProject();
  const { monitorId, pageId } = useSearch({ from: "/signed-in/$org/$project/maintenance/new" });
  const navigate = useNavigate();
  const changedLists = useWindowsChanged();
  const [zone] = useState(useZone());
  const [start] = useState<WindowValues>(() => newValues(new Date(), zone, monitorId, pageId));
  const [values, setValues] = useState(start);
  const [tried, setTried] = useState(false);
  useTitle("Create window", project.name);
  const create = useMutation({
    mutationFn: (body: JsonObject) => take(api.POST("/api/maintenance-windows", { body: body as never })),
    onSuccess: async (made) => {
      toast({ text: `Window ${made.name} was created.` });
      void changedLists();
      await navigate({ to: path("maintenance", made.id), ignoreBlocker: true });
    },
  });
  const changed = !create.isSuccess && JSON.stringify(values) !== JSON.stringify(start);
  useBlocker({
    shouldBlockFn: () => changed && !window.confirm("Leave the form? What you typed is lost."), enableBeforeUnload: () => changed,
  });
  const body = bodyOf(partsOf(values, zone));
  const submit = () => {
    if (create.isPending) return;
    setTried(true);
    if (errorsOf(values, zone, new Date()).length > 0) return;
    create.mutate(body);
  };
  return (
    <div className="page page-narrow">
      <Crumbs crumbs={[{ word: "Maintenance", to: path("maintenance") }, { word: "Create window" }]} />
      <PageHead title="Create window" lead="Planned work: checks continue, and failures are recorded but not sent." />
      <WindowForm
        values={values} zone={zone} tried={tried} refusal={create.error} failure="The window was not created" submit={submit}
        set={(part) => (create.reset(), setValues((old) => ({ ...old, ...part })))}
      >
        <div className="form-actions">
          <button className="btn btn-primary" type="submit" aria-disabled={create.isPending} data-pending={create.isPending || undefined}>
            Create window
          </button>
          <Link className="btn btn-quiet" to={path("maintenance")}>Cancel</Link>
        </div>
      </WindowForm>
      {changed && <AsApi views={[{ request: { method: "POST", path: "/api/maintenance-windows", body } }]} />}
    </div>
  );
}

export default function NewWindowPage() {
  return <NeedsEditor><NewWindow /></NeedsEditor>;
}
