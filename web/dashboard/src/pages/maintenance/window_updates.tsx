import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useBlocker } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import type { PublicClient, PublicSchemas } from "../../../../api/client";
import { useHeard } from "../../api/use_heard";
import { WHOLE, take } from "../../api/services";
import { LoadError } from "../../parts/feedback";
import { type StateLook, UNKNOWN, hasRole } from "../../parts/states";
import { toast } from "../../parts/toasts";
import { useZone } from "../../parts/use_clock";
import { useProject } from "../project_context";
import { list } from "../project_queries";
import { FormBanner, errorFinder } from "../status_pages/field_errors";
import { BodyField, NotifyField, TimeField } from "../status_pages/incidents/incident_fields";
import { postBody, postErrors } from "../status_pages/incidents/incident_values";
import { useStatusPages } from "../status_pages/page_queries";
import { Posts } from "../status_pages/posts";
import type { MaintenanceWindow } from "./window_queries";

type WindowUpdate = PublicSchemas["WindowUpdate"];

const FORM = "window-post";
const MOST_UPDATES = 100;

const STATES: Record<string, StateLook> = {
  note: { word: "Update", sign: "info", look: "s-info" },
  cancelled: { word: "Cancelled", sign: "cancelled", look: "s-cancelled" },
  ended_early: { word: "Ended early", sign: "passed", look: "s-passed" },
};

const updateState = (status: string): StateLook => STATES[status] ?? UNKNOWN;

const readUpdates = async (api: PublicClient, id: string, headers: Record<string, string>, signal?: AbortSignal) =>
  (await list<WindowUpdate>(api.GET("/api/maintenance-windows/{id}/updates", {
    params: { path: { id }, query: { limit: MOST_UPDATES } }, headers, signal,
  }))).rows;

/** Posts an update of a window on its status pages. */
function UpdateForm({ window, onPosted }: { window: MaintenanceWindow; onPosted: () => void }) {
  const { api } = useProject();
  const [zone] = useState(useZone());
  const [body, setBody] = useState("");
  const [displayAt, setDisplayAt] = useState("");
  const [notify, setNotify] = useState(true);
  const [tried, setTried] = useState(false);
  const post = useMutation({
    mutationFn: () => {
      // A window has no status that a person sets.
      const { status: _, ...rest } = postBody({ status: "note", body, displayAt, notify, components: [] }, zone);
      return take(api.POST("/api/maintenance-windows/{id}/updates", { params: { path: { id: window.id } }, body: rest as never }));
    },
    onSuccess: () => {
      toast({ text: "The update was posted." });
      setBody("");
      setDisplayAt("");
      setTried(false);
      onPosted();
    },
  });
  const typed = body.trim() !== "";
  useBlocker({
    shouldBlockFn: () => typed && !globalThis.confirm("Leave the form? What you typed is lost."), enableBeforeUnload: () => typed,
  });
  const errors = tried ? postErrors({ body, displayAt }, zone, new Date()) : [];
  const errorOf = errorFinder(errors, post.error);
  const type = (text: string) => {
    // A request that is under way stays known, so that nobody posts twice.
    if (!post.isPending) post.reset();
    setBody(text);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!post.isPending && postErrors({ body, displayAt }, zone, new Date()).length === 0) post.mutate();
  };
  return (
    <form className="panel-body form" noValidate aria-label="Post an update of the window" onSubmit={submit}>
      <FormBanner form={FORM} failure="The update was not posted" errors={errors} refusal={post.error} />
      <BodyField form={FORM} value={body} onChange={type} errorOf={errorOf} />
      <TimeField
        form={FORM} name="displayAt" label="Time that visitors see" zone={zone} optional value={displayAt} onChange={setDisplayAt}
        errorOf={errorOf} hint="The time of publication, unless you enter one."
      />
      <NotifyField value={notify} onChange={setNotify} word="Notify subscribers and providers of the pages" />
      <div className="form-actions">
        <button className="btn" type="submit" aria-disabled={post.isPending} data-pending={post.isPending || undefined}>Post update</button>
      </div>
    </form>
  );
}

/** Where the window is announced, by name. */
function PageNames({ ids }: { ids: readonly string[] }) {
  const { path } = useProject();
  const pages = useStatusPages();
  return (
    <>
      {ids.map((id, at) => (
        <span key={id}>
          {at > 0 && ", "}
          <Link to={path("status-pages", id)} dir="auto">{pages.data?.find((one) => one.id === id)?.name ?? "…"}</Link>
        </span>
      ))}
    </>
  );
}

/** What visitors of status pages read about the window: its announcement and its updates. */
export function WindowUpdates({ window }: { window: MaintenanceWindow }) {
  const { api, key, project } = useProject();
  const client = useQueryClient();
  const { id, announcement, statusPageIds } = window;
  const queryKey = [key, "window-updates", id];
  const found = useHeard({
    key: queryKey, enabled: statusPageIds.length > 0, read: (headers, signal) => readUpdates(api, id, headers, signal),
  });
  const again = () => void client.invalidateQueries({ queryKey });
  if (statusPageIds.length === 0) return null;
  return (
    <section className="panel" aria-labelledby="announced-head">
      <div className="panel-head"><h2 id="announced-head">On status pages</h2></div>
      <div className="panel-body stack g-2">
        <p>
          Announced {window.announceHours} h before each start on <PageNames ids={statusPageIds} />
          {window.notify ? "; subscribers are notified." : "; nobody is notified."}
        </p>
        {announcement && <p className="medium wrap-any" dir="auto">{announcement.title}</p>}
        {announcement && <p className="wrap-any post-text" dir="auto">{announcement.body}</p>}
      </div>
      {found.error && <LoadError what="The updates" error={found.error} retry={again} />}
      {found.data && found.data.length > 0 && (
        <Posts
          posts={found.data} stateOf={updateState} onDone={again} read={() => readUpdates(api, id, WHOLE)}
          write={(updateId, body) => take(api.PATCH("/api/maintenance-windows/{id}/updates/{updateId}", {
            params: { path: { id, updateId } }, body,
          }))}
        />
      )}
      {hasRole(project.role, "project_editor") && <UpdateForm window={window} onPosted={again} />}
    </section>
  );
}
