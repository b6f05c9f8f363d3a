import { ApiError } from "../../api/errors";

/** Returns the jobs that a refusal names: pointers such as `/jobs/{id}` with the jobs' names. */
export function jobsUsing(error: Error | null): { id: string; name: string }[] {
  if (!(error instanceof ApiError) || error.code !== "test_in_use") return [];
  return error.details.filter((one) => one.field.startsWith("/jobs/"))
    .map((one) => ({ id: one.field.slice("/jobs/".length), name: one.message }));
}
