import type { Difference } from "../../parts/conflict";
import { type Versions, differencesBetween } from "../../parts/differences";
import { durationText, minuteText } from "../../time/format";
import type { JsonObject } from "../monitors/form/merge_patch";
import { FIELD_WORDS, type WindowField, type WindowParts } from "./window_values";

/** Names of monitors and tags by their ids. */
export type NameOf = (id: string) => string;

interface Reader {
  nameOf: NameOf;
  zone: string;
  now: Date;
}

const names = (ids: unknown, nameOf: NameOf): string =>
  (Array.isArray(ids) ? ids.map((id) => nameOf(String(id))).join(", ") : "") || "none";

function coverText({ all, tagIds, monitorIds }: JsonObject, nameOf: NameOf): string {
  if (all) return "all monitors";
  return tagIds ? `monitors with a tag of: ${names(tagIds, nameOf)}` : names(monitorIds, nameOf);
}

function timeText(times: JsonObject, { zone, now }: Reader): string {
  const moment = (value: unknown) => (typeof value === "string" ? minuteText(new Date(value), zone, now) : "not set");
  if (!times.cron) return `${moment(times.startsAt)} to ${moment(times.endsAt)}`;
  const bounds = [times.from && `no start before ${moment(times.from)}`, times.until && `no start at or after ${moment(times.until)}`];
  const rule = `${String(times.cron)} in ${String(times.timeZone ?? "UTC")} for ${durationText(Number(times.durationMinutes) * 60_000)}`;
  return [rule, ...bounds].filter(Boolean).join(", ");
}

/** Returns a part of a window in words. */
export function partText(field: WindowField, parts: WindowParts, reader: Reader): string {
  if (field === "covers") return coverText(parts.covers, reader.nameOf);
  if (field === "times") return timeText(parts.times, reader);
  if (field === "statusPageIds" || field === "componentIds") return names(parts[field], reader.nameOf);
  if (field === "announcement") return parts.announcement ? `${parts.announcement.title}: ${parts.announcement.body}` : "none";
  if (field === "announceHours") return `${parts.announceHours} h before the start`;
  if (field === "notify") return parts.notify ? "subscribers are notified" : "nobody is notified";
  if (field === "excludeFromUptime") return parts.excludeFromUptime ? "the time does not count" : "the time counts";
  return parts[field] ?? "none";
}

/** Returns the parts whose saved version is not the own one. */
export const differencesOf = (versions: Versions<WindowParts>, reader: Reader): Difference<WindowField>[] =>
  differencesBetween(FIELD_WORDS, versions, (field, parts) => partText(field, parts, reader));
