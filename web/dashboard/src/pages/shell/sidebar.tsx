import { Link } from "@tanstack/react-router";
import type { OwnProject } from "../../api/account";
import { Icon, Sign } from "../../parts/icon";
import type { IconName } from "../../parts/sprite";
import { hasRole } from "../../parts/states";
import { useLastFilters } from "./last_filters";
import type { Trouble, Troubles } from "./troubles";
import { useTroubles } from "./use_troubles";

export interface Place {
  word: string;
  icon: IconName;
  to: `/$org/$project/${
    | "overview" | "jobs" | "runs" | "tests" | "runners" | "monitors" | "outages" | "alerts" | "maintenance" | "status-pages"
    | "variables" | "tags" | "providers" | "tokens" | "members" | "usage" | "audit" | "settings"
  }`;
  /** The key after `g`. */
  key: string;
  /** The least role that sees the page. */
  least?: "project_editor" | "project_admin";
  /** The trouble that is counted next to the word. */
  trouble?: keyof Troubles;
}

/** The navigation of a project. */
export const GROUPS: { name: string; places: Place[] }[] = [
  { name: "", places: [{ word: "Overview", icon: "overview", to: "/$org/$project/overview", key: "o" }] },
  {
    name: "Run",
    places: [
      { word: "Jobs", icon: "jobs", to: "/$org/$project/jobs", key: "j", trouble: "jobs" },
      { word: "Runs", icon: "runs", to: "/$org/$project/runs", key: "r" },
      { word: "Tests", icon: "tests", to: "/$org/$project/tests", key: "t" },
      { word: "Runners", icon: "server", to: "/$org/$project/runners", key: "n", least: "project_admin" },
    ],
  },
  {
    name: "Watch",
    places: [
      { word: "Monitors", icon: "pulse", to: "/$org/$project/monitors", key: "m", trouble: "monitors" },
      { word: "Outages", icon: "outage", to: "/$org/$project/outages", key: "d", trouble: "outages" },
      { word: "Alerts", icon: "bell", to: "/$org/$project/alerts", key: "a" },
      { word: "Maintenance", icon: "wrench", to: "/$org/$project/maintenance", key: "w" },
      { word: "Status pages", icon: "broadcast", to: "/$org/$project/status-pages", key: "p" },
    ],
  },
  {
    name: "Configure",
    places: [
      { word: "Variables", icon: "braces", to: "/$org/$project/variables", key: "v" },
      { word: "Tags", icon: "tag", to: "/$org/$project/tags", key: "l" },
      { word: "Providers", icon: "send", to: "/$org/$project/providers", key: "i" },
      { word: "Tokens", icon: "key", to: "/$org/$project/tokens", key: "k", least: "project_editor" },
    ],
  },
  {
    name: "Govern",
    places: [
      { word: "Members", icon: "users", to: "/$org/$project/members", key: "e" },
      { word: "Audit", icon: "audit", to: "/$org/$project/audit", key: "h", least: "project_admin" },
      { word: "Usage", icon: "gauge", to: "/$org/$project/usage", key: "u" },
      { word: "Settings", icon: "sliders", to: "/$org/$project/settings", key: "s", least: "project_admin" },
    ],
  },
];

/** Returns the groups of pages that the role sees. */
export const groupsFor = (role: string) =>
  GROUPS.map((group) => ({ ...group, places: group.places.filter((place) => !place.least || hasRole(role, place.least)) }))
    .filter((group) => group.places.length > 0);

interface SidebarProps {
  project: OwnProject;
  /** Absent: the instance that answered serves no pages. */
  bundle: string | undefined;
  showKeys: () => void;
  className: string;
  close?: () => void;
}

function TroubleNote({ trouble }: { trouble: Trouble | undefined }) {
  if (!trouble) return null;
  return (
    <span className="nav-note">
      <Sign name="failed" look={trouble.look} label={trouble.label} />
      <span aria-hidden="true">{trouble.count}</span>
    </span>
  );
}

export function Sidebar({ project, bundle, showKeys, className, close }: SidebarProps) {
  const params = { org: project.organization.slug, project: project.slug };
  const troubles = useTroubles(project.id);
  const filtersOf = useLastFilters();
  const licenses = document.querySelector<HTMLMetaElement>('meta[name="svc-licenses"]')?.content;
  return (
    <nav className={className} aria-label="Project">
      {close && (
        <div className="sidebar-close">
          Menu
          <button className="btn btn-quiet btn-icon" type="button" aria-label="Close menu" onClick={close}><Icon name="x" /></button>
        </div>
      )}
      {groupsFor(project.role).map((group) => (
        <div className="sidebar-group" key={group.name}>
          {group.name && <p className="sidebar-head">{group.name}</p>}
          {group.places.map((place) => (
            <Link
              className="nav-link" to={place.to} params={params} key={place.to}
              search={filtersOf(place.to.replace("$org", params.org).replace("$project", params.project)) as never}
              activeOptions={{ exact: false, includeSearch: false }} activeProps={{ "aria-current": "page" }}
            >
              <Icon name={place.icon} />
              {place.word}{" "}
              {place.trouble && <TroubleNote trouble={troubles?.[place.trouble]} />}
            </Link>
          ))}
        </div>
      ))}
      <div className="sidebar-group">
        <p className="sidebar-head">{project.organization.name}</p>
        <Link className="nav-link" to="/$org/_/members" params={params}><Icon name="building" />Organisation</Link>
      </div>
      <div className="sidebar-foot">
        <span>svcd {bundle}</span>
        <span className="row g-2">
          <Link className="quiet-link" to="/_api">API reference</Link>
          {licenses && <a className="quiet-link" href={licenses}>Licenses</a>}
          <button className="btn btn-s btn-quiet" type="button" onClick={showKeys}>Keys <kbd>?</kbd></button>
        </span>
      </div>
    </nav>
  );
}
