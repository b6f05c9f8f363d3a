import { createRoute, createRouter, redirect } from "@tanstack/react-router";
import { version } from "./api/services";
import HomePage from "./pages/home_page";
import JobsPage from "./pages/jobs/jobs_page";
import JobPage from "./pages/jobs/job_page";
import TriggerPage from "./pages/jobs/trigger_page";
import OverviewPage from "./pages/overview/overview_page";
import RunsPage from "./pages/runs/runs_page";
import { addressRewrite } from "./pages/page_address";
import { loadLater as later } from "./parts/later";
import { PageFailure, lazyPage } from "./parts/reload";
import { rememberScroll } from "./parts/scroll_memory";
import { dayOf, oneOf, optional, pageOf, parseQuery, queryText, textOf, uuidOf } from "./parts/url_state";
import { project, root, signedIn } from "./routes";
import { statusPagePages, windowPages } from "./watch_routes";

const JOB_STATUSES = ["pending", "queued", "running", "passed", "failed", "error", "cancelled", "timed_out"] as const;
const MONITOR_STATUSES = ["down", "degraded", "error", "up", "pending", "paused"] as const;
const MONITOR_TYPES = ["website", "http_request", "ping_host", "port_check", "dns", "heartbeat"] as const;
const ALERT_STATUSES = ["sent", "pending", "failed", "suppressed"] as const;
const ALERT_TYPES = [
  "monitor_failure", "monitor_recovery", "monitor_degraded", "monitor_error", "ssl_expiring", "job_failed", "job_timeout", "job_success",
  "job_recovered", "provider_failing", "status_page_post",
] as const;
const PROVIDER_TYPES = ["email", "slack", "webhook", "telegram", "discord", "teams", "pagerduty", "ntfy"] as const;
const TEST_TYPES = ["browser", "api", "database", "custom", "performance", "command"] as const;
const RUN_STATUSES = ["queued", "running", "passed", "failed", "error", "cancelled", "timed_out"] as const;

const home = createRoute({
  getParentRoute: () => signedIn, path: "/", component: HomePage,
});
const account = createRoute({
  getParentRoute: () => signedIn, path: "/_account", component: lazyPage(later, "AccountLayout"),
});
const accountPages = [
  createRoute({ getParentRoute: () => account, path: "/", component: lazyPage(later, "ProfilePage") }),
  createRoute({ getParentRoute: () => account, path: "/password", component: lazyPage(later, "PasswordPage") }),
  createRoute({ getParentRoute: () => account, path: "/sessions", component: lazyPage(later, "SessionsPage") }),
  createRoute({ getParentRoute: () => account, path: "/tokens", component: lazyPage(later, "OwnTokensPage") }),
  createRoute({ getParentRoute: () => account, path: "/activity", component: lazyPage(later, "ActivityPage") }),
];

const go = createRoute({
  getParentRoute: () => signedIn, path: "/_go/$type/$id", component: lazyPage(later, "GoPage"),
});

const reference = createRoute({
  getParentRoute: () => signedIn, path: "/_api", component: lazyPage(later, "ReferencePage"),
  validateSearch: (raw: Record<string, unknown>) => optional({
    search: textOf(raw, "search", 100), operation: textOf(raw, "operation", 100),
  }),
});

const projectStart = createRoute({
  getParentRoute: () => project, path: "/",
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/$org/$project/jobs", params, replace: true });
  },
});
const jobs = createRoute({
  getParentRoute: () => project, path: "/jobs", component: JobsPage,
  validateSearch: (raw: Record<string, unknown>) => optional({
    status: oneOf(raw, "status", JOB_STATUSES), search: textOf(raw, "search"),
    sort: oneOf(raw, "sort", ["name", "-name", "createdAt", "-createdAt"] as const), ...pageOf(raw),
  }),
});
const job = createRoute({
  getParentRoute: () => project, path: "/jobs/$jobId", component: JobPage,
  validateSearch: (raw: Record<string, unknown>) => pageOf(raw),
});
const jobForms = [
  createRoute({ getParentRoute: () => project, path: "/jobs/new", component: lazyPage(later, "NewJobPage") }),
  createRoute({ getParentRoute: () => project, path: "/jobs/$jobId/edit", component: lazyPage(later, "EditJobPage") }),
] as const;
const trigger = createRoute({
  getParentRoute: () => project, path: "/jobs/$jobId/trigger", component: TriggerPage,
  validateSearch: (raw: Record<string, unknown>) => optional({ run: uuidOf(raw, "run") }),
});
const keyPages = [
  createRoute({ getParentRoute: () => project, path: "/jobs/$jobId/keys", component: lazyPage(later, "KeysPage") }),
  createRoute({ getParentRoute: () => project, path: "/jobs/$jobId/keys/new", component: lazyPage(later, "NewKeyPage") }),
  createRoute({ getParentRoute: () => project, path: "/jobs/$jobId/keys/$keyId/rotate", component: lazyPage(later, "RotateKeyPage") }),
] as const;
const runs = createRoute({
  getParentRoute: () => project, path: "/runs", component: RunsPage,
  validateSearch: (raw: Record<string, unknown>) => optional({
    status: oneOf(raw, "status", RUN_STATUSES), trigger: oneOf(raw, "trigger", ["remote", "manual", "schedule"] as const),
    jobId: uuidOf(raw, "jobId"), from: textOf(raw, "from", 32), to: textOf(raw, "to", 32), ...pageOf(raw),
  }),
});
const run = createRoute({
  getParentRoute: () => project, path: "/runs/$runId", component: lazyPage(later, "RunPage"),
});
const testPages = [
  createRoute({
    getParentRoute: () => project, path: "/tests", component: lazyPage(later, "TestsPage"),
    validateSearch: (raw: Record<string, unknown>) => optional({
      type: oneOf(raw, "type", TEST_TYPES), tagId: uuidOf(raw, "tagId"), search: textOf(raw, "search"), ...pageOf(raw),
    }),
  }),
  createRoute({ getParentRoute: () => project, path: "/tests/new", component: lazyPage(later, "NewTestPage") }),
  createRoute({
    getParentRoute: () => project, path: "/tests/$testId", component: lazyPage(later, "TestPage"),
    validateSearch: (raw: Record<string, unknown>) => optional({ run: uuidOf(raw, "run") }),
  }),
] as const;
const tokens = createRoute({
  getParentRoute: () => project, path: "/tokens", component: lazyPage(later, "TokensPage"),
  validateSearch: (raw: Record<string, unknown>) => optional({ view: oneOf(raw, "view", ["own"] as const), ...pageOf(raw) }),
});
const newToken = createRoute({
  getParentRoute: () => project, path: "/tokens/new", component: lazyPage(later, "NewTokenPage"),
});
const rotateToken = createRoute({
  getParentRoute: () => project, path: "/tokens/$tokenId/rotate", component: lazyPage(later, "RotateTokenPage"),
});

const auditSearch = (raw: Record<string, unknown>) => optional({
  action: textOf(raw, "action", 100), actorId: uuidOf(raw, "actorId"), from: dayOf(raw, "from"), to: dayOf(raw, "to"), ...pageOf(raw),
});
const organization = createRoute({
  getParentRoute: () => signedIn, path: "/$org/_", component: lazyPage(later, "OrganizationLayout"),
});
const organizationPages = [
  createRoute({
    getParentRoute: () => organization, path: "/",
    beforeLoad: ({ params }) => {
      throw redirect({ to: "/$org/_/members", params, replace: true });
    },
  }),
  createRoute({
    getParentRoute: () => organization, path: "/members", component: lazyPage(later, "MembersPage"), validateSearch: pageOf,
  }),
  createRoute({
    getParentRoute: () => organization, path: "/invitations", component: lazyPage(later, "InvitationsPage"),
    validateSearch: pageOf,
  }),
  createRoute({
    getParentRoute: () => organization, path: "/invitations/new", component: lazyPage(later, "NewInvitationPage"),
  }),
  createRoute({
    getParentRoute: () => organization, path: "/projects", component: lazyPage(later, "ProjectsPage"), validateSearch: pageOf,
  }),
  createRoute({ getParentRoute: () => organization, path: "/projects/new", component: lazyPage(later, "NewProjectPage") }),
  createRoute({ getParentRoute: () => organization, path: "/runners", component: lazyPage(later, "OrganizationRunnersPage") }),
  createRoute({
    getParentRoute: () => organization, path: "/runners/new", component: lazyPage(later, "NewOrganizationRunnerTokenPage"),
  }),
  createRoute({
    getParentRoute: () => organization, path: "/audit", component: lazyPage(later, "AuditPage"), validateSearch: auditSearch,
  }),
  createRoute({ getParentRoute: () => organization, path: "/general", component: lazyPage(later, "SettingsPage") }),
] as const;
const wordsSearch = (raw: Record<string, unknown>) => optional({ search: textOf(raw, "search", 100), ...pageOf(raw) });
const projectPages = [
  createRoute({ getParentRoute: () => project, path: "/overview", component: OverviewPage }),
  createRoute({ getParentRoute: () => project, path: "/usage", component: lazyPage(later, "UsagePage") }),
  createRoute({
    getParentRoute: () => project, path: "/members", component: lazyPage(later, "ProjectMembersPage"), validateSearch: pageOf,
  }),
  createRoute({ getParentRoute: () => project, path: "/settings", component: lazyPage(later, "ProjectSettingsPage") }),
  createRoute({ getParentRoute: () => project, path: "/runners", component: lazyPage(later, "ProjectRunnersPage") }),
  createRoute({ getParentRoute: () => project, path: "/runners/new", component: lazyPage(later, "NewProjectRunnerTokenPage") }),
  createRoute({
    getParentRoute: () => project, path: "/audit", component: lazyPage(later, "ProjectAuditPage"), validateSearch: auditSearch,
  }),
  createRoute({ getParentRoute: () => project, path: "/tags", component: lazyPage(later, "TagsPage"), validateSearch: wordsSearch }),
  createRoute({
    getParentRoute: () => project, path: "/variables", component: lazyPage(later, "VariablesPage"), validateSearch: wordsSearch,
  }),
  createRoute({ getParentRoute: () => project, path: "/variables/new", component: lazyPage(later, "NewVariablePage") }),
  createRoute({ getParentRoute: () => project, path: "/variables/$variableId", component: lazyPage(later, "EditVariablePage") }),
] as const;

const daysOf = (raw: Record<string, unknown>) => ({ from: dayOf(raw, "from"), to: dayOf(raw, "to") });
const monitorPages = [
  createRoute({
    getParentRoute: () => project, path: "/monitors", component: lazyPage(later, "MonitorsPage"),
    validateSearch: (raw: Record<string, unknown>) => optional({
      status: oneOf(raw, "status", MONITOR_STATUSES), type: oneOf(raw, "type", MONITOR_TYPES), tag: textOf(raw, "tag", 40),
      search: textOf(raw, "search"), deleted: oneOf(raw, "deleted", ["true"] as const),
      sort: oneOf(raw, "sort", ["name", "-createdAt"] as const), ...pageOf(raw),
    }),
  }),
  createRoute({
    getParentRoute: () => project, path: "/monitors/new", component: lazyPage(later, "NewMonitorPage"),
    validateSearch: (raw: Record<string, unknown>) => optional({ type: oneOf(raw, "type", MONITOR_TYPES) }),
  }),
  createRoute({
    getParentRoute: () => project, path: "/monitors/$monitorId/edit", component: lazyPage(later, "EditMonitorPage"),
  }),
  createRoute({
    getParentRoute: () => project, path: "/monitors/$monitorId", component: lazyPage(later, "MonitorPage"),
    validateSearch: (raw: Record<string, unknown>) => optional({
      period: oneOf(raw, "period", ["7d", "30d", "90d", "365d"] as const),
    }),
  }),
  createRoute({
    getParentRoute: () => project, path: "/monitors/$monitorId/results", component: lazyPage(later, "MonitorResultsPage"),
    validateSearch: (raw: Record<string, unknown>) => optional({
      status: oneOf(raw, "status", ["up", "down", "timeout", "error"] as const), ...daysOf(raw), ...pageOf(raw),
    }),
  }),
  createRoute({
    getParentRoute: () => project, path: "/monitors/$monitorId/outages", component: lazyPage(later, "MonitorOutagesPage"),
    validateSearch: (raw: Record<string, unknown>) => optional({
      open: oneOf(raw, "open", ["true", "false"] as const), ...daysOf(raw), ...pageOf(raw),
    }),
  }),
  createRoute({
    getParentRoute: () => project, path: "/outages", component: lazyPage(later, "OutagesPage"),
    validateSearch: (raw: Record<string, unknown>) => optional({
      open: oneOf(raw, "open", ["true", "false"] as const), monitorId: uuidOf(raw, "monitorId"), ...daysOf(raw), ...pageOf(raw),
    }),
  }),
  createRoute({
    getParentRoute: () => project, path: "/alerts", component: lazyPage(later, "AlertsPage"),
    validateSearch: (raw: Record<string, unknown>) => optional({
      status: oneOf(raw, "status", ALERT_STATUSES), type: oneOf(raw, "type", ALERT_TYPES), providerId: uuidOf(raw, "providerId"),
      targetId: uuidOf(raw, "targetId"), ...daysOf(raw), ...pageOf(raw),
    }),
  }),
  createRoute({ getParentRoute: () => project, path: "/providers", component: lazyPage(later, "ProvidersPage"), validateSearch: pageOf }),
  createRoute({
    getParentRoute: () => project, path: "/providers/new", component: lazyPage(later, "NewProviderPage"),
    validateSearch: (raw: Record<string, unknown>) => optional({ type: oneOf(raw, "type", PROVIDER_TYPES) }),
  }),
  createRoute({ getParentRoute: () => project, path: "/providers/$providerId", component: lazyPage(later, "ProviderPage") }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren([
    signedIn.addChildren([
      home, go, reference, account.addChildren(accountPages), organization.addChildren(organizationPages),
      project.addChildren([
        projectStart, jobs, job, ...jobForms, trigger, ...keyPages, runs, run, ...testPages, tokens, newToken, rotateToken, ...projectPages,
        ...monitorPages, ...windowPages, ...statusPagePages,
      ]),
    ]),
  ]),
  basepath: "/app",
  defaultErrorComponent: PageFailure,
  rewrite: addressRewrite,
  parseSearch: parseQuery,
  stringifySearch: queryText,
  defaultPreload: false,
});

rememberScroll(router.history);

// The next navigation loads a newer bundle, unless a form of the page holds unsaved input.
router.subscribe("onBeforeLoad", ({ toLocation, pathChanged }) => {
  if (pathChanged && version.mayLoad()) location.assign(toLocation.publicHref);
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
