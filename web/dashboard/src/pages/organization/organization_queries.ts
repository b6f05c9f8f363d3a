import { account, take } from "../../api/services";
import type { ListPage } from "../../parts/list_foot";
import type { PageState } from "../../parts/url_state";
import { list } from "../project_queries";
import type { Invitation, Member, OrganizationProject } from "./organization_context";

type Headers_ = Record<string, string>;
const LIMIT = 100;

export const readMembers = (organizationId: string, page: PageState, headers: Headers_, signal: AbortSignal): Promise<ListPage<Member>> =>
  list<Member>(account.GET("/dashboard/v1/organizations/{organizationId}/members", {
    params: { path: { organizationId }, query: { limit: LIMIT, ...page } }, headers, signal,
  }));

export const readInvitations = (organizationId: string, page: PageState, headers: Headers_, signal: AbortSignal) =>
  list<Invitation>(account.GET("/dashboard/v1/organizations/{organizationId}/invitations", {
    params: { path: { organizationId }, query: { limit: LIMIT, ...page } }, headers, signal,
  }));

export const readOrganizationProjects = (organizationId: string, page: PageState, headers: Headers_, signal: AbortSignal) =>
  list<OrganizationProject>(account.GET("/dashboard/v1/organizations/{organizationId}/projects", {
    params: { path: { organizationId }, query: { limit: LIMIT, ...page } }, headers, signal,
  }));

/**
 * Returns the first tokens and keys that the removal of a member stops, how many there are, and the runner tokens of the
 * member's making, which stay valid.
 */
export const readImpact = async (organizationId: string, userId: string, signal: AbortSignal) => {
  const page = await take(account.GET("/dashboard/v1/organizations/{organizationId}/members/{userId}/impact", {
    params: { path: { organizationId, userId }, query: { limit: LIMIT } }, signal,
  }));
  return { rows: page.data, total: page.pagination.total, runnerTokens: page.runnerTokens };
};
