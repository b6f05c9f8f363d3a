import type { DashboardSchemas } from "../../../../api/client";
import { BACKGROUND, WHOLE, projectClient, take } from "../../api/services";
import { type PolledRead, queryOf } from "../../api/use_polled";
import type { ListPage } from "../../parts/list_foot";
import type { ProjectOutage } from "../outages/open_first";
import { list } from "../project_queries";

export type Overview = DashboardSchemas["Overview"];
export type OverviewJob = DashboardSchemas["OverviewJob"];
export type OverviewHour = DashboardSchemas["OverviewHour"];

/** The most outages that the overview names. */
const SHOWN_OUTAGES = 5;

/** Milliseconds; each worker of the service repeats an overview for 5 s. */
export const SETTLE = 5_500;

export const overviewKey = (project: string) => [project, "overview"] as const;

/** Reads the overview as a whole, because its ETag leaves out its times. The sidebar reads it too, so it never prolongs a session. */
export const overviewRead = (project: string): PolledRead<Overview> => ({
  key: overviewKey(project),
  read: (_, signal) =>
    take(projectClient(project).GET("/dashboard/v1/overview", { headers: { ...BACKGROUND, ...WHOLE }, signal })),
});

export const overviewQuery = (project: string) => queryOf(overviewRead(project));

/** The open outages that the overview names. */
export function openOutagesRead(project: string): PolledRead<ListPage<ProjectOutage>> {
  const query = { open: true, limit: SHOWN_OUTAGES };
  return {
    key: [project, "outages", query],
    read: (headers, signal) =>
      list<ProjectOutage>(projectClient(project).GET("/dashboard/v1/outages", { params: { query }, headers, signal })),
  };
}
