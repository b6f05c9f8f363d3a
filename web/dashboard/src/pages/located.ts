/** Types of things that links of messages name, with their words. */
export const LOCATED = {
  monitor: "monitor", outage: "outage", alert: "alert", job: "job", run: "run", test: "test", provider: "notification provider",
  status_page: "status page",
} as const;

export type LocatedType = keyof typeof LOCATED;

export const isLocated = (type: string): type is LocatedType => Object.hasOwn(LOCATED, type);

/** Returns the path of a page within the application, or undefined if the address is outside of it. */
export function pathWithin(path: string): string | undefined {
  if (!/^\/app\/[a-z0-9-]+\/[a-z0-9-]+(?:\/[A-Za-z0-9_-]+)*$/.test(path)) return undefined;
  return path.slice("/app".length);
}
