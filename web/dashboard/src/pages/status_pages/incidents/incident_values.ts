import { minuteText } from "../../../time/format";
import { fieldOf, momentOf } from "../../../time/zoned";
import type { JsonObject } from "../../monitors/form/merge_patch";
import type { FieldError } from "../field_errors";
import type { Incident, IncidentStatus } from "../page_queries";
import { COMPONENT_STATES, IMPACTS, type SetStatus } from "../page_states";

/** Bounds of the contract. A test compares them with the OpenAPI document. */
export const MOST_NAME = 255;
export const MOST_BODY = 10_000;
/** The most days that the start of an incident lies back; the service checks it too. */
export const MOST_DAYS_BACK = 90;

const DAY = 86_400_000;

/** A component that an incident affects, with the status that it gives it. */
export interface Affected {
  id: string;
  status: SetStatus;
}

/** The facts of an incident. Its fields have the names of the members. */
export interface FactValues {
  name: string;
  impact: Incident["impact"];
  components: Affected[];
  /** A wall time of the reader's zone; empty: now. */
  startedAt: string;
}

export type FactField = keyof FactValues;

export const FACT_WORDS: Record<FactField, string> = {
  name: "Name", impact: "Impact", components: "Components", startedAt: "Start",
};

/** A new incident: its facts and its first post. */
export interface IncidentValues extends FactValues {
  status: IncidentStatus;
  body: string;
  notify: boolean;
}

export const newIncident = (): IncidentValues => ({
  name: "", impact: "minor", components: [], startedAt: "", status: "investigating", body: "", notify: true,
});

const affectedOf = (components: Incident["components"]): Affected[] => components.map(({ id, status }) => ({ id, status }));

/** Returns the facts of a stored incident. */
export const factsOf = ({ name, impact, components, startedAt }: Incident, zone: string): FactValues => ({
  name, impact, components: affectedOf(components), startedAt: fieldOf(new Date(startedAt), zone),
});

/** Returns the components with one of them at another status; an empty one takes it out. */
export function withStatus(components: readonly Affected[], id: string, status: SetStatus | ""): Affected[] {
  if (!status) return components.filter((one) => one.id !== id);
  const next = { id, status };
  return components.some((one) => one.id === id) ? components.map((one) => (one.id === id ? next : one)) : [...components, next];
}

/** Returns all members that the facts make. `stored` is the incident that the form started from. */
export function factsBody(values: FactValues, zone: string, stored?: Pick<Incident, "startedAt">): JsonObject {
  // A stored time has seconds, which a field does not show. It stays as it is unless the field was changed.
  const same = stored && fieldOf(new Date(stored.startedAt), zone) === values.startedAt;
  const startedAt = same ? stored.startedAt : momentOf(values.startedAt, zone)?.toISOString();
  return {
    name: values.name.trim(), impact: values.impact, components: values.components.map(({ id, status }) => ({ id, status })),
    ...(startedAt ? { startedAt } : {}),
  };
}

/** Returns the body that creates the incident, without what is a default. */
export function incidentBody(values: IncidentValues, zone: string): JsonObject {
  const { impact, components, ...facts } = factsBody(values, zone);
  return {
    ...facts, status: values.status, body: values.body.trim(), ...(impact === "minor" ? {} : { impact: impact! }),
    ...(values.components.length > 0 ? { components: components! } : {}), ...(values.notify ? {} : { notify: false }),
  };
}

function wrongStart(text: string, zone: string, now: Date, stored?: Pick<Incident, "startedAt">): FieldError[] {
  if (!text || (stored && fieldOf(new Date(stored.startedAt), zone) === text)) return [];
  const start = momentOf(text, zone)?.getTime();
  if (start === undefined) return [{ name: "startedAt", text: "Enter a day and a time, or nothing." }];
  if (start > now.getTime()) return [{ name: "startedAt", text: "Enter a time in the past." }];
  const old = now.getTime() - start > MOST_DAYS_BACK * DAY;
  return old ? [{ name: "startedAt", text: `Enter a time of the last ${MOST_DAYS_BACK} days.` }] : [];
}

/** Returns what is wrong with the facts. The service checks them again. */
export function factErrors(values: FactValues, zone: string, now: Date, stored?: Pick<Incident, "startedAt">): FieldError[] {
  const wrong: FieldError[] = values.name.trim() ? [] : [{ name: "name", text: "Enter a name." }];
  if (stored && !values.startedAt) return [...wrong, { name: "startedAt", text: "Enter a day and a time." }];
  return [...wrong, ...wrongStart(values.startedAt, zone, now, stored)];
}

/** Returns what is wrong with a new incident. */
export function incidentErrors(values: IncidentValues, zone: string, now: Date): FieldError[] {
  const [name, ...rest] = factErrors(values, zone, now);
  const body: FieldError[] = values.body.trim() ? [] : [{ name: "body", text: "Enter a text for your visitors." }];
  return [...(name?.name === "name" ? [name, ...body, ...rest] : [...body, ...(name ? [name] : []), ...rest])];
}

interface Reader {
  nameOf: (id: string) => string;
  zone: string;
  now: Date;
}

/** Returns the affected components in words. */
export const affectedText = (components: readonly Affected[], nameOf: (id: string) => string): string =>
  components.map(({ id, status }) => `${nameOf(id)}: ${COMPONENT_STATES[status].word.toLowerCase()}`).join(", ") || "none";

/** Returns a member of an incident in words, for a conflict. */
export function factText(field: FactField, body: JsonObject, { nameOf, zone, now }: Reader): string {
  if (field === "components") return affectedText(body.components as unknown as Affected[], nameOf);
  if (field === "impact") return IMPACTS[String(body.impact)] ?? String(body.impact);
  if (field === "startedAt") return typeof body.startedAt === "string" ? minuteText(new Date(body.startedAt), zone, now) : "not set";
  return String(body[field]);
}

/** What the form of a post holds. */
export interface PostValues {
  status: string;
  body: string;
  /** A wall time of the reader's zone; empty: the time of publication. */
  displayAt: string;
  notify: boolean;
  components: Affected[];
}

/** Returns the statuses that a new post can have. Only a resolved incident can have a post-mortem. */
export const postStatuses = (incident: Pick<Incident, "status">): readonly string[] =>
  ["investigating", "identified", "monitoring", "resolved", ...(incident.status === "resolved" ? ["postmortem"] : [])];

const NEXT: Record<string, string> = {
  investigating: "identified", identified: "identified", monitoring: "monitoring", resolved: "postmortem",
};

/**
 * Returns the form of a new post: the step that most often follows, but not the end of the incident, which somebody has to choose. A
 * post-mortem notifies nobody unless asked to.
 */
export function newPost(incident: Pick<Incident, "status" | "components">): PostValues {
  const status = NEXT[incident.status] ?? incident.status;
  return { status, body: "", displayAt: "", notify: status !== "postmortem", components: affectedOf(incident.components) };
}

/** Returns the body of the post. */
export function postBody(values: PostValues, zone: string): JsonObject {
  const displayAt = momentOf(values.displayAt, zone)?.toISOString();
  return {
    body: values.body.trim(), status: values.status, ...(displayAt ? { displayAt } : {}), ...(values.notify ? {} : { notify: false }),
  };
}

/** Returns the stored components with those statuses that a form has changed since its start. What others have changed stays. */
export function mergedComponents(mine: readonly Affected[], start: readonly Affected[], stored: readonly Affected[]): Affected[] {
  const statusIn = (components: readonly Affected[], id: string) => components.find((one) => one.id === id)?.status ?? "";
  const changed = new Set([...start, ...mine].map(({ id }) => id).filter((id) => statusIn(mine, id) !== statusIn(start, id)));
  return [...changed].reduce((merged, id) => withStatus(merged, id, statusIn(mine, id)), [...stored]);
}

/** Returns what is wrong with a post or with its correction. */
export function postErrors({ body, displayAt }: Pick<PostValues, "body" | "displayAt">, zone: string, now: Date): FieldError[] {
  const wrong: FieldError[] = body.trim() ? [] : [{ name: "body", text: "Enter a text for your visitors." }];
  if (!displayAt) return wrong;
  const time = momentOf(displayAt, zone);
  if (!time) wrong.push({ name: "displayAt", text: "Enter a day and a time, or nothing." });
  else if (time > now) wrong.push({ name: "displayAt", text: "Enter a time in the past." });
  return wrong;
}
