import { Link } from "@tanstack/react-router";
import { Icon } from "../../parts/icon";
import type { IconName } from "../../parts/sprite";
import { organizationPath } from "../organization_address";

export interface ShownOrganization {
  slug: string;
  name: string;
  role: string;
}

const PLACES: readonly { word: string; icon: IconName; to: string; all?: true }[] = [
  { word: "Members", icon: "users", to: "members", all: true },
  { word: "Invitations", icon: "mail", to: "invitations" },
  { word: "Projects", icon: "jobs", to: "projects" },
  { word: "Runners", icon: "server", to: "runners" },
  { word: "Audit", icon: "audit", to: "audit" },
  { word: "Settings", icon: "building", to: "general" },
];

interface SidebarProps {
  organization: ShownOrganization;
  bundle: string | undefined;
  showKeys: () => void;
  className: string;
  close?: () => void;
}

/** The navigation of an organisation. */
export function OrganizationSidebar({ organization, bundle, showKeys, className, close }: SidebarProps) {
  const path = (part: string): string => organizationPath(organization.slug, part);
  return (
    <nav className={className} aria-label="Organisation">
      {close && (
        <div className="sidebar-close">
          Menu
          <button className="btn btn-quiet btn-icon" type="button" aria-label="Close menu" onClick={close}><Icon name="x" /></button>
        </div>
      )}
      <div className="sidebar-group">
        <p className="sidebar-head">{organization.name}</p>
        {PLACES.filter((place) => place.all || organization.role !== "org_member").map((place) => (
          <Link
            className="nav-link" to={path(place.to)} key={place.to}
            activeOptions={{ exact: false, includeSearch: false }} activeProps={{ "aria-current": "page" }}
          >
            <Icon name={place.icon} />
            {place.word}
          </Link>
        ))}
      </div>
      <div className="sidebar-foot">
        <span>svcd {bundle}</span>
        <span className="row g-2">
          <Link className="quiet-link" to="/">Back to the project</Link>
          <button className="btn btn-s btn-quiet" type="button" onClick={showKeys}>Keys <kbd>?</kbd></button>
        </span>
      </div>
    </nav>
  );
}
