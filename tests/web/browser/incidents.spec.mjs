import { createServer } from "node:http";
import { api, expect, project, test } from "./fixtures.mjs";

const PAGES = "/api/status-pages";
const createPage = (request, slug, more = {}) =>
  api(request, "POST", PAGES, { name: `Page ${slug}`, slug, status: "published", ...more });
const addComponent = (request, page, name, more = {}) => api(request, "POST", `${PAGES}/${page}/components`, { name, ...more });

/** Waits until a visitor reads the text, within the time that a page may be older than its posts. */
async function visited(page, slug, text) {
  const visitor = await page.context().newPage();
  await expect(async () => {
    await visitor.goto(`/status/${slug}`);
    await expect(visitor.getByRole("main")).toContainText(text, { timeout: 500 });
  }).toPass({ timeout: 20_000 });
  await visitor.close();
}

test("an incident is published, updated, corrected, resolved and explained, and visitors read it", async ({ page, request }) => {
  const slug = `incident-${Date.now()}`;
  const { id } = await createPage(request, slug);
  const component = await addComponent(request, id, "Checkout");
  await page.goto(`${project}/status-pages/${id}`);
  await page.getByRole("link", { name: "Create incident", exact: true }).first().click();
  await page.getByRole("button", { name: "Publish incident", exact: true }).click();
  await expect(page.getByRole("alert")).toContainText("Enter a text for your visitors.");
  await page.getByLabel("Name", { exact: true }).fill("Checkout fails");
  await page.getByLabel("Text", { exact: true }).fill("Cards are declined.\n\nWe look for the cause.");
  await page.getByLabel("Checkout", { exact: true }).selectOption("partial_outage");
  await page.getByRole("button", { name: "Publish incident", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Checkout fails", exact: true, level: 1 })).toBeVisible();
  await expect(page.getByRole("region", { name: "Updates" }).getByText("We look for the cause.", { exact: true })).toBeVisible();
  const [incident] = (await api(request, "GET", `${PAGES}/${id}/incidents`)).data;
  expect(incident).toMatchObject({ status: "investigating", components: [{ id: component.id, status: "partial_outage" }] });
  await visited(page, slug, "Cards are declined.");

  const form = page.getByRole("form", { name: "Post an update", exact: true });
  await expect(form.getByLabel("Identified", { exact: true })).toBeChecked();
  await form.getByLabel("Text", { exact: true }).fill("The disk of a database is full.");
  await form.getByLabel("Checkout", { exact: true }).selectOption("major_outage");
  await form.getByRole("button", { name: "Post update", exact: true }).click();
  await expect(page.locator(".badge")).toHaveText("Identified");
  await expect(page.getByRole("complementary", { name: "About the incident" })).toContainText("Major outage");

  await page.getByRole("button", { name: /^Correct the update: Identified/ }).click();
  const correction = page.getByRole("form", { name: "Correct the update", exact: true });
  await correction.getByLabel("Text", { exact: true }).fill("The disk of one database was full.");
  await correction.getByRole("button", { name: "Save correction", exact: true }).click();
  await expect(correction).toHaveCount(0);
  await expect(page.getByText("The disk of one database was full.", { exact: true })).toBeVisible();
  await expect(page.getByRole("region", { name: "Updates" })).toContainText("Edited");

  await form.getByLabel("Resolved", { exact: true }).check();
  await form.getByLabel("Text", { exact: true }).fill("All payments succeed again.");
  await form.getByRole("button", { name: "Post update", exact: true }).click();
  await expect(page.locator(".badge")).toHaveText("Resolved");
  const explained = page.getByRole("form", { name: "Add a post-mortem", exact: true });
  await expect(explained.getByLabel("Post-mortem", { exact: true })).toBeChecked();
  await expect(explained.getByLabel(/^Notify/)).not.toBeChecked();
  await explained.getByLabel("Text", { exact: true }).fill("A log had filled the disk.");
  await explained.getByRole("button", { name: "Post update", exact: true }).click();
  await expect(page.getByRole("region", { name: "Updates" }).getByText("A log had filled the disk.", { exact: true })).toBeVisible();
  const stored = await api(request, "GET", `${PAGES}/${id}/incidents/${incident.id}`);
  expect(stored.updates.map((one) => one.status)).toEqual(["postmortem", "resolved", "identified", "investigating"]);
  expect(stored.status).toBe("resolved");

  await page.goto(`${project}/status-pages/${id}/incidents?status=resolved`);
  await expect(page.getByRole("row", { name: /Checkout fails/ })).toContainText("Resolved");
  await page.getByRole("button", { name: "More for Checkout fails", exact: true }).click();
  await page.getByRole("menuitem", { name: "Delete", exact: true }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete incident", exact: true }).click();
  await expect(page.getByRole("heading", { name: "No incident has this status" })).toBeVisible();
  await api(request, "DELETE", `${PAGES}/${id}`);
});

test("a correction and an edit that somebody else made first show both versions", async ({ page, request }) => {
  const slug = `corrected-${Date.now()}`;
  const { id } = await createPage(request, slug);
  const incident = await api(request, "POST", `${PAGES}/${id}/incidents`, { name: "Slow", status: "investigating", body: "It is slow." });
  const own = `${PAGES}/${id}/incidents/${incident.id}`;
  await page.goto(`${project}/status-pages/${id}/incidents/${incident.id}`);
  await page.getByRole("button", { name: /^Correct the update/ }).click();
  const correction = page.getByRole("form", { name: "Correct the update", exact: true });
  await correction.getByLabel("Text", { exact: true }).fill("It is very slow.");
  await api(request, "PATCH", `${own}/updates/${incident.updates[0].id}`, { body: "It was slow." });
  await correction.getByRole("button", { name: "Save correction", exact: true }).click();
  const conflict = correction.getByRole("alert", { name: "Conflict" });
  await expect(conflict).toContainText("It was slow.");
  await conflict.getByRole("button", { name: "Save your version", exact: true }).click();
  await expect(correction).toHaveCount(0);
  await expect(page.getByText("It is very slow.", { exact: true })).toBeVisible();

  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await page.getByLabel("Name", { exact: true }).fill("The shop is slow");
  await api(request, "PATCH", own, { impact: "critical" });
  await page.getByRole("button", { name: "Save incident", exact: true }).click();
  const versions = page.getByRole("alert", { name: "Conflict" });
  await expect(versions.getByRole("group", { name: "Impact", exact: true })).toContainText("Critical impact");
  await versions.getByRole("button", { name: "Save the chosen versions", exact: true }).click();
  await expect(page.getByRole("heading", { name: "The shop is slow", level: 1 })).toBeVisible();
  expect(await api(request, "GET", own)).toMatchObject({ name: "The shop is slow", impact: "critical" });
  await api(request, "DELETE", `${PAGES}/${id}`);
});

test("two clicks lead from an outage to a published post, and two more to its next one", async ({ page, request }) => {
  test.setTimeout(120_000);
  const target = createServer((_, response) => (response.statusCode = 503, response.end()));
  await new Promise((resolve) => target.listen(0, "127.0.0.1", resolve));
  try {
    const slug = `outage-${Date.now()}`;
    const monitor = await api(request, "POST", "/api/monitors", {
      name: slug, type: "website", target: `http://127.0.0.1:${target.address().port}/`, frequencyMinutes: 60,
      config: { timeoutSeconds: 5, retryStrategy: { maxRetries: 0 } },
    });
    const { id } = await createPage(request, slug, { language: "de" });
    await addComponent(request, id, "Kasse", { monitorIds: [monitor.id] });
    await page.goto(`${project}/monitors/${monitor.id}`);
    const banner = page.getByRole("region", { name: /^Down since/ });
    await expect(banner).toBeVisible({ timeout: 60_000 });
    await banner.getByRole("link", { name: "Post update", exact: true }).click();
    await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Störung: Kasse");
    await page.getByRole("button", { name: "Publish incident", exact: true }).click();
    await expect(page.getByRole("heading", { name: "Störung: Kasse", level: 1 })).toBeVisible();
    await page.goto(`${project}/outages`);
    await page.getByRole("link", { name: `Post update about ${slug}`, exact: true }).click();
    const form = page.getByRole("form", { name: "Post an update", exact: true });
    await form.getByLabel("Text", { exact: true }).fill("Die Ursache ist gefunden.");
    await form.getByRole("button", { name: "Post update", exact: true }).click();
    await expect(page.getByText("The update was posted: Identified.")).toBeVisible();
    const [incident] = (await api(request, "GET", `${PAGES}/${id}/incidents`)).data;
    expect(incident).toMatchObject({ status: "identified", name: "Störung: Kasse" });
    await api(request, "DELETE", `${PAGES}/${id}`);
    await api(request, "DELETE", `/api/monitors/${monitor.id}`);
    await page.goto(`${project}/status-pages/post?monitorId=${monitor.id}`);
    await expect(page.getByRole("heading", { name: "No status page shows this monitor" })).toBeVisible();
  } finally {
    await new Promise((resolve) => target.close(resolve));
  }
});

test("a text for one page is not lost by the choice of another page, unless its author says so", async ({ page, request }) => {
  const slug = `shared-${Date.now()}`;
  const monitor = await api(request, "POST", "/api/monitors", {
    name: `monitor of ${slug}`, type: "website", target: "https://target.invalid/", enabled: false,
  });
  const pages = [];
  for (const name of ["Shop", "Intranet"]) {
    const { id } = await createPage(request, `${slug}-${name.toLowerCase()}`, { name: `${name} ${slug}` });
    await addComponent(request, id, name, { monitorIds: [monitor.id] });
    pages.push(id);
  }
  const answers = [false, true];
  page.on("dialog", (asked) => (answers.shift() ? asked.accept() : asked.dismiss()));
  await page.goto(`${project}/status-pages/post?monitorId=${monitor.id}`);
  const choice = (name) => page.getByRole("radio", { name: new RegExp(`^${name} ${slug}`) });
  await choice("Shop").click();
  const name = page.getByLabel("Name", { exact: true });
  await expect(name).toHaveValue("Problems with Shop");
  await name.fill("Cards are declined");
  await choice("Intranet").click();
  await expect(choice("Shop")).toBeChecked();
  await expect(name).toHaveValue("Cards are declined");
  await choice("Intranet").click();
  await expect(name).toHaveValue("Problems with Intranet");
  for (const id of pages) await api(request, "DELETE", `${PAGES}/${id}`);
  await api(request, "DELETE", `/api/monitors/${monitor.id}`);
});

test("a window is announced on a status page, and its updates are posted and corrected", async ({ page, request }) => {
  const slug = `planned-${Date.now()}`;
  const { id } = await createPage(request, slug);
  const monitor = await api(request, "POST", "/api/monitors", {
    name: `monitor of ${slug}`, type: "website", target: "https://target.invalid/", enabled: false,
  });
  const component = await addComponent(request, id, "Checkout", { monitorIds: [monitor.id] });
  await page.goto(`${project}/maintenance/new?monitorId=${monitor.id}&pageId=${id}`);
  await page.getByLabel("Name", { exact: true }).fill(slug);
  await expect(page.getByLabel(`Page ${slug}`, { exact: true })).toBeChecked();
  await page.getByLabel("Checkout", { exact: true }).check();
  await page.getByLabel("Title of the announcement optional", { exact: true }).fill("Database upgrade");
  await page.getByRole("button", { name: "Create window", exact: true }).click();
  await expect(page.getByRole("alert")).toContainText("Enter a text, or no title.");
  await page.getByLabel("Text of the announcement optional", { exact: true }).fill("The shop is read-only.");
  await page.getByRole("button", { name: "Create window", exact: true }).click();
  const announced = page.getByRole("region", { name: "On status pages", exact: true });
  await expect(announced.getByRole("link", { name: `Page ${slug}`, exact: true })).toBeVisible();
  await expect(announced).toContainText("Database upgrade");
  const [made] = (await api(request, "GET", `/api/maintenance-windows?monitorId=${monitor.id}`)).data;
  expect(made).toMatchObject({ statusPageIds: [id], componentIds: [component.id], announceHours: 72, notify: true });

  await announced.getByLabel("Text", { exact: true }).fill("It takes an hour longer.");
  await announced.getByRole("button", { name: "Post update", exact: true }).click();
  await expect(announced.getByRole("listitem").getByText("It takes an hour longer.", { exact: true })).toBeVisible();
  await announced.getByRole("button", { name: /^Correct the update/ }).click();
  const correction = announced.getByRole("form", { name: "Correct the update", exact: true });
  await correction.getByLabel("Text", { exact: true }).fill("It takes two hours longer.");
  await correction.getByRole("button", { name: "Save correction", exact: true }).click();
  await expect(correction).toHaveCount(0);
  await expect(announced.getByText("It takes two hours longer.", { exact: true })).toBeVisible();
  await visited(page, slug, "Database upgrade");
  await page.goto(`${project}/status-pages/${id}`);
  await expect(page.getByRole("region", { name: "Planned maintenance", exact: true })).toContainText("Database upgrade");
  await api(request, "DELETE", `/api/maintenance-windows/${made.id}`);
  await api(request, "DELETE", `${PAGES}/${id}`);
  await api(request, "DELETE", `/api/monitors/${monitor.id}`);
});
