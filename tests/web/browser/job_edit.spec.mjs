import { api, createJob, expect, project, test } from "./fixtures.mjs";

const script = "#!/bin/sh\necho ok\n";
const makeTest = async (request, title) => (await api(request, "POST", "/api/tests", { title, type: "command", script })).id;

/** Creates a job with three tests and opens its form. */
async function openForm(page, request, name) {
  const tests = [];
  for (const number of [1, 2, 3]) tests.push({ id: await makeTest(request, `${name} ${number}`) });
  const job = await createJob(request, name, script, { tests, timeoutSeconds: 300, parameters: [{ name: "BRANCH", default: "main" }] });
  await page.goto(`${project}/jobs/${job}`);
  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await expect(page.locator(".order li")).toHaveCount(3);
  await expect(page.locator(".order li").first()).toContainText(`${name} 1`);
  return { job, tests: tests.map((one) => one.id) };
}

const orderOf = (page, name) => page.locator(".order bdi").allInnerTexts().then((all) => all.map((one) => one.replace(`${name} `, "")));

test("the tests of a job are put in order by keys, by drag and by a menu", async ({ page, request }) => {
  const { job, tests } = await openForm(page, request, "ordered");
  const handle = (number) => page.getByRole("button", { name: new RegExp(`^Move ordered ${number},`) });
  await handle(1).press("ArrowDown");
  await expect.poll(() => orderOf(page, "ordered")).toEqual(["2", "1", "3"]);
  await expect(handle(1)).toBeFocused();
  await expect(page.getByText("ordered 1 is test 2 of 3 now.")).toBeAttached();
  await handle(1).press("End");
  await expect.poll(() => orderOf(page, "ordered")).toEqual(["2", "3", "1"]);
  await handle(1).dragTo(page.locator(".order li").first());
  await expect.poll(() => orderOf(page, "ordered")).toEqual(["1", "2", "3"]);
  await page.getByRole("button", { name: "Place of ordered 1" }).click();
  await page.getByRole("menuitem", { name: "Move to the end" }).click();
  await page.getByRole("button", { name: "Place of ordered 2" }).click();
  await page.getByRole("menuitem", { name: "Remove from the job" }).click();
  await expect.poll(() => orderOf(page, "ordered")).toEqual(["3", "1"]);
  await page.getByRole("button", { name: "Save job" }).click();
  await expect(page).toHaveURL(new RegExp(`/jobs/${job}$`));
  expect((await api(request, "GET", `/api/jobs/${job}`)).tests.map((one) => one.id)).toEqual([tests[2], tests[0]]);
});

test("words find a test behind the first hundred", async ({ page, request }) => {
  const needle = `needle-${Date.now()}`;
  const oldest = await makeTest(request, `${needle} of a long list`);
  for (let number = 0; number < 101; number++) await makeTest(request, `hay ${number}`);
  const { job, tests } = await openForm(page, request, "searching");
  const field = page.getByRole("combobox", { name: "Add a test" });
  await page.getByRole("button", { name: "Show choices of Add a test" }).click();
  await expect(page.getByText("There are more: type a part of the name.")).toBeVisible();
  await field.fill(needle);
  await expect(page.getByRole("option")).toHaveCount(1);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page.locator(".order li")).toHaveCount(4);
  await expect(field).toHaveValue("");
  await page.getByRole("button", { name: "Save job" }).click();
  await expect(page).toHaveURL(new RegExp(`/jobs/${job}$`));
  expect((await api(request, "GET", `/api/jobs/${job}`)).tests.map((one) => one.id)).toEqual([...tests, oldest]);
});

test("a job that somebody else changed shows both versions and keeps the typed text", async ({ page, request }) => {
  const { job } = await openForm(page, request, "contested");
  await page.getByLabel("Name", { exact: true }).fill("contested by me");
  await page.getByLabel("Time limit, seconds").fill("900");
  await api(request, "PATCH", `/api/jobs/${job}`, { timeoutSeconds: 600, description: "theirs" });
  await page.getByRole("button", { name: "Save job" }).click();
  const conflict = page.getByRole("alert", { name: "Conflict" });
  const versions = (field) => conflict.getByRole("group", { name: field });
  await expect(versions("Time limit")).toContainText(/Saved version\s*10\smin\s*Your version\s*15\smin/);
  await expect(versions("Time limit").getByLabel("Your version")).toBeChecked();
  await expect(versions("Description").getByLabel("Saved version")).toBeChecked();
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("contested by me");
  await expect(page.getByLabel("Time limit, seconds")).toHaveValue("900");
  // A third change: the version that the conflict showed is no longer the saved one.
  await api(request, "PATCH", `/api/jobs/${job}`, { enabled: false });
  await conflict.getByRole("button", { name: "Save the chosen versions" }).click();
  await expect(versions("Enabled").getByLabel("Saved version")).toBeChecked();
  await versions("Enabled").getByLabel("Your version").check();
  await conflict.getByRole("button", { name: "Save the chosen versions" }).click();
  await expect(page).toHaveURL(new RegExp(`/jobs/${job}$`));
  const saved = await api(request, "GET", `/api/jobs/${job}`);
  expect([saved.name, saved.timeoutSeconds, saved.description, saved.enabled]).toEqual(["contested by me", 900, "theirs", true]);
});

test("a form of a job says what has to change, and a run in between is no conflict", async ({ page, request }) => {
  const { job } = await openForm(page, request, "checked");
  await page.getByLabel("Name", { exact: true }).fill(" ");
  await page.getByRole("combobox", { name: "Starts" }).selectOption("Another schedule");
  await page.getByLabel("Five fields of cron").fill("61 * * * *");
  await page.getByLabel("Name of parameter 1").fill("branch");
  await page.getByRole("button", { name: "Save job" }).click();
  await expect(page.getByRole("alert")).toContainText("2 fields need a change");
  await page.getByLabel("Name", { exact: true }).fill("checked");
  await page.getByLabel("Name of parameter 1").fill("BRANCH_NAME");
  await page.getByRole("button", { name: "Save job" }).click();
  await expect(page.getByRole("alert")).toContainText("1 field needs a change");
  await expect(page.getByLabel("Five fields of cron")).toHaveAttribute("aria-invalid", "true");
  await api(request, "POST", `/api/jobs/${job}/trigger?wait=50`, {});
  await page.getByLabel("Five fields of cron").fill("5 4 * * mon-fri");
  await expect(page.getByText("Monday to Friday at 04:05.")).toBeVisible();
  await page.getByLabel("Time zone").fill("Asia/Kolkata");
  await page.getByLabel("Notify somebody about runs of this job").check();
  await page.getByLabel("Failures in a row").fill("2");
  await page.getByRole("button", { name: "Save job" }).click();
  await expect(page).toHaveURL(new RegExp(`/jobs/${job}$`));
  const saved = await api(request, "GET", `/api/jobs/${job}`);
  expect([saved.cronSchedule, saved.timeZone, saved.alertConfig.failureThreshold, saved.parameters[0].name])
    .toEqual(["5 4 * * mon-fri", "Asia/Kolkata", 2, "BRANCH_NAME"]);
});

test("a job is created and deleted by its forms", async ({ page, request }) => {
  const made = `made for a new job ${Date.now()}`;
  const name = `made here ${Date.now()}`;
  await makeTest(request, made);
  await page.goto(`${project}/jobs`);
  await page.getByRole("link", { name: "Create job" }).click();
  await page.getByRole("button", { name: "Create job" }).click();
  await expect(page.getByRole("alert")).toContainText("Enter a name.");
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByRole("combobox", { name: "Add a test" }).fill(made);
  await page.getByRole("option", { name: made }).click();
  await page.getByRole("button", { name: "Create job" }).click();
  await expect(page.getByRole("heading", { name, exact: true, level: 1 })).toBeVisible();
  await page.getByRole("button", { name: "Trigger", exact: true }).click();
  await expect(page.locator(".badge")).toContainText("Passed");
  await page.getByRole("link", { name }).click();
  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await page.getByRole("button", { name: "Delete job" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete job" }).click();
  await expect(page.getByText(`${name} was deleted.`)).toBeVisible();
  await expect(page).toHaveURL(`${project}/jobs`);
});

test("a job shows its tests in order and its alerts, and long names stay within the page", async ({ page, request }) => {
  const long = "l".repeat(255);
  const tests = [];
  for (const title of ["shown first", long]) tests.push({ id: await makeTest(request, title) });
  const job = await createJob(request, "j".repeat(240), script, {
    tests, description: "d".repeat(1000), alertConfig: { enabled: true, alertOnFailure: true, alertOnTimeout: false },
    parameters: [{ name: `P_${"Q".repeat(60)}` }, { name: "ADDRESS", default: `https://${"x".repeat(200)}.example` }],
  });
  await page.setViewportSize({ width: 390, height: 844 });
  const beyond = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await page.goto(`${project}/jobs/${job}`);
  await expect(page.getByRole("region", { name: "Tests" }).getByRole("listitem")).toHaveText([/1\s*shown first/, /2\s*l{255}/]);
  const alerts = page.getByRole("region", { name: "Alerts" });
  await expect(alerts.getByRole("listitem")).toHaveText(["Each run that failed or had an error"]);
  await expect(alerts).toContainText("No provider is chosen, so alerts are only recorded.");
  expect(await beyond()).toBe(0);
  await page.goto(`${project}/jobs/${job}/trigger`);
  await expect(page.getByLabel("ADDRESS")).toBeVisible();
  expect(await beyond()).toBe(0);
  await api(request, "DELETE", `/api/jobs/${job}`);
});

test("a form that is refused goes to its first error, again after each attempt, and typing keeps its place", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${project}/jobs/new`);
  const create = page.getByRole("button", { name: "Create job" });
  const name = page.getByLabel("Name", { exact: true });
  for (let attempt = 0; attempt < 2; ++attempt) {
    await create.click();
    await expect(name).toBeFocused();
    await expect(name).toBeInViewport();
  }
  const limit = page.getByLabel("Time limit, seconds");
  await name.fill("refused");
  await limit.fill("0");
  await expect(limit).toBeFocused();
  await limit.fill("60");
  // The service takes no job: the banner says so where it is seen.
  await page.route("**/api/jobs", (route) => route.fulfill({ status: 500, json: { error: "It failed.", code: "internal" } }));
  await create.click();
  await expect(page.getByRole("alert")).toBeInViewport();
  await expect(page.getByRole("alert")).toBeFocused();
  await expect(name).toHaveValue("refused");
});

/** Answers reads of a list only after the returned function is called. */
async function hold(page, path, isHeld = () => true) {
  let release;
  const released = new Promise((resolve) => (release = resolve));
  await page.route((url) => url.pathname === path && isHeld(url), async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

test("a long list of tests opens on demand, keeps the focus and its known titles, and says that titles are missing", async ({
  page, request,
}) => {
  const tests = [];
  for (let number = 1; number <= 12; number++) tests.push({ id: await makeTest(request, `many ${number}`) });
  const job = await createJob(request, "many tests", script, { tests });
  const panel = page.getByRole("region", { name: "Tests" });
  const rows = panel.getByRole("listitem");
  const titles = tests.map((_, at) => new RegExp(`^${at + 1}many ${at + 1}$`));
  await page.goto(`${project}/jobs/${job}`);
  await expect(rows).toHaveText(titles.slice(0, 10));
  const release = await hold(page, "/api/tests");
  const toggle = panel.getByRole("button");
  await toggle.click();
  await expect(rows).toHaveText([...titles.slice(0, 10), "11", "12"]);
  await expect(toggle).toBeFocused();
  release();
  await expect(rows).toHaveText(titles);
  await toggle.click();
  await expect(rows).toHaveCount(10);
  await expect(toggle).toHaveText("Show all 12 tests");
  await expect(toggle).toBeFocused();
  await page.unrouteAll();
  await page.route("**/api/tests?*", (route) => route.fulfill({ status: 500, json: { error: "It failed.", code: "internal" } }));
  await page.reload();
  await expect(panel.getByRole("alert")).toContainText("The titles of the tests could not be loaded");
  await expect(rows.first()).toHaveText(`1Test ${tests[0].id.slice(0, 8)}`);
  await page.unrouteAll();
  await panel.getByRole("button", { name: "Try again" }).click();
  await expect(rows.first()).toHaveText(titles[0]);
  await api(request, "DELETE", `/api/jobs/${job}`);
});

test("a provider that another tab created can be chosen, and the page of a job names it", async ({ page, request }) => {
  const name = `made elsewhere ${Date.now()}`;
  const { id } = await api(request, "POST", "/api/notification-providers", {
    name, type: "webhook", config: { url: "https://hooks.example/job" }, enabled: false,
  });
  const list = (url) => url.pathname === "/api/notification-providers";
  const nothing = { data: [], pagination: { total: 0, page: 1, limit: 100 } };
  await page.route(list, (route) => route.fulfill({ json: nothing }), { times: 1 });
  await page.goto(`${project}/jobs/new`);
  await page.getByLabel("Notify somebody about runs of this job").check();
  await expect(page.getByRole("link", { name: "Create one in another tab" })).toBeVisible();
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
  await expect(page.getByLabel(name)).toBeVisible();
  const job = await createJob(request, "notified", script, {
    alertConfig: { enabled: true, notificationProviders: [id], failureThreshold: 3, alertOnSuccess: true },
  });
  const release = await hold(page, "/api/notification-providers");
  await page.goto(`${project}/jobs/${job}`);
  const alerts = page.getByRole("region", { name: "Alerts" });
  await expect(alerts.getByRole("listitem")).toHaveText([
    "Each run that failed or had an error, from 3 in a row on", "Each run that timed out", "Each run that passed",
  ]);
  await expect(alerts).not.toContainText("Provider ");
  release();
  await expect(alerts.getByRole("link", { name })).toHaveAttribute("href", new RegExp(`/providers/${id}$`));
  await api(request, "PATCH", `/api/jobs/${job}`, {
    alertConfig: { enabled: true, alertOnFailure: false, alertOnTimeout: false, alertOnSuccess: false },
  });
  await page.reload();
  await expect(alerts).toContainText("All conditions are off, so nobody is notified.");
  await api(request, "DELETE", `/api/jobs/${job}`);
  await api(request, "DELETE", `/api/notification-providers/${id}`);
});
