import { createServer } from "node:http";
import { api, expect, project, test } from "./fixtures.mjs";

const WINDOWS = "/api/maintenance-windows";

/** Creates a monitor that nobody checks. */
const pausedMonitor = (request, name, more = {}) =>
  api(request, "POST", "/api/monitors", { name, type: "website", target: "https://target.invalid/", enabled: false, ...more });

const weekly = (name, monitorId, more = {}) => ({
  name, monitorIds: [monitorId], cron: "0 3 * * sun", timeZone: "Europe/Berlin", durationMinutes: 90, ...more,
});

const rowOf = (page, name) => page.getByRole("row", { name: new RegExp(name) });

/** Opens the menu of a row or of a page and chooses an entry. */
async function choose(page, name, entry) {
  await page.getByRole("button", { name: `More for ${name}`, exact: true }).click();
  await page.getByRole("menuitem", { name: entry, exact: true }).click();
}

test("a window that recurs is made with a preview of its starts, changed, listed and deleted", async ({ page, request }) => {
  const name = `weekly-${Date.now()}`;
  const { id: monitorId } = await pausedMonitor(request, `monitor of ${name}`);
  await page.goto(`${project}/maintenance/new?monitorId=${monitorId}`);
  await expect(page.getByRole("button", { name: `Remove monitor of ${name}`, exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Create window", exact: true }).click();
  await expect(page.getByRole("alert")).toContainText("Enter a name.");
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Again and again", { exact: true }).check();
  await page.getByLabel("Five fields of cron", { exact: true }).fill("0 3 * * sun");
  await page.getByLabel("Time zone", { exact: true }).fill("Europe/Berlin");
  await page.getByLabel("Length, minutes", { exact: true }).fill("90");
  const preview = page.getByRole("table", { name: "Next starts", exact: true });
  await expect(preview.locator("tbody tr")).toHaveCount(10);
  await expect(preview.locator("tbody tr").first()).toContainText(/^Sunday, .*, 03:00 \(UTC\+0[12]:00\) until 04:30/);
  await page.getByRole("button", { name: "Create window", exact: true }).dblclick();
  await expect(page.getByRole("heading", { name, exact: true, level: 1 })).toBeVisible();
  await expect(page.locator(".badge")).toHaveText("Scheduled");
  await expect(page.getByRole("region", { name: "Monitors", exact: true }).getByRole("link", { name: `monitor of ${name}` })).toBeVisible();
  const made = (await api(request, "GET", `${WINDOWS}?monitorId=${monitorId}`)).data;
  expect(made).toEqual([expect.objectContaining(weekly(name, monitorId))]);

  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await page.getByLabel("Length, minutes", { exact: true }).fill("60");
  await page.getByRole("button", { name: "Save window", exact: true }).click();
  await expect(page.getByRole("complementary", { name: "About the window" })).toContainText("Sundays at 03:00 for 1 h");

  await page.goto(`${project}/maintenance`);
  const table = page.getByRole("table", { name: "Recurring windows", exact: true });
  await expect(table.getByRole("row", { name: new RegExp(name) })).toContainText("1 monitor");
  // A window that somebody else makes shows without a reload.
  const other = await api(request, "POST", WINDOWS, weekly(`other-${name}`, monitorId));
  await expect(table.getByRole("link", { name: `other-${name}`, exact: true })).toBeVisible({ timeout: 40_000 });
  await choose(page, name, "Delete");
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete window", exact: true }).click();
  await expect(page.getByText(`Window ${name} was deleted.`)).toBeVisible();
  await expect(table.getByRole("link", { name, exact: true })).toHaveCount(0);

  const form = page.getByRole("form", { name: "Start a window now", exact: true });
  await form.getByRole("button", { name: "Start window", exact: true }).click();
  await expect(form).toContainText("Choose a monitor.");
  await form.getByRole("combobox", { name: "Monitor" }).fill(`monitor of ${name}`);
  await page.getByRole("option", { name: `monitor of ${name}` }).click();
  await form.getByRole("button", { name: "Start window", exact: true }).click();
  const actives = page.getByRole("table", { name: "Active windows", exact: true });
  const active = actives.getByRole("row", { name: new RegExp(`monitor of ${name}`) });
  await active.getByRole("button", { name: /^End now: / }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "End now", exact: true }).click();
  await expect(active).toHaveCount(0);
  await api(request, "DELETE", `${WINDOWS}/${other.id}`);
  await api(request, "DELETE", `/api/monitors/${monitorId}`);
});

test("a window that somebody else changed shows both versions, and keys and the palette lead to windows", async ({ page, request }) => {
  const name = `contested-${Date.now()}`;
  const monitor = await pausedMonitor(request, `monitor of ${name}`);
  const { id } = await api(request, "POST", WINDOWS, weekly(name, monitor.id));
  await page.goto(`${project}/maintenance/${id}/edit`);
  await page.getByLabel("Description optional", { exact: true }).fill("the vacuum of the week");
  await api(request, "PATCH", `${WINDOWS}/${id}`, { durationMinutes: 30 });
  await page.getByRole("button", { name: "Save window", exact: true }).click();
  const conflict = page.getByRole("alert", { name: "Conflict" });
  await expect(conflict).toContainText("This window was changed at");
  await expect(conflict).toBeFocused();
  const versions = (part) => conflict.getByRole("group", { name: part, exact: true });
  await expect(versions("Time").getByLabel("Saved version")).toBeChecked();
  await expect(versions("Time")).toContainText("for 30 min");
  await expect(versions("Description").getByLabel("Your version")).toBeChecked();
  await conflict.getByRole("button", { name: "Save the chosen versions", exact: true }).click();
  await expect(page.getByRole("heading", { name, exact: true, level: 1 })).toBeVisible();
  expect(await api(request, "GET", `${WINDOWS}/${id}`)).toMatchObject({ durationMinutes: 30, description: "the vacuum of the week" });

  await page.goto(`${project}/runs`);
  await page.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("w");
  await expect(page.getByRole("heading", { name: "Maintenance", exact: true, level: 1 })).toBeVisible();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search or jump to" }).fill(name.toUpperCase());
  const found = page.getByRole("group", { name: "Maintenance", exact: true }).getByRole("option");
  await expect(found).toHaveText([new RegExp(`^${name}.*Scheduled$`)]);
  await api(request, "DELETE", `${WINDOWS}/${id}`);
  await api(request, "DELETE", `/api/monitors/${monitor.id}`);
});

test("the page of a monitor shows without a reload what others plan for it and delete", async ({ page, request }) => {
  const name = `planned-${Date.now()}`;
  const { id: monitorId } = await pausedMonitor(request, name);
  await page.goto(`${project}/monitors/${monitorId}`);
  const planned = page.getByRole("region", { name: "Planned work", exact: true });
  await expect(planned).toContainText("No window covers this monitor.");
  const { id } = await api(request, "POST", WINDOWS, weekly(`window of ${name}`, monitorId));
  await expect(planned.getByRole("link", { name: `window of ${name}`, exact: true })).toBeVisible({ timeout: 20_000 });
  await api(request, "DELETE", `${WINDOWS}/${id}`);
  await expect(planned).toContainText("No window covers this monitor.", { timeout: 20_000 });
  await api(request, "DELETE", `/api/monitors/${monitorId}`);
});

test("maintenance of a monitor starts by a click, holds its alert back, is marked everywhere and ends early", async ({ page, request }) => {
  test.setTimeout(180_000);
  const target = createServer((_, response) => (response.statusCode = target.status, response.end()));
  target.status = 200;
  await new Promise((resolve) => target.listen(0, "127.0.0.1", resolve));
  try {
    const name = `serviced-${Date.now()}`;
    const url = `http://127.0.0.1:${target.address().port}`;
    const provider = await api(request, "POST", "/api/notification-providers", {
      name: `hook of ${name}`, type: "webhook", config: { url: `${url}/hook` },
    });
    const { id } = await api(request, "POST", "/api/monitors", {
      name, type: "website", target: `${url}/`, frequencyMinutes: 60, config: { timeoutSeconds: 5, retryStrategy: { maxRetries: 0 } },
      alertConfig: { enabled: true, notificationProviders: [provider.id] },
    });
    await page.goto(`${project}/monitors?search=${name}`);
    await expect(rowOf(page, name)).toContainText("Up", { timeout: 40_000 });
    await choose(page, name, "Start maintenance");
    const dialog = page.getByRole("dialog", { name: `Start maintenance of ${name}` });
    await dialog.getByLabel("Duration", { exact: true }).selectOption("120");
    await dialog.getByLabel("Reason optional", { exact: true }).fill("a new disk");
    await dialog.getByRole("button", { name: "Start maintenance", exact: true }).click();
    await expect(rowOf(page, name)).toContainText("Maintenance");

    await page.getByRole("link", { name, exact: true }).click();
    const note = page.getByRole("region", { name: "In maintenance", exact: true });
    await expect(note).toContainText("In maintenance until");
    target.status = 503;
    await page.getByRole("button", { name: "Check now", exact: true }).click();
    await expect(page.locator(".badge")).toContainText("Down");
    await expect(page.getByRole("region", { name: /^Down since/ })).toContainText("was not notified, because of maintenance");
    await page.getByLabel("Parts of the monitor").getByRole("link", { name: "Results", exact: true }).click();
    // A check that starts in the first two seconds of a window may not know it yet.
    await expect(async () => {
      await page.getByRole("button", { name: "Check now", exact: true }).click();
      await expect(page.getByRole("row").filter({ hasText: "Maintenance" }).first()).toBeVisible({ timeout: 5_000 });
    }).toPass({ timeout: 60_000 });
    await page.goto(`${project}/alerts?targetId=${id}`);
    await expect(page.getByRole("row", { name: new RegExp(`^Suppressed ${name}`) })).toContainText("The monitor was in maintenance");

    await page.goto(`${project}/monitors/${id}`);
    await note.getByRole("button", { name: "End now", exact: true }).click();
    const asked = page.getByRole("alertdialog");
    await expect(asked).toContainText("It covers: 1 monitor.");
    await asked.getByRole("button", { name: "End now", exact: true }).click();
    await expect(note).toHaveCount(0);
    await page.goto(`${project}/maintenance?state=finished&monitorId=${id}`);
    await expect(page.getByRole("table", { name: "Finished windows, newest first" }).locator("tbody tr")).toContainText("a new disk");
    await api(request, "DELETE", `/api/monitors/${id}`);
  } finally {
    await new Promise((resolve) => target.close(resolve));
  }
});

test("a monitor names what it depends on, a cycle is refused, and an outage leads to its cause", async ({ page, request }) => {
  const name = `child-${Date.now()}`;
  const parent = await pausedMonitor(request, `router of ${name}`);
  const child = await pausedMonitor(request, name);
  const depend = async (id, on) => {
    await page.goto(`${project}/monitors/${id}/edit`);
    const field = page.getByRole("combobox", { name: "Add a monitor" });
    // A list of choices closes when the page scrolls, as it does to show the field.
    await field.scrollIntoViewIfNeeded();
    await expect(async () => {
      await field.fill("");
      await field.fill(on);
      await page.getByRole("option", { name: on }).click({ timeout: 3_000 });
    }).toPass();
    await page.getByRole("button", { name: "Save monitor", exact: true }).click();
  };
  await depend(child.id, parent.name);
  const about = page.getByRole("complementary", { name: "About the monitor" });
  await expect(about.getByRole("link", { name: parent.name, exact: true })).toBeVisible();
  expect((await api(request, "GET", `/api/monitors/${child.id}`)).dependsOn).toEqual([parent.id]);
  await depend(parent.id, name);
  await expect(page.getByRole("alert")).toContainText("A monitor may not depend on itself");
  await expect(page.getByRole("button", { name: `Remove ${name}`, exact: true })).toBeVisible();
  page.once("dialog", (asked) => asked.accept());
  await page.goto(`${project}/monitors/${child.id}/edit`);
  await page.getByRole("button", { name: `Remove ${parent.name}`, exact: true }).click();
  await page.getByRole("button", { name: "Save monitor", exact: true }).click();
  await expect(page.getByRole("heading", { name, exact: true, level: 1 })).toBeVisible();
  expect((await api(request, "GET", `/api/monitors/${child.id}`)).dependsOn).toEqual([]);

  // Both outages are fixed answers, because real ones need two monitors that fail.
  const outage = (number, monitorName, causedBy) => ({
    id: `01934f2e-5555-7d3e-9b1f-00000000000${number}`, monitorId: number === 1 ? parent.id : child.id, monitorName,
    startedAt: "2026-11-20T17:07:00.000Z", detectedAt: "2026-11-20T17:07:30.000Z", endedAt: null, endReason: null,
    cause: { code: "status_unexpected", message: "503 instead of 200–299", location: "main" }, locationsDown: ["main"],
    durationSeconds: 900, excludedSeconds: 0, acknowledgedAt: null, acknowledgedBy: null, causedBy,
  });
  const first = outage(1, parent.name, null);
  const data = [outage(2, name, first.id), first];
  await page.route((address) => address.pathname === "/dashboard/v1/outages", (route) =>
    route.fulfill({ json: { data, pagination: { total: 2, page: 1, limit: 50, hasMore: false } } }));
  await page.goto(`${project}/outages`);
  const causer = rowOf(page, `Open ${name}`).getByRole("link", { name: `the outage of ${parent.name}`, exact: true });
  await expect(causer).toHaveAttribute("href", `/app/go/outage/${first.id}`);
  for (const { id } of [child, parent]) await api(request, "DELETE", `/api/monitors/${id}`);
});
