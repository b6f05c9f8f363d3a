import { Link } from "@tanstack/react-router";
import { useHeard } from "../../api/use_heard";
import { CopyButton } from "../../parts/copy";
import { Icon, State } from "../../parts/icon";
import { hasRole } from "../../parts/states";
import { Moment } from "../../parts/time";
import { numberText } from "../../time/format";
import { readUnfinished } from "../maintenance/window_queries";
import { groupsOf, windowState } from "../maintenance/window_states";
import { useProject } from "../project_context";
import { domainState } from "./domain_states";
import { type StatusPage, readSubscribers } from "./page_queries";
import { LANGUAGES, feedsOf } from "./page_states";

const SHOWN = 4;

/** How many addresses receive posts. Only editors may read them. */
function Subscribers({ page }: { page: StatusPage }) {
  const { api, key, path } = useProject();
  const found = useHeard({
    key: [key, "page-subscribers", page.id, "count"],
    read: (headers, signal) => readSubscribers(api, page.id, {}, headers, signal, 1),
  });
  return (
    <section className="panel" aria-labelledby="subscribers-head">
      <div className="panel-head">
        <h2 id="subscribers-head">Subscribers</h2>
        <Link className="more" to={path("status-pages", page.id, "subscribers")}>Show all</Link>
      </div>
      <div className="panel-body">
        <dl className="facts-rows">
          <div><dt>Addresses</dt><dd>{found.data ? numberText(found.data.pagination.total) : "…"}</dd></div>
          <div><dt>By mail</dt><dd>{page.allowSubscribers ? "Visitors can subscribe" : "Switched off"}</dd></div>
        </dl>
      </div>
    </section>
  );
}

function Domain({ page }: { page: StatusPage }) {
  const { path, project } = useProject();
  const state = domainState(page);
  if (!page.customDomain || !state) return null;
  return (
    <section className="panel" aria-labelledby="domain-head">
      <div className="panel-head"><h2 id="domain-head">Domain</h2><State state={state} /></div>
      <div className="panel-body stack g-3">
        <dl className="facts-rows">
          <div><dt>Host</dt><dd className="wrap-any">{page.customDomain}</dd></div>
          {page.domain?.verifiedAt && <div><dt>Proved</dt><dd><Moment value={page.domain.verifiedAt} form="minutes" /></dd></div>}
        </dl>
        {!page.domain?.verifiedAt && hasRole(project.role, "project_editor") && (
          <Link className="more" to={path("status-pages", page.id, "domain")}>Prove the domain</Link>
        )}
      </div>
    </section>
  );
}

/** What other programs read of a published page. */
function Feeds({ page }: { page: StatusPage }) {
  if (page.status !== "published") return null;
  return (
    <section className="panel" aria-labelledby="feeds-head">
      <div className="panel-head"><h2 id="feeds-head">Feeds and badge</h2></div>
      <ul className="list small">
        {feedsOf(location.origin, page).map(([word, address]) => (
          <li className="row row-tight g-2" key={word}>
            <a href={address} target="_blank" rel="noopener noreferrer">{word}</a>
            <span className="push"><CopyButton text={address} label={`Copy the address of: ${word}`} /></span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The windows that the page announces. */
function Planned({ page }: { page: StatusPage }) {
  const { api, key, path, project } = useProject();
  const windows = useHeard({
    key: [key, "maintenance", "unfinished", undefined], read: (headers, signal) => readUnfinished(api, {}, headers, signal),
  });
  const own = windows.data?.filter((one) => one.statusPageIds.includes(page.id));
  if (!own) return null;
  const { active, scheduled, recurring } = groupsOf(own);
  const rows = [...active, ...scheduled, ...recurring];
  return (
    <section className="panel" aria-labelledby="planned-head">
      <div className="panel-head">
        <h2 id="planned-head">Planned maintenance</h2>
        {hasRole(project.role, "project_editor") && (
          <Link className="more" to={path("maintenance", "new")} search={{ pageId: page.id }}>Plan</Link>
        )}
      </div>
      {rows.length === 0 && <div className="panel-body muted">No window is announced on this page.</div>}
      {rows.length > 0 && (
        <ul className="list small">
          {rows.slice(0, SHOWN).map((one) => (
            <li key={one.id} className="stack g-1">
              <Link className="wrap-any" to={path("maintenance", one.id)} dir="auto">{one.announcement?.title ?? one.name}</Link>
              <span className="row g-2">
                <State state={windowState(one.state)} />
                {one.current
                  ? <span className="muted">until <Moment value={one.current.endsAt} form="minutes" /></span>
                  : one.next && <span className="muted">from <Moment value={one.next.startsAt} form="minutes" /></span>}
              </span>
            </li>
          ))}
          {rows.length > SHOWN && <li><Link className="more" to={path("maintenance")}>All windows</Link></li>}
        </ul>
      )}
    </section>
  );
}

function Facts({ page }: { page: StatusPage }) {
  return (
    <section className="panel" aria-labelledby="facts-head">
      <div className="panel-head"><h2 id="facts-head">Page</h2></div>
      <div className="panel-body stack g-3">
        {page.headline && <p className="small wrap-any" dir="auto">{page.headline}</p>}
        <dl className="facts-rows">
          <div><dt>Evidence</dt><dd><Moment value={page.evidenceAt} missing="No check yet" /></dd></div>
          <div><dt>Language</dt><dd>{LANGUAGES.find(([key]) => key === page.language)?.[1] ?? page.language}</dd></div>
          <div><dt>Time zone</dt><dd>{page.timeZone}</dd></div>
          <div><dt>Incidents</dt><dd>{page.autoIncidents ? `Automatic after ${page.autoIncidentMinutes} min` : "By hand"}</dd></div>
          <div><dt>Changed</dt><dd><Moment value={page.updatedAt} form="minutes" /></dd></div>
        </dl>
      </div>
    </section>
  );
}

/** Facts of a page that rarely change. */
export function ContentAside({ page }: { page: StatusPage }) {
  const { project } = useProject();
  return (
    <aside className="stack g-6" aria-label="About the status page">
      <Facts page={page} />
      {hasRole(project.role, "project_editor") && <Subscribers page={page} />}
      <Domain page={page} />
      <Planned page={page} />
      <Feeds page={page} />
      <p className="small muted"><Icon name="info" small /> Visitors see a change within two seconds.</p>
    </aside>
  );
}
