import { same } from "../../parts/differences";
import type { JsonObject } from "../monitors/form/merge_patch";
import type { FieldError } from "./field_errors";
import type { StatusPage, Visibility } from "./page_queries";
import { VISIBILITIES } from "./page_states";

/** Bounds of the contract. A test compares them with the OpenAPI document. */
export const MOST_NAME = 255;
export const MOST_HEADLINE = 255;
export const MOST_DESCRIPTION = 2000;
export const MOST_RANGES = 24;
export const MOST_PROVIDERS = 10;
export const MOST_MINUTES = 60;
const DEFAULT_MINUTES = 5;
export const SLUG = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;
export const COLOR = /^#[0-9A-Fa-f]{6}$/;

/** What the form of a page holds. Its fields have the names of the members. */
export interface PageValues {
  name: string;
  slug: string;
  headline: string;
  description: string;
  visibility: Visibility;
  /** One range in each line. */
  allowedCidrs: string;
  language: StatusPage["language"];
  timeZone: string;
  accentColor: string;
  supportUrl: string;
  allowFeeds: boolean;
  allowSubscribers: boolean;
  autoIncidents: boolean;
  autoIncidentMinutes: string;
  notificationProviders: string[];
  customDomain: string;
}

export type PageField = keyof PageValues;

export const FIELD_WORDS: Record<PageField, string> = {
  name: "Name", slug: "Address", headline: "Headline", description: "Description", visibility: "Visibility", allowedCidrs: "Address ranges",
  language: "Language", timeZone: "Time zone", accentColor: "Accent colour", supportUrl: "Help", allowFeeds: "Feeds",
  allowSubscribers: "Subscribers", autoIncidents: "Automatic incidents", autoIncidentMinutes: "Minutes of an outage",
  notificationProviders: "Providers", customDomain: "Own domain",
};

/** Returns the form of a new page: the defaults of the contract. */
export const newValues = (timeZone: string): PageValues => ({
  name: "", slug: "", headline: "", description: "", visibility: "public", allowedCidrs: "", language: "en", timeZone, accentColor: "",
  supportUrl: "", allowFeeds: true, allowSubscribers: false, autoIncidents: false, autoIncidentMinutes: "5", notificationProviders: [],
  customDomain: "",
});

/** Returns the form of a stored page. */
export const valuesOf = (page: StatusPage): PageValues => ({
  name: page.name, slug: page.slug, headline: page.headline ?? "", description: page.description ?? "", visibility: page.visibility,
  allowedCidrs: (page.allowedCidrs ?? []).join("\n"), language: page.language, timeZone: page.timeZone,
  accentColor: page.accentColor ?? "", supportUrl: page.supportUrl ?? "", allowFeeds: page.allowFeeds,
  allowSubscribers: page.allowSubscribers, autoIncidents: page.autoIncidents, autoIncidentMinutes: String(page.autoIncidentMinutes),
  notificationProviders: page.notificationProviders, customDomain: page.customDomain ?? "",
});

/** Returns the ranges of the text, one a line or apart by commas. */
export const rangesOf = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter(Boolean))];

/** Returns the minutes, or undefined if the text is no whole number in the bounds. */
function minutesOf({ autoIncidentMinutes }: PageValues): number | undefined {
  const minutes = /^\d{1,3}$/.test(autoIncidentMinutes.trim()) ? Number(autoIncidentMinutes) : 0;
  return minutes >= 1 && minutes <= MOST_MINUTES ? minutes : undefined;
}

const orNull = (text: string): string | null => text.trim() || null;

/** Returns all members that the form makes. */
export function bodyOf(values: PageValues): JsonObject {
  return {
    name: values.name.trim(), slug: values.slug.trim(), headline: orNull(values.headline), description: orNull(values.description),
    visibility: values.visibility, allowedCidrs: values.visibility === "restricted" ? rangesOf(values.allowedCidrs) : null,
    language: values.language, timeZone: values.timeZone.trim(), accentColor: orNull(values.accentColor),
    supportUrl: orNull(values.supportUrl), allowFeeds: values.allowFeeds, allowSubscribers: values.allowSubscribers,
    autoIncidents: values.autoIncidents, autoIncidentMinutes: minutesOf(values) ?? DEFAULT_MINUTES,
    notificationProviders: values.notificationProviders, customDomain: orNull(values.customDomain.toLowerCase()),
  };
}

/** Returns the body that creates the page, without what is a default. */
export function createBody(values: PageValues, publish: boolean): JsonObject {
  const start = bodyOf(newValues("UTC"));
  const own = Object.entries(bodyOf(values)).filter(([name, value]) => name === "name" || name === "slug" || !same(start[name], value));
  return { ...Object.fromEntries(own), ...(publish ? { status: "published" } : {}) };
}

/** Returns a slug from the name, for a field that nobody has typed into: `Acme Shop` becomes `acme-shop`. */
export const slugOf = (name: string): string =>
  name.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 63)
    .replace(/-+$/, "");

const isHttps = (text: string): boolean => /^https:\/\/[^\s/]+/.test(text);

function wrongRanges({ visibility, allowedCidrs }: PageValues): FieldError[] {
  if (visibility !== "restricted") return [];
  const count = rangesOf(allowedCidrs).length;
  if (count === 0) return [{ name: "allowedCidrs", text: "Enter at least one range, such as 203.0.113.0/24." }];
  return count > MOST_RANGES ? [{ name: "allowedCidrs", text: `Enter at most ${MOST_RANGES} ranges.` }] : [];
}

/** Returns what is wrong with the form, in the order of its fields. The service checks it again. */
export function errorsOf(values: PageValues): FieldError[] {
  const wrong: FieldError[] = [];
  const check = (name: PageField, text: string, good: boolean) => void (good || wrong.push({ name, text }));
  check("name", "Enter a name.", values.name.trim() !== "");
  check("slug", "Enter 3 to 63 characters a-z, 0-9 and hyphens, with no hyphen at the start or end.", SLUG.test(values.slug.trim()));
  wrong.push(...wrongRanges(values));
  check("timeZone", "Enter a time zone, such as Europe/Berlin.", values.timeZone.trim() !== "");
  check("accentColor", "Enter a colour such as #1d4ed8, or nothing.", !values.accentColor.trim() || COLOR.test(values.accentColor.trim()));
  check("supportUrl", "Enter an address that starts with https://.", !values.supportUrl.trim() || isHttps(values.supportUrl.trim()));
  // The field is shown only while incidents are automatic.
  check("autoIncidentMinutes", `Enter a whole number from 1 to ${MOST_MINUTES}.`, !values.autoIncidents || minutesOf(values) !== undefined);
  check("notificationProviders", `Choose at most ${MOST_PROVIDERS} providers.`, values.notificationProviders.length <= MOST_PROVIDERS);
  return wrong;
}

/** Returns a member of a page in words, for a conflict. */
export function memberText(field: PageField, body: JsonObject, providerName: (id: string) => string): string {
  const value = body[field];
  if (field === "visibility") return VISIBILITIES[value as Visibility];
  if (field === "notificationProviders") return (value as string[]).map(providerName).join(", ") || "none";
  if (typeof value === "boolean") return value ? "on" : "off";
  if (Array.isArray(value)) return value.join(", ") || "none";
  return value === null || value === undefined || value === "" ? "none" : String(value);
}
