/** The state of a view in the query of its address. Values that are not allowed count as absent. */

export type Query = Record<string, string>;

/** Parses a query; the last one of repeated names counts. */
export function parseQuery(text: string): Query {
  const query: Query = {};
  for (const [name, value] of new URLSearchParams(text)) if (value !== "") query[name] = value;
  return query;
}

/** Returns `?a=1&b=2` in the order of names, or an empty text. Undefined and empty values are left out. */
export function queryText(query: Record<string, unknown>): string {
  const parameters = new URLSearchParams();
  for (const name of Object.keys(query).sort()) {
    const value = query[name];
    if (value !== undefined && value !== null && value !== "") parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text && `?${text}`;
}

/** Makes all members optional, so that links need not name those that they leave out. */
export const optional = <T extends object>(state: T): Partial<T> => state;

type Raw = Record<string, unknown>;

/** Returns the value if the list allows it. */
export function oneOf<T extends string>(raw: Raw, name: string, allowed: readonly T[]): T | undefined {
  return allowed.find((one) => one === raw[name]);
}

/** Returns a text of at most `most` characters without spaces around it. */
export function textOf(raw: Raw, name: string, most = 255): string | undefined {
  const value = raw[name];
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const text = String(value).trim();
  return text && text.length <= most ? text : undefined;
}

/** Returns a whole number from `least` to `most`. */
export function wholeOf(raw: Raw, name: string, least: number, most: number): number | undefined {
  const text = textOf(raw, name, 10);
  if (!text || !/^\d+$/.test(text)) return undefined;
  const value = Number(text);
  return value >= least && value <= most ? value : undefined;
}

/** Returns a day such as `2026-11-20`. */
export function dayOf(raw: Raw, name: string): string | undefined {
  const text = textOf(raw, name, 10);
  return text && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => UUID.test(text);

/** Returns an id. */
export function uuidOf(raw: Raw, name: string): string | undefined {
  const text = textOf(raw, name, 36);
  return text && isUuid(text) ? text.toLowerCase() : undefined;
}

export interface PageState {
  page?: number;
  cursor?: string;
}

/** Returns the place in a list; a page other than the first one needs the cursor of the link that led to it, where there is one. */
export function pageOf(raw: Raw): PageState {
  const state: PageState = {};
  const page = wholeOf(raw, "page", 2, 1_000_000);
  const cursor = textOf(raw, "cursor", 2048);
  if (page !== undefined) {
    state.page = page;
    if (cursor) state.cursor = cursor;
  }
  return state;
}

/** Returns the query parameters of a relation of a Link header (RFC 8288), or undefined. */
export function linkQuery(header: string | null, relation: string): Query | undefined {
  for (const found of (header ?? "").matchAll(/<([^>]*)>([^<]*)/g)) {
    if (!new RegExp(`;\\s*rel="?${relation}"?`).test(found[2]!)) continue;
    const at = found[1]!.indexOf("?");
    return parseQuery(at < 0 ? "" : found[1]!.slice(at + 1));
  }
  return undefined;
}

/** Returns a path of this application for the page after sign-in, or undefined. */
export function returnPath(value: string | null | undefined): string | undefined {
  if (!value || !value.startsWith("/app/") || value.includes("\\") || value.includes("//")) return undefined;
  return value.length <= 2048 ? value : undefined;
}
