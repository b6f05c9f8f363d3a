import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useBlocker, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError } from "../../api/errors";
import { take } from "../../api/services";
import { AsApi } from "../../parts/as_api";
import { Conflict } from "../../parts/conflict";
import { Blank, PageError, Skeleton } from "../../parts/feedback";
import { PageHead } from "../../parts/page";
import { toast, warn } from "../../parts/toasts";
import { useNow, useZone } from "../../parts/use_clock";
import { useTitle } from "../../parts/use_title";
import type { JsonObject } from "../monitors/form/merge_patch";
import { useMonitorNames } from "../monitors/monitor_names";
import { NeedsEditor } from "../needs_project_role";
import { useProject } from "../project_context";
import { useStatusPages } from "../status_pages/page_queries";
import { useTags } from "../tags/use_tags";
import { useComponentsOf } from "./publication_fields";
import { useWindowsChanged } from "./use_window_acts";
import { type NameOf, differencesOf } from "./window_conflict";
import { WindowForm } from "./window_form";
import { WindowCrumbs } from "./window_page";
import { type WindowVersion, readWindowVersion } from "./window_queries";
import { FIELD_WORDS, type WindowField, type WindowValues, errorsOf, partsOf, patchOf, valuesOf, withSaved } from "./window_values";

const FIELDS = Object.keys(FIELD_WORDS) as WindowField[];

/** Returns the names of the monitors, tags, status pages and components of both versions, for a conflict. */
function useCoverNames(monitorIds: readonly string[], pageIds: readonly string[]): NameOf {
  const monitorName = useMonitorNames(monitorIds);
  const tags = useTags();
  const pages = useStatusPages(pageIds.length > 0);
  const components = useComponentsOf([...new Set(pageIds)]);
  const named = [...(tags.data ?? []), ...(pages.data ?? []), ...components.flatMap((one) => one.data ?? [])];
  return (id) => named.find((one) => one.id === id)?.name ?? monitorName(id);
}

function EditForm({ version }: { version: WindowVersion }) {
  const { api, path } = useProject();
  const navigate = useNavigate();
  const changedLists = useWindowsChanged();
  const now = useNow();
  const [zone] = useState(useZone());
  const [base, setBase] = useState(version);
  const [values, setValues] = useState<WindowValues>(() => valuesOf(version.window, zone));
  const [saved, setSaved] = useState<WindowVersion>();
  const [tried, setTried] = useState(false);
  const { id } = version.window;
  const stored = valuesOf(base.window, zone);
  const before = partsOf(stored, zone, base.window);
  const mine = partsOf(values, zone, base.window);
  const patch = patchOf(before, mine);
  const nameOf = useCoverNames(
    saved ? [...values.monitors, ...(saved.window.monitorIds ?? [])] : [],
    saved ? [...values.statusPageIds, ...saved.window.statusPageIds] : [],
  );
  const save = useMutation({
    mutationFn: ({ body, etag }: { body: JsonObject; etag: string }) =>
      take(api.PATCH("/api/maintenance-windows/{id}", { params: { path: { id }, header: { "If-Match": etag } }, body: body as never })),
    onSuccess: async (made) => {
      toast({ text: `Window ${made.name} was saved.` });
      void changedLists();
      await navigate({ to: path("maintenance", id), ignoreBlocker: true });
    },
    onError: async (error) => {
      if (!(error instanceof ApiError) || error.status !== 412) return;
      await readWindowVersion(api, id).then(setSaved, (reason: Error) => warn(`The saved version could not be loaded. ${reason.message}`));
    },
  });
  const changed = !save.isSuccess && Object.keys(patch).length > 0;
  useBlocker({
    shouldBlockFn: () => changed && !window.confirm("Leave the form? Your changes are not saved."), enableBeforeUnload: () => changed,
  });
  const submit = () => {
    if (save.isPending || !changed) return;
    setTried(true);
    if (errorsOf(values, zone, new Date(), stored).length > 0) return;
    save.mutate({ body: patch, etag: base.etag });
  };
  const rebase = (next: WindowVersion, fields: readonly WindowField[]) => {
    const merged = withSaved(values, valuesOf(next.window, zone), fields);
    setBase(next);
    setValues(merged);
    setSaved(undefined);
    save.reset();
    return merged;
  };
  const savedParts = saved && partsOf(valuesOf(saved.window, zone), zone, saved.window);
  const keep = (fields: readonly WindowField[]) => {
    if (!saved || !savedParts) return;
    const merged = rebase(saved, fields);
    const body = patchOf(savedParts, partsOf(merged, zone, saved.window));
    const wrong = errorsOf(merged, zone, new Date(), valuesOf(saved.window, zone));
    if (Object.keys(body).length > 0 && wrong.length === 0) save.mutate({ body, etag: saved.etag });
  };
  const refusal = save.error instanceof ApiError && save.error.status === 412 ? null : save.error;
  return (
    <>
      {saved && savedParts && (
        <Conflict
          thing="window" differences={differencesOf({ base: before, saved: savedParts, mine }, { nameOf, zone, now })}
          savedAt={saved.window.updatedAt} busy={save.isPending} save={keep} load={() => rebase(saved, FIELDS)}
        />
      )}
      <WindowForm
        values={values} zone={zone} started={base.window.current !== null && values.kind === "once" && base.window.cron === null}
        stored={stored} tried={tried} refusal={refusal} failure="The window was not saved" submit={submit}
        set={(part) => (save.reset(), setValues((old) => ({ ...old, ...part })))}
      >
        <div className="form-actions">
          <button className="btn btn-primary" type="submit" aria-disabled={!changed || save.isPending}>Save window</button>
          <Link className="btn" to={path("maintenance", id)}>Cancel</Link>
        </div>
      </WindowForm>
      {changed && (
        <AsApi
          views={[{
            request: { method: "PATCH", path: `/api/maintenance-windows/${id}`, headers: { "If-Match": base.etag }, body: patch },
          }]}
        />
      )}
    </>
  );
}

function EditWindow() {
  const { api, key, path, project } = useProject();
  const { windowId } = useParams({ from: "/signed-in/$org/$project/maintenance/$windowId/edit" });
  // The form starts from one version and keeps it: only a save or a conflict replaces it.
  const found = useQuery({
    queryKey: [key, "window-edit", windowId], queryFn: ({ signal }) => readWindowVersion(api, windowId, signal),
    staleTime: Infinity, gcTime: 0,
  });
  const window = found.data?.window;
  useTitle("Edit", window?.name, project.name);
  return (
    <div className="page page-narrow">
      <WindowCrumbs window={window} id={windowId} last="Edit" />
      <PageHead title={`Edit ${window?.name ?? "window"}`} />
      {found.error && (
        <PageError
          thing="This window" what="The window" error={found.error} retry={() => void found.refetch()}
          back={<Link className="btn" to={path("maintenance")}>Show all windows</Link>}
        />
      )}
      {!window && !found.error && <Skeleton name="the window" rows={4} />}
      {window?.state === "finished" && (
        <div className="panel">
          <Blank icon="wrench" title="This window is finished">
            <p>A finished window does not change. Create a new one for further work.</p>
            <div className="row"><Link className="btn" to={path("maintenance", "new")}>Create window</Link></div>
          </Blank>
        </div>
      )}
      {found.data && window?.state !== "finished" && <EditForm key={windowId} version={found.data} />}
    </div>
  );
}

export default function EditWindowPage() {
  return <NeedsEditor><EditWindow /></NeedsEditor>;
}
