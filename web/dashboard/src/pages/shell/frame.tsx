import { Link, useRouterState } from "@tanstack/react-router";
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { type OwnProject, signOut, useAccount } from "../../api/account";
import { Brand, Icon } from "../../parts/icon";
import { useLater } from "../../parts/later";
import { ActionMenu } from "../../parts/menu";
import { LostStoreBanners } from "../../parts/lost_store_banners";
import { initialsOf } from "../../parts/person";
import { warn } from "../../parts/toasts";
import { ZoneContext } from "../../parts/use_clock";
import { browserZone, knownZone } from "../../time/format";
import { keysAreOn, useKeys } from "./keys";
import { NewVersion } from "./new_version";
import { OrganizationSidebar, type ShownOrganization } from "./organization_sidebar";
import { Sidebar } from "./sidebar";

type Part = "palette" | "projects" | "keys" | "menu";

interface OpenPartProps {
  part: Part;
  project?: OwnProject;
  sidebar: ReactNode;
  /** What was typed before the part was loaded. */
  typed: RefObject<string>;
  onClose: () => void;
}

function OpenPart({ part, project, sidebar, typed, onClose }: OpenPartProps) {
  const later = useLater(onClose);
  if (!later) return null;
  if (part === "menu") return sidebar && <later.SideMenu onClose={onClose}>{sidebar}</later.SideMenu>;
  if (part === "keys") return <later.KeyList onClose={onClose} on={keysAreOn()} />;
  return <later.Palette project={project} projectsOnly={part === "projects"} start={typed.current} onClose={onClose} />;
}

interface FrameProps {
  project?: OwnProject;
  organization?: ShownOrganization;
  children: ReactNode;
}

/** Top bar, sidebar of the project or organisation if there is one, and the page. */
export function Frame({ project, organization, children }: FrameProps) {
  // An instance that serves no pages of its own names none.
  const { user, bundle = "" } = useAccount();
  const [part, setPart] = useState<Part>();
  const typed = useRef("");
  const [utc, setUtc] = useState(false);
  const own = user.preferences.timeZone;
  const zone = utc ? "UTC" : own ? knownZone(own) : browserZone();
  const path = useRouterState({ select: (state) => state.location.pathname });
  useEffect(() => setPart((now) => (now === "menu" ? undefined : now)), [path]);
  const open = (next: Part) => {
    // A second press of the same button keeps what was typed after the first one.
    if (next !== part) typed.current = "";
    setPart(next);
  };
  const close = () => setPart(undefined);
  useKeys({ project, typed: part && typed, open, close, toggleUtc: () => setUtc((now) => !now) });
  const leave = () =>
    signOut().catch((error: Error) => warn(`You are still signed in. ${error.message}`));
  const sidebar = (className: string, close?: () => void) => {
    const shared = { bundle, showKeys: () => open("keys"), className, close };
    if (project) return <Sidebar {...shared} project={project} />;
    return organization && <OrganizationSidebar {...shared} organization={organization} />;
  };
  const hasSidebar = Boolean(project ?? organization);
  return (
    <ZoneContext value={zone}>
      <a className="skip" href="#main" onClick={(event) => (event.preventDefault(), document.getElementById("main")?.focus())}>
        Skip to content
      </a>
      <div className={hasSidebar ? "app" : "app app-plain"}>
        <header className="topbar">
          {hasSidebar && (
            <button className="btn btn-quiet btn-icon menu-button" type="button" aria-label="Menu" onClick={() => open("menu")}>
              <Icon name="menu" />
            </button>
          )}
          <Link className="brand" to="/" aria-label="Home"><Brand /></Link>
          <button className="switcher" type="button" aria-haspopup="dialog" onClick={() => open("projects")}>
            <span className="vh">Switch organisation or project:</span>
            {project && <span className="switcher-org clip">{project.organization.name}</span>}
            {project && <span className="switcher-sep">/</span>}
            <span className="switcher-project clip">{project?.name ?? organization?.name ?? "Choose a project"}</span>
            <Icon name="updown" />
          </button>
          <button
            className="jump" type="button" aria-haspopup="dialog" aria-keyshortcuts="Control+K" onClick={() => open("palette")}
          >
            <Icon name="search" />
            <span>Search or jump to</span>
            <kbd>Ctrl K</kbd>
          </button>
          <ActionMenu
            label={`Account of ${user.name}`} className="avatar"
            entries={[
              { id: "account", icon: "users", word: "Your account", href: "/app/account" },
              { id: "utc", icon: "clock", word: utc ? "Show times in your zone" : "Show times in UTC", act: () => setUtc(!utc) },
              { id: "out", icon: "arrow", word: "Sign out", act: () => void leave() },
            ]}
          >
            {initialsOf(user.name)}
            <span className="vh">, account of {user.name}</span>
          </ActionMenu>
        </header>
        <div className="notices">
          <LostStoreBanners bar />
          <NewVersion bundle={bundle} />
        </div>
        {sidebar("sidebar sidebar-fixed")}
        <main className="main" id="main" tabIndex={-1}>{children}</main>
      </div>
      {part && <OpenPart part={part} project={project} sidebar={sidebar("sidebar", close)} typed={typed} onClose={close} />}
    </ZoneContext>
  );
}
