import type { DashboardSchemas } from "../../../../api/client";
import type { ListPage } from "../../parts/list_foot";

export type Runner = DashboardSchemas["Runner"];
export type RunnerToken = DashboardSchemas["RunnerToken"];
export type RunnerTokenCreated = DashboardSchemas["RunnerTokenCreated"];

type Headers_ = Record<string, string>;

/** The operations on runners and their tokens, of a project or of an organisation. */
export interface RunnerPlace {
  /** Such as "project Shop". */
  place: string;
  /** What runners with a new token serve. */
  serves: string;
  key: string;
  role: string;
  /** True for administrators. */
  admin: boolean;
  listPath: string;
  newPath: string;
  readTokens: (headers: Headers_, signal: AbortSignal) => Promise<ListPage<RunnerToken>>;
  readRunners: (headers: Headers_, signal: AbortSignal) => Promise<ListPage<Runner>>;
  create: (name: string) => Promise<RunnerTokenCreated>;
  revoke: (id: string) => Promise<unknown>;
}

/** Milliseconds. A runner asks for work or sends a heartbeat at least each minute. A silent one takes no runs. */
export const SILENT_AFTER_MS = 60_000;

/** Returns the look of a runner by its last contact and its slots. */
export function runnerState({ slots, busy, lastSeenAt }: Pick<Runner, "slots" | "busy" | "lastSeenAt">, now: Date) {
  if (now.getTime() - Date.parse(lastSeenAt) > SILENT_AFTER_MS) return { word: "Silent", sign: "unknown", look: "s-unknown" } as const;
  return busy >= slots
    ? ({ word: "Busy", sign: "running", look: "s-running" } as const)
    : ({ word: "Free", sign: "passed", look: "s-active" } as const);
}
