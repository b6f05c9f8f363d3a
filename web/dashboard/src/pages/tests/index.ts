export { default as TestsPage } from "./tests_page";
export { default as TestPage } from "./test_page";
export { default as NewTestPage } from "./new_test_page";
