import type { Difference } from "./conflict";

/** The version that an edit started from, the one that is stored now, and the own one. */
export interface Versions<Body> {
  base: Body;
  saved: Body;
  mine: Body;
}

/** True if both have the same JSON text. */
export const same = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right);

/** Returns the members whose saved version is not the own one, in the order of their words. */
export function differencesBetween<Body extends object, Field extends keyof Body & string>(
  words: Record<Field, string>, { base, saved, mine }: Versions<Body>, textOf: (field: Field, body: Body) => string,
): Difference<Field>[] {
  return (Object.keys(words) as Field[])
    .filter((field) => !same(saved[field], mine[field]))
    .map((field) => ({
      field, word: words[field], saved: textOf(field, saved), mine: textOf(field, mine),
      start: same(base[field], mine[field]) ? "saved" : "mine",
    }));
}

/** Returns the members that differ: the merge patch that makes `after` of `before`. A member that is undefined in `after` stays. */
export function changesBetween<Body extends object>(before: Body, after: Body): Partial<Body> {
  const changed = Object.entries(after)
    .filter(([name, value]) => value !== undefined && !same((before as Record<string, unknown>)[name], value));
  return Object.fromEntries(changed) as Partial<Body>;
}
