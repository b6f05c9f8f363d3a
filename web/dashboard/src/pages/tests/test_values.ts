import { changesBetween } from "../../parts/differences";
import { detailsByField, sentence } from "../../parts/field";
import { numberText } from "../../time/format";
import type { Tag } from "../tags/tag_queries";
import type { Test } from "./test_queries";
import type { TestPriority, TestType } from "./test_words";

/** What the form holds besides the script. */
export interface TestValues {
  title: string;
  description: string;
  type: TestType;
  priority: TestPriority;
  /** Ids of tags. */
  tags: string[];
}

/** The members that a PATCH sets. Tags have an operation of their own. */
export interface TestBody {
  title: string;
  description: string | null;
  type: TestType;
  priority: TestPriority;
}

export type TestField = keyof TestValues;

export const FIELD_WORDS: Record<TestField, string> = {
  title: "Title", description: "Description", type: "Type", priority: "Priority", tags: "Tags",
};

export const NEW_TEST: TestValues = { title: "", description: "", type: "browser", priority: "medium", tags: [] };

export const MOST_TAGS_OF_TEST = 50;
/** The limit of the contract, in bytes of UTF-8. */
export const MOST_SCRIPT = 5 * 1024 * 1024;

/** Returns the form of a test. */
export const valuesOf = (test: Test): TestValues => ({
  title: test.title, description: test.description ?? "", type: test.type, priority: test.priority,
  tags: test.tags.map((tag) => tag.id).sort(),
});

/** Returns what the form says in the words of the API. */
export const bodyOf = (values: TestValues): TestBody => ({
  title: values.title.trim(), description: values.description.trim() || null, type: values.type, priority: values.priority,
});

/** True if both forms choose the same tags. */
export const sameTags = (one: TestValues, other: TestValues): boolean =>
  [...one.tags].sort().join() === [...other.tags].sort().join();

/** True if saving the form would change one of the fields. */
export const fieldsChanged = (before: TestValues, after: TestValues): boolean =>
  Object.keys(changesBetween(bodyOf(before), bodyOf(after))).length > 0 || !sameTags(before, after);

export interface FieldError {
  /** Id of the input. */
  id: string;
  text: string;
}

/** Returns what has to change before the test can be saved. The service checks everything again. */
export function errorsOf(values: TestValues, scriptBytes: number): FieldError[] {
  const errors: FieldError[] = [];
  if (!values.title.trim()) errors.push({ id: "test-title", text: "Enter a title." });
  if (values.tags.length > MOST_TAGS_OF_TEST) errors.push({ id: "test-tags", text: `Choose at most ${MOST_TAGS_OF_TEST} tags.` });
  if (scriptBytes > MOST_SCRIPT) errors.push({ id: "test-script", text: "Shorten the script. It has at most 5 MiB." });
  return errors;
}

const INPUTS: ReadonlySet<string> = new Set([...Object.keys(FIELD_WORDS), "script"]);

/** Returns the details of a refusal that are about fields of the form, such as `/title`. */
export function refusedFields(error: Error | null): FieldError[] {
  return [...detailsByField(error)].flatMap(([pointer, text]) => {
    const name = pointer.split("/")[1] ?? "";
    return INPUTS.has(name) ? [{ id: `test-${name}`, text: sentence(text) }] : [];
  });
}

/** Returns the size of a script, such as `0.6 of 5 120 KiB`. */
export const sizeText = (bytes: number): string =>
  `${bytes < 10_240 ? (bytes / 1024).toFixed(1) : numberText(Math.ceil(bytes / 1024))} of ${numberText(MOST_SCRIPT / 1024)} KiB`;

/** Returns the bytes of a text in UTF-8. */
export const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** Returns the names of tags for a sentence. */
export function tagNames(ids: readonly string[], tags: readonly Tag[]): string {
  const names = ids.map((id) => tags.find((tag) => tag.id === id)?.name ?? `a deleted tag ${id.slice(0, 8)}`);
  return names.sort((a, b) => a.localeCompare(b)).join(", ") || "none";
}
