import { fieldOf, momentOf } from "../../time/zoned";
import { type JsonObject, mergePatch } from "../monitors/form/merge_patch";
import { same } from "../../parts/differences";
import type { MaintenanceWindow } from "./window_queries";

/** Bounds of the contract. A test compares them with the OpenAPI document. */
export const MOST_NAME = 255;
export const MOST_DESCRIPTION = 2000;
export const MOST_MONITORS = 500;
export const MOST_TAGS = 20;
export const MOST_MINUTES = 1440;
export const MOST_PAGES = 10;
export const MOST_COMPONENTS = 50;
export const MOST_TITLE = 255;
export const MOST_TEXT = 10_000;
export const MOST_HOURS = 720;
const DEFAULT_HOURS = 72;
/** The most days of a window that does not recur; the service checks it too. */
export const MOST_DAYS = 35;

const DAY = 86_400_000;

/** What the form holds. Times are wall times of the reader's zone, as fields of the browser have them. */
export interface WindowValues {
  name: string;
  description: string;
  cover: "monitors" | "tags" | "all";
  monitors: string[];
  tags: string[];
  kind: "once" | "recurring";
  startsAt: string;
  endsAt: string;
  cron: string;
  timeZone: string;
  minutes: string;
  from: string;
  until: string;
  excludeFromUptime: boolean;
  statusPageIds: string[];
  componentIds: string[];
  /** The announcement; both empty: the name and the description of the window. */
  title: string;
  text: string;
  announceHours: string;
  notify: boolean;
}

/** A window in the parts that two people may change: what it covers and its times are one part each. */
export interface WindowParts {
  name: string;
  description: string | null;
  covers: JsonObject;
  times: JsonObject;
  excludeFromUptime: boolean;
  statusPageIds: string[];
  componentIds: string[];
  announcement: JsonObject | null;
  announceHours: number;
  notify: boolean;
}

export type WindowField = keyof WindowParts;

export const FIELD_WORDS: Record<WindowField, string> = {
  name: "Name", description: "Description", covers: "Monitors", times: "Time", excludeFromUptime: "Uptime", statusPageIds: "Status pages",
  componentIds: "Components", announcement: "Announcement", announceHours: "Hours of the announcement", notify: "Notification",
};

/** The members of the form that belong to each part. */
const MEMBERS: Record<WindowField, readonly (keyof WindowValues)[]> = {
  name: ["name"], description: ["description"], covers: ["cover", "monitors", "tags"], excludeFromUptime: ["excludeFromUptime"],
  statusPageIds: ["statusPageIds"], componentIds: ["componentIds"], announcement: ["title", "text"], announceHours: ["announceHours"],
  notify: ["notify"],
  times: ["kind", "startsAt", "endsAt", "cron", "timeZone", "minutes", "from", "until"],
};

const HOUR = 3_600_000;

/** Returns the form of a new window: it starts at the first full hour of the zone that is an hour ahead or more, and lasts an hour. */
export function newValues(now: Date, zone: string, monitorId?: string, pageId?: string): WindowValues {
  const ahead = new Date(now.getTime() + 2 * HOUR - 1);
  const start = momentOf(`${fieldOf(ahead, zone).slice(0, -2)}00`, zone) ?? ahead;
  return {
    name: "", description: "", cover: "monitors", monitors: monitorId ? [monitorId] : [], tags: [], kind: "once",
    startsAt: fieldOf(start, zone), endsAt: fieldOf(new Date(start.getTime() + HOUR), zone),
    cron: "0 3 * * 0", timeZone: zone, minutes: "60", from: "", until: "", excludeFromUptime: true,
    statusPageIds: pageId ? [pageId] : [], componentIds: [], title: "", text: "", announceHours: String(DEFAULT_HOURS), notify: true,
  };
}

const fieldText = (moment: string | null, zone: string): string => (moment ? fieldOf(new Date(moment), zone) : "");

/** Returns the form of a stored window. */
export function valuesOf(window: MaintenanceWindow, zone: string): WindowValues {
  const start = newValues(new Date(), zone);
  const once = window.cron === null;
  return {
    ...start, name: window.name, description: window.description ?? "", excludeFromUptime: window.excludeFromUptime,
    cover: window.all ? "all" : window.tagIds ? "tags" : "monitors", monitors: window.monitorIds ?? [], tags: window.tagIds ?? [],
    statusPageIds: window.statusPageIds ?? [], componentIds: window.componentIds ?? [], title: window.announcement?.title ?? "",
    text: window.announcement?.body ?? "", announceHours: String(window.announceHours ?? DEFAULT_HOURS), notify: window.notify ?? true,
    ...(once
      ? { kind: "once", startsAt: fieldText(window.startsAt, zone), endsAt: fieldText(window.endsAt, zone) } as const
      : {
        kind: "recurring", cron: window.cron!, timeZone: window.timeZone ?? "UTC", minutes: String(window.durationMinutes ?? ""),
        from: fieldText(window.from, zone), until: fieldText(window.until, zone),
      } as const),
  };
}

type Times = Pick<MaintenanceWindow, "startsAt" | "endsAt" | "from" | "until">;

function coversOf(values: WindowValues): JsonObject {
  if (values.cover === "all") return { all: true };
  return values.cover === "tags" ? { tagIds: values.tags } : { monitorIds: values.monitors };
}

function timesOf(values: WindowValues, zone: string, stored: Times | undefined): JsonObject {
  // A stored time has seconds, which a field does not show. It stays as it is unless the field was changed.
  const moment = (name: keyof Times): string | undefined => {
    const before = stored?.[name];
    return before && fieldText(before, zone) === values[name] ? before : momentOf(values[name], zone)?.toISOString();
  };
  const known = (names: (keyof Times)[]): JsonObject =>
    Object.fromEntries(names.flatMap((name) => {
      const value = moment(name);
      return value === undefined ? [] : [[name, value]];
    }));
  if (values.kind === "once") return known(["startsAt", "endsAt"]);
  return {
    cron: values.cron.trim().replace(/\s+/g, " "), timeZone: values.timeZone.trim(), durationMinutes: Number(values.minutes),
    ...known(["from", "until"]),
  };
}

function announcementOf({ statusPageIds, title, text }: WindowValues): JsonObject | null {
  // Without a page the fields are hidden, so half of an announcement does not count.
  const counts = statusPageIds.length > 0 ? title.trim() || text.trim() : title.trim() && text.trim();
  return counts ? { title: title.trim(), body: text.trim() } : null;
}

/** Returns the hours, or undefined if the text is no whole number in the bounds. */
function hoursOf({ announceHours }: WindowValues): number | undefined {
  const hours = /^\d{1,4}$/.test(announceHours.trim()) ? Number(announceHours) : -1;
  return hours >= 0 && hours <= MOST_HOURS ? hours : undefined;
}

/** Returns the parts that the form makes. `stored` is the window that the form started from. */
export const partsOf = (values: WindowValues, zone: string, stored?: Times): WindowParts => ({
  name: values.name.trim(), description: values.description.trim() || null, covers: coversOf(values),
  times: timesOf(values, zone, stored), excludeFromUptime: values.excludeFromUptime, statusPageIds: values.statusPageIds,
  componentIds: values.componentIds, announcement: announcementOf(values), announceHours: hoursOf(values) ?? DEFAULT_HOURS,
  notify: values.notify,
});

/** Returns the body that creates the window. */
export function bodyOf({ covers, times, name, description, excludeFromUptime, ...published }: WindowParts): JsonObject {
  const { statusPageIds, componentIds, announcement, announceHours, notify } = published;
  return {
    name, ...(description === null ? {} : { description }), ...covers, ...times, ...(excludeFromUptime ? {} : { excludeFromUptime }),
    ...(statusPageIds.length > 0 ? { statusPageIds } : {}), ...(componentIds.length > 0 ? { componentIds } : {}),
    ...(announcement ? { announcement } : {}), ...(announceHours === DEFAULT_HOURS ? {} : { announceHours }), ...(notify ? {} : { notify }),
  };
}

const PLAIN = [
  "name", "description", "excludeFromUptime", "statusPageIds", "componentIds", "announcement", "announceHours", "notify",
] as const;

const KIND = { once: "startsAt", recurring: "cron" } as const;

/** Returns the merge patch from one version to another. A new kind of time, or of what is covered, replaces the stored one. */
export function patchOf(before: WindowParts, after: WindowParts): JsonObject {
  const patch: JsonObject = {};
  for (const field of PLAIN) {
    if (!same(before[field], after[field])) patch[field] = after[field];
  }
  if (!same(before.covers, after.covers)) Object.assign(patch, after.covers);
  if (!same(before.times, after.times)) {
    const stays = Object.values(KIND).some((name) => name in before.times && name in after.times);
    Object.assign(patch, stays ? mergePatch(before.times, after.times) : after.times);
  }
  return patch;
}

/** Returns the form with the saved version of some parts. */
export function withSaved(mine: WindowValues, saved: WindowValues, fields: readonly WindowField[]): WindowValues {
  const members = fields.flatMap((field) => MEMBERS[field]);
  return { ...mine, ...Object.fromEntries(members.map((name) => [name, saved[name]])) };
}

/** What is wrong with one field of the form, by the id of its element. */
export interface FieldError {
  id: string;
  text: string;
}

export const idOf = (name: string): string => `window-${name}`;

function wrongTimes(values: WindowValues, zone: string, now: Date): [string, string][] {
  const [start, end] = [momentOf(values.startsAt, zone), momentOf(values.endsAt, zone)];
  if (!start) return [["startsAt", "Enter a day and a time."]];
  if (!end) return [["endsAt", "Enter a day and a time."]];
  if (end <= start) return [["endsAt", "Enter a time after the start."]];
  if (end <= now) return [["endsAt", "Enter a time in the future."]];
  if (end.getTime() - start.getTime() > MOST_DAYS * DAY) return [["endsAt", `Enter a time within ${MOST_DAYS} days of the start.`]];
  return [];
}

function wrongRule({ cron, timeZone, minutes, from, until }: WindowValues, zone: string): [string, string][] {
  const wrong: [string, string][] = [];
  if (cron.trim().split(/\s+/).length !== 5) wrong.push(["cron", "Enter five fields."]);
  if (!timeZone.trim()) wrong.push(["timeZone", "Enter a time zone, such as Europe/Berlin."]);
  const length = /^\d{1,9}$/.test(minutes.trim()) ? Number(minutes) : 0;
  if (length < 1 || length > MOST_MINUTES) wrong.push(["minutes", `Enter a whole number from 1 to ${MOST_MINUTES}.`]);
  const [first, last] = [momentOf(from, zone), momentOf(until, zone)];
  if (from && !first) wrong.push(["from", "Enter a day and a time."]);
  if (until && !last) wrong.push(["until", "Enter a day and a time."]);
  if (first && last && last <= first) wrong.push(["until", "Enter a time after the first start."]);
  return wrong;
}

function wrongCovers({ cover, monitors, tags }: WindowValues): [string, string][] {
  if (cover === "monitors" && !monitors.length) return [["monitors", "Add a monitor."]];
  if (cover === "tags" && !tags.length) return [["tags", "Choose a tag."]];
  return cover === "tags" && tags.length > MOST_TAGS ? [["tags", `Choose at most ${MOST_TAGS} tags.`]] : [];
}

function wrongPublication(values: WindowValues): [string, string][] {
  const { statusPageIds, componentIds, title, text } = values;
  // The fields of the announcement are shown only with a page.
  if (statusPageIds.length === 0) return [];
  const wrong: [string, string][] = [];
  if (statusPageIds.length > MOST_PAGES) wrong.push(["statusPageIds", `Choose at most ${MOST_PAGES} status pages.`]);
  if (componentIds.length > MOST_COMPONENTS) wrong.push(["componentIds", `Choose at most ${MOST_COMPONENTS} components.`]);
  if (text.trim() && !title.trim()) wrong.push(["title", "Enter a title, or no text."]);
  if (title.trim() && !text.trim()) wrong.push(["text", "Enter a text, or no title."]);
  if (hoursOf(values) === undefined) wrong.push(["announceHours", `Enter a whole number from 0 to ${MOST_HOURS}.`]);
  return wrong;
}

/**
 * Returns what is wrong with the form, in the order of its fields. The service checks it again. `stored` is the form of the saved
 * window, which may have lost all of its monitors: what it covers is wrong only if the form has changed it.
 */
export function errorsOf(values: WindowValues, zone: string, now: Date, stored?: WindowValues): FieldError[] {
  const wrong: [string, string][] = [];
  if (!values.name.trim()) wrong.push(["name", "Enter a name."]);
  if (!stored || !same(coversOf(stored), coversOf(values))) wrong.push(...wrongCovers(values));
  wrong.push(...(values.kind === "once" ? wrongTimes(values, zone, now) : wrongRule(values, zone)));
  wrong.push(...wrongPublication(values));
  return wrong.map(([name, text]) => ({ id: idOf(name), text }));
}

const INPUTS: Record<string, string> = { monitorIds: "monitors", tagIds: "tags", all: "monitors", durationMinutes: "minutes" };

/** Returns the id of the field that shows the refusal of a JSON pointer, such as of `/monitorIds/3`. */
export function inputOf(pointer: string): string {
  if (pointer.startsWith("/announcement")) return idOf(pointer.endsWith("/title") ? "title" : "text");
  const name = pointer.split("/")[1] ?? "";
  return idOf(INPUTS[name] ?? (name || "name"));
}
