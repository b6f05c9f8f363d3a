import { MASK } from "../../../parts/secret_input";
import type { Monitor, MonitorType } from "../monitor_queries";
import { intervalOf } from "../monitor_states";
import { type Field, HAS_ASSERTIONS, HAS_HEADERS, fieldsOf } from "./fields";
import { type Json, type JsonObject, isObject, mergePatch, setAt, valueAt } from "./merge_patch";

export { MASK };

export interface HeaderRow {
  id: number;
  name: string;
  value: string;
}

export interface AssertionRow {
  id: number;
  source: string;
  property: string;
  comparison: string;
  expected: string;
  onFail: string;
}

/** What the form holds: texts and switches by JSON pointer, and lists. */
export interface FormValues {
  texts: Record<string, string>;
  flags: Record<string, boolean>;
  headers: HeaderRow[];
  assertions: AssertionRow[];
  providers: string[];
  tags: string[];
  /** Ids of the monitors that this one needs. */
  parents: string[];
  /** Heartbeats: an interval or a schedule. */
  schedule: "every" | "cron";
}

export type FormErrors = Map<string, string>;

let rows = 0;
export const newRow = (): number => ++rows;

/** Returns a text as the value of an assertion: numbers, true, false and null are what they look like, a quoted text is a text. */
export function expectedOf(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || typeof value === "number" || typeof value === "boolean" || typeof value === "string") return value;
  } catch {
    // Any other text is meant as it is.
  }
  return text;
}

/** Returns the text that `expectedOf` reads back as the value. */
export function expectedText(value: Json | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" && expectedOf(value) === value ? value : JSON.stringify(value);
}

const COMPARISONS_WITHOUT_VALUE = new Set(["exists", "not_exists", "empty", "not_empty"]);
export const takesValue = (comparison: string): boolean => !COMPARISONS_WITHOUT_VALUE.has(comparison);
export const takesProperty = (source: string): boolean => source === "header" || source === "json";

type Source = Pick<
  Monitor, "name" | "description" | "target" | "config" | "alertConfig" | "tags" | "frequencySeconds" | "frequencyMinutes" | "dependsOn"
>;

/** Returns the members of a monitor that the form changes, in the shape of a body. */
export function bodyOf(monitor: Source): JsonObject {
  const { name, description, target, config, alertConfig, dependsOn } = monitor;
  const body: JsonObject = { name, frequencySeconds: intervalOf(monitor), config: config as JsonObject };
  if (description !== null) body.description = description;
  if (target !== null) body.target = target;
  if (alertConfig) body.alertConfig = alertConfig as JsonObject;
  if (dependsOn.length) body.dependsOn = dependsOn;
  return body;
}

function textFor(field: Field, value: Json | undefined): string {
  if (value === undefined || value === null) return "default" in field && field.default !== undefined ? String(field.default) : "";
  if (field.pointer.endsWith("/expectedValue")) return expectedText(value);
  return Array.isArray(value) ? value.join(", ") : String(value);
}

/** Returns the values of the form for a body; members that it lacks have their defaults. */
export function valuesOf(type: MonitorType, body: JsonObject, tags: readonly string[] = []): FormValues {
  const values: FormValues = {
    texts: {}, flags: {}, headers: [], assertions: [], providers: [], tags: [...tags], parents: [],
    schedule: valueAt(body, "/config/schedule/cron") ? "cron" : "every",
  };
  for (const field of fieldsOf(type)) {
    const value = valueAt(body, field.pointer);
    if (field.kind === "flag") values.flags[field.pointer] = typeof value === "boolean" ? value : field.default;
    else values.texts[field.pointer] = textFor(field, value);
  }
  const headers = valueAt(body, "/config/headers");
  if (isObject(headers)) values.headers = Object.entries(headers).map(([name, value]) => ({ id: newRow(), name, value: String(value) }));
  const assertions = valueAt(body, "/config/assertions");
  if (Array.isArray(assertions)) {
    values.assertions = assertions.filter(isObject).map((one) => ({
      id: newRow(), source: String(one.source), property: String(one.property ?? ""), comparison: String(one.comparison),
      expected: expectedText(one.expected), onFail: String(one.onFail ?? "down"),
    }));
  }
  const providers = valueAt(body, "/alertConfig/notificationProviders");
  if (Array.isArray(providers)) values.providers = providers.map(String);
  if (Array.isArray(body.dependsOn)) values.parents = body.dependsOn.map(String);
  return values;
}

export const startValues = (type: MonitorType): FormValues => {
  const values = valuesOf(type, {});
  values.texts["/config/schedule/everySeconds"] ||= "3600";
  values.texts["/config/recordType"] ||= "A";
  return values;
};

function wholeOf(text: string, field: { minimum: number; maximum: number }): number | string {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= field.minimum && value <= field.maximum) return value;
  return `Enter a whole number from ${field.minimum} to ${field.maximum}.`;
}

function addField(field: Field, values: FormValues, body: JsonObject, errors: FormErrors): void {
  const { pointer } = field;
  if (field.kind === "flag") {
    const value = values.flags[pointer] ?? field.default;
    if (value !== field.default) setAt(body, pointer, value);
    return;
  }
  // Spaces at the ends of a text that is sent or compared have a meaning.
  const exact = ["/config/body", "/config/send", "/config/keywordInBody"].includes(pointer);
  const text = exact ? (values.texts[pointer] ?? "") : (values.texts[pointer] ?? "").trim();
  if (text === "") {
    if ("required" in field && field.required) errors.set(pointer, `Enter a value for ${field.label.toLowerCase()}.`);
    return;
  }
  if (field.kind === "whole") {
    const value = wholeOf(text, field);
    if (typeof value === "string") errors.set(pointer, value);
    else if (value !== field.default) setAt(body, pointer, value);
    return;
  }
  if (field.kind === "wholes") {
    const list = text.split(/[\s,]+/).map((one) => wholeOf(one, field));
    const wrong = list.find((one) => typeof one === "string");
    if (typeof wrong === "string") errors.set(pointer, wrong);
    else if (list.length > field.most) errors.set(pointer, `Enter at most ${field.most} numbers.`);
    else setAt(body, pointer, list as number[]);
    return;
  }
  if (text !== field.default) setAt(body, pointer, pointer.endsWith("/expectedValue") ? expectedOf(text) : text);
}

function addLists(type: MonitorType, values: FormValues, body: JsonObject, errors: FormErrors): void {
  if (HAS_HEADERS.includes(type) && values.headers.length) {
    const headers: JsonObject = {};
    for (const { name, value } of values.headers) {
      const trimmed = name.trim();
      if (!trimmed && !value) continue;
      if (!trimmed) errors.set("/config/headers", "Enter a name for each header.");
      else if (trimmed in headers) errors.set("/config/headers", `Enter the header ${trimmed} only once.`);
      else headers[trimmed] = value;
    }
    if (Object.keys(headers).length) setAt(body, "/config/headers", headers);
  }
  if (HAS_ASSERTIONS.includes(type) && values.assertions.length) {
    setAt(body, "/config/assertions", values.assertions.map((one, at) => {
      if (takesProperty(one.source) && !one.property.trim()) {
        const wanted = one.source === "json" ? "Enter a path such as $.status." : "Enter the name of the header.";
        errors.set(`/config/assertions/${at}/property`, wanted);
      }
      return {
        source: one.source, ...(takesProperty(one.source) ? { property: one.property.trim() } : {}), comparison: one.comparison,
        ...(takesValue(one.comparison) ? { expected: expectedOf(one.expected) } : {}),
        ...(one.onFail === "degraded" ? { onFail: "degraded" } : {}),
      };
    }));
  }
  if (values.providers.length) setAt(body, "/alertConfig/notificationProviders", values.providers);
  if (values.parents.length) setAt(body, "/dependsOn", values.parents);
}

/** True if a field has no meaning with the other values, so that the form hides it and the body leaves it out. */
export function isIdle(pointer: string, values: FormValues): boolean {
  const auth = values.texts["/config/auth/type"] ?? "none";
  if (pointer === "/config/auth/token") return auth !== "bearer";
  if (pointer === "/config/auth/username" || pointer === "/config/auth/password") return auth !== "basic";
  if (pointer === "/config/responseBodyJsonPath/expectedValue") return !values.texts["/config/responseBodyJsonPath/path"]?.trim();
  if (pointer === "/config/schedule/everySeconds") return values.schedule !== "every";
  if (pointer === "/config/schedule/cron" || pointer === "/config/schedule/timeZone") return values.schedule !== "cron";
  return false;
}

/** Returns the body of the form, and what is wrong by JSON pointer. */
export function toBody(type: MonitorType, values: FormValues): { body: JsonObject; errors: FormErrors } {
  const body: JsonObject = { config: {} };
  const errors: FormErrors = new Map();
  for (const field of fieldsOf(type)) if (!isIdle(field.pointer, values)) addField(field, values, body, errors);
  addLists(type, values, body, errors);
  if (type === "heartbeat") {
    if (values.schedule === "cron" && !valueAt(body, "/config/schedule/cron")) errors.set("/config/schedule/cron", "Enter five fields.");
    if (values.schedule === "every" && !values.texts["/config/schedule/everySeconds"]?.trim()) {
      errors.set("/config/schedule/everySeconds", "Enter the seconds between two pings.");
    }
  }
  if ((body.name as string | undefined ?? "xxx").length < 3) errors.set("/name", "Enter at least 3 characters.");
  if (values.flags["/alertConfig/enabled"] && !values.providers.length) {
    errors.set("/alertConfig/notificationProviders", "Choose a provider, or switch the alerts off.");
  }
  return { body, errors };
}

/** Returns the merge patch of a monitor. A list of parents has no null: the last one is removed by an empty list. */
export function patchOf(before: JsonObject, after: JsonObject): JsonObject {
  const patch = mergePatch(before, after);
  return patch.dependsOn === null ? { ...patch, dependsOn: [] } : patch;
}

/** The most monitors that one may need; a test compares it with the contract. */
export const MOST_PARENTS = 10;

/** Returns the part of a target that decides where its secrets go: scheme, host and port. */
export function originOf(target: string): string {
  const scheme = target.indexOf("://");
  const rest = scheme < 0 ? target : target.slice(scheme + 3);
  const end = rest.search(/[/?#]/);
  return (scheme < 0 ? "" : target.slice(0, scheme + 3).toLowerCase()) + (end < 0 ? rest : rest.slice(0, end)).toLowerCase();
}

/** Returns the pointers of secrets of a body that are masked. */
export function maskedOf(body: JsonObject): string[] {
  const pointers = ["/config/auth/password", "/config/auth/token"].filter((one) => valueAt(body, one) === MASK);
  const headers = valueAt(body, "/config/headers");
  if (isObject(headers)) {
    for (const name of Object.keys(headers)) if (headers[name] === MASK) pointers.push(`/config/headers/${name}`);
  }
  return pointers;
}

/** Returns what is wrong with the masked secrets of a changed monitor: a secret stays with its origin and its name. */
export function maskErrors(before: JsonObject, after: JsonObject): FormErrors {
  const errors: FormErrors = new Map();
  const stored = new Set(maskedOf(before));
  const moved = originOf(String(before.target ?? "")) !== originOf(String(after.target ?? ""));
  for (const pointer of maskedOf(after)) {
    if (moved) errors.set(pointer, "The target has another origin. Enter this secret again, or remove it.");
    else if (!stored.has(pointer)) errors.set(pointer, "Enter the value. A stored secret stays with its name.");
  }
  return errors;
}
