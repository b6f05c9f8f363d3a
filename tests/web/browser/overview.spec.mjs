import { createServer } from "node:http";
import { api, createJob, expect, project, test } from "./fixtures.mjs";

// Some states are fixed answers, because the project of the tests has the trouble of other tests too.
const answer = (page, path, json) => page.route((url) => url.pathname === path, (route) => route.fulfill({ json }));

const HOSTILE = "<img src=x onerror=alert(1)> \u202e shop";
const hour = (at, passed, notPassed) => ({ start: new Date(Date.UTC(2026, 10, 19, 18 + at, 22)).toISOString(), passed, notPassed });
const overview = (more = {}) => ({
  jobs: [], last24h: { passed: 0, failed: 0, error: 0, timedOut: 0, cancelled: 0, atLeast: false, hours: [] },
  queue: { queued: 0, running: 0 }, monitors: { up: 0, degraded: 0, down: 0, error: 0, pending: 0, paused: 0 }, openOutages: 0,
  asOf: "2026-11-20T18:22:09.000Z", ...more,
});
const job = (number, name, status, lastStatuses, more = {}) => ({
  id: `01934f2e-4444-7d3e-9b1f-${String(number).padStart(12, "0")}`, name, status, runs: 100, passed: 81, successRate: 0.81,
  medianMs: 383_000, lastStatuses, ...more,
});
const outage = (number, monitorName) => ({
  id: `01934f2e-5555-7d3e-9b1f-${String(number).padStart(12, "0")}`,
  monitorId: `01934f2e-6666-7d3e-9b1f-${String(number).padStart(12, "0")}`,
  monitorName, startedAt: "2026-11-20T17:07:00.000Z", detectedAt: "2026-11-20T17:07:30.000Z", endedAt: null, endReason: null,
  cause: { code: "status_unexpected", message: `503 instead of 200–299 ${HOSTILE}` }, locationsDown: ["main"], durationSeconds: 900,
  excludedSeconds: 0, acknowledgedAt: null, acknowledgedBy: null, causedBy: null,
});
const pageOf = (data) => ({ data, pagination: { total: data.length, page: 1, limit: 5, hasMore: false } });

test("trouble shows on an open overview and in the sidebar without a reload, and goes away", async ({ page, request }) => {
  test.setTimeout(150_000);
  const target = createServer((_, response) => (response.statusCode = target.status, response.end()));
  target.status = 503;
  await new Promise((resolve) => target.listen(0, "127.0.0.1", resolve));
  try {
    const name = `overview-${Date.now()}`;
    const id = await createJob(request, `a-${name}`, "#!/bin/sh\nexit 1\n");
    await page.goto(`${project}/overview`);
    await expect(page.getByRole("heading", { name: "Overview", level: 1 })).toBeVisible();
    await expect(page.locator(".as-of")).toContainText("Live");
    await api(request, "POST", `/api/jobs/${id}/trigger?wait=50`, {});
    const row = page.getByRole("row", { name: new RegExp(`a-${name}`) });
    await expect(row).toContainText("Failing");
    await expect(row.getByRole("img", { name: "Ended runs, 1 in all: 1 failed" })).toBeVisible();
    const monitor = await api(request, "POST", "/api/monitors", {
      name, type: "website", target: `http://127.0.0.1:${target.address().port}/`, frequencyMinutes: 60,
      config: { timeoutSeconds: 5, retryStrategy: { maxRetries: 0 } },
    });
    const attention = page.getByRole("region", { name: "Needs attention" });
    await expect(attention).toContainText(name);
    const navigation = page.getByRole("navigation", { name: "Project" });
    await expect(navigation.getByRole("link", { name: /^Jobs.*failing/ })).toBeVisible();
    await expect(navigation.getByRole("link", { name: /^Outages.*open/ })).toBeVisible();

    // Another page counts as well, and the end of the outage shows there.
    await navigation.getByRole("link", { name: "Runs" }).click();
    const down = (await api(request, "GET", "/api/monitors?status=down")).pagination.total;
    const count = (number) => navigation.getByRole("link", { name: `Monitors ${number} down`, exact: true });
    await expect(count(down)).toBeVisible({ timeout: 40_000 });
    target.status = 200;
    await api(request, "POST", `/api/monitors/${monitor.id}/check`);
    await expect(count(down)).toHaveCount(0, { timeout: 40_000 });
    if (down > 1) await expect(count(down - 1)).toBeVisible();
    await api(request, "DELETE", `/api/monitors/${monitor.id}`);
    await api(request, "DELETE", `/api/jobs/${id}`);
  } finally {
    target.close();
  }
});

test("one open outage says what is down, why and who knows, and is acknowledged there", async ({ page }) => {
  await answer(page, "/dashboard/v1/overview", overview({ openOutages: 1, monitors: { ...overview().monitors, down: 1, up: 9 } }));
  await answer(page, "/dashboard/v1/outages", pageOf([outage(1, HOSTILE)]));
  await page.goto(`${project}/overview`);
  const attention = page.getByRole("region", { name: "Needs attention" });
  await expect(attention).toContainText(`${HOSTILE} is down since`);
  await expect(attention).toContainText("status_unexpected");
  await expect(attention).toContainText("Nobody has acknowledged the outage.");
  await expect(attention).toContainText("Nobody was notified.");
  await expect(attention.getByRole("link", { name: "Open monitor" })).toHaveAttribute("href", /\/monitors\/01934f2e-6666-/);
  const acknowledged = page.waitForRequest((one) => one.method() === "POST" && one.url().endsWith("/acknowledge"));
  await attention.getByRole("button", { name: "Acknowledge" }).click();
  expect((await acknowledged).url()).toContain("/outages/01934f2e-5555-");
  await expect(page.getByRole("link", { name: "Down", exact: true })).toHaveAttribute("href", /monitors\?status=down$/);
});

test("many outages are one banner with names, and links to all of them", async ({ page }) => {
  await answer(page, "/dashboard/v1/overview", overview({ openOutages: 7, monitors: { ...overview().monitors, down: 7 } }));
  await answer(page, "/dashboard/v1/outages", pageOf([1, 2, 3, 4, 5].map((number) => outage(number, `target ${number}`))));
  await page.goto(`${project}/overview`);
  const attention = page.getByRole("region", { name: "Needs attention" });
  await expect(attention).toContainText("7 outages are open");
  await expect(attention.getByRole("link", { name: /^target/ })).toHaveCount(5);
  await expect(attention).toContainText("and 2 earlier ones");
  await attention.getByRole("link", { name: "Show outages" }).click();
  await expect(page).toHaveURL(/\/outages\?open=true$/);
});

test("figures, hours and jobs have their numbers in words, and lead to the runs behind them", async ({ page }) => {
  const hours = Array.from({ length: 24 }, (_, at) => hour(at, at === 20 ? 52 : 10, at === 22 ? 9 : 0));
  await answer(page, "/dashboard/v1/overview", overview({
    jobs: [
      job(1, HOSTILE, "failed", Array(3).fill("failed").concat(Array(7).fill("passed"))),
      job(2, "release-gate", "running", Array(10).fill("passed"), { runs: 32, passed: 31 }), job(3, "new", "pending", [], {
        runs: 0, passed: 0, successRate: undefined, medianMs: undefined,
      }),
    ],
    last24h: { passed: 282, failed: 4, error: 1, timedOut: 3, cancelled: 1, atLeast: false, hours },
    queue: { queued: 12, running: 3, oldestQueuedAt: "2026-11-20T18:20:29.000Z" }, monitors: { ...overview().monitors, up: 14 },
  }));
  await page.goto(`${project}/overview`);
  const now = page.getByRole("region", { name: "Now" });
  await expect(now).toContainText("1 of 3");
  await expect(now).toContainText("the oldest for");
  const chart = page.getByRole("img", { name: /^Runs in each of the last 24 hours: 291 in all, at most 52 .* 9 did not pass/ });
  await expect(chart).toBeVisible();
  const rows = page.getByRole("table", { name: "Jobs, failing first" }).getByRole("row");
  await expect(rows.nth(1)).toContainText("3 runs in a row did not pass");
  await expect(rows.nth(1).getByRole("link")).toHaveText(HOSTILE);
  await expect(rows.nth(2)).toContainText("31 of 32");
  await expect(rows.nth(3).getByRole("img")).toHaveAccessibleName("No run has ended yet");
  await page.getByText("Show as a table").click();
  await expect(page.getByRole("table", { name: /by hour/ }).locator("tbody tr")).toHaveCount(24);
  await page.getByRole("list", { name: "Runs that did not pass" }).getByRole("link", { name: /^Timed out/ }).click();
  await expect(page).toHaveURL(/\/runs\?from=2026-11-19T18.*&status=timed_out$/);
});

test("too many runs for hours are totals, and a new project shows its three steps", async ({ page }) => {
  await answer(page, "/dashboard/v1/overview", overview({
    jobs: [job(1, "busy", "passed", Array(10).fill("passed"))],
    last24h: { passed: 10_001, failed: 10_001, error: 0, timedOut: 0, cancelled: 0, atLeast: true },
  }));
  await page.goto(`${project}/overview`);
  await expect(page.getByText("Passed at least 10 001", { exact: true })).toBeVisible();
  await expect(page.getByText("these are totals only")).toBeVisible();
  await expect(page.getByText("Show as a table")).toHaveCount(0);
  await page.unrouteAll();
  await answer(page, "/dashboard/v1/overview", overview());
  await answer(page, "/api/jobs", { data: [], pagination: { total: 0, page: 1, limit: 2, hasMore: false } });
  await page.goto(`${project}/overview`);
  await expect(page.locator(".steps")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Trigger the job" })).toBeVisible();
});
