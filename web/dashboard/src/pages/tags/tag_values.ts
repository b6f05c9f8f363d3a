import type { Difference } from "../../parts/conflict";
import { type Versions, differencesBetween } from "../../parts/differences";
import type { ListPage } from "../../parts/list_foot";
import { hasWords } from "../../parts/search_pages";
import type { Tag, TagUse } from "./tag_queries";

export const MOST_TAGS_OF_PROJECT = 200;
export const SHOWN_TAGS = 100;

export interface TagBody {
  name: string;
  color: string;
}

export type TagField = keyof TagBody;

export const NEW_TAG: TagBody = { name: "", color: "#808080" };

const WORDS: Record<TagField, string> = { name: "Name", color: "Colour" };

export const bodyOf = ({ name, color }: TagBody): TagBody => ({ name: name.trim(), color });

/** Returns what is wrong with a name, or undefined. The service checks it again. */
export function nameError(name: string): string | undefined {
  if (/^[A-Za-z0-9_-]{1,40}$/.test(name.trim())) return undefined;
  return "Enter 1 to 40 letters, digits, underscores or hyphens.";
}

export const differencesOf = (versions: Versions<TagBody>): Difference<TagField>[] =>
  differencesBetween(WORDS, versions, (field, body) => body[field]);

/** Returns the rows of one page of the tags that have these words, with places of its neighbours. */
export function pageOfTags(tags: readonly Tag[], words: string | undefined, page = 1): ListPage<Tag> {
  const found = words ? tags.filter((tag) => hasWords(words, tag.name)) : tags;
  const start = (page - 1) * SHOWN_TAGS;
  const more = start + SHOWN_TAGS < found.length;
  return {
    rows: found.slice(start, start + SHOWN_TAGS),
    pagination: { total: found.length, page, limit: SHOWN_TAGS },
    ...(more ? { next: { page: String(page + 1) } } : {}),
    ...(page > 1 ? { previous: page > 2 ? { page: String(page - 1) } : {} } : {}),
  };
}

/** Returns `1 test loses it: smoke.`, or undefined if there are none. */
export function usersText(thing: string, { names, total }: TagUse): string | undefined {
  if (total === 0) return undefined;
  const rest = total - names.length;
  const all = rest > 0 ? `${names.join(", ")} and ${rest} more` : names.join(", ");
  return `${total === 1 ? `1 ${thing} loses it` : `${total} ${thing}s lose it`}: ${all}.`;
}
