export { default as OverviewPage } from "./overview_page";
