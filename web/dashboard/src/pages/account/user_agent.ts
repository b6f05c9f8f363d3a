const BROWSERS: [RegExp, string][] = [
  [/\bEdg\//, "Edge"], [/\bOPR\//, "Opera"], [/\bFirefox\//, "Firefox"], [/Chrome\//, "Chrome"], [/\bSafari\//, "Safari"],
];
const SYSTEMS: [RegExp, string][] = [
  [/\bAndroid\b/, "Android"], [/\b(?:iPhone|iPad)\b/, "iOS"], [/\bWindows\b/, "Windows"], [/\bMac OS X\b/, "macOS"], [/\bLinux\b/, "Linux"],
];

/** Returns `Firefox on Linux`, or the text itself. */
export function browserName(userAgent: string): string {
  const find = (table: [RegExp, string][]) => table.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)];
  if (!browser) return userAgent || "Unknown program";
  return system ? `${browser} on ${system}` : browser;
}
