import type { Difference } from "../../parts/conflict";
import { type Versions, changesBetween, differencesBetween } from "../../parts/differences";
import type { Variable } from "./variable_queries";

/** The contents of the form. */
export interface VariableValues {
  key: string;
  value: string;
  isSecret: boolean;
  description: string;
  /** The stored secret stays, and `value` has no meaning. */
  kept: boolean;
}

export interface VariableBody {
  key: string;
  /** Absent: the stored secret stays. */
  value?: string;
  isSecret: boolean;
  description: string | null;
}

export type VariableField = keyof VariableBody;

export const MOST_VALUE = 10_000;
export const MOST_DESCRIPTION = 300;
export const NEW_VARIABLE: VariableValues = { key: "", value: "", isSecret: false, description: "", kept: false };

const WORDS: Record<VariableField, string> = { key: "Name", value: "Value", isSecret: "Secret", description: "Description" };
const KEY = /^[A-Z][A-Z0-9_]{0,63}$/;
const RESERVED = /^(?:PATH|HOME|ENV|BASH_ENV|NODE_OPTIONS|(?:SERVICE|SVC|LD)_.*)$/;

export const valuesOf = ({ key, value, isSecret, description }: Variable): VariableValues => ({
  key, value: value ?? "", isSecret, description: description ?? "", kept: isSecret,
});

export const bodyOf = ({ key, value, isSecret, description, kept }: VariableValues): VariableBody => ({
  key: key.trim(), value: kept ? undefined : value, isSecret, description: description.trim() || null,
});

export type VariableErrors = Map<VariableField, string>;

/** Returns what has to change before the form can be saved. The service checks it again. */
export function errorsOf({ key, value, isSecret, description, kept }: VariableValues): VariableErrors {
  const errors: VariableErrors = new Map();
  const name = key.trim();
  if (!KEY.test(name)) errors.set("key", "Enter a capital letter and at most 63 capital letters, digits or underscores.");
  else if (RESERVED.test(name)) errors.set("key", `${name} is reserved for the service and its runners. Choose another name.`);
  if (kept && !isSecret) errors.set("value", "Enter the value: a stored secret cannot be shown again.");
  else if (!kept && [...value].length > MOST_VALUE) errors.set("value", "Enter at most 10 000 characters.");
  if ([...description.trim()].length > MOST_DESCRIPTION) errors.set("description", `Enter at most ${MOST_DESCRIPTION} characters.`);
  return errors;
}

/** Returns the JSON pointers of the texts that no line for a shell may hold. */
export const secretsOf = ({ isSecret }: VariableValues): string[] => (isSecret ? ["/value"] : []);

/** Returns the members that a save sends. */
export const changesOf = (before: VariableBody, after: VariableBody): Partial<VariableBody> => changesBetween(before, after);

function fieldText(field: VariableField, body: VariableBody): string {
  if (field === "isSecret") return body.isSecret ? "yes" : "no";
  if (field === "value" && body.value === undefined) return "the stored secret";
  if (field === "value" && body.isSecret) return "a new secret";
  return String(body[field] ?? "") || "empty";
}

/** Returns the members with two versions. No text has a secret. */
export const differencesOf = (versions: Versions<VariableBody>): Difference<VariableField>[] =>
  differencesBetween(WORDS, versions, fieldText);

/** Returns the form with the saved version of some members. */
export function withSaved(mine: VariableValues, saved: VariableValues, fields: readonly VariableField[]): VariableValues {
  const merged = { ...mine, ...Object.fromEntries(fields.map((field) => [field, saved[field]])) };
  return fields.includes("value") ? { ...merged, kept: saved.kept } : merged;
}

const SHOWN = 60;

/** Returns the start of the first line of a value, for a row of a list. */
export function shortValue(value: string): string {
  const end = value.indexOf("\n");
  const line = end < 0 ? value : value.slice(0, end);
  const start = [...line.slice(0, 2 * SHOWN)].slice(0, SHOWN).join("");
  return start.length < value.length ? `${start}…` : start;
}

/** True if the text has a reference to the variable, as monitors have them. */
export const refersTo = (text: string, key: string): boolean => text.replaceAll("{{{{", "").includes(`{{${key}}}`);
