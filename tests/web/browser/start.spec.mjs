import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, service, signInLink, test } from "./fixtures.mjs";

// A new project, so the user signs in recently enough to create a token in it.
test.use({ storageState: { cookies: [], origins: [] } });

let directory;
test.beforeAll(() => (directory = mkdtempSync(path.join(os.tmpdir(), "svc-start-"))));
test.afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function newProject(page, name) {
  await page.goto(signInLink(service));
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("button", { name: /account of/ })).toBeVisible();
  await page.goto("/app/demo/_/projects/new");
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByRole("button", { name: "Create project" }).click();
  await expect(page).toHaveURL(/\/jobs$/);
  return new URL(page.url()).pathname.replace(/\/jobs$/, "");
}

/** Archives the project, because other tests start with the only project of their user. */
async function archive(page, project) {
  await page.goto(`${project}/settings`);
  await page.getByRole("button", { name: "Archive project" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Archive project" }).click();
  await expect(page).toHaveURL(/\/_\/projects$/);
}

const current = (page) => page.locator('.steps > li[aria-current="step"]');
/** The act that a page puts before all others. */
const mainAct = (page) => page.locator("main .btn-primary");

test("a new project gets its first green run by three buttons, and then the steps go away", async ({ page }) => {
  const project = await newProject(page, `Buttons ${Date.now()}`);
  await expect(current(page)).toContainText("Make a test");
  await expect(mainAct(page)).toHaveText(["Make it here"]);
  // A double click makes one test, and the work goes on at the heading of the next step.
  await current(page).getByRole("button", { name: "Make it here" }).dblclick();
  await expect(current(page)).toContainText("Make a job");
  await expect(page.getByRole("heading", { name: "Make a job" })).toBeFocused();
  await expect(mainAct(page)).toHaveText(["Make it here"]);
  await current(page).getByRole("button", { name: "Make it here" }).click();
  await expect(current(page)).toContainText("Trigger the job");
  await expect(page.getByRole("link", { name: "Create job" })).toBeVisible();
  await expect(mainAct(page)).toHaveText(["Trigger"]);
  await current(page).getByRole("button", { name: "Trigger", exact: true }).click();
  await expect(page.locator(".badge")).toContainText("Passed");
  await expect(page.locator(".output-lines")).toContainText("Hello from");
  await page.goto(`${project}/jobs`);
  await expect(page.getByRole("row", { name: /hello/ })).toContainText("Passed");
  await expect(page.getByRole("link", { name: "Create job" })).toBeVisible();
  await expect(page.locator(".steps")).toHaveCount(0);
  await expect(mainAct(page)).toHaveText(["Create job"]);
  await page.goto(`${project}/tests`);
  await expect(page.locator("tbody tr")).toHaveCount(1);
  await archive(page, project);
});

test("the commands of the three steps work exactly as they are shown", async ({ page }) => {
  test.setTimeout(150_000);
  const project = await newProject(page, `Commands ${Date.now()}`);
  await page.getByRole("link", { name: "token of this project" }).click();
  await page.getByLabel("Name").fill("first steps");
  await page.getByRole("button", { name: "Create token" }).click();
  const secret = await page.locator(".reveal-key code").innerText();
  await page.getByText("I stored it").click();
  await page.getByRole("button", { name: "Done" }).click();
  const execute = (line) => execFileSync("sh", ["-ec", line], {
    cwd: directory, stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: `${path.dirname(process.env.SVC_BIN)}:${process.env.PATH}`, HOME: directory, SERVICE_TOKEN: secret, SERVICE_URL: service.url,
      SERVICE_CACERT: service.caFile,
    },
  }).toString();
  await page.goto(`${project}/jobs`);
  for (const step of ["Make a test", "Make a job", "Trigger the job"]) {
    await expect(current(page)).toContainText(step, { timeout: 40_000 });
    const printed = execute(await current(page).getByRole("region", { name: step }).innerText());
    if (step === "Trigger the job") expect(JSON.parse(printed).status).toBe("passed");
  }
  await expect(page.locator(".steps")).toHaveCount(0, { timeout: 40_000 });
  await expect(page.getByRole("row", { name: /hello/ })).toContainText("Passed");
  await archive(page, project);
});

test("a first job without a test says that it cannot be triggered, and leads to its form", async ({ page }) => {
  const project = await newProject(page, `Nothing to run ${Date.now()}`);
  await current(page).getByRole("button", { name: "Make it here" }).click();
  await page.getByRole("link", { name: "Choose its settings" }).click();
  await page.getByLabel("Name", { exact: true }).fill("empty");
  await page.getByRole("button", { name: "Create job" }).click();
  await expect(page.getByRole("heading", { name: "empty", exact: true, level: 1 })).toBeVisible();
  await page.goto(`${project}/jobs`);
  await expect(current(page)).toContainText("The job has no tests, so it cannot be triggered.");
  await current(page).getByRole("link", { name: "Add one to empty" }).click();
  await expect(page).toHaveURL(/\/jobs\/[^/]+\/edit$/);
  await archive(page, project);
});
