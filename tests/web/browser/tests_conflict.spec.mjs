import { api, expect, project, test } from "./fixtures.mjs";

const SCRIPT = "#!/bin/sh\necho one\necho two\necho three\n";
const editor = (page) => page.getByRole("textbox", { name: "Script", exact: true });
const conflict = (page) => page.getByRole("alert", { name: "Conflict" });
const readTest = (request, id) => api(request, "GET", `/api/tests/${id}?includeScript=true`);

/** Creates a test, opens its page and puts a line at the end of its script. */
async function edit(page, request, title, line = "echo mine") {
  const made = await api(request, "POST", "/api/tests", { title, type: "command", script: SCRIPT });
  await page.goto(`${project}/tests/${made.id}`);
  await editor(page).focus();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type(line);
  return made.id;
}

const save = (page) => page.getByRole("button", { name: "Save", exact: true }).click();

test("a conflict shows both versions of fields and lines, and saves the own version on top of the other", async ({ page, request }) => {
  const id = await edit(page, request, "contested");
  await page.getByLabel("Title", { exact: true }).fill("contested by me");
  await api(request, "PATCH", `/api/tests/${id}`, { priority: "high", script: SCRIPT.replace("echo two", "echo theirs") });
  await save(page);
  await expect(conflict(page)).toContainText("The scripts differ in lines 3 and 5.");
  await expect(conflict(page).getByRole("region", { name: "Both versions of line 3" })).toHaveText(/- echo theirs\s*\+ echo two/);
  await expect(conflict(page)).toContainText("contested by me");
  await expect(conflict(page)).toContainText("High");
  await expect(editor(page)).toContainText("echo mine");
  await expect(page.getByLabel("Title", { exact: true })).toHaveValue("contested by me");

  await conflict(page).getByRole("button", { name: "Take the saved lines at line 3" }).click();
  await expect(conflict(page)).toContainText("The scripts differ in line 5.");
  await expect(editor(page)).toContainText("echo theirs");
  await conflict(page).getByRole("button", { name: "Save my version" }).click();
  await expect(page.getByText("contested by me was saved.")).toBeVisible();
  await expect(conflict(page)).toHaveCount(0);
  await expect(editor(page)).toBeFocused();
  const saved = await readTest(request, id);
  expect([saved.title, saved.priority, saved.script]).toEqual([
    "contested by me", "high", `${SCRIPT.replace("echo two", "echo theirs")}echo mine`,
  ]);
});

test("the saved version replaces the own one, and an undo brings the own script back", async ({ page, request }) => {
  const id = await edit(page, request, "given up");
  const theirs = SCRIPT.replace("echo one", "echo theirs");
  await api(request, "PATCH", `/api/tests/${id}`, { script: theirs });
  await save(page);
  await conflict(page).getByRole("button", { name: "Load the saved version" }).click();
  await expect(conflict(page)).toHaveCount(0);
  await expect(editor(page)).toContainText("echo theirs");
  await expect(editor(page)).not.toContainText("echo mine");
  await expect(page.getByText("Unsaved changes")).toHaveCount(0);
  await editor(page).focus();
  await page.keyboard.press("ControlOrMeta+z");
  await expect(editor(page)).toContainText("echo mine");
  await expect(page.getByText("Unsaved changes")).toBeVisible();
  expect((await readTest(request, id)).script).toBe(theirs);
});

test("a second conflict shows the versions again, and nothing that was typed is lost", async ({ page, request }) => {
  const id = await edit(page, request, "twice");
  await api(request, "PATCH", `/api/tests/${id}`, { priority: "low" });
  await save(page);
  await expect(conflict(page)).toContainText("Low");
  await api(request, "PATCH", `/api/tests/${id}`, { priority: "high" });
  await conflict(page).getByRole("button", { name: "Save my version" }).click();
  await expect(conflict(page)).toContainText("High");
  await conflict(page).getByRole("button", { name: "Save my version" }).click();
  await expect(page.getByText("twice was saved.")).toBeVisible();
  const saved = await readTest(request, id);
  expect([saved.priority, saved.script]).toEqual(["high", `${SCRIPT}echo mine`]);
});

test("the execution of a test is no conflict, and a change of its tags is one", async ({ page, request }) => {
  const id = await edit(page, request, "executed meanwhile");
  await api(request, "POST", `/api/tests/${id}/execute`);
  await save(page);
  await expect(page.getByText("executed meanwhile was saved.")).toBeVisible();
  const tag = await api(request, "POST", "/api/tags", { name: `meanwhile-${Date.now()}`, color: "#112233" });
  await api(request, "PUT", `/api/tests/${id}/tags`, { tags: [{ id: tag.id }] });
  await editor(page).focus();
  await page.keyboard.type("x");
  await save(page);
  await expect(conflict(page)).toContainText(tag.name);
  await conflict(page).getByRole("button", { name: "Save my version" }).click();
  await expect(page.getByText("executed meanwhile was saved.").last()).toBeVisible();
  await expect(conflict(page)).toHaveCount(0);
  expect((await readTest(request, id)).tags.map((one) => one.id)).toEqual([tag.id]);
});
