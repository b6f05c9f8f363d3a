import type { PublicClient, PublicSchemas } from "../../../../api/client";
import { WHOLE, take, takeWithHeaders } from "../../api/services";
import type { ListPage } from "../../parts/list_foot";
import { list } from "../project_queries";

export type MaintenanceWindow = PublicSchemas["MaintenanceWindow"];
export type WindowState = PublicSchemas["MaintenanceState"];

type RequestHeaders = Record<string, string>;

export interface WindowsQuery {
  state?: WindowState;
  monitorId?: string;
  page?: number;
  cursor?: string;
}

/** The most unfinished windows of a project, which is also the most rows of one page. */
export const MOST_UNFINISHED = 100;

export const readWindows = (
  api: PublicClient, query: WindowsQuery, headers: RequestHeaders, signal?: AbortSignal, limit = MOST_UNFINISHED,
): Promise<ListPage<MaintenanceWindow>> =>
  list<MaintenanceWindow>(api.GET("/api/maintenance-windows", { params: { query: { limit, ...query } }, headers, signal }));

/** Returns the active windows, and those that are still to come. */
export async function readUnfinished(
  api: PublicClient, query: Pick<WindowsQuery, "monitorId">, headers: RequestHeaders, signal?: AbortSignal,
): Promise<MaintenanceWindow[]> {
  const pages = await Promise.all((["active", "scheduled"] as const).map((state) =>
    readWindows(api, { ...query, state }, headers, signal)));
  // A window that starts between both answers is in each of them.
  const rows = new Map(pages.flatMap((page) => page.rows).map((one) => [one.id, one]));
  return [...rows.values()];
}

export const readWindow = (api: PublicClient, id: string, headers: RequestHeaders, signal?: AbortSignal) =>
  take(api.GET("/api/maintenance-windows/{id}", { params: { path: { id } }, headers, signal }));

/** A window with the ETag of its version. */
export interface WindowVersion {
  window: MaintenanceWindow;
  etag: string;
}

/** Returns the window with its ETag, for an act that depends on what the reader has seen. */
export async function readWindowVersion(api: PublicClient, id: string, signal?: AbortSignal): Promise<WindowVersion> {
  const answer = api.GET("/api/maintenance-windows/{id}", { params: { path: { id } }, headers: WHOLE, signal });
  const { data, headers } = await takeWithHeaders<MaintenanceWindow>(answer);
  return { window: data, etag: headers.get("ETag") ?? "*" };
}
