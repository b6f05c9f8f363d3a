import { createContext, useContext } from "react";
import type { DashboardClient, PublicClient } from "../../../api/client";
import type { OwnProject } from "../api/account";

export interface ProjectContextValue {
  project: OwnProject;
  /** Operations of the public API in this project. */
  api: PublicClient;
  /** Operations of the dashboard in this project. */
  pages: DashboardClient;
  /** The path of a page of this project, such as `/acme/shop/jobs`. */
  path: (...parts: string[]) => string;
  /** The start of the keys of this project's queries. */
  key: string;
}

export const ProjectContext = createContext<ProjectContextValue | undefined>(undefined);

export function useProject(): ProjectContextValue {
  const value = useContext(ProjectContext);
  if (!value) throw new Error("The page belongs to a project.");
  return value;
}
