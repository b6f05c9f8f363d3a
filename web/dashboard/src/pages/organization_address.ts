/** The place of the organisation's pages among its projects: short names are of a-z, 0-9 and -, so no project can have it. */
const PLACE = "_";
const BEFORE = "settings";
const PAGES = new Set(["members", "invitations", "projects", "runners", "general", "audit"]);

/** Returns the path of a page of an organisation, such as `/acme/_/members`. */
export const organizationPath = (organization: string, ...parts: string[]): string => ["", organization, PLACE, ...parts].join("/");

/**
 * Returns the address of an organisation's page that had the place of a project `settings` before, or undefined. Only addresses
 * for which there is no page of such a project are asked for.
 */
export function movedAddress(path: string): string | undefined {
  const [empty, organization, place, ...parts] = path.split("/");
  if (empty !== "" || !organization || place !== BEFORE) return undefined;
  return organizationPath(organization, ...(PAGES.has(parts[0] ?? "") ? parts.filter(Boolean) : ["members"]));
}
