import type { Difference } from "../../parts/conflict";
import type { Tag } from "../tags/tag_queries";
import { type LineChange, changedLines } from "./script/line_diff";
import { FIELD_WORDS, type TestField, type TestValues, sameTags, tagNames } from "./test_values";
import { priorityWord, typeWord } from "./test_words";

function fieldText(field: TestField, values: TestValues, tags: readonly Tag[]): string {
  switch (field) {
    case "tags": return tagNames(values.tags, tags);
    case "type": return typeWord(values.type);
    case "priority": return priorityWord(values.priority);
    default: return values[field].trim() || "none";
  }
}

const isSame = (field: TestField, one: TestValues, other: TestValues): boolean =>
  field === "tags" ? sameTags(one, other) : one[field].trim() === other[field].trim();

/** Returns the fields whose saved version is not the one of the form. The edit started from `base`. */
export function fieldDifferences(base: TestValues, saved: TestValues, own: TestValues, tags: readonly Tag[]): Difference<TestField>[] {
  return (Object.keys(FIELD_WORDS) as TestField[]).filter((field) => !isSame(field, saved, own)).map((field) => ({
    field, word: FIELD_WORDS[field], saved: fieldText(field, saved, tags), mine: fieldText(field, own, tags),
    start: isSame(field, base, own) ? "saved" : "mine",
  }));
}

/** Returns the form with the user's changes on top of the saved version. */
export function rebased(base: TestValues, saved: TestValues, own: TestValues): TestValues {
  const merged = { ...saved };
  const keep = <Field extends TestField>(field: Field) => {
    if (!isSame(field, base, own)) merged[field] = own[field];
  };
  (Object.keys(FIELD_WORDS) as TestField[]).forEach(keep);
  return merged;
}

/** A place of the script with both versions. */
export interface ScriptDifference {
  change: LineChange;
  saved: string[];
  own: string[];
}

const linesOf = (script: string): string[] => script.split(/\r?\n/);

/** Returns the places where the two scripts differ. */
export function scriptDifferences(saved: string, own: string): ScriptDifference[] {
  const [before, after] = [linesOf(saved), linesOf(own)];
  return changedLines(before, after).map((change) => ({
    change, saved: before.slice(change.savedFrom, change.savedTo), own: after.slice(change.ownFrom, change.ownTo),
  }));
}
