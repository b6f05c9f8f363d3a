import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../../api/errors";
import { take } from "../../api/services";
import { Conflict } from "../../parts/conflict";
import { AppDialog, Confirm } from "../../parts/dialog";
import { changesBetween } from "../../parts/differences";
import { LoadError } from "../../parts/feedback";
import { toast, warn } from "../../parts/toasts";
import { useProject } from "../project_context";
import { TagForm } from "./tag_form";
import { type Tag, type TagVersion, readTag, readTagUse } from "./tag_queries";
import { NEW_TAG, type TagBody, type TagField, bodyOf, differencesOf, nameError, usersText } from "./tag_values";

interface DialogProps {
  tag: Tag;
  onClose: () => void;
}

function useChanged() {
  const { key } = useProject();
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: [key, "tags"] });
}

export function CreateTag({ onClose }: { onClose: () => void }) {
  const { api } = useProject();
  const changed = useChanged();
  const [values, setValues] = useState<TagBody>(NEW_TAG);
  const [tried, setTried] = useState(false);
  const create = useMutation({
    mutationFn: (body: TagBody) => take(api.POST("/api/tags", { body })),
    onSuccess: (tag) => {
      toast({ text: `Tag ${tag.name} was created.` });
      onClose();
      return changed();
    },
  });
  const submit = () => {
    setTried(true);
    if (!create.isPending && !nameError(values.name)) create.mutate(bodyOf(values));
  };
  return (
    <AppDialog title="Create tag" onClose={onClose}>
      <TagForm
        values={values} tried={tried} error={create.error} failure="The tag was not created" verb="Create tag" busy={create.isPending}
        set={(part) => {
          if (create.error) create.reset();
          setValues((old) => ({ ...old, ...part }));
        }} submit={submit} onClose={onClose}
      />
    </AppDialog>
  );
}

function EditForm({ version, onClose }: { version: TagVersion; onClose: () => void }) {
  const { api } = useProject();
  const changed = useChanged();
  const [base, setBase] = useState(version);
  const [values, setValues] = useState<TagBody>(() => bodyOf(version.tag));
  const [saved, setSaved] = useState<TagVersion>();
  const [tried, setTried] = useState(false);
  const { id } = version.tag;
  const save = useMutation({
    mutationFn: ({ body, start }: { body: Partial<TagBody>; start: TagVersion }) =>
      take(api.PATCH("/api/tags/{id}", { params: { path: { id }, header: { "If-Match": start.etag } }, body })),
    onSuccess: (tag) => {
      toast({ text: `Tag ${tag.name} was saved.` });
      onClose();
      return changed();
    },
    onError: async (error) => {
      if (!(error instanceof ApiError) || error.status !== 412) return;
      await readTag(api, id).then(setSaved, (reason: Error) => warn(`The saved version could not be loaded. ${reason.message}`));
    },
  });
  const send = (next: TagBody, start: TagVersion) => {
    const body = changesBetween(bodyOf(start.tag), bodyOf(next));
    setTried(true);
    if (save.isPending || nameError(next.name)) return;
    if (Object.keys(body).length === 0) onClose();
    else save.mutate({ body, start });
  };
  const rebase = (next: TagVersion, fields: readonly TagField[]) => {
    const theirs = Object.fromEntries(fields.map((field) => [field, next.tag[field]]));
    const merged = { ...values, ...theirs };
    setBase(next);
    setValues(merged);
    setSaved(undefined);
    save.reset();
    return merged;
  };
  const conflict = saved && (
    <Conflict
      thing="tag" differences={differencesOf({ base: bodyOf(base.tag), saved: bodyOf(saved.tag), mine: bodyOf(values) })}
      savedAt={saved.tag.updatedAt} busy={save.isPending} load={() => rebase(saved, ["name", "color"])}
      save={(fields) => send(rebase(saved, fields), saved)}
    />
  );
  const refusal = save.error instanceof ApiError && save.error.status === 412 ? null : save.error;
  return (
    <TagForm
      values={values} tried={tried} error={refusal} failure="The tag was not saved" verb="Save tag" busy={save.isPending}
      set={(part) => {
        if (save.error) save.reset();
        setValues((old) => ({ ...old, ...part }));
      }} submit={() => send(values, base)} onClose={onClose}
      conflict={conflict}
    />
  );
}

/** Changes a tag. The form starts from one version and keeps it: only a save or a conflict replaces it. */
export function EditTag({ tag, onClose }: DialogProps) {
  const { api, key } = useProject();
  const found = useQuery({
    queryKey: [key, "tag-edit", tag.id], queryFn: ({ signal }) => readTag(api, tag.id, signal), staleTime: Infinity, gcTime: 0,
  });
  return (
    <AppDialog title={`Edit tag ${tag.name}`} onClose={onClose}>
      {found.data
        ? <EditForm version={found.data} onClose={onClose} />
        : (
          <div className="dialog-body">
            {found.error
              ? <LoadError what="The tag" error={found.error} retry={() => void found.refetch()} />
              : <p className="muted" role="status">Loading the tag…</p>}
          </div>
        )}
    </AppDialog>
  );
}

/** Asks before a tag is deleted, and names the tests and monitors that lose it. */
export function DeleteTag({ tag, onClose }: DialogProps) {
  const { api, key } = useProject();
  const changed = useChanged();
  const found = useQuery({
    queryKey: [key, "tag-delete", tag.id], staleTime: Infinity, gcTime: 0,
    queryFn: async ({ signal }) => {
      const version = await readTag(api, tag.id, signal);
      return { ...version, use: await readTagUse(api, version.tag, signal) };
    },
  });
  const remove = useMutation({
    mutationFn: (etag: string) =>
      take(api.DELETE("/api/tags/{id}", { params: { path: { id: tag.id }, header: { "If-Match": etag } } })),
    onSuccess: () => {
      toast({ text: `Tag ${tag.name} was deleted.`, sign: "cancelled", look: "s-cancelled" });
      onClose();
      return changed();
    },
    // The tag has another version now, which the dialog shows before the next attempt.
    onError: (error) => error instanceof ApiError && error.status === 412 && found.refetch(),
  });
  const use = found.data?.use;
  const lines = use && [usersText("test", use.tests), usersText("monitor", use.monitors)].filter(Boolean);
  return (
    <Confirm
      title={`Delete tag ${found.data?.tag.name ?? tag.name}?`} verb="Delete tag" keepWord="Keep tag"
      busy={remove.isPending || !found.data} error={remove.error ?? found.error} onClose={onClose}
      onConfirm={() => !remove.isPending && found.data && remove.mutate(found.data.etag)}
    >
      {!use && !found.error && <p className="muted" role="status">Loading what has it…</p>}
      {lines?.map((line) => <p key={line}><bdi className="wrap-any">{line}</bdi></p>)}
      {lines && <p className="muted">{lines.length === 0 && "No test and no monitor has it. "}Tests and monitors themselves stay.</p>}
    </Confirm>
  );
}
