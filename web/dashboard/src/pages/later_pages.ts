/** Pages that load after the first one, as one file: many small groups would make many shared pieces to load before any page. */
export * from "./account";
export * from "./alerts";
export { default as GoPage } from "./go_page";
export * from "./jobs/edit";
export { default as FirstSteps } from "./jobs/start/first_steps";
export * from "./monitors";
export * from "./organization";
export * from "./outages";
export * from "./overview";
export * from "./project_settings";
export * from "./providers";
export { default as JobFilter } from "./runs/job_filter";
export { default as RunPage } from "./runs/run_page";
export * from "./tokens";
export * from "./trigger_keys";
export * from "./usage";
