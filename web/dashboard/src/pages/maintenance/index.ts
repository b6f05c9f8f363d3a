export { default as WindowsPage } from "./windows_page";
export { default as WindowPage } from "./window_page";
export { default as NewWindowPage } from "./new_window_page";
export { default as EditWindowPage } from "./edit_window_page";
