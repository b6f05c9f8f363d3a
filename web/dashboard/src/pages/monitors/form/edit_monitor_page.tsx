import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError } from "../../../api/errors";
import { take } from "../../../api/services";
import { Conflict } from "../../../parts/conflict";
import { PageError, Skeleton } from "../../../parts/feedback";
import { PageHead } from "../../../parts/page";
import { toast, warn } from "../../../parts/toasts";
import { useTitle } from "../../../parts/use_title";
import { useProject } from "../../project_context";
import { useProviders } from "../../providers/provider_queries";
import { MonitorCrumbs } from "../monitor_frame";
import { useMonitorNames } from "../monitor_names";
import { readForEdit } from "../monitor_queries";
import { typeWord } from "../monitor_states";
import { NeedsEditor } from "../../needs_project_role";
import { differencesOf, withOwn } from "./conflict";
import { labelAt } from "./fields";
import type { JsonObject } from "./merge_patch";
import { MonitorForm } from "./monitor_form";
import { MonitorChangeLines } from "./monitor_lines";
import { type FormValues, bodyOf, maskErrors, patchOf, toBody, valuesOf } from "./values";

type Loaded = Awaited<ReturnType<typeof readForEdit>>;

const formOf = ({ monitor }: Loaded) => valuesOf(monitor.type, bodyOf(monitor), monitor.tags.map((tag) => tag.id));

/** Returns the body that the form makes of a stored monitor, which a change is compared with. */
const baseOf = (loaded: Loaded): JsonObject => toBody(loaded.monitor.type, formOf(loaded)).body;

function EditForm({ first }: { first: Loaded }) {
  const { api, key, path } = useProject();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [loaded, setLoaded] = useState(first);
  const [values, setValues] = useState(() => formOf(first));
  const [theirs, setTheirs] = useState<Loaded>();
  const providers = useProviders();
  const { monitor } = loaded;
  const { id, type } = monitor;
  const base = baseOf(loaded);
  const oldTags = monitor.tags.map((tag) => tag.id).sort();
  const tagsChanged = JSON.stringify(oldTags) !== JSON.stringify([...values.tags].sort());
  const write = useMutation({
    mutationFn: async ({ patch, etag }: { patch: JsonObject; etag: string }) => {
      if (Object.keys(patch).length) {
        await take(api.PATCH("/api/monitors/{id}", {
          params: { path: { id }, header: { "If-Match": etag } }, body: patch as never,
        }));
      }
      if (tagsChanged) {
        const tags = values.tags.map((one) => ({ id: one }));
        await take(api.PUT("/api/monitors/{id}/tags", { params: { path: { id } }, body: { tags } }))
          .catch((error: Error) => warn(`The tags were not saved. ${error.message}`));
      }
    },
    onSuccess: async () => {
      toast({ text: `Monitor ${String(values.texts["/name"])} was saved.` });
      for (const part of ["monitors", "monitor"]) void client.invalidateQueries({ queryKey: [key, part] });
      await navigate({ to: path("monitors", id), ignoreBlocker: true });
    },
    onError: async (error) => {
      if (error instanceof ApiError && error.status === 412) setTheirs(await readForEdit(api, id));
    },
  });
  const own = toBody(type, values).body;
  const rebase = (next: Loaded, now: FormValues) => {
    setLoaded(next);
    setValues(now);
    setTheirs(undefined);
    write.reset();
  };
  const monitorName = useMonitorNames(theirs ? [...theirs.monitor.dependsOn, ...values.parents] : []);
  const nameOf = (one: string) => providers.data?.rows.find((provider) => provider.id === one)?.name ?? monitorName(one);
  const wordOf = (pointer: string) =>
    pointer.startsWith("/alertConfig/") ? `Alerts: ${labelAt(type, pointer)}` : labelAt(type, pointer);
  const differences = theirs ? differencesOf(base, baseOf(theirs), own, wordOf, nameOf) : [];
  const keep = (given: string[]) => {
    if (!theirs) return;
    const saved = baseOf(theirs);
    const merged = withOwn(saved, own, differences, given);
    rebase(theirs, valuesOf(type, merged, tagsChanged ? values.tags : theirs.monitor.tags.map((tag) => tag.id)));
    const patch = patchOf(saved, merged);
    if (Object.keys(patch).length || tagsChanged) write.mutate({ patch, etag: theirs.etag });
  };
  const changed = !write.isSuccess && (tagsChanged || JSON.stringify(own) !== JSON.stringify(base));
  return (
    <>
      {theirs && (
        <Conflict
          thing="monitor" savedAt={theirs.monitor.updatedAt} differences={differences} busy={write.isPending} save={keep}
          load={() => rebase(theirs, formOf(theirs))}
        />
      )}
      <MonitorForm
        id={id} type={type} values={values} setValues={setValues} check={(body) => maskErrors(base, body)} saving={write.isPending}
        save={(body) => write.mutate({ patch: patchOf(base, body), etag: loaded.etag })} conflict={Boolean(theirs)}
        error={write.error} clearError={write.reset} changed={changed} verb="Save monitor" failure="The monitor was not saved"
        cancel={path("monitors", id)}
      />
      {changed && (
        <MonitorChangeLines id={id} etag={loaded.etag} patch={patchOf(base, own)} tags={tagsChanged ? values.tags : undefined} />
      )}
    </>
  );
}

function EditMonitor() {
  const { api, key, path, project } = useProject();
  const { monitorId } = useParams({ from: "/signed-in/$org/$project/monitors/$monitorId/edit" });
  const found = useQuery({
    queryKey: [key, "monitor-form", monitorId], queryFn: ({ signal }) => readForEdit(api, monitorId, signal), staleTime: 0, gcTime: 0,
  });
  useTitle("Edit", found.data?.monitor.name, project.name);
  return (
    <div className="page">
      <MonitorCrumbs monitor={found.data?.monitor} id={monitorId} last="Edit" />
      <PageHead
        title={`Edit ${found.data?.monitor.name ?? "monitor"}`}
        lead={found.data && `${typeWord(found.data.monitor.type)}. The type cannot be changed.`}
      />
      {found.error && (
        <PageError
          thing="This monitor" what="The monitor" error={found.error} retry={() => void found.refetch()}
          back={<Link className="btn" to={path("monitors")}>Show all monitors</Link>}
        />
      )}
      {!found.data && !found.error && <Skeleton name="the form" />}
      {found.data && <EditForm first={found.data} />}
    </div>
  );
}

export default function EditMonitorPage() {
  return <NeedsEditor><EditMonitor /></NeedsEditor>;
}
