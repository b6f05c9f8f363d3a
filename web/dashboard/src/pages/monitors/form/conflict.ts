import type { Difference } from "../../../parts/conflict";
import { same } from "../../../parts/differences";
import { type Json, type JsonObject, isObject, mergePatch, pointersOf, removeAt, setAt, valueAt } from "./merge_patch";
import { isSecret } from "./secrets";
import { MASK } from "./values";

const LONGEST = 200;
/** Lists of ids, which a conflict shows as names. */
const LISTS_OF_IDS: ReadonlySet<string> = new Set(["/alertConfig/notificationProviders", "/dependsOn"]);

/** Names of things by their ids, such as of notification providers and monitors. */
export type NameOf = (id: string) => string;

/** Returns a value as a conflict shows it; what may be a secret stays out of sight. */
export function shownValue(pointer: string, value: Json | undefined, nameOf: NameOf = (id) => id): string {
  if (value === undefined) return "not set";
  if (isSecret(pointer)) return value === MASK ? "the stored secret" : "a new secret";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (isObject(value)) {
    return Object.entries(value).map(([name, one]) => `${name}: ${shownValue(`${pointer}/${name}`, one, nameOf)}`).join("\n") || "empty";
  }
  const ids = LISTS_OF_IDS.has(pointer) && Array.isArray(value) ? value.map((id) => nameOf(String(id))) : undefined;
  const text = ids?.join(", ") ?? (typeof value === "string" ? value : JSON.stringify(value));
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/**
 * Returns the fields, by JSON pointer, whose saved version is not the own one: those that another person or this form has changed
 * since the form was opened. `base` is the version that the edit started from.
 */
export function differencesOf(
  base: JsonObject, saved: JsonObject, own: JsonObject, wordOf: (pointer: string) => string, nameOf?: NameOf,
): Difference[] {
  const mine = new Set(pointersOf(mergePatch(base, own)));
  return [...new Set([...pointersOf(mergePatch(base, saved)), ...mine])]
    .filter((pointer) => !same(valueAt(saved, pointer), valueAt(own, pointer)))
    .map((pointer) => ({
      field: pointer, word: wordOf(pointer), saved: shownValue(pointer, valueAt(saved, pointer), nameOf),
      mine: shownValue(pointer, valueAt(own, pointer), nameOf), start: mine.has(pointer) ? "mine" : "saved",
    }));
}

/** Returns the saved version with the own one of those fields that differ and are not among `given`. */
export function withOwn(saved: JsonObject, own: JsonObject, differences: readonly Difference[], given: readonly string[]): JsonObject {
  const merged = structuredClone(saved);
  for (const { field } of differences) {
    if (given.includes(field)) continue;
    const value = valueAt(own, field);
    if (value === undefined) removeAt(merged, field);
    else setAt(merged, field, isObject(value) || Array.isArray(value) ? structuredClone(value) : value);
  }
  return merged;
}
