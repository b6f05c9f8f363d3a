/**
 * Pages that load after the first one, and what opens over a page, whose library is a third of all script. They are one file: many
 * small groups would make many shared pieces to load before any page.
 */
export * from "./account";
export { MenuList } from "../parts/menu_list";
export * from "./alerts";
export { default as GoPage } from "./go_page";
export * from "./jobs/edit";
export { readChosenTests } from "./jobs/edit/test_choices";
export { default as FirstSteps } from "./jobs/start/first_steps";
export * from "./maintenance";
export * from "./monitors";
export * from "./organization";
export * from "./outages";
export * from "./project_settings";
export * from "./providers";
export { default as ReferencePage } from "./reference/reference_page";
export { default as JobFilter } from "./runs/job_filter";
export { default as RunPage } from "./runs/run_page";
export { KeyList } from "./shell/key_list";
export { default as Palette } from "./shell/palette";
export { SideMenu } from "./shell/side_menu";
export { default as SignInDialog } from "./sign_in/sign_in_dialog";
export * from "./status_pages";
export * from "./tags";
export * from "./tests";
export * from "./tokens";
export * from "./trigger_keys";
export * from "./usage";
export * from "./variables";
