import type { PublicClient, PublicSchemas } from "../../../api/client";
import { WHOLE, publicClient, take, takeWithHeaders } from "../api/services";
import type { PolledRead } from "../api/use_polled";
import type { ListPage, Pagination } from "../parts/list_foot";
import { linkQuery } from "../parts/url_state";

export type Job = PublicSchemas["Job"];
export type Run = PublicSchemas["Run"];
export type CliToken = PublicSchemas["CliToken"];
export type TriggerKey = PublicSchemas["TriggerKey"];
export type JobStatus = PublicSchemas["JobStatus"];
export type RunStatus = PublicSchemas["RunStatus"];
export type RunTrigger = PublicSchemas["RunTrigger"];

type Headers_ = Record<string, string>;

interface Envelope<T> {
  data: T[];
  pagination: Pagination;
}

export async function list<T>(answer: Parameters<typeof takeWithHeaders<Envelope<T>>>[0]): Promise<ListPage<T>> {
  const { data, headers } = await takeWithHeaders<Envelope<T>>(answer);
  const link = headers.get("Link");
  return { rows: data.data, pagination: data.pagination, next: linkQuery(link, "next"), previous: linkQuery(link, "prev") };
}

export interface JobsQuery {
  status?: JobStatus;
  search?: string;
  sort?: "-createdAt" | "createdAt" | "name" | "-name";
  page?: number;
  cursor?: string;
}

export const readJobs = (api: PublicClient, query: JobsQuery, headers: Headers_, signal: AbortSignal, limit = 50) =>
  list<Job>(api.GET("/api/jobs", { params: { query: { limit, ...query } }, headers, signal }));

/** The jobs of a project as their page shows them. */
export const jobsRead = (project: string, query: JobsQuery): PolledRead<ListPage<Job>> => ({
  key: [project, "jobs", query],
  read: (headers, signal) => readJobs(publicClient(project), { ...query, sort: query.sort ?? "name" }, headers, signal),
});

export interface RunsQuery {
  jobId?: string;
  status?: RunStatus;
  trigger?: RunTrigger;
  from?: string;
  to?: string;
  page?: number;
  cursor?: string;
}

export const readRuns = (api: PublicClient, query: RunsQuery, headers: Headers_, signal: AbortSignal, limit = 50) =>
  list<Run>(api.GET("/api/runs", { params: { query: { limit, ...query } }, headers, signal }));

/** The runs of a project as their page shows them. */
export const runsRead = (project: string, query: RunsQuery): PolledRead<ListPage<Run>> => ({
  key: [project, "runs", query],
  read: (headers, signal) => readRuns(publicClient(project), query, headers, signal),
});

export const readTokens = (api: PublicClient, page: { page?: number; cursor?: string }, headers: Headers_, signal: AbortSignal) =>
  list<CliToken>(api.GET("/api/cli-tokens", { params: { query: { limit: 100, ...page } }, headers: { ...headers, ...WHOLE }, signal }));

export const readTriggerKeys = (api: PublicClient, jobId: string, headers: Headers_, signal: AbortSignal) =>
  list<TriggerKey>(api.GET("/api/jobs/{id}/trigger-keys", {
    params: { path: { id: jobId }, query: { limit: 100 } }, headers: { ...headers, ...WHOLE }, signal,
  }));

export const readJob = (api: PublicClient, id: string, headers: Headers_, signal?: AbortSignal) =>
  take(api.GET("/api/jobs/{id}", { params: { path: { id } }, headers, signal }));

export const readRun = (api: PublicClient, id: string, headers: Headers_, signal?: AbortSignal) =>
  take(api.GET("/api/runs/{id}", { params: { path: { id } }, headers, signal }));

/** Starts a run. The key makes a repetition of the same request harmless. */
export const triggerJob = (api: PublicClient, id: string, parameters: Record<string, string>, key: string) =>
  take(api.POST("/api/jobs/{id}/trigger", {
    params: { path: { id }, header: { "Idempotency-Key": key } },
    body: Object.keys(parameters).length ? { parameters } : {},
  }));

/** Returns a new key for one act of the user. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
