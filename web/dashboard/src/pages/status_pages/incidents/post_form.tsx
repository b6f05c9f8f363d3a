import { useMutation } from "@tanstack/react-query";
import { useBlocker } from "@tanstack/react-router";
import { type FormEvent, useEffect, useState } from "react";
import { take } from "../../../api/services";
import type { ApiView } from "../../../parts/as_api";
import { same } from "../../../parts/differences";
import { toast } from "../../../parts/toasts";
import { useZone } from "../../../parts/use_clock";
import { useProject } from "../../project_context";
import { FormBanner, errorFinder } from "../field_errors";
import { type Incident, type PageComponent, readIncidentVersion } from "../page_queries";
import { incidentState } from "../page_states";
import { usePagesChanged } from "../use_page_acts";
import { BodyField, ComponentStatuses, NotifyField, StatusChoice, TimeField } from "./incident_fields";
import { type Affected, type PostValues, mergedComponents, newPost, postBody, postErrors, postStatuses } from "./incident_values";

const FORM = "post";

interface FormProps {
  pageId: string;
  incident: Incident;
  components: readonly PageComponent[];
  /** Hears the lines for a shell that post what is typed, or undefined. */
  onDraft: (view: ApiView | undefined) => void;
  onPosted?: () => void;
}

/** What somebody has typed, with the components of the incident at that time. */
interface Typed {
  values: PostValues;
  start: readonly Affected[];
}

/** Sends a post; statuses of components that it changes are sent first. */
function usePost(pageId: string, incident: Incident, onPosted: () => void) {
  const { api } = useProject();
  const changed = usePagesChanged();
  const path = { id: pageId, incidentId: incident.id };
  const sendComponents = async ({ values, start }: Typed) => {
    const { thing, etag } = await readIncidentVersion(api, pageId, incident.id);
    const components = mergedComponents(values.components, start, thing.components as Affected[]);
    if (same(components, thing.components)) return;
    await take(api.PATCH("/api/status-pages/{id}/incidents/{incidentId}", {
      params: { path, header: { "If-Match": etag } }, body: { components },
    }));
  };
  return useMutation({
    mutationFn: async ({ zone, ...typed }: Typed & { zone: string }) => {
      const { values, start } = typed;
      if (!same(values.components, start)) await sendComponents(typed);
      return take(api.POST("/api/status-pages/{id}/incidents/{incidentId}/updates", {
        params: { path }, body: postBody(values, zone) as never,
      }));
    },
    onSuccess: (made) => {
      toast({ text: `The update was posted: ${incidentState(made.status).word}.` });
      onPosted();
    },
    onSettled: () => changed(),
  });
}

function Fields({ incident, components, values, set, zone, errorOf }: Pick<FormProps, "incident" | "components"> & {
  values: PostValues;
  set: (part: Partial<PostValues>) => void;
  zone: string;
  errorOf: (name: string) => string | undefined;
}) {
  return (
    <>
      <StatusChoice value={values.status} statuses={postStatuses(incident)} onChange={(status) => set({ status })} />
      {incident.status === "resolved" && values.status !== "postmortem" && values.status !== "resolved" && (
        <p className="small muted">The incident is resolved: this status opens it again.</p>
      )}
      <BodyField
        form={FORM} value={values.body} onChange={(body) => set({ body })} errorOf={errorOf} rows={values.status === "postmortem" ? 8 : 4}
      />
      {incident.status !== "resolved" && (
        <ComponentStatuses components={components} chosen={values.components} onChange={(chosen) => set({ components: chosen })} />
      )}
      <TimeField
        form={FORM} name="displayAt" label="Time that visitors see" zone={zone} optional value={values.displayAt} errorOf={errorOf}
        onChange={(displayAt) => set({ displayAt })} hint="The time of publication, unless you enter one."
      />
      <NotifyField value={values.notify} onChange={(notify) => set({ notify })} />
    </>
  );
}

/** Posts an update of an incident, or the post-mortem of a resolved one. */
export function PostForm({ pageId, incident, components, onDraft, onPosted }: FormProps) {
  const [zone] = useState(useZone());
  // Without own input the form follows the incident, which others may change.
  const [own, setOwn] = useState<Typed>();
  const [tried, setTried] = useState(false);
  const fresh = newPost(incident);
  const { values, start } = own ?? { values: fresh, start: fresh.components };
  const post = usePost(pageId, incident, () => {
    setOwn(undefined);
    setTried(false);
    onPosted?.();
  });
  const typed = values.body.trim() !== "";
  useBlocker({
    shouldBlockFn: () => typed && !window.confirm("Leave the form? What you typed is lost."), enableBeforeUnload: () => typed,
  });
  const errors = tried ? postErrors(values, zone, new Date()) : [];
  const set = (part: Partial<PostValues>) => {
    // A request that is under way stays known, so that nobody posts twice.
    if (!post.isPending) post.reset();
    setOwn({ values: { ...values, ...part }, start });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (post.isPending) return;
    setTried(true);
    if (postErrors(values, zone, new Date()).length === 0) post.mutate({ values, start, zone });
  };
  const path = `/api/status-pages/${pageId}/incidents/${incident.id}/updates`;
  const draft = typed ? JSON.stringify(postBody(values, zone)) : undefined;
  useEffect(() => {
    onDraft(draft === undefined ? undefined : { word: "Post this update", request: { method: "POST", path, body: JSON.parse(draft) } });
  }, [draft, path, onDraft]);
  return (
    <section className="panel" aria-labelledby="post-head">
      <div className="panel-head"><h2 id="post-head">{incident.status === "resolved" ? "Add a post-mortem" : "Post an update"}</h2></div>
      <form className="panel-body form" noValidate onSubmit={submit} aria-labelledby="post-head">
        <FormBanner form={FORM} failure="The update was not posted" errors={errors} refusal={post.error} />
        <Fields
          incident={incident} components={components} values={values} zone={zone} errorOf={errorFinder(errors, post.error)}
          set={set}
        />
        <div className="form-actions">
          <button className="btn btn-primary" type="submit" aria-disabled={post.isPending} data-pending={post.isPending || undefined}>
            Post update
          </button>
        </div>
      </form>
    </section>
  );
}
