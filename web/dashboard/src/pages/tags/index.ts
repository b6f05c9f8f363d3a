export { default as TagsPage } from "./tags_page";
