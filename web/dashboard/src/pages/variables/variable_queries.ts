import type { PublicClient, PublicSchemas } from "../../../../api/client";
import { WHOLE, takeWithHeaders } from "../../api/services";
import type { ListPage } from "../../parts/list_foot";
import { hasWords, searchPages } from "../../parts/search_pages";
import type { PageState } from "../../parts/url_state";
import { readMonitors } from "../monitors/monitor_queries";
import { list } from "../project_queries";
import { refersTo } from "./variable_values";

export type Variable = PublicSchemas["Variable"];

type RequestHeaders = Record<string, string>;

export const PAGE = 100;

const readPage = (api: PublicClient, place: PageState, headers: RequestHeaders, signal: AbortSignal) =>
  list<Variable>(api.GET("/api/variables", { params: { query: { limit: PAGE, ...place } }, headers, signal }));

/** Returns one page of the variables; with words the first ones of all pages whose name or description has them. */
export async function readVariables(
  api: PublicClient, { search, ...place }: PageState & { search?: string }, headers: RequestHeaders, signal: AbortSignal,
): Promise<ListPage<Variable>> {
  if (!search) return readPage(api, place, headers, signal);
  const { rows, more } = await searchPages(
    (next) => readPage(api, next, headers, signal), (one) => hasWords(search, one.key, one.description), PAGE,
  );
  return { rows, pagination: { total: rows.length, totalIsEstimate: more, page: 1, limit: PAGE } };
}

/** A variable with the ETag of its version. */
export interface VariableVersion {
  variable: Variable;
  etag: string;
}

export async function readVariable(api: PublicClient, id: string, signal?: AbortSignal): Promise<VariableVersion> {
  const answer = api.GET("/api/variables/{id}", { params: { path: { id } }, headers: WHOLE, signal });
  const { data, headers } = await takeWithHeaders<Variable>(answer);
  return { variable: data, etag: headers.get("ETag") ?? "*" };
}

const NAMED = 20;

/** Returns the first monitors whose readable settings refer to the variable. */
export const readUsers = (api: PublicClient, key: string, signal: AbortSignal) =>
  searchPages(
    (place) => readMonitors(api, place, {}, signal, 100),
    ({ target, config }) => refersTo(`${target ?? ""} ${JSON.stringify(config)}`, key), NAMED,
  );
