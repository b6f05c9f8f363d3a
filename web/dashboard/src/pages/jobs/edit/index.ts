export { default as EditJobPage } from "./edit_job_page";
export { default as NewJobPage } from "./new_job_page";
