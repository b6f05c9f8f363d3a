import type { PublicClient, PublicSchemas } from "../../../../api/client";
import { WHOLE, take, takeWithHeaders } from "../../api/services";
import { list } from "../project_queries";

export type Monitor = PublicSchemas["Monitor"];
export type MonitorType = PublicSchemas["MonitorType"];
export type MonitorStatus = PublicSchemas["MonitorStatus"];
export type MonitorResult = PublicSchemas["MonitorResult"];
export type MonitorStats = PublicSchemas["MonitorStats"];
export type ResultStatus = PublicSchemas["ResultStatus"];
export type SeriesPart = PublicSchemas["SeriesPart"];
export type StatsPeriod = PublicSchemas["StatsPeriod"];
export type Outage = PublicSchemas["Outage"];
export type Certificate = PublicSchemas["SslCertificate"];

type RequestHeaders = Record<string, string>;

export interface MonitorsQuery {
  status?: MonitorStatus;
  type?: MonitorType;
  tag?: string;
  search?: string;
  deleted?: boolean;
  sort?: "-createdAt" | "name" | "status";
  page?: number;
  cursor?: string;
}

export const readMonitors = (api: PublicClient, query: MonitorsQuery, headers: RequestHeaders, signal: AbortSignal, limit = 50) =>
  list<Monitor>(api.GET("/api/monitors", { params: { query: { limit, ...query } }, headers, signal }));

export const RECENT = 10;

export const readMonitor = (api: PublicClient, id: string, headers: RequestHeaders, signal?: AbortSignal) =>
  take(api.GET("/api/monitors/{id}", { params: { path: { id }, query: { recentResults: RECENT } }, headers, signal }));

/** Returns the monitor with its ETag, for a form that saves it. */
export async function readForEdit(api: PublicClient, id: string, signal?: AbortSignal): Promise<{ monitor: Monitor; etag: string }> {
  const answer = api.GET("/api/monitors/{id}", { params: { path: { id } }, headers: WHOLE, signal });
  const { data, headers } = await takeWithHeaders<Monitor>(answer);
  return { monitor: data, etag: headers.get("ETag") ?? "" };
}

export const readStats = (api: PublicClient, id: string, period: StatsPeriod, headers: RequestHeaders, signal: AbortSignal) =>
  take(api.GET("/api/monitors/{id}/stats", { params: { path: { id }, query: { period } }, headers, signal }));

export interface SeriesQuery {
  resolution: "hour" | "day";
  from: string;
}

export const readSeries = (api: PublicClient, id: string, query: SeriesQuery, headers: RequestHeaders, signal: AbortSignal) =>
  take(api.GET("/api/monitors/{id}/series", { params: { path: { id }, query }, headers, signal }));

export interface ResultsQuery {
  status?: ResultStatus;
  from?: string;
  to?: string;
  page?: number;
  cursor?: string;
}

export const readResults = (
  api: PublicClient, id: string, query: ResultsQuery, headers: RequestHeaders, signal: AbortSignal, limit = 50,
) => list<MonitorResult>(api.GET("/api/monitors/{id}/results", { params: { path: { id }, query: { limit, ...query } }, headers, signal }));

export interface OutagesQuery {
  open?: boolean;
  from?: string;
  to?: string;
  page?: number;
  cursor?: string;
}

export const readOutages = (
  api: PublicClient, id: string, query: OutagesQuery, headers: RequestHeaders, signal: AbortSignal, limit = 50,
) => list<Outage>(api.GET("/api/monitors/{id}/outages", { params: { path: { id }, query: { limit, ...query } }, headers, signal }));
