import type { ReactNode } from "react";
import { Blank } from "../parts/feedback";
import { hasRole, roleWord } from "../parts/states";
import { useProject } from "./project_context";

/** Shows the role that a page needs to viewers, before it asks the service. */
export function NeedsEditor({ children }: { children: ReactNode }) {
  const { project } = useProject();
  if (hasRole(project.role, "project_editor")) return children;
  return (
    <div className="page">
      <div className="panel">
        <Blank page icon="shield" title="Your role does not permit this page">
          <p>
            Your role in {project.name} is {roleWord(project.role)}. This page needs the role editor. An administrator of the project can
            give it to you.
          </p>
        </Blank>
      </div>
    </div>
  );
}
