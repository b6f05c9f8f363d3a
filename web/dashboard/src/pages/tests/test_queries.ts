import type { PublicClient, PublicSchemas } from "../../../../api/client";
import { WHOLE, take, takeWithHeaders } from "../../api/services";
import { list } from "../project_queries";
import type { TestType } from "./test_words";

export type Test = PublicSchemas["Test"];

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

/** One version of a test, with the ETag that names it. */
export interface TestVersion {
  test: Test;
  script: string;
  etag: string;
}

/** Reads a test with its script. */
export async function readVersion(api: PublicClient, id: string, signal?: AbortSignal): Promise<TestVersion> {
  const { data, headers } = await takeWithHeaders<Test>(api.GET("/api/tests/{id}", {
    params: { path: { id }, query: { includeScript: true } }, headers: WHOLE, signal,
  }));
  return { test: data, script: data.script ?? "", etag: headers.get("ETag") ?? "*" };
}

/** Executes the saved version of a test. The key makes a repetition of the same request harmless. */
export const executeTest = (api: PublicClient, id: string, key: string) =>
  take(api.POST("/api/tests/{id}/execute", { params: { path: { id }, header: { "Idempotency-Key": key } } }));
