import type { StateLook } from "../../parts/states";
import type { Invitation } from "./organization_context";

export type OrganizationRole = Invitation["role"];
export type ProjectRole = Invitation["projects"][number]["role"];

const MOST_PROJECTS = 50;

export interface InvitationValues {
  email: string;
  role: OrganizationRole;
  /** Roles by project; an empty text is none. */
  projects: Readonly<Record<string, ProjectRole | "">>;
  delivery: "mail" | "copy";
}

/** Returns the body of a new invitation, or what has to change. Administrators need no roles in projects. */
export function invitationBody({ email, role, projects, delivery }: InvitationValues) {
  const address = email.trim();
  if (!/^[^\s@]+@[^\s@]+$/.test(address)) return { error: "Enter an e-mail address, such as ada@example.com." };
  const wanted = role === "org_member"
    ? Object.entries(projects).flatMap(([projectId, one]) => (one ? [{ projectId, role: one }] : []))
    : [];
  if (wanted.length > MOST_PROJECTS) return { error: `An invitation has roles in at most ${MOST_PROJECTS} projects.` };
  return { body: { email: address, role, ...(wanted.length ? { projects: wanted } : {}), delivery } };
}

/** Returns the look of an invitation: how its mail fares while it is open. */
export function invitationState({ state, delivery }: Pick<Invitation, "state" | "delivery">): StateLook {
  if (state === "accepted") return { word: "Accepted", sign: "passed", look: "s-passed" };
  if (state === "revoked") return { word: "Withdrawn", sign: "cancelled", look: "s-cancelled" };
  if (state === "expired") return { word: "Expired", sign: "timed-out", look: "s-timed-out" };
  if (!delivery) return { word: "Link copied", sign: "info", look: "s-pending" };
  if (delivery.state === "sent") return { word: "Sent", sign: "passed", look: "s-passed" };
  if (delivery.state === "failed") return { word: "Failed", sign: "failed", look: "s-failed" };
  return { word: delivery.attempts ? "Trying again" : "Waiting", sign: "queued", look: "s-queued" };
}

/** Returns the roles that this role can give: only owners give the role of an owner. */
export const rolesToGive = (own: OrganizationRole): readonly (readonly [OrganizationRole, string])[] => [
  ...(own === "org_owner" ? [["org_owner", "Owner"] as const] : []), ["org_admin", "Administrator"], ["org_member", "Member"],
];

/** Returns a short name for addresses, made from a name. */
export const slugOf = (name: string): string =>
  name.normalize("NFKD").toLowerCase().replace(/[\u0300-\u036f]/g, "").replace(/[^a-z0-9]+/g, "-").slice(0, 63).replace(/^-+|-+$/g, "");
