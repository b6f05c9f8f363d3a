import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { usePolled } from "../../../api/use_polled";
import { take } from "../../../api/services";
import { svcLine } from "../../../parts/api_lines";
import { type ApiView, AsApi } from "../../../parts/as_api";
import { copyId } from "../../../parts/copy";
import { LoadError, PageError, Skeleton } from "../../../parts/feedback";
import { Badge, Icon, State } from "../../../parts/icon";
import { ActionMenu, type MenuEntry } from "../../../parts/menu";
import { PageHead } from "../../../parts/page";
import { hasRole } from "../../../parts/states";
import { Moment } from "../../../parts/time";
import { useTitle } from "../../../parts/use_title";
import { useProject } from "../../project_context";
import { PageCrumbs } from "../page_frame";
import {
  type Incident, type PageComponent, type StatusPage, readIncident, readIncidentVersion, useComponents, usePage,
} from "../page_queries";
import { IMPACTS, componentState, incidentState, pageAddress } from "../page_states";
import { Posts } from "../posts";
import { usePagesChanged } from "../use_page_acts";
import { DeleteIncident } from "./delete_incident";
import { componentNames } from "./incident_table";
import { PostForm } from "./post_form";

const ROUTE = "/signed-in/$org/$project/status-pages/$pageId/incidents/$incidentId";

/** Returns the address of an incident below that of its page. */
const publicAddress = (page: StatusPage, id: string): string => `${pageAddress(location.origin, page).replace(/\/$/, "")}/incidents/${id}`;

function Facts({ incident, components }: { incident: Incident; components: readonly PageComponent[] }) {
  const nameOf = componentNames(components);
  return (
    <aside className="stack g-6" aria-label="About the incident">
      <section className="panel" aria-labelledby="facts-head">
        <div className="panel-head"><h2 id="facts-head">Incident</h2></div>
        <div className="panel-body">
          <dl className="facts-rows">
            <div><dt>Impact</dt><dd>{IMPACTS[incident.impact]}</dd></div>
            <div><dt>Started</dt><dd><Moment value={incident.startedAt} form="minutes" /></dd></div>
            {incident.resolvedAt && <div><dt>Resolved</dt><dd><Moment value={incident.resolvedAt} form="minutes" /></dd></div>}
            <div><dt>Opened</dt><dd>{incident.automatic ? "Automatically" : "By a person"}</dd></div>
            {incident.outageId && (
              <div>
                <dt>Outage</dt>
                <dd><Link to="/_go/$type/$id" params={{ type: "outage", id: incident.outageId }}>Show the outage</Link></dd>
              </div>
            )}
          </dl>
        </div>
      </section>
      <section className="panel" aria-labelledby="affected-head">
        <div className="panel-head"><h2 id="affected-head">Components</h2></div>
        {incident.components.length === 0 && <div className="panel-body muted">No component is affected.</div>}
        {incident.components.length > 0 && (
          <ul className="list small">
            {incident.components.map(({ id, status }) => (
              <li className="row between g-2" key={id}>
                <bdi className="wrap-any">{nameOf(id)}</bdi><State state={componentState(status)} />
              </li>
            ))}
          </ul>
        )}
      </section>
    </aside>
  );
}

function Actions({ page, incident, remove }: { page: StatusPage | undefined; incident: Incident; remove: () => void }) {
  const { path, project } = useProject();
  const edits = hasRole(project.role, "project_editor");
  const entries: (MenuEntry | false)[] = [
    { id: "copy", icon: "copy", word: "Copy id", act: () => copyId(incident.id) },
    hasRole(project.role, "project_admin") && { id: "delete", icon: "trash", word: "Delete", act: remove },
  ];
  return (
    <>
      {page?.status === "published" && (
        <a className="btn" href={publicAddress(page, incident.id)} target="_blank" rel="noopener noreferrer">
          <Icon name="external" />View incident
        </a>
      )}
      {edits && <Link className="btn" to={path("status-pages", incident.pageId, "incidents", incident.id, "edit")}>Edit</Link>}
      <ActionMenu label={`More for ${incident.name}`} entries={entries.filter((one): one is MenuEntry => one !== false)} />
    </>
  );
}

function Updates({ incident }: { incident: Incident }) {
  const { api } = useProject();
  const changed = usePagesChanged();
  const { id: incidentId, pageId: id, updates } = incident;
  return (
    <section className="panel" aria-labelledby="updates-head">
      <div className="panel-head"><h2 id="updates-head">Updates</h2><span className="muted small">newest first</span></div>
      <Posts
        posts={updates} stateOf={incidentState} onDone={() => void changed()}
        read={async () => (await readIncidentVersion(api, id, incidentId)).thing.updates}
        write={(updateId, body) => take(api.PATCH("/api/status-pages/{id}/incidents/{incidentId}/updates/{updateId}", {
          params: { path: { id, incidentId, updateId } }, body,
        }))}
      />
    </section>
  );
}

export default function IncidentPage() {
  const { api, key, path, project } = useProject();
  const { pageId, incidentId } = useParams({ from: ROUTE });
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const [draft, setDraft] = useState<ApiView>();
  const page = usePage(pageId);
  const components = useComponents(pageId);
  const found = usePolled({
    key: [key, "page-incidents", pageId, "one", incidentId],
    read: (headers, signal) => readIncident(api, pageId, incidentId, headers, signal),
  });
  const incident = found.data;
  useTitle(incident && incidentState(incident.status).word, incident?.name, project.name);
  const again = () => void found.refetch();
  if (!incident) {
    return (
      <div className="page">
        <PageCrumbs page={page.data} id={pageId} rest={[{ word: "Incident" }]} />
        {found.error
          ? (
            <PageError
              page thing="This incident" what="The incident" error={found.error} retry={again}
              back={<Link className="btn" to={path("status-pages", pageId)}>Show the status page</Link>}
            />
          )
          : <Skeleton name="the incident" />}
      </div>
    );
  }
  const state = incidentState(incident.status);
  return (
    <div className="page">
      <PageCrumbs page={page.data} id={pageId} rest={[{ word: incident.name }]} />
      <PageHead
        title={incident.name} badge={<Badge state={state} />}
        actions={<Actions page={page.data} incident={incident} remove={() => setAsking(true)} />}
      />
      <p className="vh" role="status">{`${incident.name}: ${state.word}`}</p>
      {found.error && <LoadError what="Changes" error={found.error} retry={again} />}
      <div className="split split-aside">
        <div className="stack g-6">
          {hasRole(project.role, "project_editor") && (
            <PostForm key={incidentId} pageId={pageId} incident={incident} components={components.data ?? []} onDraft={setDraft} />
          )}
          <Updates incident={incident} />
        </div>
        <Facts incident={incident} components={components.data ?? []} />
      </div>
      <AsApi
        views={[
          {
            word: "Show the incident", request: { method: "GET", path: `/api/status-pages/${pageId}/incidents/${incidentId}` },
            svc: svcLine(["incident", "get", page.data?.slug ?? pageId, incidentId]),
          },
          ...(draft ? [draft] : []),
        ]}
      />
      {asking && (
        <DeleteIncident
          pageId={pageId} incident={incident} onClose={() => setAsking(false)}
          onDone={() => navigate({ to: path("status-pages", pageId, "incidents"), ignoreBlocker: true, replace: true })}
        />
      )}
    </div>
  );
}
