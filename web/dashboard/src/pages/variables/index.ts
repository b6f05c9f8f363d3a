export { default as EditVariablePage } from "./edit_variable_page";
export { default as NewVariablePage } from "./new_variable_page";
export { default as VariablesPage } from "./variables_page";
