import { fieldOf, momentOf } from "../../../time/zoned";
import { same } from "../../../parts/differences";
import { minuteText } from "../../../time/format";
import type { JsonObject } from "../../monitors/form/merge_patch";
import type { FieldError } from "../field_errors";
import type { PageComponent } from "../page_queries";
import { COMPONENT_STATES, type SetStatus } from "../page_states";

/** Bounds of the contract. A test compares them with the OpenAPI document. */
export const MOST_NAME = 255;
export const MOST_DESCRIPTION = 500;
export const MOST_GROUP = 100;
export const MOST_MONITORS = 50;
export const MOST_COMPONENTS = 100;

/** What the form of a component holds. Its fields have the names of the members. */
export interface ComponentValues {
  name: string;
  description: string;
  group: string;
  monitorIds: string[];
  aggregation: PageComponent["aggregation"];
  showUptime: boolean;
  /** Empty: the monitors decide. */
  statusOverride: SetStatus | "";
  /** A wall time of the reader's zone; empty: until somebody removes it. */
  overrideUntil: string;
}

export type ComponentField = keyof ComponentValues;

export const FIELD_WORDS: Record<ComponentField, string> = {
  name: "Name", description: "Description", group: "Group", monitorIds: "Monitors", aggregation: "Status of several monitors",
  showUptime: "Uptime", statusOverride: "Status by hand", overrideUntil: "End of the status by hand",
};

export const newValues = (): ComponentValues => ({
  name: "", description: "", group: "", monitorIds: [], aggregation: "worst_case", showUptime: true, statusOverride: "", overrideUntil: "",
});

/** Returns the form of a stored component. */
export const valuesOf = (component: PageComponent, zone: string): ComponentValues => ({
  name: component.name, description: component.description ?? "", group: component.group ?? "", monitorIds: component.monitorIds,
  aggregation: component.aggregation, showUptime: component.showUptime, statusOverride: component.statusOverride ?? "",
  overrideUntil: component.overrideUntil ? fieldOf(new Date(component.overrideUntil), zone) : "",
});

function untilOf({ statusOverride, overrideUntil }: ComponentValues, zone: string, stored?: PageComponent): string | null {
  if (!statusOverride) return null;
  // A stored time has seconds, which a field does not show. It stays as it is unless the field was changed.
  const before = stored?.overrideUntil;
  if (before && fieldOf(new Date(before), zone) === overrideUntil) return before;
  return momentOf(overrideUntil, zone)?.toISOString() ?? null;
}

/** Returns all members that the form makes. `stored` is the component that the form started from. */
export const bodyOf = (values: ComponentValues, zone: string, stored?: PageComponent): JsonObject => ({
  name: values.name.trim(), description: values.description.trim() || null, group: values.group.trim() || null,
  monitorIds: values.monitorIds, aggregation: values.aggregation, showUptime: values.showUptime,
  statusOverride: values.statusOverride || null, overrideUntil: untilOf(values, zone, stored),
});

/** Returns the body that creates the component at a place of the page, without what is a default. */
export function createBody(values: ComponentValues, zone: string, position: number): JsonObject {
  const start = bodyOf(newValues(), zone);
  const own = Object.entries(bodyOf(values, zone)).filter(([name, value]) => name === "name" || !same(start[name], value));
  return { ...Object.fromEntries(own), ...(position > 0 ? { position } : {}) };
}

/**
 * Returns the patch with both members of the status by hand if one of them has changed: a patch of the status alone would remove
 * its end.
 */
export function withOverride(patch: JsonObject, body: JsonObject): JsonObject {
  if (!("statusOverride" in patch)) return patch;
  return { ...patch, overrideUntil: body.overrideUntil ?? null };
}

/** Returns what is wrong with the form, in the order of its fields. The service checks it again. */
export function errorsOf(values: ComponentValues, zone: string, now: Date, stored?: PageComponent): FieldError[] {
  const wrong: FieldError[] = [];
  if (!values.name.trim()) wrong.push({ name: "name", text: "Enter a name." });
  if (!values.statusOverride || !values.overrideUntil) return wrong;
  const until = untilOf(values, zone, stored);
  if (!until) wrong.push({ name: "overrideUntil", text: "Enter a day and a time, or nothing." });
  else if (until !== stored?.overrideUntil && Date.parse(until) <= now.getTime()) {
    wrong.push({ name: "overrideUntil", text: "Enter a time in the future." });
  }
  return wrong;
}

interface Reader {
  nameOf: (id: string) => string;
  zone: string;
  now: Date;
}

/** Returns a member of a component in words, for a conflict. */
export function memberText(field: ComponentField, body: JsonObject, { nameOf, zone, now }: Reader): string {
  const value = body[field];
  if (field === "monitorIds") return (value as string[]).map(nameOf).join(", ") || "none";
  if (field === "aggregation") return value === "majority_vote" ? "majority" : "worst case";
  if (field === "showUptime") return value ? "shown" : "not shown";
  if (field === "statusOverride") return value ? COMPONENT_STATES[value as SetStatus].word : "none";
  if (field === "overrideUntil") return typeof value === "string" ? minuteText(new Date(value), zone, now) : "not set";
  return value ? String(value) : "none";
}
