import type { PublicClient, PublicSchemas } from "../../../../../api/client";
import { isAbsent } from "../../../api/errors";
import { BACKGROUND, take } from "../../../api/services";
import { type Found, findRows, searchPages } from "../../../parts/search_pages";
import { type Choice, SHOWN } from "../../../parts/search_select";
import { list } from "../../project_queries";

type Test = PublicSchemas["Test"];

export const TOOLS: Record<Test["type"], string> = {
  browser: "playwright", api: "playwright", database: "playwright", custom: "playwright", performance: "k6", command: "command",
};

const TYPES: Record<string, string> = {
  playwright: "a browser, API, database or custom test", k6: "a performance test", command: "a command test",
};

/** Returns which tests a job of this type can have, in words. */
export const testsOfType = (jobType: string): string => TYPES[jobType] ?? "a test of its type";

const PAGE = 100;
const MOST_PAGES = 10;
/** Tests that are read one by one; more of them come with the pages of the list. */
const FEW = 10;

const readTests = (api: PublicClient, query: { search?: string; page?: number; cursor?: string }, signal: AbortSignal) =>
  list<Test>(api.GET("/api/tests", { params: { query: { limit: PAGE, ...query } }, headers: BACKGROUND, signal }));

const choiceOf = (one: Test): Choice => ({ id: one.id, word: one.title, note: one.type });

/** Finds tests by words of their titles, of the types that fit the job, without those that it has. */
export async function searchTests(
  api: PublicClient, jobType: string, present: ReadonlySet<string>, words: string, signal: AbortSignal,
): Promise<Found<Choice>> {
  const found = await searchPages(
    (place) => readTests(api, { ...(words ? { search: words } : {}), ...place }, signal),
    (one) => TOOLS[one.type] === jobType && !present.has(one.id), SHOWN, MOST_PAGES,
  );
  return { ...found, rows: found.rows.map(choiceOf) };
}

/**
 * Returns the titles and types of these tests. Most of them come with pages of the list, and the last few one by one. A deleted test
 * has no title, nor has one beyond the pages that a search reads.
 */
export async function readChosenTests(api: PublicClient, ids: readonly string[], signal: AbortSignal): Promise<Choice[]> {
  if (!ids.length) return [];
  // A page is one request, so it comes first also for a few tests.
  const rows = await findRows((place) => readTests(api, place, signal), ids, {
    pages: MOST_PAGES, missing: Math.min(FEW, ids.length - 1),
  });
  const known = new Map(rows.map((one) => [one.id, one]));
  const missing = ids.filter((id) => !known.has(id));
  const read = (id: string) => take(api.GET("/api/tests/{id}", { params: { path: { id } }, headers: BACKGROUND, signal }));
  const others = await Promise.allSettled(missing.length <= FEW ? missing.map(read) : []);
  for (const one of others) {
    if (one.status === "fulfilled") known.set(one.value.id, one.value);
    else if (!isAbsent(one.reason)) throw one.reason;
  }
  return ids.flatMap((id) => {
    const one = known.get(id);
    return one ? [choiceOf(one)] : [];
  });
}
