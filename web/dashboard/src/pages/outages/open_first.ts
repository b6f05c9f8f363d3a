import type { DashboardSchemas } from "../../../../api/client";

export type ProjectOutage = DashboardSchemas["ProjectOutage"];

/** Returns the open outages of a page before the others; each group stays in the order of the service. */
export function openFirst<T extends Pick<ProjectOutage, "endedAt">>(rows: readonly T[]): T[] {
  return [...rows.filter((one) => !one.endedAt), ...rows.filter((one) => one.endedAt)];
}
