export { default as OutagesPage } from "./outages_page";
