import { useQuery } from "@tanstack/react-query";
import type { PublicClient, PublicSchemas } from "../../../../api/client";
import { usePolled } from "../../api/use_polled";
import { WHOLE, take, takeWithHeaders } from "../../api/services";
import type { ListPage } from "../../parts/list_foot";
import type { PageState } from "../../parts/url_state";
import { useProject } from "../project_context";
import { list } from "../project_queries";

export type StatusPage = PublicSchemas["StatusPage"];
export type Publication = PublicSchemas["StatusPageStatus"];
export type Visibility = PublicSchemas["StatusPageVisibility"];
export type PageComponent = PublicSchemas["StatusPageComponent"];
export type ComponentStatus = PublicSchemas["ComponentStatus"];
export type Incident = PublicSchemas["Incident"];
export type IncidentStatus = PublicSchemas["IncidentStatus"];
export type IncidentUpdate = PublicSchemas["IncidentUpdate"];
export type Subscriber = PublicSchemas["StatusPageSubscriber"];

type RequestHeaders = Record<string, string>;

/** A thing with the ETag of its version. */
export interface Version<Thing> {
  thing: Thing;
  etag: string;
}

async function versionOf<Thing>(answer: Parameters<typeof takeWithHeaders<Thing>>[0]): Promise<Version<Thing>> {
  const { data, headers } = await takeWithHeaders<Thing>(answer);
  return { thing: data, etag: headers.get("ETag") ?? "*" };
}

/** Rows of one answer, which is also the most components of a page. */
export const MOST_ROWS = 100;

export interface PagesQuery extends PageState {
  status?: Publication;
  search?: string;
}

export const readPages = (api: PublicClient, query: PagesQuery, headers: RequestHeaders, signal?: AbortSignal, limit = MOST_ROWS) =>
  list<StatusPage>(api.GET("/api/status-pages", { params: { query: { limit, ...query } }, headers, signal }));

export const readPage = (api: PublicClient, id: string, headers: RequestHeaders, signal?: AbortSignal) =>
  take(api.GET("/api/status-pages/{id}", { params: { path: { id } }, headers, signal }));

/** Returns the page with its ETag, for an act that depends on what the reader has seen. */
export const readPageVersion = (api: PublicClient, id: string, signal?: AbortSignal): Promise<Version<StatusPage>> =>
  versionOf<StatusPage>(api.GET("/api/status-pages/{id}", { params: { path: { id } }, headers: WHOLE, signal }));

/** Returns all components of a page, in their order. */
export async function readComponents(
  api: PublicClient, id: string, headers: RequestHeaders, signal?: AbortSignal,
): Promise<PageComponent[]> {
  const answer = api.GET("/api/status-pages/{id}/components", { params: { path: { id }, query: { limit: MOST_ROWS } }, headers, signal });
  return (await list<PageComponent>(answer)).rows;
}

export const readComponentVersion = (api: PublicClient, id: string, componentId: string, signal?: AbortSignal) =>
  versionOf<PageComponent>(api.GET("/api/status-pages/{id}/components/{componentId}", {
    params: { path: { id, componentId } }, headers: WHOLE, signal,
  }));

export interface IncidentsQuery extends PageState {
  status?: IncidentStatus;
}

export const readIncidents = (
  api: PublicClient, id: string, query: IncidentsQuery, headers: RequestHeaders, signal?: AbortSignal, limit = MOST_ROWS,
): Promise<ListPage<Incident>> =>
  list<Incident>(api.GET("/api/status-pages/{id}/incidents", { params: { path: { id }, query: { limit, ...query } }, headers, signal }));

const OPEN = ["investigating", "identified", "monitoring"] as const;

/** Returns the incidents of a page that are not resolved, the newest start first. A page has at most 50 of them. */
export async function readOpenIncidents(
  api: PublicClient, id: string, headers: RequestHeaders, signal?: AbortSignal,
): Promise<Incident[]> {
  const pages = await Promise.all(OPEN.map((status) => readIncidents(api, id, { status }, headers, signal)));
  // An incident whose status changes between the answers may be in two of them.
  const rows = new Map(pages.flatMap((page) => page.rows).map((one) => [one.id, one]));
  return [...rows.values()].sort((a, b) => Date.parse(b.startedAt) - Date.parse(a.startedAt));
}

export const readIncident = (api: PublicClient, id: string, incidentId: string, headers: RequestHeaders, signal?: AbortSignal) =>
  take(api.GET("/api/status-pages/{id}/incidents/{incidentId}", { params: { path: { id, incidentId } }, headers, signal }));

export const readIncidentVersion = (api: PublicClient, id: string, incidentId: string, signal?: AbortSignal) =>
  versionOf<Incident>(api.GET("/api/status-pages/{id}/incidents/{incidentId}", {
    params: { path: { id, incidentId } }, headers: WHOLE, signal,
  }));

export const readSubscribers = (
  api: PublicClient, id: string, place: PageState, headers: RequestHeaders, signal?: AbortSignal, limit = MOST_ROWS,
): Promise<ListPage<Subscriber>> =>
  list<Subscriber>(api.GET("/api/status-pages/{id}/subscribers", {
    params: { path: { id }, query: { limit, ...place } }, headers: { ...headers, ...WHOLE }, signal,
  }));

/** The status pages of the project, for choices and names. */
export function useStatusPages(enabled = true) {
  const { api, key } = useProject();
  return useQuery({
    queryKey: [key, "status-pages", "choice"], enabled, staleTime: 60_000,
    queryFn: async ({ signal }) => (await readPages(api, {}, {}, signal)).rows,
  });
}

/** The page as it is now. Its evidence changes with each check, so it is polled. */
export function usePage(id: string) {
  const { api, key } = useProject();
  return usePolled({ key: [key, "status-pages", "one", id], read: (headers, signal) => readPage(api, id, headers, signal) });
}

/** The components of a page with their statuses. */
export function useComponents(id: string) {
  const { api, key } = useProject();
  return usePolled({
    key: [key, "status-pages", "components", id], read: (headers, signal) => readComponents(api, id, headers, signal),
  });
}
