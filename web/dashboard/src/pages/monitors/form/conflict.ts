import { type Json, type JsonObject, mergePatch, pointersOf, valueAt } from "./merge_patch";
import { MASK } from "./values";

const SECRET = /^\/config\/(?:auth\/(?:password|token)|headers\/.*|webhookUrl|botToken|routingKey|token|signingSecret)$/;

/** Returns a value as a conflict shows it; what may be a secret stays out of sight. */
export function shownValue(pointer: string, value: Json | undefined): string {
  if (value === undefined) return "not set";
  if (SECRET.test(pointer)) return MASK;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

export interface Difference {
  pointer: string;
  saved: string;
  own: string;
  /** Both have changed it. */
  both: boolean;
}

/** Returns the fields that the other person or this form has changed since the form was opened. */
export function differencesOf(base: JsonObject, saved: JsonObject, own: JsonObject): Difference[] {
  const theirs = new Set(pointersOf(mergePatch(base, saved)));
  const mine = new Set(pointersOf(mergePatch(base, own)));
  return [...new Set([...theirs, ...mine])]
    .map((pointer) => ({
      pointer, saved: shownValue(pointer, valueAt(saved, pointer)), own: shownValue(pointer, valueAt(own, pointer)),
      both: theirs.has(pointer) && mine.has(pointer),
    }))
    .filter((one) => one.saved !== one.own || SECRET.test(one.pointer));
}
