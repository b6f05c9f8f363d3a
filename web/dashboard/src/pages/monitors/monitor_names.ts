import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { PublicClient } from "../../../../api/client";
import { isAbsent } from "../../api/errors";
import { BACKGROUND } from "../../api/services";
import { type Found, findRows, searchPages } from "../../parts/search_pages";
import { type Choice, SHOWN } from "../../parts/search_select";
import { useProject } from "../project_context";
import { type Monitor, readMonitor, readMonitors } from "./monitor_queries";

const PAGE = 100;
const MOST_PAGES = 10;
/** Names that are read one by one; more of them come with the pages of the list. */
const FEW = 10;

const readPage = (api: PublicClient, words: string | undefined, place: { page?: number; cursor?: string }, signal: AbortSignal) =>
  readMonitors(api, { ...(words ? { search: words } : {}), sort: "name", ...place }, BACKGROUND, signal, PAGE);

/** Finds monitors by words of their names or targets, without those that are chosen already. */
export async function searchMonitors(
  api: PublicClient, present: ReadonlySet<string>, words: string, signal: AbortSignal,
): Promise<Found<Choice>> {
  const found = await searchPages((place) => readPage(api, words, place, signal), (one) => !present.has(one.id), SHOWN, MOST_PAGES);
  return { ...found, rows: found.rows.map(({ id, name, target }) => ({ id, word: name, ...(target ? { note: target } : {}) })) };
}

/** Returns the names of these monitors. One that was purged has none; a deleted one has its name if few are asked for. */
export async function readMonitorNames(api: PublicClient, ids: readonly string[], signal: AbortSignal): Promise<Map<string, string>> {
  const nameOf = ({ id, name }: Pick<Monitor, "id" | "name">): [string, string] => [id, name];
  if (ids.length <= FEW) {
    const answers = await Promise.allSettled(ids.map((id) => readMonitor(api, id, BACKGROUND, signal)));
    const failed = answers.find((one) => one.status === "rejected" && !isAbsent(one.reason));
    if (failed?.status === "rejected") throw failed.reason;
    return new Map(answers.flatMap((one) => (one.status === "fulfilled" ? [nameOf(one.value)] : [])));
  }
  const rows = await findRows((place) => readPage(api, undefined, place, signal), ids, { pages: MOST_PAGES });
  return new Map(rows.map(nameOf));
}

/** Returns the name of a monitor by its id, of one of these. Until it is read, it is a part of the id. */
export function useMonitorNames(ids: readonly string[]): (id: string) => string {
  const { api, key } = useProject();
  const sorted = [...new Set(ids)].sort();
  const names = useQuery({
    queryKey: [key, "monitor-names", sorted.join()], enabled: sorted.length > 0, staleTime: 60_000, placeholderData: keepPreviousData,
    queryFn: ({ signal }) => readMonitorNames(api, sorted, signal),
  });
  return (id) => names.data?.get(id) ?? `Monitor ${id.slice(0, 8)}`;
}
