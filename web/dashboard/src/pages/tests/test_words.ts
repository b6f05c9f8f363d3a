import type { PublicSchemas } from "../../../../api/client";
import { durationText } from "../../time/format";

export type TestType = PublicSchemas["TestType"];
export type TestPriority = PublicSchemas["TestPriority"];
export type ScriptLanguage = "typescript" | "shell";

export const TYPES = [
  ["browser", "Browser"], ["api", "API"], ["database", "Database"], ["custom", "Custom"], ["performance", "Performance"],
  ["command", "Command"],
] as const satisfies readonly (readonly [TestType, string])[];

export const PRIORITIES = [
  ["low", "Low"], ["medium", "Medium"], ["high", "High"],
] as const satisfies readonly (readonly [TestPriority, string])[];

/** Returns the word for a type; one of a newer service is shown as it is. */
export const typeWord = (type: string): string => TYPES.find(([one]) => one === type)?.[1] ?? type;

export const priorityWord = (priority: string): string => PRIORITIES.find(([one]) => one === priority)?.[1] ?? priority;

/** Returns what executes a script of this type, in words. */
export function toolWords(type: TestType): string {
  if (type === "command") return "A runner for command jobs executes it with /bin/sh.";
  if (type === "performance") return "A runner for k6 jobs executes it with k6 run.";
  return "A runner for Playwright jobs executes it as one test file.";
}

export const languageOf = (type: TestType): ScriptLanguage => (type === "command" ? "shell" : "typescript");

export const languageWord = (type: TestType): string =>
  type === "command" ? "Shell" : type === "performance" ? "JavaScript of k6" : "TypeScript";

/** Returns the expression that reads a variable in a script of this type. */
export function readingOf(type: TestType, variable: string): string {
  if (type === "command") return `"$${variable}"`;
  return type === "performance" ? `__ENV.${variable}` : `process.env.${variable}`;
}

const PAGE_TEST = `import { test, expect } from '@playwright/test';

test('the start page has a title', async ({ page }) => {
  await page.goto(process.env.START_PAGE ?? 'https://example.org/');
  await expect(page).toHaveTitle(/./);
});
`;

const API_TEST = `import { test, expect } from '@playwright/test';

test('the service is healthy', async ({ request }) => {
  const answer = await request.get(process.env.HEALTH_URL ?? 'https://example.org/');
  expect(answer.ok()).toBe(true);
});
`;

const OTHER_TEST = `import { test, expect } from '@playwright/test';

test('one and one is two', async () => {
  expect(1 + 1).toBe(2);
});
`;

const LOAD_TEST = `import http from 'k6/http';
import { check } from 'k6';

export const options = { vus: 5, duration: '30s' };

export default function () {
  const answer = http.get(__ENV.TARGET || 'https://example.org/');
  check(answer, { 'status is 200': (one) => one.status === 200 });
}
`;

const COMMAND = `#!/bin/sh
set -eu

echo "run $SERVICE_RUN_ID"
`;

/** Returns how an execution ended, such as "Failed after 16 s". */
export const outcomeWords = (state: string, milliseconds: number | null | undefined): string =>
  milliseconds == null ? state : `${state} after ${durationText(milliseconds)}`;

/** Returns a small script of this type that works, as a start. */
export function startScript(type: TestType): string {
  switch (type) {
    case "command": return COMMAND;
    case "performance": return LOAD_TEST;
    case "browser": return PAGE_TEST;
    case "api": return API_TEST;
    default: return OTHER_TEST;
  }
}
