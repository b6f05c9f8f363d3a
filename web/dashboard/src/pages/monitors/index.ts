export { default as MonitorsPage } from "./monitors_page";
export { default as MonitorPage } from "./monitor_page";
export { default as MonitorResultsPage } from "./results_page";
export { default as MonitorOutagesPage } from "./monitor_outages_page";
export { default as NewMonitorPage } from "./form/new_monitor_page";
export { default as EditMonitorPage } from "./form/edit_monitor_page";
