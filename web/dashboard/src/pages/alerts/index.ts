export { default as AlertsPage } from "./alerts_page";
