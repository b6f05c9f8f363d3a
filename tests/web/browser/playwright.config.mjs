import { defineConfig } from "@playwright/test";
import { CHROMIUM, chromiumFlags } from "./chromium.mjs";

// They measure processor time, so the gate runs less beside them.
const MEASURED = /(?:budgets|large_project|live|output|skew)\.spec\.mjs$/;

export default defineConfig({
  testDir: ".",
  projects: [
    { name: "pages", testMatch: "*.spec.mjs", testIgnore: MEASURED },
    { name: "budgets", testMatch: MEASURED },
  ],
  globalSetup: "./global_setup.mjs",
  // One server and one account serve all tests, and some tests end its sessions.
  workers: 1,
  timeout: 90_000,
  // A browser on a shared machine meets pauses that no deadline tells from a fault. A test that passes only when it is run
  // again is listed as flaky, with its first error; one that fails three times fails the suite.
  retries: 2,
  expect: { timeout: 15_000 },
  forbidOnly: true,
  reporter: [["list"]],
  outputDir: process.env.TEST_WEB_RESULTS ?? "results",
  use: {
    ignoreHTTPSErrors: true,
    viewport: { width: 1280, height: 900 },
    screenshot: "only-on-failure",
    launchOptions: { executablePath: CHROMIUM, args: chromiumFlags() },
  },
});
