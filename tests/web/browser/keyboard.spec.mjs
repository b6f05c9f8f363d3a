// Work by keyboard only: the focus is visible at each step, and never lost after a dialog, a change of the page or a deletion.
import { PASSWORD, api, createJob, expect, project, test } from "./fixtures.mjs";
import { startTarget } from "./target.mjs";

const MOST_STEPS = 80;

/** Returns what is wrong with the focus; empty if a person sees where it is. */
const focusFault = (page) => page.evaluate(() => {
  const element = document.activeElement;
  if (!element || element === document.body) return "nothing has the focus";
  const name = `${element.tagName.toLowerCase()} ${element.getAttribute("aria-label") ?? element.textContent.slice(0, 40)}`;
  const ringed = (one) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
    return (outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2) || boxShadow.includes("inset");
  };
  // The field of the palette and a dialog show the focus by their frame.
  if (!ringed(element) && !element.closest(".palette-input, [role=dialog], [role=alertdialog]")) return `${name} shows no ring`;
  const box = element.getBoundingClientRect();
  const isSeen = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
  return isSeen ? "" : `${name} is outside of the window`;
});

const keepsFocus = (page, after) => expect.poll(() => focusFault(page), { message: `the focus after ${after}` }).toBe("");
const hasFocus = (target) => target.evaluate((element) => element === document.activeElement);

/** Goes to the target by Tab, or another key; each step shows where the focus is. */
async function goTo(page, target, key = "Tab") {
  await expect(target).toBeVisible();
  for (let step = 0; step < MOST_STEPS && !(await hasFocus(target)); step++) {
    await page.keyboard.press(key);
    await keepsFocus(page, `${key} number ${step + 1}`);
  }
  await expect(target).toBeFocused();
}

/** Opens the palette; its key comes with the script of the page, shortly after the first paint. */
async function openPalette(page) {
  await expect(async () => {
    await page.keyboard.press("Control+k");
    await expect(page.getByRole("combobox", { name: "Search or jump to" })).toBeFocused({ timeout: 1_000 });
  }).toPass();
}

const heading = (page, name) => page.getByRole("heading", { name, exact: true, level: 1 });

test.describe("without a session", () => {
  test.use({ storageState: { cookies: [], origins: [] } });

  test("from the sign-in to a green run by keyboard, with a focus that is always seen", async ({ page, request }) => {
    test.setTimeout(150_000);
    const name = `by-keys-${Date.now()}`;
    const id = await createJob(request, name, "#!/bin/sh\necho done\n");
    await page.goto("/app/sign-in");
    await expect(page.getByLabel("E-mail")).toBeFocused();
    await page.keyboard.type("demo@localhost");
    await goTo(page, page.getByLabel("Password"));
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Enter");
    await expect(heading(page, "Jobs")).toBeVisible();

    await goTo(page, page.getByRole("link", { name: "Skip to content" }));
    await page.keyboard.press("Enter");
    await expect(page.locator("#main")).toBeFocused();
    await goTo(page, page.getByLabel("Search jobs"));
    await page.keyboard.type(name);
    await page.keyboard.press("Enter");
    await expect(page.locator("tbody tr")).toHaveCount(1);
    await keepsFocus(page, "a search");
    await goTo(page, page.getByRole("button", { name: `Trigger ${name}` }));
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/\/runs\/[0-9a-f-]{36}$/);
    await expect(page.locator(".badge")).toContainText("Passed");
    await keepsFocus(page, "the change to the page of the run");
    await goTo(page, page.getByRole("navigation", { name: "Breadcrumbs" }).getByRole("link", { name, exact: true }));
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(new RegExp(`/jobs/${id}$`));
    await expect(page.getByLabel("Parts of the job")).toBeVisible();
    await keepsFocus(page, "the change to the page of the job");
    await api(request, "DELETE", `/api/jobs/${id}`);
  });
});

test("a monitor that is down is found and acknowledged by keyboard", async ({ page, request }) => {
  test.setTimeout(150_000);
  const target = await startTarget(503);
  try {
    const name = `silenced-${Date.now()}`;
    const { id } = await api(request, "POST", "/api/monitors", {
      name, type: "website", target: `${target.url}/`, frequencyMinutes: 60,
      config: { timeoutSeconds: 5, retryStrategy: { maxRetries: 0 } },
    });
    await expect.poll(async () => (await api(request, "GET", `/api/monitors/${id}`)).status, { timeout: 40_000 }).toBe("down");
    await page.goto(`${project}/jobs`);
    await expect(heading(page, "Jobs")).toBeVisible();
    await openPalette(page);
    await page.keyboard.type(name);
    await expect(page.getByRole("option", { name: new RegExp(`^${name}`) })).toHaveAttribute("aria-selected", "true");
    await page.keyboard.press("Enter");
    await expect(heading(page, name)).toBeVisible();
    await keepsFocus(page, "the change to the page of the monitor");

    const banner = page.getByRole("region", { name: /^Down since/ });
    await goTo(page, banner.getByRole("button", { name: "Acknowledge" }));
    await page.keyboard.press("Enter");
    await expect(banner).toContainText("acknowledged it at");
    await expect(banner.getByRole("button")).toHaveCount(0);
    await keepsFocus(page, "the end of the button");
    await page.keyboard.press("Tab");
    await keepsFocus(page, "another Tab");
    await api(request, "DELETE", `/api/monitors/${id}`);
  } finally {
    await target.close();
  }
});

test("the focus returns from dialogs and menus, and has a place after a deletion and on the next page", async ({ page, request }) => {
  const stamp = Date.now();
  const [first, second] = [`a-${stamp}`, `b-${stamp}`];
  await api(request, "POST", "/api/tags", { name: first });
  const kept = await api(request, "POST", "/api/tags", { name: second });
  await page.goto(`${project}/tags?search=${stamp}`);
  await expect(page.locator("tbody tr")).toHaveCount(2);
  const edit = page.getByRole("button", { name: `Edit ${first}` });
  await goTo(page, edit);
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await expect(dialog.locator(":focus")).toHaveCount(1);
  await page.keyboard.press("Escape");
  await expect(edit).toBeFocused();

  const more = page.getByRole("button", { name: `More for ${first}` });
  await goTo(page, more);
  await page.keyboard.press("Enter");
  await goTo(page, page.getByRole("menuitem", { name: "Delete" }), "ArrowDown");
  await page.keyboard.press("Escape");
  await expect(more).toBeFocused();
  await page.keyboard.press("Enter");
  await goTo(page, page.getByRole("menuitem", { name: "Delete" }), "ArrowDown");
  await page.keyboard.press("Enter");
  // The safe choice has the focus first.
  const question = page.getByRole("alertdialog");
  await expect(question.getByRole("button").first()).toBeFocused();
  await page.keyboard.press("Escape");
  // The entry that opened the dialog is gone, so the focus returns to the button of its menu.
  await expect(more).toBeFocused();
  await page.keyboard.press("Enter");
  await goTo(page, page.getByRole("menuitem", { name: "Delete" }), "ArrowDown");
  await page.keyboard.press("Enter");
  await expect(question.getByRole("button").first()).toBeFocused();
  await goTo(page, question.getByRole("button", { name: "Delete tag" }));
  await page.keyboard.press("Enter");
  await expect(page.locator("tbody tr")).toHaveCount(1);
  await keepsFocus(page, "a deletion");
  await expect(page.locator("main :focus, main:focus")).toHaveCount(1);

  await page.keyboard.press("g");
  await page.keyboard.press("m");
  await expect(heading(page, "Monitors")).toBeVisible();
  await keepsFocus(page, "the change to the monitors");
  await page.goBack();
  await expect(page.locator("tbody tr")).toHaveCount(1);
  await keepsFocus(page, "Back");
  await api(request, "DELETE", `/api/tags/${kept.id}`);
});
