import type { ListPage } from "./list_foot";
import type { PageState } from "./url_state";
import { pageOf } from "./url_state";

export interface Found<T> {
  rows: T[];
  /** True if the list has more matching rows than these. */
  more: boolean;
}

// A list with more rows than this is asked for a longer word.
export const MOST_PAGES = 50;

/**
 * Returns the first `most` rows that match, for lists that the service cannot search: it reads page after page until it has
 * them. A row of any page can be found.
 */
export async function searchPages<T>(
  read: (page: PageState) => Promise<ListPage<T>>, matches: (row: T) => boolean, most: number, pages = MOST_PAGES,
): Promise<Found<T>> {
  const rows: T[] = [];
  let place: PageState = {};
  for (let number = 0; number < pages; number++) {
    const page = await read(place);
    for (const row of page.rows) {
      if (!matches(row)) continue;
      if (rows.length === most) return { rows, more: true };
      rows.push(row);
    }
    if (!page.next) return { rows, more: false };
    place = pageOf(page.next);
  }
  return { rows, more: true };
}

/** A search for known rows reads no more pages than this, because some of the rows may be gone. */
const FEW_PAGES = 10;

/** Returns the rows with these ids. The search ends when at most `missing` of them are not found, and after `pages` pages. */
export async function findRows<T extends { id: string }>(
  read: (page: PageState) => Promise<ListPage<T>>, ids: readonly string[], { pages = FEW_PAGES, missing = 0 } = {},
): Promise<T[]> {
  const wanted = new Set(ids);
  const rows: T[] = [];
  let place: PageState | undefined = {};
  for (let number = 0; place && number < pages && wanted.size > missing; number++) {
    const page: ListPage<T> = await read(place);
    rows.push(...page.rows.filter((one) => wanted.delete(one.id)));
    place = page.next && pageOf(page.next);
  }
  return rows;
}

/** True if each word of the query is part of one of the texts. */
export function hasWords(query: string, ...texts: (string | null | undefined)[]): boolean {
  const whole = texts.filter(Boolean).join(" ").toLowerCase();
  return query.toLowerCase().split(/\s+/).every((word) => whole.includes(word));
}
