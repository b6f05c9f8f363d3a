import type { DashboardSchemas } from "../../../../api/client";
import { BACKGROUND, WHOLE, projectClient, take } from "../../api/services";

export type Overview = DashboardSchemas["Overview"];
export type OverviewJob = DashboardSchemas["OverviewJob"];
export type OverviewHour = DashboardSchemas["OverviewHour"];

/** Milliseconds; each worker of the service repeats an overview for 5 s. */
export const SETTLE = 5_500;

export const overviewKey = (project: string) => [project, "overview"] as const;

/** Reads the overview as a whole, because its ETag leaves out its times. The sidebar reads it too, so it never prolongs a session. */
export const readOverview = (project: string, signal?: AbortSignal): Promise<Overview> =>
  take(projectClient(project).GET("/dashboard/v1/overview", { headers: { ...BACKGROUND, ...WHOLE }, signal }));

export const overviewQuery = (project: string) => ({
  queryKey: overviewKey(project),
  queryFn: ({ signal }: { signal: AbortSignal }) => readOverview(project, signal),
});
