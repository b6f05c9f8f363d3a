import { useNavigate } from "@tanstack/react-router";
import { copyId } from "../../parts/copy";
import { ActionMenu, type MenuEntry } from "../../parts/menu";
import { hasRole } from "../../parts/states";
import { useProject } from "../project_context";
import type { StatusPage } from "./page_queries";
import { usePublish } from "./use_page_acts";

export type PageAct = "archive" | "delete";

interface MenuProps {
  page: StatusPage;
  small?: boolean;
  /** Acts that have a button of their own are left out. */
  without?: readonly string[];
  ask: (act: PageAct) => void;
}

/** What can be done with a status page, for the role of the reader. */
export function PageMenu({ page, small, without = [], ask }: MenuProps) {
  const { path, project } = useProject();
  const navigate = useNavigate();
  const publish = usePublish();
  const edits = hasRole(project.role, "project_editor");
  const go = (...parts: string[]) => void navigate({ to: path("status-pages", page.id, ...parts) });
  const entries: (MenuEntry | false)[] = [
    edits && { id: "incident", icon: "plus", word: "Create incident", act: () => go("incidents", "new") },
    edits && { id: "settings", icon: "edit", word: "Settings", act: () => go("settings") },
    edits && page.status !== "published" && {
      id: "publish", icon: "globe", word: "Publish", act: () => publish.mutate({ page, status: "published" }),
    },
    edits && page.status === "archived" && {
      id: "draft", icon: "edit", word: "Make it a draft", act: () => publish.mutate({ page, status: "draft" }),
    },
    edits && page.status !== "archived" && { id: "archive", icon: "stop", word: "Archive", act: () => ask("archive") },
    { id: "copy", icon: "copy", word: "Copy id", act: () => copyId(page.id) },
    hasRole(project.role, "project_admin") && { id: "delete", icon: "trash", word: "Delete", act: () => ask("delete") },
  ];
  return (
    <ActionMenu
      label={`More for ${page.name}`} small={small}
      entries={entries.filter((one): one is MenuEntry => one !== false && !without.includes(one.id))}
    />
  );
}
