export { default as UsagePage } from "./usage_page";
