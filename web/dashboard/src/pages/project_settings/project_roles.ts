import type { DashboardSchemas } from "../../../../api/client";

export type ProjectMember = DashboardSchemas["ProjectMember"];
export type Role = ProjectMember["role"];

export const ROLES: readonly (readonly [Role, string])[] = [
  ["project_viewer", "Viewer"], ["project_editor", "Editor"], ["project_admin", "Administrator"],
];
