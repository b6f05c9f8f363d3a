// The typed clients of the two documents. Types are generated (../generate.mjs), and the transport is the caller's.

import createClient from "openapi-fetch";
import type { components as DashboardComponents, paths as DashboardPaths } from "./generated/dashboard";
import type { components as PublicComponents, paths as PublicPaths } from "./generated/public";

export type PublicSchemas = PublicComponents["schemas"];
export type DashboardSchemas = DashboardComponents["schemas"];
export type Send = (request: Request) => Promise<Response>;

export interface ClientOptions {
  /** The origin of the service, without a slash at its end; empty in the browser. */
  origin: string;
  send: Send;
  /** The project that the header Svc-Project names. */
  project?: string;
}

function shared({ origin, send, project }: ClientOptions) {
  return { baseUrl: origin, fetch: send, headers: project ? { "Svc-Project": project } : {} };
}

/** Returns a client of the public API, for one project. */
export function createPublicClient(options: ClientOptions) {
  return createClient<PublicPaths>(shared(options));
}

/** Returns a client of /dashboard/v1. Operations of a project need `project`. */
export function createDashboardClient(options: ClientOptions) {
  return createClient<DashboardPaths>(shared(options));
}

export type PublicClient = ReturnType<typeof createPublicClient>;
export type DashboardClient = ReturnType<typeof createDashboardClient>;
