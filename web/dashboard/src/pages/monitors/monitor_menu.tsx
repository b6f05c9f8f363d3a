import { useNavigate } from "@tanstack/react-router";
import { copyId } from "../../parts/copy";
import { ActionMenu, type MenuEntry } from "../../parts/menu";
import { hasRole } from "../../parts/states";
import { useProject } from "../project_context";
import type { Monitor } from "./monitor_queries";
import type { Act } from "./use_monitor_acts";

interface MenuProps {
  monitor: Monitor;
  small?: boolean;
  /** Acts that have a button of their own are left out. */
  without?: readonly string[];
  act: (act: Act, monitor: Monitor) => void;
  remove: () => void;
  maintain: () => void;
}

/** What can be done with a monitor, for the role of the reader. */
export function MonitorMenu({ monitor, small, without = [], act, remove, maintain }: MenuProps) {
  const { path, project } = useProject();
  const navigate = useNavigate();
  const edits = hasRole(project.role, "project_editor");
  const paused = !monitor.enabled;
  const alerts = path("alerts");
  const entries: (MenuEntry | false)[] = [
    edits && !paused && monitor.type !== "heartbeat"
      && { id: "check", icon: "rerun", word: "Check now", act: () => act("check", monitor) },
    edits && (paused
      ? { id: "resume", icon: "play", word: "Resume", act: () => act("resume", monitor) }
      : { id: "pause", icon: "pause", word: "Pause", act: () => act("pause", monitor) }),
    edits && { id: "maintenance", icon: "wrench", word: "Start maintenance", act: maintain },
    edits && { id: "edit", icon: "edit", word: "Edit", act: () => void navigate({ to: path("monitors", monitor.id, "edit") }) },
    {
      id: "alerts", icon: "bell", word: "Its alerts",
      act: () => void navigate({ to: alerts, search: { targetId: monitor.id } as never }),
    },
    { id: "copy", icon: "copy", word: "Copy id", act: () => copyId(monitor.id) },
    hasRole(project.role, "project_admin") && { id: "delete", icon: "trash", word: "Delete", act: remove },
  ];
  return (
    <ActionMenu
      label={`More for ${monitor.name}`} small={small}
      entries={entries.filter((one): one is MenuEntry => one !== false && !without.includes(one.id))}
    />
  );
}
