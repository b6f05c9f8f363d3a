import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Sign } from "../../parts/icon";
import { hasRole } from "../../parts/states";
import { Moment } from "../../parts/time";
import { EndWindow } from "../maintenance/window_dialogs";
import { useProject } from "../project_context";
import type { Monitor } from "./monitor_queries";

/** The window that applies to the monitor now: until when, what that means, and its end. */
export function MaintenanceNote({ maintenance }: { maintenance: NonNullable<Monitor["maintenance"]> }) {
  const { path, project } = useProject();
  const [asking, setAsking] = useState(false);
  return (
    <section className="banner s-maintenance" aria-label="In maintenance">
      <Sign name="maintenance" look="s-maintenance" />
      <div className="stack g-1">
        <p className="banner-title">In maintenance until <Moment value={maintenance.until} form="minutes" /></p>
        <p className="small wrap-any">
          By the window <Link to={path("maintenance", maintenance.id)} dir="auto">{maintenance.name}</Link>. Checks continue, and
          failures are recorded but not sent.
        </p>
      </div>
      <div className="actions">
        {hasRole(project.role, "project_editor") && (
          <button className="btn btn-s" type="button" aria-haspopup="dialog" onClick={() => setAsking(true)}>End now</button>
        )}
      </div>
      {asking && <EndWindow window={maintenance} onClose={() => setAsking(false)} />}
    </section>
  );
}
