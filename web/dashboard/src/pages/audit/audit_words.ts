import type { DashboardSchemas } from "../../../../api/client";
import { roleWord } from "../../parts/states";
import { startOfDay } from "../../time/zone_day";

export type AuditEntry = DashboardSchemas["AuditEntry"];

const VERBS: Record<string, string> = {
  created: "Created", updated: "Changed", deleted: "Deleted", revoked: "Revoked", disabled: "Disabled", enabled: "Enabled",
  rotated: "Rotated", key_rotated: "Rotated the key of", archived: "Archived", unarchived: "Restored", restored: "Restored",
  renewed: "Renewed", accepted: "Accepted", removed: "Removed", role_set: "Set the role of", role_removed: "Removed the role of",
  triggered: "Triggered", cancelled: "Cancelled", cancel_requested: "Asked to cancel", linked: "Linked", ended: "Ended",
  policy_set: "Set the sign-in policy of", renamed: "Renamed", paused: "Paused", resumed: "Resumed", acknowledged: "Acknowledged",
  published: "Published", domain_verified: "Proved the domain of", domain_lost: "Lost the domain of", executed: "Executed",
  retried: "Sent again", checked: "Checked", tested: "Tested", tagged: "Changed the tags of",
  secret_confirmed: "Used the new secret of", secret_ended: "Ended the old secret of", rewrapped: "Encrypted again",
};
const THINGS: Record<string, string> = {
  cli_token: "token", trigger_key: "trigger key", runner: "runner token", notification_provider: "notification provider",
};

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** Returns the name of the thing that a row itself has. */
function ownName(details: AuditEntry["details"]): string | undefined {
  const { name, title, email, slug, key } = details as Record<string, unknown>;
  return [name, title, email, slug, key].find(isText);
}

/**
 * Returns a sentence such as `Changed job nightly`; an action of a newer service keeps its name. `person` is the name of the member
 * whom it is about, whose row has only an id.
 */
export function changeWords({ action, details, resource }: Pick<AuditEntry, "action" | "details" | "resource">, person?: string): string {
  const verb = VERBS[action.slice(action.indexOf(".") + 1)];
  const thing = THINGS[resource] ?? resource.replaceAll("_", " ");
  const name = ownName(details) ?? person;
  const known = details as Record<string, unknown>;
  const start = verb ? `${verb} ${thing}` : action.replace(/[._]/g, " ").replace(/^./, (first) => first.toUpperCase());
  const role = action === "member.role_set" && isText(known.role) ? ` to ${roleWord(known.role)}` : "";
  return (name ? `${start} ${name}` : start) + role;
}

/** Returns the ids of the members whom rows are about without a name. */
export function unnamedMembers(entries: readonly AuditEntry[]): string[] {
  const unnamed = entries.filter((one) => one.resource === "member" && one.resourceId && !ownName(one.details));
  return [...new Set(unnamed.map((one) => one.resourceId!))].sort();
}

/** Returns how the author reached the service. */
export function wayOf({ actor }: Pick<AuditEntry, "actor">): string {
  if (actor.sessionId) return "dashboard";
  if (actor.tokenId) return "token or key";
  return actor.id ? "the service" : "operator";
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value) ?? "");

/** Returns one line for each member of the details; a change has a line for the value before and one for the value after. */
export function detailLines(details: AuditEntry["details"]): { text: string; look?: "del" | "ins" }[] {
  return Object.entries(details as Record<string, unknown>).flatMap(([name, value]) => {
    const pair = value as { before?: unknown; after?: unknown } | null;
    if (typeof pair === "object" && pair && ("before" in pair || "after" in pair)) {
      const [before, after] = [`- ${textOf(pair.before)}`, `+ ${textOf(pair.after)}`];
      return [{ text: name }, { text: before, look: "del" as const }, { text: after, look: "ins" as const }];
    }
    return [{ text: `${name}: ${textOf(value)}` }];
  });
}

export interface AuditQuery {
  action?: string;
  actorId?: string;
  /** Days in the reader's zone; both count. */
  from?: string;
  to?: string;
}

/** The filters as the API takes them; the times are RFC 3339. */
export type AuditFilter = { [Name in keyof AuditQuery]?: string };

/** Returns the filters as the API takes them: from the start of the first day to the end of the last one. */
export function auditFilters({ action, actorId, from, to }: AuditQuery, zone: string): AuditFilter {
  const edge = (day: string | undefined, later: number) => {
    const start = day === undefined ? undefined : startOfDay(day, zone, later);
    return start?.toISOString();
  };
  const filters = { action, actorId, from: edge(from, 0), to: edge(to, 1) };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}
