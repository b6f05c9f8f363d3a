// The pictures of README.md, docs/monitors.md and docs/status-pages.md:
// `TEST_PICTURES=$PWD/docs/pictures tests/web/run.sh browser build/dev pictures` makes them again.
import { mkdirSync, statSync } from "node:fs";
import { api, createJob, expect, project, test } from "./fixtures.mjs";
import { sql } from "./database.mjs";
import { watchedShop } from "./watched_shop.mjs";

const MOST_BYTES = 150_000;
const GREEN = "\\033[32m", RED = "\\033[31m", PLAIN = "\\033[0m";

test.use({ viewport: { width: 1200, height: 820 } });

/** Ends when the run has ended. */
const trigger = async (request, job) =>
  (await api(request, "POST", `/api/jobs/${job}/trigger?wait=50`, {})).data.runId;

const script = (lines, code) =>
  `#!/bin/sh\n${lines.map((line) => `printf '${line}\\n'; sleep 0.1`).join("\n")}\nexit ${code}\n`;

async function take(page, name, colorScheme) {
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await expect(page.locator("[aria-busy]")).toHaveCount(0);
  const directory = process.env.TEST_PICTURES ?? test.info().outputPath();
  mkdirSync(directory, { recursive: true });
  const file = `${directory}/${name}.png`;
  await page.screenshot({ path: file, animations: "disabled", caret: "hide" });
  // Beside other tests the lists have their rows as well, so the bound is for the pictures that the documents have.
  const shown = process.env.TEST_PICTURES ? file : new URL(`../../../docs/pictures/${name}.png`, import.meta.url);
  expect(statSync(shown).size).toBeLessThanOrEqual(MOST_BYTES);
}

test("the pictures of the README show jobs, and a run with its output", async ({ page, request }) => {
  test.setTimeout(180_000);
  const passes = script(["signed in as a new customer", `${GREEN}ok${PLAIN} the cart keeps two articles`, "done"], 0);
  const checkout = await createJob(request, "Checkout", script([
    "Starting 5 checks against https://shop.example.com", `${GREEN}ok${PLAIN}  1 the start page answers within 300 ms`,
    `${GREEN}ok${PLAIN}  2 a customer signs in`, `${GREEN}ok${PLAIN}  3 the cart keeps two articles`,
    `${GREEN}ok${PLAIN}  4 the voucher lowers the price`, `${RED}not ok${PLAIN}  5 the payment is confirmed`,
    "Error: expected status 200, got 502 from https://pay.example.com/confirm", `${RED}1 of 5 failed${PLAIN}`,
  ], 1), { cronSchedule: "*/30 * * * *" });
  const nightly = await createJob(request, "Nightly regression", passes, { cronSchedule: "0 2 * * *" });
  const smoke = await createJob(request, "Smoke tests after a deployment", passes);
  for (const job of [smoke, nightly, smoke]) await trigger(request, job);
  const run = await trigger(request, checkout);

  await page.goto(`${project}/runs/${run}`);
  await expect(page.locator(".badge")).toContainText("Failed");
  await expect(page.locator(".output-lines")).toContainText("1 of 5 failed");
  await take(page, "run", "dark");
  await page.goto(`${project}/jobs`);
  await expect(page.getByRole("row", { name: /Checkout/ })).toContainText("Failing");
  await take(page, "jobs", "light");
  // Schedules would start runs beside other tests.
  for (const job of [checkout, nightly, smoke]) await api(request, "DELETE", `/api/jobs/${job}`);
});

test("the pictures of the documents show monitors, and alerts with what became of them", async ({ page }) => {
  for (const [path, json] of Object.entries(watchedShop(Date.now()))) {
    await page.route((url) => url.pathname === path, (route) => route.fulfill({ json }));
  }
  await page.goto(`${project}/monitors`);
  await expect(page.getByRole("row", { name: /Checkout API/ })).toContainText("Down");
  await expect(page.getByRole("img", { name: /^Last 24 hours by hour: / })).toHaveCount(7);
  await take(page, "monitors", "light");
  await page.goto(`${project}/alerts`);
  await expect(page.getByRole("row", { name: /^Sent Checkout API/ })).toContainText("Delivered");
  await expect(page.getByRole("row", { name: /^Failed Nightly backup/ })).toContainText("The credentials were not accepted, 401");
  await take(page, "alerts", "light");
});

test("the picture of the documents shows a status page with an incident and the bars of 90 days", async ({ page, request }) => {
  const slug = `picture-${Date.now()}`;
  const made = await api(request, "POST", "/api/status-pages", {
    name: "Example Shop", slug, status: "published", allowSubscribers: true,
  });
  const path = `/api/status-pages/${made.id}`;
  const components = [];
  for (const name of ["Shop front", "Checkout", "Card payments"]) {
    components.push(await api(request, "POST", `${path}/components`, { name, showUptime: true }));
  }
  // Bars of days that have passed, as one that was watched has them.
  sql(components.map(({ id }, place) => `
    INSERT INTO page_component_days (component_id, day, worst, up_seconds, down_seconds)
    SELECT '${id}', current_date - n, CASE WHEN (n + 7 * ${place}) % 31 = 5 THEN 'partial_outage' ELSE 'operational' END,
           CASE WHEN (n + 7 * ${place}) % 31 = 5 THEN 85500 ELSE 86400 END, CASE WHEN (n + 7 * ${place}) % 31 = 5 THEN 900 ELSE 0 END
      FROM generate_series(1, 90) n`).join(";"));
  await api(request, "POST", `${path}/incidents`, {
    name: "Some payments are declined", status: "identified", body: "A certificate of our bank has ended. It is being replaced.",
    components: [{ id: components[2].id, status: "partial_outage" }], impact: "minor",
  });
  await expect(async () => {
    await page.goto(`/status/${slug}`);
    await expect(page.getByText("Some payments are declined").first()).toBeVisible({ timeout: 500 });
  }).toPass();
  await take(page, "status-page", "light");
  await api(request, "DELETE", path);
});
