import { api, createJob, expect, project, test } from "./fixtures.mjs";
import { linesOf, openShell } from "./shell_lines.mjs";

let shell;
test.beforeAll(() => (shell = openShell()));
test.afterAll(() => shell.close());

const SECRET = "correct horse battery staple";
const keyOf = (word) => `${word}_${Date.now()}`;
const makeVariable = (request, body) => api(request, "POST", "/api/variables", body);
const rowOf = (page, key) => page.getByRole("row", { name: new RegExp(key) });

/** True if a script finds this value in the variable; output would show a mask in place of a secret. */
async function holds(request, key, value) {
  const script = `#!/bin/sh\n[ "$${key}" = '${value}' ]\n`;
  const job = await createJob(request, `reads ${key}`, script);
  const run = (await api(request, "POST", `/api/jobs/${job}/trigger?wait=50`, {})).data.runId;
  return (await api(request, "GET", `/api/runs/${run}`)).status === "passed";
}

/** Collects the bodies of all answers that the page gets. */
function collectAnswers(page) {
  const bodies = [];
  page.on("response", (response) => {
    if (!/\/(?:api|dashboard)\//.test(response.url()) || response.url().includes("/events")) return;
    bodies.push(response.text().catch(() => ""));
  });
  return async () => (await Promise.all(bodies)).join("\n");
}

test("a variable is created, found, changed and deleted", async ({ page, request }) => {
  const key = keyOf("BASE_URL");
  await page.goto(`${project}/variables`);
  await page.getByRole("link", { name: "Create variable" }).click();
  await page.getByLabel("Name", { exact: true }).fill("PATH");
  await page.getByRole("button", { name: "Create variable" }).click();
  await expect(page.getByText("PATH is reserved for the service and its runners. Choose another name.")).toBeVisible();
  await expect(page.getByLabel("Name", { exact: true })).toBeFocused();
  await page.getByLabel("Name", { exact: true }).fill(key);
  await page.getByRole("textbox", { name: "Value" }).fill("https://shop.example.org\nsecond line");
  await page.getByLabel("Description").fill("Where the shop is");
  await page.getByRole("button", { name: "Create variable" }).click();
  await expect(page.getByText(`Variable ${key} was created.`)).toBeVisible();
  await expect(rowOf(page, key)).toContainText("https://shop.example.org…");
  await page.getByLabel("Search variables").fill(key.toLowerCase());
  await page.getByLabel("Search variables").press("Enter");
  await expect(page.locator("tbody tr")).toHaveCount(1);
  await page.getByRole("link", { name: key, exact: true }).click();
  await expect(page.getByRole("textbox", { name: "Value" })).toHaveValue("https://shop.example.org\nsecond line");
  await expect(page.getByRole("button", { name: "Save variable" })).toHaveAttribute("aria-disabled", "true");
  await page.getByRole("textbox", { name: "Value" }).fill("https://new.example.org");
  await page.getByRole("button", { name: "Save variable" }).click();
  await expect(page.getByText(`Variable ${key} was saved.`)).toBeVisible();
  const [saved] = (await api(request, "GET", "/api/variables?limit=100")).data.filter((one) => one.key === key);
  expect([saved.value, saved.description, saved.isSecret]).toEqual(["https://new.example.org", "Where the shop is", false]);

  await api(request, "POST", "/api/monitors", {
    name: `monitor of ${key}`, type: "website", target: `https://shop.example.org/{{${key}}}`, enabled: false,
  });
  await page.goto(`${project}/variables?search=${key}`);
  await page.getByRole("button", { name: `More for ${key}` }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  const asked = page.getByRole("alertdialog");
  await expect(asked).toContainText(`1 monitor refers to it: monitor of ${key}.`);
  await asked.getByRole("button", { name: "Delete variable" }).click();
  await expect(page.getByRole("heading", { name: "No variable has these words" })).toBeVisible();
});

test("a name that another variable has leads back to the field of the name", async ({ page, request }) => {
  const key = keyOf("TAKEN");
  await makeVariable(request, { key, value: "first" });
  await page.goto(`${project}/variables/new`);
  const name = page.getByLabel("Name", { exact: true });
  await name.fill(key);
  await page.getByRole("textbox", { name: "Value" }).fill("second");
  await page.getByRole("button", { name: "Create variable" }).click();
  await expect(name).toHaveAccessibleDescription("Another variable of this project has this name.");
  await expect(name).toBeFocused();
  await name.fill("");
  await page.getByRole("button", { name: "Create variable" }).click();
  await expect(name).toBeFocused();
  await page.getByRole("button", { name: "Create variable" }).click();
  // The same error again draws nothing, and leads to its field nevertheless.
  await expect(name).toBeFocused();
});

test("a secret reaches scripts and never a page", async ({ page, request }) => {
  const key = keyOf("PASSWORD");
  const answers = collectAnswers(page);
  await page.goto(`${project}/variables/new`);
  await page.getByLabel("Name", { exact: true }).fill(key);
  await page.getByLabel("This value is a secret").check();
  const value = page.getByLabel("Value", { exact: true });
  await value.fill(SECRET);
  await expect(value).toHaveClass(/masked/);
  await page.getByRole("button", { name: "Show value" }).click();
  await expect(value).not.toHaveClass(/masked/);
  const lines = await linesOf(page);
  expect(JSON.stringify(lines)).not.toContain(SECRET);
  shell.execute(lines.curl.replaceAll(key, `${key}_CURL`), { VALUE: SECRET });
  shell.execute(lines.svc.replaceAll(key, `${key}_SVC`), { VALUE: SECRET });
  for (const tool of ["CURL", "SVC"]) expect(await holds(request, `${key}_${tool}`, SECRET)).toBe(true);
  await page.getByRole("button", { name: "Create variable" }).click();
  await expect(rowOf(page, `${key} `)).toContainText("Secret");
  expect(await holds(request, key, SECRET)).toBe(true);

  await page.getByRole("link", { name: key, exact: true }).click();
  await expect(value).toHaveValue("********");
  await expect(value).not.toBeEditable();
  await page.getByLabel("This value is a secret").uncheck();
  await page.getByRole("button", { name: "Save variable" }).click();
  await expect(page.getByText("Enter the value: a stored secret cannot be shown again.")).toBeVisible();
  await page.getByLabel("This value is a secret").check();
  await page.getByLabel("Description").fill("of the shop");
  await page.getByRole("button", { name: "Save variable" }).click();
  await expect(page.getByText(`Variable ${key} was saved.`)).toBeVisible();
  expect(await holds(request, key, SECRET)).toBe(true);

  await page.getByRole("link", { name: key, exact: true }).click();
  await page.getByRole("button", { name: "Replace value" }).click();
  await expect(value).toBeFocused();
  await value.fill("another secret of the shop");
  await page.getByRole("button", { name: "Keep stored value" }).click();
  await expect(value).toHaveValue("********");
  await page.getByRole("button", { name: "Replace value" }).click();
  await value.fill("another secret of the shop");
  await page.getByRole("button", { name: "Save variable" }).click();
  await expect(page.getByText(`Variable ${key} was saved.`).last()).toBeVisible();
  expect(await holds(request, key, "another secret of the shop")).toBe(true);

  const kept = await page.evaluate(() => JSON.stringify([location.href, history.state, { ...localStorage }, { ...sessionStorage }]));
  for (const text of [await answers(), await page.content(), kept]) {
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain("another secret of the shop");
  }
});

test("a variable that somebody else changed shows both versions without the secret", async ({ page, request }) => {
  const key = keyOf("CONTESTED");
  const { id } = await makeVariable(request, { key, value: SECRET, isSecret: true });
  await page.goto(`${project}/variables/${id}`);
  await page.getByRole("button", { name: "Replace value" }).click();
  await page.getByLabel("Value", { exact: true }).fill("mine and hidden");
  await api(request, "PATCH", `/api/variables/${id}`, { description: "theirs" });
  await page.getByRole("button", { name: "Save variable" }).click();
  const conflict = page.getByRole("alert", { name: "Conflict" });
  const versions = (field) => conflict.getByRole("group", { name: field });
  await expect(versions("Value")).toContainText(/Saved version\s*the stored secret\s*Your version\s*a new secret/);
  await expect(versions("Description").getByLabel("Saved version")).toBeChecked();
  await expect(page.getByLabel("Value", { exact: true })).toHaveValue("mine and hidden");
  await conflict.getByRole("button", { name: "Save the chosen versions" }).click();
  await expect(page.getByText(`Variable ${key} was saved.`)).toBeVisible();
  expect((await api(request, "GET", `/api/variables/${id}`)).description).toBe("theirs");
  expect(await holds(request, key, "mine and hidden")).toBe(true);
});
