import { api, createJob, expect, project, service, test } from "./fixtures.mjs";

// The answers of these routes are fixed, because the page is tested for each of them.
const answer = (page, path, status, json) => page.route((url) => url.pathname === path, (route) => route.fulfill({ status, json }));
const missing = { error: "This does not exist.", code: "not_found", requestId: "01934f2e-9999-7d3e-9b1f-5a2c8e4d6f70" };

test("a schedule shows its next times in the zone of the job, with changes of the clocks", async ({ page }) => {
  await answer(page, "/dashboard/v1/schedule-preview", 200, {
    times: [
      { at: "2027-03-14T07:00:00.000Z", local: "2027-03-14T03:00:00", offset: "-04:00", note: "skipped" },
      { at: "2027-03-15T06:30:00.000Z", local: "2027-03-15T02:30:00", offset: "-04:00" },
    ],
  });
  const asked = page.waitForRequest((request) => request.url().includes("schedule-preview") && request.url().includes("New_York"));
  await page.goto(`${project}/jobs/new`);
  await page.getByRole("combobox", { name: "Starts" }).selectOption("Another schedule");
  await page.getByLabel("Five fields of cron").fill("30 2 * * *");
  await page.getByLabel("Time zone").fill("America/New_York");
  expect(new URL((await asked).url()).searchParams.get("cron")).toBe("30 2 * * *");
  const times = page.getByRole("table", { name: "Next times" });
  await expect(times.getByRole("rowheader")).toHaveText([
    "Sunday, 14 Mar 2027, 03:00 (UTC-04:00)", "Monday, 15 Mar 2027, 02:30 (UTC-04:00)",
  ]);
  await expect(times.getByText("The clocks skip the scheduled time")).toHaveCount(1);
});

test("a queued run says why it waits, and who could take it", async ({ page, request }) => {
  const id = await createJob(request, `waits-${Date.now()}`, "#!/bin/sh\nsleep 60\n", { maxConcurrentRuns: 1, timeoutSeconds: 80 });
  const runs = [];
  for (let number = 0; number < 2; number++) runs.push((await api(request, "POST", `/api/jobs/${id}/trigger`, {})).data.runId);
  const [first, second] = runs;
  await expect.poll(async () => (await api(request, "GET", `/api/runs/${first}`)).status).toBe("running");
  await answer(page, `/dashboard/v1/runs/${second}/waiting`, 200, {
    reasons: ["max_concurrent_runs"], running: 1, limit: 1,
    runners: [{ name: "build-farm-1", slots: 4, busy: 1, lastSeenAt: new Date().toISOString() }],
  });
  await page.goto(`${project}/runs/${second}`);
  await expect(page.getByRole("heading", { name: /^Queued for .*: the job has 1 of at most 1 running runs$/ })).toBeVisible();
  await expect(page.getByRole("row", { name: /build-farm-1/ })).toContainText("1 of 4");
  await expect(page.getByRole("link", { name: "Change the limit" })).toHaveAttribute("href", new RegExp(`/jobs/${id}/edit$`));
  for (const run of [second, first]) await api(request, "POST", `/api/runs/${run}/cancel`);
  await expect(page.locator(".badge")).toContainText("Cancelled");
  await expect(page.getByRole("heading", { name: /^Queued for/ })).toHaveCount(0);
});

test("a link of a message leads to its page, and a foreign id to a sentence", async ({ page, request }) => {
  const id = await createJob(request, `linked-${Date.now()}`, "#!/bin/sh\n");
  await answer(page, "/dashboard/v1/locate", 200, { path: `${project}/jobs/${id}` });
  await page.goto(`/app/go/job/${id}`);
  await expect(page).toHaveURL(`${service.url}${project}/jobs/${id}`);
  await expect(page.getByRole("heading", { name: /^linked-/, level: 1 })).toBeVisible();
  await page.unrouteAll();
  await answer(page, "/dashboard/v1/locate", 404, missing);
  await page.goto(`/app/go/monitor/${id}`);
  await expect(page.getByRole("heading", { name: "This monitor was not found, or is not yours" })).toBeVisible();
  for (const address of [`/app/go/secret/${id}`, "/app/go/job/1"]) {
    await page.goto(address);
    await expect(page.getByRole("heading", { name: /was not found, or is not yours$/ })).toBeVisible();
  }
});

test("the filters of jobs stay with their focus while the jobs of another filter are read", async ({ page, request }) => {
  const ids = [];
  for (const name of ["only", "other"]) ids.push(await createJob(request, `${name}-${Date.now()}`, "#!/bin/sh\n"));
  const only = await api(request, "GET", `/api/jobs/${ids[0]}`);
  const state = page.getByRole("combobox", { name: "State" });
  const rows = page.locator("tbody tr");
  for (const data of [[only], []]) {
    let release;
    const released = new Promise((resolve) => (release = resolve));
    await page.route((url) => url.pathname === "/api/jobs", async (route) => {
      if (new URL(route.request().url()).searchParams.has("status")) {
        return route.fulfill({ json: { data, pagination: { total: data.length, page: 1, limit: 50 } } });
      }
      await released;
      return route.continue();
    });
    await page.goto(`${project}/jobs?status=failed`);
    await expect(rows).toHaveCount(data.length);
    await state.focus();
    await state.selectOption("Any state");
    await expect(page).toHaveURL(/\/jobs$/);
    await expect(state).toBeFocused();
    await expect(page.getByRole("heading", { name: "No jobs yet" })).toHaveCount(0);
    await expect(page.locator(".steps")).toHaveCount(0);
    release();
    await expect(rows.nth(1)).toBeVisible();
    await expect(state).toBeFocused();
    await page.unrouteAll();
  }
  for (const id of ids) await api(request, "DELETE", `/api/jobs/${id}`);
});

test("the place in a list survives a reload, and the side bar keeps the filters of a list", async ({ page, request }) => {
  const word = `kept${Date.now()}`;
  for (let number = 10; number < 34; number++) {
    await api(request, "POST", "/api/monitors", {
      name: `${word} ${number}`, type: "port_check", target: "127.0.0.1", enabled: false, config: { port: 9 },
    });
  }
  await page.setViewportSize({ width: 1280, height: 500 });
  await page.goto(`${project}/monitors?search=${word}`);
  const link = page.getByRole("link", { name: `${word} 30`, exact: true });
  await link.focus();
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(300);
  const top = await page.evaluate(() => scrollY);
  await page.reload();
  await expect(link).toBeFocused();
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(top);
  const places = page.getByRole("navigation", { name: "Project" });
  await places.getByRole("link", { name: "Alerts", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Alerts", exact: true })).toBeVisible();
  await places.getByRole("link", { name: /^Monitors/ }).click();
  await expect(page).toHaveURL(new RegExp(`/monitors\\?search=${word}$`));
  await places.getByRole("link", { name: /^Monitors/ }).click();
  await expect(page).toHaveURL(/\/monitors$/);
});
