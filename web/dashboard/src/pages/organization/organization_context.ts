import { createContext, useContext } from "react";
import type { DashboardSchemas } from "../../../../api/client";

export type Organization = DashboardSchemas["Organization"];
export type Member = DashboardSchemas["Member"];
export type Invitation = DashboardSchemas["Invitation"];
export type OrganizationProject = DashboardSchemas["Project"];

export interface OrganizationContextValue {
  organization: Organization;
  /** The path of a page of the organisation, such as `/acme/_/projects`. */
  path: (...parts: string[]) => string;
  /** The start of the keys of this organisation's queries. */
  key: string;
  /** True for administrators and owners. */
  admin: boolean;
}

export const OrganizationContext = createContext<OrganizationContextValue | undefined>(undefined);

export function useOrganization(): OrganizationContextValue {
  const value = useContext(OrganizationContext);
  if (!value) throw new Error("The page belongs to an organisation.");
  return value;
}
