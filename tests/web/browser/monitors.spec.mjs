import { api, expect, project, service, test } from "./fixtures.mjs";
import { startTarget } from "./target.mjs";

let target;
test.beforeEach(async () => (target = await startTarget()));
test.afterEach(() => target.close());

const createMonitor = (request, name, more = {}) =>
  api(request, "POST", "/api/monitors", {
    name, type: "website", target: `${target.url}/`, frequencyMinutes: 60, config: { timeoutSeconds: 5, retryStrategy: { maxRetries: 0 } },
    ...more,
  });

test("a monitor is tested and made, turns red when its target dies, is acknowledged and recovers", async ({ page, request }) => {
  const name = `watched-${Date.now()}`;
  await page.goto(`${project}/monitors`);
  await page.getByRole("link", { name: "Create monitor" }).first().click();
  await page.getByLabel("Type of the monitor").getByRole("link", { name: "HTTP request" }).click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Target").fill(`${target.url}/health`);
  await page.getByLabel("Retries", { exact: true }).fill("0");
  await page.getByRole("button", { name: "Add assertion" }).click();
  await page.getByLabel("Source 1").selectOption("body");
  await page.getByLabel("Expected value 1").fill("never");
  await page.getByRole("button", { name: "Test", exact: true }).click();
  const outcome = page.getByRole("complementary", { name: "Result of the test" });
  await expect(outcome).toContainText("Assertion 1 failed.");
  await expect(outcome.getByRole("table")).toContainText("First byte");
  await page.getByLabel("Expected value 1").fill("ok");
  await page.getByRole("button", { name: "Test", exact: true }).click();
  await expect(outcome.locator(".panel-head")).toContainText("Up");
  await page.getByRole("button", { name: "Create monitor" }).click();
  await expect(page.getByRole("heading", { name, exact: true, level: 1 })).toBeVisible();
  // The feed names the state at once; before it is ready, the page asks every 20 s.
  await expect(page.locator(".badge")).toContainText("Up", { timeout: 40_000 });

  target.status = 503;
  await page.getByRole("button", { name: "Check now" }).click();
  await expect(page.locator(".badge")).toContainText("Down");
  await expect(page).toHaveTitle(/^Down/);
  const banner = page.getByRole("region", { name: /^Down since/ });
  await expect(banner).toContainText("status_unexpected");
  await banner.getByRole("button", { name: "Acknowledge" }).click();
  await expect(banner).toContainText("acknowledged it at");

  target.status = 200;
  await page.getByRole("button", { name: "Check now" }).click();
  await expect(page.locator(".badge")).toContainText("Up");
  await expect(banner).toHaveCount(0);
  await expect(page.getByText(/^Up since .* The last outage started .* and lasted (?:\d+\ss|less than a second)\./)).toBeVisible();
  await page.getByLabel("Parts of the monitor").getByRole("link", { name: "Outages" }).click();
  await expect(page.locator("tbody tr")).toHaveCount(1);
  await expect(page.locator("tbody tr")).toContainText("Recovered");
  const [found] = (await api(request, "GET", `/api/monitors?search=${name}`)).data;
  expect(found.config.assertions).toEqual([{ source: "body", comparison: "equals", expected: "ok" }]);
});

test("a refused form leads to its wrong field, a test needs no name, and a double click makes one monitor", async ({ page, request }) => {
  const name = `twice-${Date.now()}`;
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${project}/monitors/new`);
  // The name stands above the target, and is listed below it.
  await page.getByLabel("Name", { exact: true }).fill("ab");
  await page.getByRole("button", { name: "Create monitor" }).click();
  await expect(page.getByRole("alert")).toContainText(/2 fields need a change.*Target: .*Name: /);
  await expect(page.getByLabel("Name", { exact: true })).toBeFocused();
  // The same errors again draw nothing.
  await page.getByRole("button", { name: "Create monitor" }).click();
  await expect(page.getByLabel("Name", { exact: true })).toBeFocused();
  await page.getByLabel("Name", { exact: true }).fill("");
  await page.getByLabel("Target").fill("shop.example.org");
  await page.getByRole("button", { name: "Test", exact: true }).click();
  await expect(page.getByRole("alert")).toContainText("The test was not made");
  await expect(page.getByLabel("Target")).toBeFocused();
  await page.getByLabel("Target").fill(`${target.url}/`);
  await page.getByRole("button", { name: "Test", exact: true }).click();
  // The button is far below the start of the form, and the result is in view next to it.
  await expect(page.getByRole("heading", { name: /^Test at/ })).toBeInViewport();
  await page.getByText("More options").click();
  await page.getByLabel("Most redirects").fill("999");
  await page.getByText("More options").click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByRole("button", { name: "Create monitor" }).click();
  await expect(page.getByLabel("Most redirects")).toBeFocused();
  await page.getByLabel("Most redirects").fill("3");
  await page.getByRole("button", { name: "Create monitor" }).dblclick();
  await expect(page.getByRole("heading", { name, exact: true, level: 1 })).toBeVisible();
  expect((await api(request, "GET", `/api/monitors?search=${name}`)).data).toHaveLength(1);
});

test("a masked secret stays, another origin asks for it again, and a conflict keeps what was typed", async ({ page, request }) => {
  const made = await createMonitor(request, `secret-${Date.now()}`, {
    config: { timeoutSeconds: 5, headers: { "X-Api-Key": "correct horse" }, auth: { type: "bearer", token: "battery staple" } },
  });
  await page.goto(`${project}/monitors/${made.id}/edit`);
  const token = page.getByLabel("Token", { exact: true });
  await expect(token).toHaveValue("********");
  await page.getByLabel("Target").fill("https://elsewhere.example/");
  await page.getByRole("button", { name: "Save monitor" }).click();
  await expect(page.getByRole("alert")).toContainText("2 fields need a change");
  await expect(page.getByRole("alert")).toContainText("Header X-Api-Key: The target has another origin.");
  await page.getByLabel("Target").fill(`${target.url}/other`);
  await page.getByLabel("Timeout of an attempt, s").fill("7");

  await api(request, "PATCH", `/api/monitors/${made.id}`, { config: { timeoutSeconds: 6, degradedAfterMs: 900 } });
  await page.getByRole("button", { name: "Save monitor" }).click();
  const conflict = page.getByRole("alert", { name: "Conflict" });
  await expect(conflict).toContainText("This monitor was changed at");
  const versions = (field) => conflict.getByRole("group", { name: field });
  await expect(versions("Timeout of an attempt, s")).toContainText(/Saved version\s*6\s*Your version\s*7/);
  await expect(versions("Timeout of an attempt, s").getByLabel("Your version")).toBeChecked();
  await expect(versions("Degraded after, ms").getByLabel("Saved version")).toBeChecked();
  await expect(page.locator("form").getByLabel("Timeout of an attempt, s")).toHaveValue("7");
  await conflict.getByRole("button", { name: "Save the chosen versions" }).click();
  await expect(page.getByRole("heading", { name: made.name, exact: true, level: 1 })).toBeVisible();
  const saved = await api(request, "GET", `/api/monitors/${made.id}`);
  expect(saved.target).toBe(`${target.url}/other`);
  expect(saved.config).toMatchObject({ timeoutSeconds: 7, degradedAfterMs: 900, headers: { "X-Api-Key": "********" } });
});

test("monitors are filtered by the address, paused, resumed, deleted and restored", async ({ page, request }) => {
  const name = `listed-${Date.now()}`;
  await createMonitor(request, name);
  await createMonitor(request, `${name}-other`, { enabled: false });
  await page.goto(`${project}/monitors`);
  await page.getByLabel("Search monitors").fill(name);
  await page.keyboard.press("Enter");
  await expect(page.locator("tbody tr")).toHaveCount(2);
  await page.getByLabel("State", { exact: true }).selectOption("paused");
  await expect(page).toHaveURL(/status=paused/);
  await expect(page.locator("tbody tr")).toHaveCount(1);
  await page.reload();
  await expect(page.getByLabel("Search monitors")).toHaveValue(name);
  const row = page.getByRole("row", { name: new RegExp(`${name}-other`) });
  const act = async (word) => {
    await page.getByRole("button", { name: `More for ${name}-other` }).click();
    await page.getByRole("menuitem", { name: word }).click();
  };
  await act("Resume");
  await expect(row).toHaveCount(0);
  await page.getByLabel("State", { exact: true }).selectOption("");
  await expect(row).toBeVisible();
  await act("Pause");
  await expect(row).toContainText("Paused");
  await act("Delete");
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete monitor" }).click();
  await expect(row).toHaveCount(0);
  await page.getByRole("link", { name: "Deleted monitors" }).click();
  await page.getByRole("button", { name: `Restore ${name}-other` }).click();
  await expect(row).toHaveCount(0);
  await page.getByRole("link", { name: "Monitors in use" }).click();
  await expect(row).toContainText("Paused");
});

test("a heartbeat is made, its crontab line works as it is shown, and its key rotates", async ({ page }) => {
  const { execFileSync } = await import("node:child_process");
  const name = `backup-${Date.now()}`;
  await page.goto(`${project}/monitors/new?type=heartbeat`);
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("By a schedule").check();
  await page.getByLabel("Cron expression").fill("30 2 * * *");
  await page.getByRole("button", { name: "Create monitor" }).click();
  await expect(page.getByRole("heading", { name, exact: true, level: 1 })).toBeVisible();
  const line = await page.getByRole("region", { name: "crontab line", exact: true }).innerText();
  const command = line.replace("30 2 * * *", "").replace("backup.sh", "true");
  execFileSync("sh", ["-c", command], { env: { PATH: process.env.PATH, CURL_CA_BUNDLE: service.caFile } });
  await expect(page.locator(".badge")).toContainText("Up", { timeout: 40_000 });
  const address = page.getByRole("region", { name: "heartbeat address" });
  const before = await address.innerText();
  await page.getByRole("button", { name: "Rotate key" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Rotate key" }).click();
  await expect(address).not.toHaveText(before);
});

test("a failed alert says why and is sent again", async ({ page, request }) => {
  test.setTimeout(150_000);
  const name = `alerting-${Date.now()}`;
  const provider = await api(request, "POST", "/api/notification-providers", {
    name: `hook-${Date.now()}`, type: "webhook", config: { url: `${target.url}/hook` },
  });
  target.status = 401;
  const made = await createMonitor(request, name, { alertConfig: { enabled: true, notificationProviders: [provider.id] } });
  await page.goto(`${project}/alerts?targetId=${made.id}`);
  const row = page.getByRole("row", { name: new RegExp(`^Failed ${name}`) });
  await expect(row).toContainText("The credentials were not accepted, 401", { timeout: 40_000 });
  target.status = 200;
  await row.getByRole("button", { name: new RegExp(`^Retry: ${name}`) }).click();
  await expect(page.getByRole("row", { name: new RegExp(`^Sent ${name}.*has been down`) })).toBeVisible({ timeout: 40_000 });
  expect(target.calls).toContain("/hook");
  await page.locator("tbody").getByRole("link", { name: new RegExp(name) }).first().click();
  await expect(page.getByRole("heading", { name, exact: true, level: 1 })).toBeVisible();
});

test("text of tenants in monitors and alerts stays text", async ({ page, request }) => {
  const hostile = `<img src=x onerror=alert(1)>"' {{7*7}} ${Date.now()}`;
  // Names may not have characters that change the direction of text; other texts may.
  const turned = `\u202e${hostile}`;
  const made = await createMonitor(request, hostile, { description: turned, config: { keywordInBody: turned, timeoutSeconds: 5 } });
  await page.goto(`${project}/monitors/${made.id}`);
  await expect(page.locator("h1")).toHaveText(hostile);
  await page.goto(`${project}/monitors/${made.id}/results`);
  await expect(page.locator("h1")).toHaveText(hostile);
  await page.goto(`${project}/monitors/${made.id}/edit`);
  await page.getByText("More options").click();
  await expect(page.getByLabel("Keyword in the body")).toHaveValue(turned);
});
