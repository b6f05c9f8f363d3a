import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { PublicClient } from "../../../../../api/client";
import { type ApiView, AsApi } from "../../../parts/as_api";
import { Blank, PageError, Skeleton } from "../../../parts/feedback";
import { State } from "../../../parts/icon";
import { Crumbs, PageHead } from "../../../parts/page";
import { useTitle } from "../../../parts/use_title";
import { useMonitorNames } from "../../monitors/monitor_names";
import { NeedsEditor } from "../../needs_project_role";
import { useProject } from "../../project_context";
import { readComponents, readOpenIncidents, readPages } from "../page_queries";
import { incidentState, publicationState } from "../page_states";
import { IncidentForm } from "./incident_form";
import { type PlaceOfPost, componentsOf, openIncidentOf, readyIncident } from "./outage_texts";
import { PostForm } from "./post_form";
import { useNewIncident } from "./use_new_incident";

/** Returns the pages that show the monitor, published ones first. An archived page has no visitors. */
async function readPlaces(api: PublicClient, monitorId: string, signal: AbortSignal): Promise<PlaceOfPost[]> {
  const pages = (await readPages(api, {}, {}, signal)).rows.filter((one) => one.status !== "archived");
  const places = await Promise.all(pages.map(async (page): Promise<PlaceOfPost[]> => {
    const components = componentsOf(await readComponents(api, page.id, {}, signal), monitorId);
    return components.length > 0 ? [{ page, components, incidents: await readOpenIncidents(api, page.id, {}, signal) }] : [];
  }));
  return places.flat().sort((a, b) => Number(b.page.status === "published") - Number(a.page.status === "published"));
}

const mayLeave = (): boolean => window.confirm("Leave the form? What you typed is lost.");

interface PostProps {
  place: PlaceOfPost;
  /** Hears whether another form would lose what somebody has typed. */
  onTyped: (typed: boolean) => void;
}

/** An incident about the monitor, ready to be published. */
function ReadyIncident({ place, onTyped }: PostProps) {
  const { path } = useProject();
  const { page, components } = place;
  const { body, changed, busy, ...form } = useNewIncident(page.id, () => readyIncident(place));
  useEffect(() => onTyped(changed), [changed, onTyped]);
  return (
    <>
      <IncidentForm {...form} components={components}>
        <div className="form-actions">
          <button className="btn btn-primary" type="submit" aria-disabled={busy} data-pending={busy || undefined}>
            Publish incident
          </button>
          <Link className="btn btn-quiet" to={path("status-pages", page.id)}>Cancel</Link>
        </div>
      </IncidentForm>
      <AsApi
        views={[{ word: "Publish this incident", request: { method: "POST", path: `/api/status-pages/${page.id}/incidents`, body } }]}
      />
    </>
  );
}

/** An update of the incident that is open for the monitor, or a new incident. */
function Post({ place, onTyped }: PostProps) {
  const { path } = useProject();
  const navigate = useNavigate();
  const { page, components } = place;
  const [fresh, setFresh] = useState(false);
  const [draft, setDraft] = useState<ApiView>();
  const incident = openIncidentOf(place);
  const posts = incident !== undefined && !fresh;
  const typed = draft !== undefined;
  useEffect(() => {
    if (posts) onTyped(typed);
  }, [posts, typed, onTyped]);
  if (!posts) return <ReadyIncident place={place} onTyped={onTyped} />;
  return (
    <>
      <div className="panel">
        <div className="panel-body row g-3">
          <State state={incidentState(incident.status)} />
          <Link className="wrap-any" to={path("status-pages", page.id, "incidents", incident.id)} dir="auto">{incident.name}</Link>
          <button className="btn btn-s push" type="button" onClick={() => (!typed || mayLeave()) && setFresh(true)}>
            Create another incident
          </button>
        </div>
      </div>
      <PostForm
        pageId={page.id} incident={incident} components={components} onDraft={setDraft}
        onPosted={() => void navigate({ to: path("status-pages", page.id, "incidents", incident.id), ignoreBlocker: true })}
      />
      {draft && <AsApi views={[draft]} />}
    </>
  );
}

/** The choice between pages, if several show the monitor. */
function Pages({ places, chosen, choose }: { places: readonly PlaceOfPost[]; chosen: string; choose: (id: string) => void }) {
  if (places.length < 2) return null;
  return (
    <fieldset className="stack g-2">
      <legend className="label">Status page</legend>
      {places.map(({ page, components }) => (
        <label className="check" key={page.id}>
          <input type="radio" name="page" checked={chosen === page.id} onChange={() => choose(page.id)} />
          <span className="wrap-any">
            <bdi>{page.name}</bdi>{page.status !== "published" && ` (${publicationState(page.status).word.toLowerCase()})`}
            {": "}<bdi className="muted">{components.map((one) => one.name).join(", ")}</bdi>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function NoPlace() {
  const { path } = useProject();
  return (
    <div className="panel">
      <Blank icon="broadcast" title="No status page shows this monitor">
        <p>Add it to a component of a page first. Visitors then see its status, and you can tell them more.</p>
        <div className="row"><Link className="btn" to={path("status-pages")}>Show the status pages</Link></div>
      </Blank>
    </div>
  );
}

function OutagePost() {
  const { api, key, path, project } = useProject();
  const { monitorId } = useSearch({ from: "/signed-in/$org/$project/status-pages/post" });
  const nameOf = useMonitorNames(monitorId ? [monitorId] : []);
  const [chosen, setChosen] = useState<string>();
  const [typed, setTyped] = useState(false);
  // The form starts from one answer: later changes would replace what somebody types.
  const places = useQuery({
    queryKey: [key, "outage-post", monitorId], enabled: monitorId !== undefined, staleTime: Infinity, gcTime: 0,
    queryFn: ({ signal }) => readPlaces(api, monitorId!, signal),
  });
  useTitle("Post update", project.name);
  const place = places.data?.find((one) => one.page.id === chosen) ?? places.data?.[0];
  const choose = (id: string) => (!typed || mayLeave()) && setChosen(id);
  return (
    <div className="page page-narrow">
      <Crumbs crumbs={[{ word: "Status pages", to: path("status-pages") }, { word: "Post update" }]} />
      <PageHead title="Post update" lead={monitorId && <>What visitors should know about <bdi>{nameOf(monitorId)}</bdi>.</>} />
      {places.error && (
        <PageError
          thing="This monitor" what="The status pages of the monitor" error={places.error} retry={() => void places.refetch()}
          back={<Link className="btn" to={path("status-pages")}>Show the status pages</Link>}
        />
      )}
      {monitorId && !places.data && !places.error && <Skeleton name="the status pages of the monitor" rows={3} />}
      {(!monitorId || places.data?.length === 0) && <NoPlace />}
      {place && places.data && <Pages places={places.data} chosen={place.page.id} choose={choose} />}
      {place && <Post key={place.page.id} place={place} onTyped={setTyped} />}
    </div>
  );
}

export default function OutagePostPage() {
  return <NeedsEditor><OutagePost /></NeedsEditor>;
}
