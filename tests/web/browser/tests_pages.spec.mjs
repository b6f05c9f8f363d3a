import { PASSWORD, api, endSessions, expect, project, service, test } from "./fixtures.mjs";

const makeTest = (request, title, more = {}) =>
  api(request, "POST", "/api/tests", { title, type: "command", script: "#!/bin/sh\necho first\n", ...more });

const editor = (page) => page.getByRole("textbox", { name: "Script", exact: true });
const output = (page) => page.getByRole("region", { name: "Output" });

/** Puts a text of one line in place of the whole script, as a person who types. */
async function retype(page, text) {
  await editor(page).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
}

async function openTest(page, made) {
  await page.goto(`${project}/tests/${made.id}`);
  await expect(editor(page)).toBeVisible();
}

test("a test is created with the start of its type, executed next to its script, changed and deleted", async ({ page, request }) => {
  const title = `made-here-${Date.now()}`;
  await page.goto(`${project}/tests/new`);
  await expect(editor(page)).toContainText("@playwright/test");
  await page.getByLabel("Type", { exact: true }).selectOption("command");
  await expect(editor(page)).toContainText("set -eu");
  await page.getByRole("button", { name: "Create test" }).click();
  await expect(page.getByRole("alert")).toContainText("Enter a title.");
  await page.getByLabel("Title", { exact: true }).fill(title);
  await retype(page, "echo made in the browser");
  await page.getByRole("button", { name: "Create test" }).click();
  await expect(page.getByRole("heading", { name: title, level: 1 })).toBeVisible();

  await page.getByRole("button", { name: "Execute", exact: true }).click();
  await expect(output(page)).toContainText("made in the browser");
  await expect(output(page)).toContainText(/Passed after/);
  await expect(page).toHaveURL(/\?run=[0-9a-f-]{36}$/);
  await page.reload();
  await expect(output(page)).toContainText("made in the browser");

  await retype(page, "echo changed; exit 3");
  await expect(page.getByText("Unsaved changes")).toBeVisible();
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(output(page)).toContainText("changed");
  await expect(output(page)).toContainText(/Failed after/);
  await output(page).getByRole("link", { name: "Open run" }).click();
  await expect(page.getByRole("heading", { name: "Single test", level: 1 })).toBeVisible();
  await page.getByRole("navigation", { name: "Breadcrumbs" }).getByRole("link", { name: title }).click();

  const id = /tests\/([0-9a-f-]{36})/.exec(page.url())[1];
  expect((await api(request, "GET", `/api/tests/${id}?includeScript=true`)).script).toBe("echo changed; exit 3");
  await page.getByRole("button", { name: `More for ${title}` }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete test" }).click();
  await expect(page).toHaveURL(`${project}/tests`);
  await expect(page.getByText(`${title} was deleted.`)).toBeVisible();
});

test("the list finds tests by words, type and tag, and its lines give the same rows", async ({ page, request }) => {
  const mark = `listed-${Date.now()}`;
  const tag = await api(request, "POST", "/api/tags", { name: mark, color: "#112233" });
  const one = await makeTest(request, `${mark} one`);
  await makeTest(request, `${mark} two`, { type: "api", priority: "high" });
  await api(request, "PUT", `/api/tests/${one.id}/tags`, { tags: [{ id: tag.id }] });
  await page.goto(`${project}/tests`);
  await page.getByLabel("Search tests").fill(mark);
  await page.getByRole("button", { name: "Filter" }).click();
  await expect(page.locator("tbody tr")).toHaveCount(2);
  await page.getByLabel("Type", { exact: true }).selectOption("API");
  await expect(page.locator("tbody tr")).toHaveCount(1);
  await expect(page.locator("tbody tr")).toContainText(`${mark} two`);
  await page.getByLabel("Type", { exact: true }).selectOption("Any type");
  await page.getByLabel("Tag", { exact: true }).selectOption(mark);
  await expect(page.locator("tbody tr")).toHaveCount(1);
  await expect(page.locator("tbody tr")).toContainText(`${mark} one`);
  await expect(page).toHaveURL(new RegExp(`tagId=${tag.id}`));
  await page.goBack();
  await expect(page.locator("tbody tr")).toHaveCount(2);
  await page.getByRole("button", { name: `Execute ${mark} one` }).click();
  await expect(output(page)).toContainText("first");
  await page.goto(`${project}/tests?search=no-such-test-at-all`);
  await expect(page.getByRole("heading", { name: "No test matches these filters" })).toBeVisible();
});

test("Tab indents, and after Escape it leaves the editor; the keyboard alone saves and executes", async ({ page, request }) => {
  await openTest(page, await makeTest(request, "by keys"));
  await expect(page.locator("#test-script-keys")).toContainText("Escape and then Tab leaves the editor.");
  await editor(page).focus();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("if true; then");
  await page.keyboard.press("Enter");
  await page.keyboard.type("echo by keys");
  await page.keyboard.press("Enter");
  await page.keyboard.type("fi");
  await page.keyboard.press("Tab");
  await expect(editor(page)).toBeFocused();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  await expect(editor(page)).not.toBeFocused();
  await page.keyboard.press("Shift+Tab");
  await expect(editor(page)).toBeFocused();
  await page.keyboard.press("Escape");
  await page.keyboard.press("x");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Tab");
  await expect(editor(page)).toBeFocused();
  await page.keyboard.press("ControlOrMeta+s");
  await expect(page.getByText("by keys was saved.")).toBeVisible();
  await expect(page.getByText("Unsaved changes")).toHaveCount(0);
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(output(page)).toContainText(/Passed after/);
});

test("a save keeps line ends, and large scripts can be edited", async ({ page, request }) => {
  const windows = await makeTest(request, "ends of windows", { script: "echo 1\r\necho 2\r\n" });
  await openTest(page, windows);
  await editor(page).focus();
  await page.keyboard.press("ControlOrMeta+Home");
  await page.keyboard.type("# new");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("ends of windows was saved.")).toBeVisible();
  const saved = await api(request, "GET", `/api/tests/${windows.id}?includeScript=true`);
  expect(saved.script).toBe("# new\r\necho 1\r\necho 2\r\n");
  const line = `echo ${"x".repeat(95)}\n`;
  const large = await makeTest(request, "large", { script: line.repeat(40_000) });
  await openTest(page, large);
  await editor(page).focus();
  await page.keyboard.type("# ");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("large was saved.")).toBeVisible();
  const { script } = await api(request, "GET", `/api/tests/${large.id}?includeScript=true`);
  expect(script.length).toBe(line.length * 40_000 + 2);
});

test("a test that a job uses stays, and the dialog names the job", async ({ page, request }) => {
  const made = await makeTest(request, "used");
  await api(request, "POST", "/api/jobs", { name: "user of a test", jobType: "command", tests: [{ id: made.id }] });
  await openTest(page, made);
  await page.getByRole("button", { name: "More for used" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  const dialog = page.getByRole("alertdialog");
  await dialog.getByRole("button", { name: "Delete test" }).click();
  await expect(dialog.getByRole("alert")).toContainText(/job/i);
  await dialog.getByRole("link", { name: "user of a test" }).click();
  await expect(page.getByRole("heading", { name: "Edit user of a test" })).toBeVisible();
});

test("variables of the project are put into the script as its language reads them", async ({ page, request }) => {
  const key = `SHOP_${Date.now()}`;
  await api(request, "POST", "/api/variables", { key, value: "https://shop.example.org" });
  await openTest(page, await makeTest(request, "reads variables"));
  await page.getByText("Variables and environment").click();
  await page.getByRole("button", { name: `Insert "$${key}"` }).click();
  await expect(editor(page)).toContainText(`"$${key}"`);
  await expect(editor(page)).toBeFocused();
  await page.getByLabel("Type", { exact: true }).selectOption("performance");
  await expect(page.getByRole("button", { name: `Insert __ENV.${key}` })).toBeVisible();
});

test("the script of the editor loads only with a page that shows a script", async ({ page, request }) => {
  const made = await makeTest(request, "weighed");
  const names = () => page.evaluate(() => performance.getEntriesByType("resource").map((one) => one.name));
  await page.goto(`${project}/tests`);
  await expect(page.getByRole("table")).toBeVisible();
  await expect.poll(async () => (await names()).some((one) => one.includes("/later_pages-"))).toBe(true);
  expect((await names()).filter((one) => one.includes("/code_editor-"))).toEqual([]);
  await openTest(page, made);
  expect((await names()).filter((one) => one.includes("/code_editor-")).length).toBeGreaterThan(0);
});

test.describe("without a session", () => {
  test.use({ storageState: { cookies: [], origins: [] } });

  // Other files use the session that this test ends.
  test.afterEach(({ context }) => context.storageState({ path: service.state }));

  test("a session that ends takes no typed line of a script", async ({ page, request }) => {
    const made = await makeTest(request, "kept");
    await page.goto(`${project}/tests/${made.id}`);
    await page.getByLabel("E-mail").fill("demo@localhost");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in with password" }).click();
    await expect(editor(page)).toBeVisible();
    await retype(page, "echo kept words");
    endSessions();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog).toContainText("Your session ended");
    await dialog.getByLabel("Password").fill(PASSWORD);
    await dialog.getByRole("button", { name: "Sign in with password" }).click();
    await expect(page.getByText("kept was saved.")).toBeVisible();
    expect((await api(request, "GET", `/api/tests/${made.id}?includeScript=true`)).script).toBe("echo kept words");
  });
});
