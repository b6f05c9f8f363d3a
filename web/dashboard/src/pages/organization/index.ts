export { default as OrganizationLayout } from "./organization_layout";
export { default as AuditPage } from "./audit_page";
export { default as MembersPage } from "./members_page";
export { default as InvitationsPage } from "./invitations_page";
export { default as NewInvitationPage } from "./new_invitation_page";
export { default as ProjectsPage } from "./projects_page";
export { default as NewProjectPage } from "./new_project_page";
export { default as SettingsPage } from "./settings_page";
export { NewOrganizationRunnerTokenPage, OrganizationRunnersPage } from "./organization_runners";
