import type { PublicClient, PublicSchemas } from "../../../../api/client";
import { take, takeWithHeaders } from "../../api/services";
import { list } from "../project_queries";
import type { TestType } from "./test_words";

export type Test = PublicSchemas["Test"];
export type Variable = PublicSchemas["Variable"];

type RequestHeaders = Record<string, string>;

export interface TestsQuery {
  type?: TestType;
  tagId?: string;
  search?: string;
  page?: number;
  cursor?: string;
}

export const readTests = (api: PublicClient, query: TestsQuery, headers: RequestHeaders, signal: AbortSignal, limit = 50) =>
  list<Test>(api.GET("/api/tests", { params: { query: { limit, ...query } }, headers, signal }));

const MOST_VARIABLES = 100;

/** Returns the first variables of the project, without the values of secrets, and whether there are more. */
export const readVariables = (api: PublicClient, signal: AbortSignal) =>
  list<Variable>(api.GET("/api/variables", { params: { query: { limit: MOST_VARIABLES } }, signal }));

/** One version of a test, with the ETag that names it. */
export interface TestVersion {
  test: Test;
  script: string;
  etag: string;
}

/** Reads a test with its script. */
export async function readVersion(api: PublicClient, id: string, signal?: AbortSignal): Promise<TestVersion> {
  const { data, headers } = await takeWithHeaders<Test>(api.GET("/api/tests/{id}", {
    params: { path: { id }, query: { includeScript: true } }, headers: { "Cache-Control": "no-cache" }, signal,
  }));
  return { test: data, script: data.script ?? "", etag: headers.get("ETag") ?? "*" };
}

/** Executes the saved version of a test. The key makes a repetition of the same request harmless. */
export const executeTest = (api: PublicClient, id: string, key: string) =>
  take(api.POST("/api/tests/{id}/execute", { params: { path: { id }, header: { "Idempotency-Key": key } } }));
