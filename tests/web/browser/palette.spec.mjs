import { api, createJob, expect, project, test } from "./fixtures.mjs";

const open = async (page, words) => {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search or jump to" }).fill(words);
};

test("the palette finds jobs, tests, monitors and providers by name, and leads to them by keyboard", async ({ page, request }) => {
  const name = `palette-${Date.now()}`;
  const job = await createJob(request, name, "#!/bin/sh\n");
  const monitor = await api(request, "POST", "/api/monitors", {
    name: `${name} monitor`, type: "website", target: "https://target.invalid/", frequencyMinutes: 60, enabled: false,
    config: { timeoutSeconds: 5 },
  });
  const provider = await api(request, "POST", "/api/notification-providers", {
    name: `${name} provider`, type: "webhook", config: { url: "https://hooks.example/palette" },
  });
  await page.goto(`${project}/runs`);
  await page.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
  await open(page, name.toUpperCase());
  const found = (group) => page.getByRole("group", { name: group }).getByRole("option");
  await expect(found("Jobs")).toHaveText([new RegExp(`^${name}.*Never run$`)]);
  await expect(found("Tests")).toHaveText([new RegExp(`^test of ${name}.*Command$`)]);
  await expect(found("Monitors")).toHaveText([new RegExp(`^${name} monitor.*Paused$`)]);
  await expect(found("Providers")).toHaveText([new RegExp(`^${name} provider.*Never used$`)]);
  for (let row = 0; row < 2; row++) await page.keyboard.press("ArrowDown");
  await expect(found("Monitors")).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/monitors/${monitor.id}$`));
  await api(request, "DELETE", `/api/monitors/${monitor.id}`);
  await api(request, "DELETE", `/api/notification-providers/${provider.id}`);
  await api(request, "DELETE", `/api/jobs/${job}`);
});

/** Opens the jobs, and holds back the script that loads after the first page until the returned function is called. */
async function openWithoutMore(page) {
  let load;
  const wanted = new Promise((resolve) => (load = resolve));
  await page.route("**/app/assets/later_pages-*.js", async (route) => {
    await wanted;
    await route.continue();
  });
  await page.goto(`${project}/jobs`);
  await page.getByRole("heading", { name: "Jobs", level: 1 }).waitFor();
  return load;
}

test("the palette loads after the page, and its field has what was typed meanwhile", async ({ page }) => {
  const load = await openWithoutMore(page);
  await page.keyboard.press("Control+k");
  // As single keys the first two would lead to the overview.
  await page.keyboard.type("gover");
  load();
  const field = page.getByRole("combobox", { name: "Search or jump to" });
  await expect(field).toHaveValue("gover");
  await field.fill("usage");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Usage", level: 1 })).toBeVisible();
});

test("what is typed for a palette that still loads goes into no field and presses no button", async ({ page, request }) => {
  // Without a job the page shows its first steps in the place of its search.
  await createJob(request, `typed-${Date.now()}`, "#!/bin/sh\n");
  const load = await openWithoutMore(page);
  const search = page.locator("main input[type=search]");
  await search.focus();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("us");
  const button = page.getByRole("button", { name: "Search or jump to" });
  await button.focus();
  await page.keyboard.type("a x");
  await page.keyboard.press("Backspace");
  load();
  await expect(page.getByRole("combobox", { name: "Search or jump to" })).toHaveValue("usa ");
  await expect(search).toHaveValue("");
});

test("a palette that cannot be loaded says so and gives the keys back", async ({ page, request }) => {
  // Without a job the page itself would need the file: it shows the first steps.
  await createJob(request, `no-palette-${Date.now()}`, "#!/bin/sh\n");
  await page.route("**/app/assets/later_pages-*.js", (route) => route.abort());
  await page.goto(`${project}/jobs`);
  await page.getByRole("heading", { name: "Jobs", level: 1 }).waitFor();
  await page.keyboard.press("Control+k");
  await expect(page.getByText("A part of the page could not be loaded. Reload the page.")).toBeVisible({ timeout: 40_000 });
  const search = page.locator("main input[type=search]");
  await page.keyboard.press("/");
  await expect(search).toBeFocused();
  await page.keyboard.type("shop");
  await expect(search).toHaveValue("shop");
});

test("a menu that was opened before its script was loaded shows as soon as it is", async ({ page }) => {
  const load = await openWithoutMore(page);
  const account = page.getByRole("button", { name: /account of/ });
  await account.focus();
  await page.keyboard.press("ArrowDown");
  await expect(account).toHaveAttribute("aria-expanded", "true");
  await expect(page.getByRole("menu")).toHaveCount(0);
  load();
  await expect(page.getByRole("menuitem", { name: "Your account" })).toBeFocused();
});

test("a menu opens by each of its keys, and gives the focus back to its button", async ({ page }) => {
  await page.goto(`${project}/runs`);
  await page.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
  const account = page.getByRole("button", { name: /account of/ });
  const firsts = ["Enter", "Space", "ArrowDown"].map((key) => [key, "Your account"]);
  for (const [key, focused] of [...firsts, ["ArrowUp", "Sign out"]]) {
    await account.focus();
    await page.keyboard.press(key);
    await expect(page.getByRole("menuitem", { name: focused })).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("menu")).toHaveCount(0);
    await expect(account).toBeFocused();
  }
});

test("a pasted id leads to its run, monitor or provider, and an unknown id to a sentence", async ({ page, request }) => {
  const job = await createJob(request, `pasted-${Date.now()}`, "#!/bin/sh\n");
  const run = (await api(request, "POST", `/api/jobs/${job}/trigger?wait=50`, {})).data.runId;
  await page.goto(`${project}/jobs`);
  await page.getByRole("heading", { name: "Jobs", level: 1 }).waitFor();
  await open(page, "01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f70");
  await expect(page.getByText("Nothing here has this name or id.")).toBeVisible();
  await page.getByRole("combobox", { name: "Search or jump to" }).fill(run.toUpperCase());
  await expect(page.getByRole("group", { name: "This id" }).getByRole("option")).toHaveText([/^pasted-\d+.*Run$/]);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/runs/${run}$`));
});

test("pages are found by name at once, and keys lead to the overview and to usage", async ({ page }) => {
  await page.goto(`${project}/jobs`);
  await page.getByRole("heading", { name: "Jobs", level: 1 }).waitFor();
  await open(page, "over");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Overview", level: 1 })).toBeVisible();
  await open(page, "usage");
  await expect(page.getByRole("option", { name: /^Usage/ })).toBeVisible();
  const another = page.context().waitForEvent("page");
  await page.keyboard.press("Control+Enter");
  await expect((await another).getByRole("heading", { name: "Usage", level: 1 })).toBeVisible();
  await (await another).close();
  // The palette stays open for more of them.
  await page.keyboard.press("Escape");
  await expect(page.getByRole("heading", { name: "Overview", level: 1 })).toBeVisible();
  await page.keyboard.press("g");
  await page.keyboard.press("u");
  await expect(page.getByRole("heading", { name: "Usage", level: 1 })).toBeVisible();
  await page.keyboard.press("g");
  await page.keyboard.press("o");
  await expect(page.getByRole("heading", { name: "Overview", level: 1 })).toBeVisible();
});
