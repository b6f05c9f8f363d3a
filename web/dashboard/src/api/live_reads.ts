import type { Change } from "./project_feed";

/** The resources whose changes show in a query, by the second part of its key. */
const RESOURCES: Record<string, readonly string[]> = {
  overview: ["run", "job", "monitor", "outage"],
  usage: [
    "run", "job", "test", "monitor", "maintenance_window", "status_page", "incident", "post", "tag", "variable",
    "notification_provider", "cli_token", "trigger_key",
  ],
  jobs: ["job", "run"],
  "job-runs": ["run"],
  runs: ["run"],
  tokens: ["cli_token"],
  "trigger-keys": ["trigger_key"],
  members: ["member"],
  runners: ["runner"],
  "runner-tokens": ["runner"],
  "first-tests": ["test"],
  tests: ["test", "tag"],
  monitors: ["monitor", "outage", "maintenance_window"],
  monitor: ["monitor", "outage", "maintenance_window"],
  maintenance: ["maintenance_window"],
  "window-updates": ["maintenance_window", "post"],
  "status-pages": ["status_page", "component", "incident", "post", "monitor", "outage", "maintenance_window"],
  "page-incidents": ["incident", "post", "component"],
  "page-subscribers": ["subscriber"],
  outages: ["outage"],
  alerts: ["alert"],
  providers: ["notification_provider", "alert"],
  tags: ["tag"],
  variables: ["variable"],
};

/**
 * Queries that also show what no event names: results of checks, windows that start by the clock, evidence that grows old, addresses
 * that visitors give, and the last use of a provider.
 */
const INCOMPLETE: ReadonlySet<string> = new Set(["monitors", "monitor", "maintenance", "status-pages", "page-subscribers", "providers"]);

type Listener = (change: Change) => void;

/** Brings the changes of the visible project to the queries that show them, and knows whether these must poll. */
export class LiveReads {
  private project: string | undefined;
  private readonly listeners = new Set<Listener>();
  private readonly watchers = new Set<() => void>();

  /** The feed of a project is live, or no longer. */
  setLive(project: string, live: boolean): void {
    if (live) this.project = project;
    else if (this.project === project) this.project = undefined;
    for (const watcher of this.watchers) watcher();
  }

  isLive(project: string): boolean {
    return this.project === project;
  }

  /** Calls the watcher when a feed becomes live or ends. */
  readonly watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  private hears(key: readonly unknown[]): boolean {
    return key[0] === this.project && this.project !== undefined && String(key[1]) in RESOURCES;
  }

  /** True if all changes of the query arrive by themselves. */
  covers(key: readonly unknown[]): boolean {
    return this.hears(key) && !INCOMPLETE.has(String(key[1]));
  }

  publish(change: Change): void {
    for (const listener of this.listeners) listener(change);
  }

  /** Calls the listener after each change that shows in the query. */
  listen(key: readonly unknown[], listener: () => void): () => void {
    const resources = RESOURCES[String(key[1])] ?? [];
    const hear: Listener = ({ kinds }) => {
      if (this.hears(key) && (!kinds || resources.some((one) => kinds.has(one)))) listener();
    };
    this.listeners.add(hear);
    return () => this.listeners.delete(hear);
  }
}
