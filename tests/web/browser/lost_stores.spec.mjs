import { api, createJob, expect, project, test } from "./fixtures.mjs";
import { freePort, startInstance } from "./instances.mjs";
import { stopStore } from "./stores.mjs";

// An instance with the usual deadlines, because those of the other tests let a page wait for eight seconds.
const DEADLINES = {
  SVC_HTTP_DEADLINE: "2s", SVC_POSTGRES_STATEMENT_TIMEOUT: "2s", SVC_REDIS_DEADLINE: "100ms", SVC_HTTP_QUEUE_TIME: "1s",
};
const RECOVERY = { timeout: 60_000 };

let instance;
let resume;
test.beforeAll(async () => {
  const port = await freePort();
  // A page may write only at the public address.
  instance = await startInstance({ ...DEADLINES, SVC_PUBLIC_URL: `https://127.0.0.1:${port}` }, port);
});
test.afterAll(() => instance?.stop());
test.beforeEach(() => test.setTimeout(240_000));
test.afterEach(() => {
  resume?.();
  resume = undefined;
});

const redisBanner = (page) => page.getByRole("status").filter({ hasText: "The service does not reach Redis" });
const databaseBanner = (page) => page.getByRole("status").filter({ hasText: "The service does not reach its database" });
const open = (page, path) => page.goto(`${instance.url}${project}/${path}`);

test("while Redis is stopped a page says what still works, and it works", async ({ page, request }) => {
  const id = await createJob(request, `without redis ${Date.now()}`, "#!/bin/sh\necho without redis\n");
  await open(page, `jobs/${id}`);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  resume = stopStore("redis");
  await expect(redisBanner(page)).toContainText("Everything can be read, changed and started.", RECOVERY);
  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await page.getByLabel("Time limit, seconds").fill("321");
  await page.getByRole("button", { name: "Save job" }).click();
  await expect(page.getByText("was saved.")).toBeVisible(RECOVERY);
  expect((await api(request, "GET", `/api/jobs/${id}`)).timeoutSeconds).toBe(321);
  await page.getByRole("button", { name: "Trigger", exact: true }).click();
  await expect(page.locator(".badge")).toContainText("Passed", RECOVERY);
  await expect(redisBanner(page)).toBeVisible();
  resume();
  await expect(redisBanner(page)).toHaveCount(0, RECOVERY);
});

test("while PostgreSQL is stopped rows and input stay, and the page continues by itself", async ({ page, context, request }) => {
  const name = `without a database ${Date.now()}`;
  await createJob(request, name, "#!/bin/sh\n");
  const list = await context.newPage();
  await open(list, "jobs");
  await expect(list.getByRole("row", { name: new RegExp(name) })).toBeVisible();
  await open(page, "jobs/new");
  await page.getByLabel("Name", { exact: true }).fill(`${name}, typed`);
  resume = stopStore("postgres");
  await page.getByRole("button", { name: "Create job" }).click();
  await expect(page.getByRole("alert")).toContainText("The job was not created", RECOVERY);
  await expect(databaseBanner(page)).toContainText("What this page has loaded stays", RECOVERY);
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue(`${name}, typed`);
  await list.bringToFront();
  await list.getByRole("link", { name: "Runs", exact: true }).click();
  await expect(list.getByRole("alert")).toContainText("The runs could not be loaded", RECOVERY);
  await expect(databaseBanner(list)).toBeVisible(RECOVERY);
  await list.goBack();
  await expect(list.getByRole("row", { name: new RegExp(name) })).toBeVisible();
  const late = await context.newPage();
  await open(late, "jobs");
  await expect(databaseBanner(late)).toBeVisible(RECOVERY);
  resume();
  await expect(late.getByRole("row", { name: new RegExp(name) })).toBeVisible(RECOVERY);
  for (const tab of [late, list, page]) {
    await tab.bringToFront();
    await expect(databaseBanner(tab)).toHaveCount(0, RECOVERY);
    await expect(tab.getByRole("alert").filter({ hasText: "could not be loaded" })).toHaveCount(0, RECOVERY);
  }
  await page.getByRole("button", { name: "Create job" }).click();
  await expect(page.getByRole("heading", { name: `${name}, typed`, exact: true, level: 1 })).toBeVisible(RECOVERY);
});

test("a page whose account does not load says that it waits, and continues by itself", async ({ page }) => {
  const answers = [];
  let silent = true;
  await page.route((url) => url.pathname === "/dashboard/v1/me", (route) => (silent ? answers.push(route) : route.continue()));
  await page.goto(`${project}/audit`);
  await expect(page.getByText("The service has not answered yet. This page waits for it.")).toBeVisible();
  silent = false;
  await Promise.all(answers.map((route) => route.continue()));
  await expect(page.getByRole("heading", { name: "Audit", level: 1 })).toBeVisible();
});
