import { api, expect, project, test } from "./fixtures.mjs";

const PAGES = "/api/status-pages";

/** Creates a monitor that nobody checks. */
const pausedMonitor = (request, name) =>
  api(request, "POST", "/api/monitors", { name, type: "website", target: "https://target.invalid/", enabled: false });
const createPage = (request, slug, more = {}) => api(request, "POST", PAGES, { name: `Page ${slug}`, slug, ...more });
const addComponent = (request, page, name, more = {}) => api(request, "POST", `${PAGES}/${page}/components`, { name, ...more });

/** Opens the menu of a row or of a page and chooses an entry. */
async function choose(page, name, entry) {
  await page.getByRole("button", { name: `More for ${name}`, exact: true }).click();
  await page.getByRole("menuitem", { name: entry, exact: true }).click();
}

test("a status page is made with a preview of its address, published, viewed, archived and deleted", async ({ page, request }) => {
  const slug = `made-${Date.now()}`;
  await page.goto(`${project}/status-pages`);
  await page.getByRole("link", { name: "Create status page" }).first().click();
  await page.getByRole("button", { name: "Create status page", exact: true }).click();
  await expect(page.getByRole("alert")).toContainText("Enter a name.");
  await page.getByLabel("Name", { exact: true }).fill(slug.replace("-", " "));
  await expect(page.getByLabel("Short name in the address", { exact: true })).toHaveValue(slug);
  await expect(page.getByText(`/status/${slug}`)).toBeVisible();
  await page.getByLabel(/^Restricted/).check();
  await page.getByRole("button", { name: "Create status page", exact: true }).click();
  await expect(page.getByRole("alert")).toContainText("Enter at least one range");
  await page.getByLabel(/^Public/).check();
  await page.getByLabel("Language", { exact: true }).selectOption("de");
  await page.getByLabel("Accent colour optional", { exact: true }).fill("#1d4ed8");
  await expect(page.getByLabel("Choose the accent colour", { exact: true })).toHaveValue("#1d4ed8");
  await page.getByRole("button", { name: "Create status page", exact: true }).click();
  const title = page.getByRole("heading", { name: slug.replace("-", " "), exact: true, level: 1 });
  await expect(title).toBeVisible();
  const [made] = (await api(request, "GET", `${PAGES}?search=${slug.replace("-", "%20")}`)).data;
  expect(made).toMatchObject({ slug, status: "draft", visibility: "public", language: "de", accentColor: "#1d4ed8" });
  await expect(page.getByText("A draft: only this project sees it.")).toBeVisible();

  await page.getByRole("button", { name: "Publish", exact: true }).click();
  const view = page.getByRole("link", { name: "View page", exact: true });
  await expect(view).toHaveAttribute("href", new RegExp(`/status/${slug}$`));
  const [opened] = await Promise.all([page.waitForEvent("popup"), view.click()]);
  await expect(opened.locator("html")).toHaveAttribute("lang", "de");
  await expect(opened.locator("body")).toContainText(slug.replace("-", " "));
  await opened.close();
  const feeds = page.getByRole("region", { name: "Feeds and badge", exact: true });
  for (const [word, end] of [["RSS", "rss"], ["JSON Feed", "feed.json"], ["Calendar", "ical"], ["Badge", "badge.svg"]]) {
    const address = await feeds.getByRole("link", { name: word, exact: true }).getAttribute("href");
    expect(address).toMatch(new RegExp(`/api/status-pages/${slug}/${end}$`));
    expect((await request.get(address)).status(), word).toBe(200);
  }

  await choose(page, slug.replace("-", " "), "Archive");
  await page.getByRole("alertdialog").getByRole("button", { name: "Archive page", exact: true }).click();
  await expect(view).toHaveCount(0);
  await page.goto(`${project}/status-pages?status=archived`);
  await expect(page.getByRole("row", { name: new RegExp(slug) })).toContainText("Archived");
  await choose(page, slug.replace("-", " "), "Delete");
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete page", exact: true }).click();
  await expect(page.getByRole("row", { name: new RegExp(slug) })).toHaveCount(0);
});

test("a taken address stands at its field, and what was typed stays", async ({ page, request }) => {
  const slug = `taken-${Date.now()}`;
  const { id } = await createPage(request, slug);
  page.on("dialog", (asked) => asked.accept());
  await page.goto(`${project}/status-pages/new`);
  await page.getByLabel("Name", { exact: true }).fill("Another page");
  await page.getByLabel("Short name in the address", { exact: true }).fill(slug);
  await page.getByRole("button", { name: "Create status page", exact: true }).click();
  await expect(page.getByRole("alert")).toContainText("1 field needs a change");
  await expect(page.getByLabel("Short name in the address", { exact: true })).toHaveAttribute("aria-invalid", "true");
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Another page");
  await api(request, "DELETE", `${PAGES}/${id}`);
});

test("settings that somebody else changed show both versions, and keys and the palette lead to pages", async ({ page, request }) => {
  const slug = `contested-${Date.now()}`;
  const { id } = await createPage(request, slug);
  await page.goto(`${project}/status-pages/${id}/settings`);
  await page.getByLabel("Headline optional", { exact: true }).fill("All of our services");
  await api(request, "PATCH", `${PAGES}/${id}`, { timeZone: "Europe/Paris" });
  await page.getByRole("button", { name: "Save settings", exact: true }).click();
  const conflict = page.getByRole("alert", { name: "Conflict" });
  await expect(conflict).toContainText("This status page was changed at");
  const versions = (part) => conflict.getByRole("group", { name: part, exact: true });
  await expect(versions("Time zone").getByLabel("Saved version")).toBeChecked();
  await expect(versions("Headline").getByLabel("Your version")).toBeChecked();
  await conflict.getByRole("button", { name: "Save the chosen versions", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Components", exact: true })).toBeVisible();
  expect(await api(request, "GET", `${PAGES}/${id}`)).toMatchObject({ timeZone: "Europe/Paris", headline: "All of our services" });

  await page.goto(`${project}/runs`);
  await page.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("p");
  await expect(page.getByRole("heading", { name: "Status pages", exact: true, level: 1 })).toBeVisible();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search or jump to" }).fill(slug.toUpperCase());
  const found = page.getByRole("group", { name: "Status pages", exact: true }).getByRole("option");
  await expect(found).toHaveText([new RegExp(`^Page ${slug}`)]);
  await api(request, "DELETE", `${PAGES}/${id}`);
});

test("components are added, ordered by keys and by the menu, set by hand and deleted", async ({ page, request }) => {
  const slug = `ordered-${Date.now()}`;
  const { id } = await createPage(request, slug);
  const monitor = await pausedMonitor(request, `monitor of ${slug}`);
  await page.goto(`${project}/status-pages/${id}`);
  await page.getByRole("link", { name: "Add component", exact: true }).click();
  await page.getByLabel("Name", { exact: true }).fill("Checkout");
  await page.getByLabel("Group optional", { exact: true }).fill("Shop");
  await page.getByRole("combobox", { name: "Add a monitor" }).fill(monitor.name);
  await page.getByRole("option", { name: monitor.name }).click();
  await page.getByRole("button", { name: "Add component", exact: true }).click();
  const rows = page.getByRole("table", { name: /^Components of/ }).locator("tbody tr");
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText("1 monitor");
  await expect(rows).toContainText("Shop");
  for (const name of ["Search", "Mail"]) await addComponent(request, id, name, { position: name === "Search" ? 1 : 2 });
  await expect(rows).toHaveCount(3, { timeout: 40_000 });

  const names = async () => (await api(request, "GET", `${PAGES}/${id}/components`)).data.map((one) => one.name);
  await page.getByRole("button", { name: /^Move Mail, component 3 of 3/ }).focus();
  await page.keyboard.press("Home");
  await expect(rows.first()).toContainText("Mail");
  await expect(page.getByRole("button", { name: /^Move Mail, component 1 of 3/ })).toBeFocused();
  await expect(page.getByText("The order was saved.")).toBeVisible();
  expect(await names()).toEqual(["Mail", "Checkout", "Search"]);
  await choose(page, "Checkout", "Move to the end");
  await expect.poll(names).toEqual(["Mail", "Search", "Checkout"]);

  await page.getByRole("link", { name: "Search", exact: true }).click();
  await page.getByLabel("Status by hand", { exact: true }).selectOption("partial_outage");
  await page.getByRole("button", { name: "Save component", exact: true }).click();
  await expect(page.getByRole("row", { name: /Search/ })).toContainText("Partial outage");
  await expect(page.getByRole("row", { name: /Search/ })).toContainText("Set by hand");
  await choose(page, "Search", "Delete");
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete component", exact: true }).click();
  await expect(rows).toHaveCount(2);
  await api(request, "DELETE", `${PAGES}/${id}`);
  await api(request, "DELETE", `/api/monitors/${monitor.id}`);
});

test("a component is ordered by drag, and leaving the page saves a move", async ({ page, request }) => {
  const slug = `dragged-${Date.now()}`;
  const { id } = await createPage(request, slug);
  for (const [position, name] of ["First", "Second", "Third"].entries()) await addComponent(request, id, name, { position });
  await page.goto(`${project}/status-pages/${id}`);
  await page.getByRole("button", { name: /^Move Third/ }).dragTo(page.getByRole("button", { name: /^Move First/ }));
  await expect(page.getByText("The order was saved.")).toBeVisible();
  const names = async () => (await api(request, "GET", `${PAGES}/${id}/components`)).data.map((one) => one.name);
  expect(await names()).toEqual(["Third", "First", "Second"]);
  // A move that is followed by another page at once is not lost.
  await page.getByRole("button", { name: /^Move Third, component 1 of 3/ }).focus();
  await page.keyboard.press("End");
  await page.getByRole("link", { name: "History", exact: true }).click();
  await expect.poll(names).toEqual(["First", "Second", "Third"]);
  await api(request, "DELETE", `${PAGES}/${id}`);
});

test("a domain shows its record and what was found, and a logo is checked, sent and removed", async ({ page, request }) => {
  const slug = `domain-${Date.now()}`;
  const { id } = await createPage(request, slug, { status: "published" });
  await page.goto(`${project}/status-pages/${id}/domain`);
  await page.getByRole("link", { name: "Set a domain", exact: true }).click();
  await page.getByLabel("Own domain optional", { exact: true }).fill(`${slug}.invalid`);
  await page.getByRole("button", { name: "Save settings", exact: true }).click();
  // A saved domain leads to the record that proves it.
  const panel = page.getByRole("region", { name: `${slug}.invalid`, exact: true });
  await expect(panel).toContainText("Not verified");
  await expect(panel).toContainText(`_svc-verify.${slug}.invalid`);
  // The answer is fixed, because a lookup needs a name server.
  await page.route((address) => address.pathname === `${PAGES}/${id}/verify-domain`, (route) =>
    route.fulfill({ json: { verified: false, found: ["svc-verify=of somebody else"] } }));
  await panel.getByRole("button", { name: "Verify domain", exact: true }).click();
  await expect(panel.getByRole("alert")).toContainText("svc-verify=of somebody else");

  const logo = page.getByRole("form", { name: "Logo", exact: true });
  const picture = (name, mimeType, buffer) => logo.getByLabel("Picture", { exact: true }).setInputFiles({ name, mimeType, buffer });
  await picture("logo.svg", "image/svg+xml", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"));
  await expect(logo).toContainText("Choose a PNG, JPEG or WebP picture.");
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
  await picture("logo.png", "image/png", png);
  await expect(logo.getByRole("img", { name: "Chosen logo: logo.png", exact: true })).toBeVisible();
  await logo.getByRole("button", { name: "Upload logo", exact: true }).click();
  await expect(page.getByText("The logo was stored.")).toBeVisible();
  await logo.getByRole("button", { name: "Show the stored logo", exact: true }).click();
  await expect(logo.getByRole("img", { name: "Stored logo", exact: true })).toBeVisible();
  await logo.getByRole("button", { name: "Remove logo", exact: true }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove logo", exact: true }).click();
  await expect(page.getByText("The page has no logo now.")).toBeVisible();
  await api(request, "DELETE", `${PAGES}/${id}`);
});

test("subscribers are listed with masked addresses and removed", async ({ page, request }) => {
  const slug = `heard-${Date.now()}`;
  const { id } = await createPage(request, slug, { status: "published", allowSubscribers: true });
  await page.goto(`${project}/status-pages/${id}/subscribers`);
  await expect(page.getByRole("heading", { name: "No subscriber yet" })).toBeVisible();
  // A subscriber needs a mail server, so the list is a fixed answer.
  const subscriber = {
    id: "01934f2e-a005-7d3e-9b1f-5a2c8e4d6f70", pageId: id, email: "ada@example.com", status: "active", componentIds: [],
    confirmedAt: "2026-11-20T10:12:12.345Z", createdAt: "2026-11-20T10:11:12.345Z", updatedAt: "2026-11-20T10:12:12.345Z",
  };
  let data = [subscriber];
  await page.route((address) => address.pathname.startsWith(`${PAGES}/${id}/subscribers`), (route) => {
    if (route.request().method() !== "DELETE") {
      return route.fulfill({ json: { data, pagination: { total: data.length, page: 1, limit: 50, hasMore: false } } });
    }
    data = [];
    return route.fulfill({ status: 204 });
  });
  await page.reload();
  const row = page.getByRole("row", { name: /a…@example\.com/ });
  await expect(row).toContainText("All posts");
  await expect(page.getByText("ada@example.com")).toHaveCount(0);
  // Short cells keep one line, so that many rows stay readable.
  expect((await row.boundingBox()).height).toBeLessThan(56);
  await row.getByRole("button", { name: /^Remove/ }).click();
  await expect(page.getByRole("alertdialog")).toContainText("It subscribed at 20 Nov");
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove subscriber", exact: true }).click();
  await expect(row).toHaveCount(0);
  await api(request, "DELETE", `${PAGES}/${id}`);
});
