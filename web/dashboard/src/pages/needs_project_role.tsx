import type { ReactNode } from "react";
import { NeedsRole } from "../parts/needs_role";
import { hasRole } from "../parts/states";
import { useProject } from "./project_context";

const GIVER = "An administrator of the project";

/** A page for editors of the project and those above. */
export function NeedsEditor({ children }: { children: ReactNode }) {
  const { project, path } = useProject();
  const permitted = hasRole(project.role, "project_editor");
  return (
    <NeedsRole permitted={permitted} place={project} needs="editor" giver={GIVER} members={path("members")}>{children}</NeedsRole>
  );
}

/** A page for administrators of the project. */
export function NeedsProjectAdmin({ children }: { children: ReactNode }) {
  const { project, path } = useProject();
  const permitted = hasRole(project.role, "project_admin");
  return (
    <NeedsRole permitted={permitted} place={project} needs="administrator" giver={GIVER} members={path("members")}>{children}</NeedsRole>
  );
}
