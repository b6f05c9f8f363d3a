import type { SignName } from "./sprite";

export interface StateLook {
  word: string;
  sign: SignName;
  /** The class that holds the colours, components.css. */
  look: string;
}

/** Statuses of runs and of the last run of a job. */
export const RUN_STATES = {
  queued: { word: "Queued", sign: "queued", look: "s-queued" },
  running: { word: "Running", sign: "running", look: "s-running" },
  passed: { word: "Passed", sign: "passed", look: "s-passed" },
  failed: { word: "Failed", sign: "failed", look: "s-failed" },
  error: { word: "Error", sign: "error", look: "s-error" },
  cancelled: { word: "Cancelled", sign: "cancelled", look: "s-cancelled" },
  timed_out: { word: "Timed out", sign: "timed-out", look: "s-timed-out" },
} as const satisfies Record<string, StateLook>;

const SKIPPED: StateLook = { word: "Skipped", sign: "cancelled", look: "s-cancelled" };
const NOT_STARTED: StateLook = { word: "Not started", sign: "queued", look: "s-queued" };
export const UNKNOWN: StateLook = { word: "Unknown", sign: "unknown", look: "s-unknown" };
export const NEVER_RUN: StateLook = { word: "Never run", sign: "queued", look: "s-pending" };
export const DISABLED: StateLook = { word: "Disabled", sign: "cancelled", look: "s-disabled" };

/** Returns the look of a run's status; a status of a newer service is unknown. */
export function runState(status: string): StateLook {
  return (RUN_STATES as Record<string, StateLook>)[status] ?? UNKNOWN;
}

/** Returns the look of one test of a run. */
export function testState(status: string): StateLook {
  if (status === "queued") return NOT_STARTED;
  return status === "skipped" ? SKIPPED : runState(status);
}

const FAILURES: ReadonlySet<string> = new Set(["failed", "error", "timed_out"]);

/** Returns the jobs whose last run failed, timed out or ended with an error. A cancelled run says nothing. */
export const failingJobs = <T extends { status: string }>(jobs: readonly T[]): T[] => jobs.filter((job) => FAILURES.has(job.status));

export const isOver = (status: string): boolean => status !== "queued" && status !== "running";

export interface JobLike {
  enabled: boolean;
  status: string;
}

/** Returns the look of a job: what its last run says, unless nothing can start it. */
export function jobState(job: JobLike): StateLook {
  if (!job.enabled) return DISABLED;
  if (job.status === "pending") return NEVER_RUN;
  const look = runState(job.status);
  return job.status === "failed" ? { ...look, word: "Failing" } : look;
}

export interface TokenLike {
  enabled: boolean;
  expiresAt?: string;
  lastUsedAt: string | null;
  createdAt: string;
  previous?: unknown;
}

const DAY = 86_400_000;
export const UNUSED_AFTER_DAYS = 90;
export const EXPIRES_SOON_DAYS = 14;

/** Returns the milliseconds until a token or key expires. */
const lifeLeft = ({ expiresAt }: Pick<TokenLike, "expiresAt">, now: Date): number =>
  expiresAt ? Date.parse(expiresAt) - now.getTime() : Infinity;

/** Returns the look of a token or key: the first of its conditions that needs an act. */
export function tokenState(token: TokenLike, now: Date): StateLook {
  const left = lifeLeft(token, now);
  if (left <= 0) return { word: "Expired", sign: "cancelled", look: "s-cancelled" };
  if (!token.enabled) return DISABLED;
  if (token.previous) return { word: "Rotating", sign: "running", look: "s-running" };
  if (left < EXPIRES_SOON_DAYS * DAY) return { word: "Expires soon", sign: "degraded", look: "s-warning" };
  const idle = Math.floor((now.getTime() - Date.parse(token.lastUsedAt ?? token.createdAt)) / DAY);
  if (idle >= UNUSED_AFTER_DAYS) return { word: `Unused ${idle} days`, sign: "unknown", look: "s-unknown" };
  if (!token.lastUsedAt) return { word: "Never used", sign: "queued", look: "s-pending" };
  return { word: "Active", sign: "passed", look: "s-active" };
}

/** True if requests with the token or key are accepted as far as it depends on itself. */
export const isAccepted = (token: Pick<TokenLike, "enabled" | "expiresAt">, now: Date): boolean =>
  token.enabled && lifeLeft(token, now) > 0;

const ROLES: Record<string, string> = {
  project_viewer: "viewer", project_editor: "editor", project_admin: "administrator",
  org_member: "member", org_admin: "administrator", org_owner: "owner",
};

/** Returns the word for a role. */
export const roleWord = (role: string): string => ROLES[role] ?? role;

const RANKS = ["project_viewer", "project_editor", "project_admin", "org_admin", "org_owner"];

/** True if the role has the rights of `least`. */
export const hasRole = (role: string, least: "project_editor" | "project_admin"): boolean =>
  RANKS.indexOf(role) >= RANKS.indexOf(least);
