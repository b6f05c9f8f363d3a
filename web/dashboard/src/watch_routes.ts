import { createRoute } from "@tanstack/react-router";
import { loadLater as later } from "./parts/later";
import { lazyPage } from "./parts/reload";
import { oneOf, optional, pageOf, textOf, uuidOf } from "./parts/url_state";
import { project } from "./routes";

/** Maintenance windows. */
export const windowPages = [
  createRoute({
    getParentRoute: () => project, path: "/maintenance", component: lazyPage(later, "WindowsPage"),
    validateSearch: (raw: Record<string, unknown>) => optional({
      state: oneOf(raw, "state", ["finished"] as const), monitorId: uuidOf(raw, "monitorId"), ...pageOf(raw),
    }),
  }),
  createRoute({
    getParentRoute: () => project, path: "/maintenance/new", component: lazyPage(later, "NewWindowPage"),
    validateSearch: (raw: Record<string, unknown>) => optional({ monitorId: uuidOf(raw, "monitorId"), pageId: uuidOf(raw, "pageId") }),
  }),
  createRoute({ getParentRoute: () => project, path: "/maintenance/$windowId", component: lazyPage(later, "WindowPage") }),
  createRoute({ getParentRoute: () => project, path: "/maintenance/$windowId/edit", component: lazyPage(later, "EditWindowPage") }),
] as const;

const pagePath = "/status-pages/$pageId";
/** Status pages with their components, incidents and subscribers. */
export const statusPagePages = [
  createRoute({
    getParentRoute: () => project, path: "/status-pages", component: lazyPage(later, "StatusPagesPage"),
    validateSearch: (raw: Record<string, unknown>) => optional({
      status: oneOf(raw, "status", ["published", "draft", "archived"] as const), search: textOf(raw, "search"), ...pageOf(raw),
    }),
  }),
  createRoute({ getParentRoute: () => project, path: "/status-pages/new", component: lazyPage(later, "NewStatusPagePage") }),
  createRoute({
    getParentRoute: () => project, path: "/status-pages/post", component: lazyPage(later, "OutagePostPage"),
    validateSearch: (raw: Record<string, unknown>) => optional({ monitorId: uuidOf(raw, "monitorId") }),
  }),
  createRoute({ getParentRoute: () => project, path: pagePath, component: lazyPage(later, "StatusPageContentPage") }),
  createRoute({
    getParentRoute: () => project, path: `${pagePath}/incidents`, component: lazyPage(later, "IncidentsPage"),
    validateSearch: (raw: Record<string, unknown>) => optional({
      status: oneOf(raw, "status", ["investigating", "identified", "monitoring", "resolved"] as const), ...pageOf(raw),
    }),
  }),
  createRoute({ getParentRoute: () => project, path: `${pagePath}/incidents/new`, component: lazyPage(later, "NewIncidentPage") }),
  createRoute({ getParentRoute: () => project, path: `${pagePath}/incidents/$incidentId`, component: lazyPage(later, "IncidentPage") }),
  createRoute({
    getParentRoute: () => project, path: `${pagePath}/incidents/$incidentId/edit`, component: lazyPage(later, "EditIncidentPage"),
  }),
  createRoute({ getParentRoute: () => project, path: `${pagePath}/components/new`, component: lazyPage(later, "NewComponentPage") }),
  createRoute({
    getParentRoute: () => project, path: `${pagePath}/components/$componentId`, component: lazyPage(later, "EditComponentPage"),
  }),
  createRoute({
    getParentRoute: () => project, path: `${pagePath}/subscribers`, component: lazyPage(later, "SubscribersPage"), validateSearch: pageOf,
  }),
  createRoute({ getParentRoute: () => project, path: `${pagePath}/settings`, component: lazyPage(later, "StatusPageSettingsPage") }),
  createRoute({ getParentRoute: () => project, path: `${pagePath}/domain`, component: lazyPage(later, "StatusPageDomainPage") }),
] as const;
