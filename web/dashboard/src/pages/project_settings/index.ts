export { default as ProjectAuditPage } from "./project_audit_page";
export { default as ProjectMembersPage } from "./project_members_page";
export { default as ProjectSettingsPage } from "./project_settings_page";
export { NewProjectRunnerTokenPage, ProjectRunnersPage } from "./project_runners";
