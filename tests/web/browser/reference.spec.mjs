import { api, expect, project, service, test } from "./fixtures.mjs";
import { openShell } from "./shell_lines.mjs";

let shell;
test.beforeAll(() => (shell = openShell()));
test.afterAll(() => shell.close());

/** Returns the line of an example as the page shows it. */
const lineOf = (page, name) => page.getByRole("region", { name, exact: true }).innerText();

test("the reference finds operations by words, and its state is in the address", async ({ page, request }) => {
  const document = await (await request.get(`${service.url}/openapi/openapi.json`)).json();
  const total = Object.values(document.paths).flatMap((item) => Object.values(item)).filter((one) => one.operationId).length;
  await page.goto(`${project}/jobs`);
  await page.getByRole("navigation", { name: "Project" }).getByRole("link", { name: "API reference" }).click();
  await expect(page.getByText(`${total} of ${total} operations`)).toBeVisible();
  const groups = page.getByRole("navigation", { name: "Groups of operations" });
  await groups.getByRole("link", { name: "Jobs", exact: true }).press("Enter");
  await expect(page.getByRole("heading", { name: "Jobs", exact: true })).toBeFocused();
  await expect(page.getByRole("heading", { name: "Jobs", exact: true })).toBeInViewport();
  const another = page.context().waitForEvent("page");
  await groups.getByRole("link", { name: "Monitors", exact: true }).click({ modifiers: ["ControlOrMeta"] });
  await expect((await another).getByRole("heading", { name: "Monitors", exact: true })).toBeInViewport();
  await (await another).close();
  await page.keyboard.press("/");
  await expect(page.getByRole("searchbox", { name: "Search operations" })).toBeFocused();
  await page.keyboard.type("trigger key");
  await expect(page).toHaveURL(/[?&]search=trigger\+key/);
  await expect(page.getByRole("heading", { name: "Trigger keys" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Monitors" })).toHaveCount(0);
  await page.getByRole("searchbox", { name: "Search operations" }).fill("no such words");
  await page.getByRole("button", { name: "Show all operations" }).click();
  await expect(page.getByText(`${total} of ${total} operations`)).toBeVisible();
  await page.getByRole("searchbox", { name: "Search operations" }).fill("PATCH /api/tags");
  await page.getByRole("link", { name: "Change a tag" }).click();
  await expect(page).toHaveURL(/operation=update_tag/);
  await expect(page.getByRole("heading", { name: "Change a tag", level: 1 })).toBeVisible();
  const errors = page.getByRole("table", { name: "Errors by status and code" });
  await expect(errors.getByRole("row", { name: /name_taken/ })).toContainText("409");
  await page.goBack();
  await expect(page.getByRole("searchbox", { name: "Search operations" })).toHaveValue("PATCH /api/tags");
  await page.goto("/app/api?operation=no_such_operation");
  await expect(page.getByRole("heading", { name: "This operation does not exist here" })).toBeVisible();
});

test("the examples of the reference do what they say", async ({ page, request }) => {
  await page.goto("/app/api?operation=create_tag");
  const name = `reference-${Date.now()}`;
  const curl = await lineOf(page, "curl");
  const svc = await lineOf(page, "svc");
  const made = JSON.parse(shell.execute(curl.replace('"smoke"', `"${name}"`)));
  expect(made.name).toBe(name);
  expect(JSON.parse(shell.execute(svc.replace('"smoke"', `"${name}-2"`))).name).toBe(`${name}-2`);
  await page.goto("/app/api?operation=list_tags");
  for (const line of [await lineOf(page, "curl"), await lineOf(page, "svc")]) {
    expect(JSON.parse(shell.execute(line)).data.map((one) => one.name)).toContain(name);
  }
  await page.goto("/app/api?operation=get_health");
  expect(await lineOf(page, "curl")).not.toContain("Authorization");
  expect(JSON.parse(shell.execute(await lineOf(page, "curl"))).status).toBeTruthy();
  for (const tag of (await api(request, "GET", "/api/tags?limit=100")).data) {
    if (tag.name.startsWith(name)) await api(request, "DELETE", `/api/tags/${tag.id}`);
  }
});

test("a body with several shapes shows the chosen one, and every operation can be opened", async ({ page, request }) => {
  await page.goto("/app/api?operation=create_monitor");
  const body = page.getByRole("region", { name: "Body" });
  await expect(body.getByRole("row", { name: /^target required/ })).toBeVisible();
  await body.getByRole("button", { name: "dns" }).click();
  await expect(body.getByRole("row", { name: /^config\.recordType/ })).toBeVisible();
  await expect(body.getByRole("row", { name: /^config\.port/ })).toHaveCount(0);
  const document = await (await request.get(`${service.url}/openapi/openapi.json`)).json();
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item)).filter((one) => one.operationId);
  await page.goto("/app/api");
  for (const { operationId, summary } of operations) {
    const link = page.locator(`a[href$="operation=${operationId}"]`);
    await link.click();
    await expect(page.getByRole("heading", { name: summary, level: 1, exact: true })).toBeVisible();
    await expect(page.getByRole("region", { name: "curl", exact: true })).toContainText("curl");
    await page.getByRole("link", { name: "Show all operations" }).click();
  }
});
