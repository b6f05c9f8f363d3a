import { api, expect, project, test } from "./fixtures.mjs";

const makeTag = (request, name, color = "#808080") => api(request, "POST", "/api/tags", { name, color });
const rowOf = (page, name) => page.getByRole("row", { name: new RegExp(name) });

/** Opens the menu of a tag's row and chooses an entry. */
async function choose(page, name, entry) {
  await page.getByRole("button", { name: `More for ${name}` }).click();
  await page.getByRole("menuitem", { name: entry }).click();
}

test("a tag is created, changed and deleted, and a deletion names what loses it", async ({ page, request }) => {
  const name = `smoke-${Date.now()}`;
  await page.goto(`${project}/tags`);
  await page.getByRole("button", { name: "Create tag" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Create tag" }).click();
  await expect(dialog).toContainText("Enter 1 to 40 letters, digits, underscores or hyphens.");
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByLabel("Colour").fill("#1f883d");
  await dialog.getByLabel("Name").press("Enter");
  await expect(page.getByText(`Tag ${name} was created.`)).toBeVisible();
  await expect(rowOf(page, name)).toContainText("#1f883d");
  await expect(rowOf(page, name).locator("circle")).toHaveAttribute("fill", "#1f883d");

  await page.getByRole("button", { name: "Create tag" }).click();
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByRole("button", { name: "Create tag" }).click();
  await expect(dialog).toContainText("Another tag of this project has this name.");
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: `Edit ${name}` }).click();
  await dialog.getByLabel("Name").fill(`${name}-2`);
  await dialog.getByRole("button", { name: "Save tag" }).click();
  await expect(page.getByText(`Tag ${name}-2 was saved.`)).toBeVisible();
  const tag = (await api(request, "GET", "/api/tags?limit=100")).data.find((one) => one.name === `${name}-2`);
  expect(tag.color).toBe("#1f883d");

  const worn = await api(request, "POST", "/api/tests", { title: `test of ${name}`, type: "command", script: "" });
  await api(request, "PUT", `/api/tests/${worn.id}/tags`, { tags: [{ id: tag.id }] });
  const monitor = await api(request, "POST", "/api/monitors", {
    name: `monitor of ${name}`, type: "website", target: "https://shop.example.org/", enabled: false,
  });
  await api(request, "PUT", `/api/monitors/${monitor.id}/tags`, { tags: [{ id: tag.id }] });
  await choose(page, tag.name, "Monitors with this tag");
  await expect(page).toHaveURL(new RegExp(`/monitors\\?tag=${tag.name}`));
  await expect(page.getByRole("link", { name: `monitor of ${name}` })).toBeVisible();
  await page.goBack();
  await choose(page, tag.name, "Delete");
  const asked = page.getByRole("alertdialog");
  await expect(asked).toContainText(`1 test loses it: test of ${name}.`);
  await expect(asked).toContainText(`1 monitor loses it: monitor of ${name}.`);
  await asked.getByRole("button", { name: "Delete tag" }).click();
  await expect(rowOf(page, name)).toHaveCount(0);
  expect((await api(request, "GET", `/api/tests/${worn.id}`)).tags).toEqual([]);
});

test("a tag that somebody else changed shows both versions, and is not deleted unseen", async ({ page, request }) => {
  const name = `contested-${Date.now()}`;
  const { id } = await makeTag(request, name);
  await page.goto(`${project}/tags`);
  await page.getByRole("button", { name: `Edit ${name}` }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(`${name}-mine`);
  await api(request, "PATCH", `/api/tags/${id}`, { color: "#00ff00" });
  await dialog.getByRole("button", { name: "Save tag" }).click();
  const conflict = dialog.getByRole("alert", { name: "Conflict" });
  const versions = (field) => conflict.getByRole("group", { name: field });
  await expect(versions("Name").getByLabel("Your version")).toBeChecked();
  await expect(versions("Colour")).toContainText(/Saved version\s*#00ff00\s*Your version\s*#808080/);
  await expect(versions("Colour").getByLabel("Saved version")).toBeChecked();
  await expect(dialog.getByLabel("Name", { exact: true })).toHaveValue(`${name}-mine`);
  await conflict.getByRole("button", { name: "Save the chosen versions" }).click();
  await expect(page.getByText(`Tag ${name}-mine was saved.`)).toBeVisible();
  const saved = await api(request, "GET", `/api/tags/${id}`);
  expect([saved.name, saved.color]).toEqual([`${name}-mine`, "#00ff00"]);

  await choose(page, `${name}-mine`, "Delete");
  const asked = page.getByRole("alertdialog");
  await expect(asked).toContainText("No test and no monitor has it.");
  await api(request, "PATCH", `/api/tags/${id}`, { name: `${name}-theirs` });
  await asked.getByRole("button", { name: "Delete tag" }).click();
  await expect(asked.getByRole("alert")).toBeVisible();
  await expect(asked).toContainText(`Delete tag ${name}-theirs?`);
  await asked.getByRole("button", { name: "Delete tag" }).click();
  await expect(asked).toHaveCount(0);
  await expect(rowOf(page, name)).toHaveCount(0);
});

test("tags behind the first hundred are listed, found, and choices of other pages", async ({ page, request }) => {
  const made = [];
  const mark = `zz${Date.now()}`;
  try {
    for (let number = 0; number < 101; number++) made.push(await makeTag(request, `${mark}-${String(number).padStart(3, "0")}`));
    const last = made.at(-1).name;
    await page.goto(`${project}/tags`);
    await expect(page.locator("tbody tr")).toHaveCount(100);
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Next" }).click();
    await expect(page).toHaveURL(/[?&]page=2/);
    await expect(rowOf(page, last)).toBeVisible();
    await page.getByLabel("Search tags").fill(last);
    await page.getByLabel("Search tags").press("Enter");
    await expect(page).toHaveURL(new RegExp(`search=${last}`));
    await expect(page.locator("tbody tr")).toHaveCount(1);
    await page.getByRole("link", { name: "Show all" }).click();
    await expect(page.locator("tbody tr")).toHaveCount(100);
    await page.goto(`${project}/monitors`);
    const choice = page.getByRole("combobox", { name: "Tag" });
    for (const name of [made[0].name, last]) await expect(choice.getByRole("option", { name, exact: true })).toHaveCount(1);
    await page.goto(`${project}/monitors/new`);
    await expect(page.getByLabel(made[0].name, { exact: true })).toBeVisible();
    await expect(page.getByLabel(last, { exact: true })).toBeVisible();
  } finally {
    for (const tag of made) await api(request, "DELETE", `/api/tags/${tag.id}`);
  }
});
