import { type StateLook, UNKNOWN } from "../../parts/states";
import type { ComponentStatus, Publication, StatusPage, Visibility } from "./page_queries";

export const COMPONENT_STATES = {
  operational: { word: "Operational", sign: "passed", look: "s-operational" },
  unknown: UNKNOWN,
  under_maintenance: { word: "Under maintenance", sign: "maintenance", look: "s-maintenance" },
  degraded_performance: { word: "Degraded performance", sign: "degraded", look: "s-degraded" },
  partial_outage: { word: "Partial outage", sign: "partial", look: "s-partial" },
  major_outage: { word: "Major outage", sign: "failed", look: "s-major" },
} as const satisfies Record<ComponentStatus, StateLook>;

/** Statuses that a person can give a component, the worst last. */
export const SET_STATUSES = ["operational", "under_maintenance", "degraded_performance", "partial_outage", "major_outage"] as const;
export type SetStatus = (typeof SET_STATUSES)[number];

export const SET_STATUS_WORDS: readonly (readonly [SetStatus, string])[] = SET_STATUSES.map((one) => [one, COMPONENT_STATES[one].word]);

const lookOf = (looks: Record<string, StateLook>, name: string): StateLook => looks[name] ?? UNKNOWN;

/** Returns the look of a component or of a whole page; a status of a newer service is unknown. */
export const componentState = (status: string): StateLook => lookOf(COMPONENT_STATES, status);

export const PUBLICATIONS = {
  published: { word: "Published", sign: "passed", look: "s-active" },
  draft: { word: "Draft", sign: "queued", look: "s-pending" },
  archived: { word: "Archived", sign: "cancelled", look: "s-disabled" },
} as const satisfies Record<Publication, StateLook>;

export const publicationState = (status: string): StateLook => lookOf(PUBLICATIONS, status);

export const INCIDENT_STATES = {
  investigating: { word: "Investigating", sign: "queued", look: "s-pending" },
  identified: { word: "Identified", sign: "info", look: "s-info" },
  monitoring: { word: "Monitoring", sign: "running", look: "s-running" },
  resolved: { word: "Resolved", sign: "passed", look: "s-passed" },
  postmortem: { word: "Post-mortem", sign: "info", look: "s-info" },
} as const satisfies Record<string, StateLook>;

export const incidentState = (status: string): StateLook => lookOf(INCIDENT_STATES, status);

export const IMPACTS: Record<string, string> = {
  none: "No impact", minor: "Minor impact", major: "Major impact", critical: "Critical impact",
};

export const VISIBILITIES: Record<Visibility, string> = {
  public: "Public", unlisted: "Unlisted", restricted: "Restricted", members: "Members only",
};

/** The languages of pages, each by its own name. */
export const LANGUAGES = [
  ["de", "Deutsch"], ["en", "English"], ["es", "Español"], ["fr", "Français"], ["it", "Italiano"], ["ja", "日本語"], ["nl", "Nederlands"],
  ["pl", "Polski"], ["pt", "Português"], ["zh", "中文"],
] as const;

type Addressed = Pick<StatusPage, "slug" | "customDomain" | "domain" | "visibility">;

/** True if the page is served at its own domain. Pages for members are only on the service's own host. */
const hasDomain = ({ customDomain, domain, visibility }: Addressed): boolean =>
  Boolean(customDomain && domain?.verifiedAt) && visibility !== "members";

/** Returns the address of a slug on the service's own host. */
export const slugAddress = (origin: string, slug: string): string => `${origin}/status/${slug}`;

/** Returns the address at which visitors find the page: its own domain once that is proved. */
export const pageAddress = (origin: string, page: Addressed): string =>
  (hasDomain(page) ? `https://${page.customDomain}/` : slugAddress(origin, page.slug));

/** Returns the short form of the address, for lists. */
export const shownAddress = (page: Addressed): string => (hasDomain(page) ? page.customDomain! : `/status/${page.slug}`);

/** The formats of a page other programs read, each with its word and address. The badge needs no feeds. */
export function feedsOf(origin: string, { slug, allowFeeds }: Pick<StatusPage, "slug" | "allowFeeds">): [string, string][] {
  const base = `${origin}/api/status-pages/${slug}`;
  const feeds: [string, string][] = [["RSS", `${base}/rss`], ["JSON Feed", `${base}/feed.json`], ["Calendar", `${base}/ical`]];
  return [...(allowFeeds ? feeds : []), ["Badge", `${base}/badge.svg`], ["Summary", `${base}/summary`]];
}

/** Returns `2 monitors`, or how many of them were deleted. */
export function monitorsWords(count: number, missing: number): string {
  if (count === 0 && missing === 0) return "No monitor";
  const all = count === 1 ? "1 monitor" : `${count} monitors`;
  if (missing === 0) return all;
  return `${missing} of ${all} ${missing === 1 ? "was" : "were"} deleted`;
}

export const AGGREGATIONS = { worst_case: "worst case", majority_vote: "majority" } as const;

/** Returns an address for a list: the first character, and the host. An address that is masked already stays as it is. */
export function maskedAddress(email: string): string {
  const at = email.lastIndexOf("@");
  if (at < 1 || /[*…]/.test(email.slice(0, at))) return email;
  return `${[...email][0]}…${email.slice(at)}`;
}

/** Returns `2 address ranges` for a restricted page, and nothing for another one. */
export function rangesWords({ allowedCidrs }: Pick<StatusPage, "allowedCidrs">): string | undefined {
  if (!allowedCidrs?.length) return undefined;
  return allowedCidrs.length === 1 ? "1 address range" : `${allowedCidrs.length} address ranges`;
}
