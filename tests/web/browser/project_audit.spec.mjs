import { filterByActionAndActor, filterByEmptyDays } from "./audit_steps.mjs";
import { api, createJob, expect, project, test } from "./fixtures.mjs";
import { linesOf, openShell } from "./shell_lines.mjs";

let shell;
test.beforeAll(() => (shell = openShell()));
test.afterAll(() => shell.close());

test("the audit trail of a project is filtered by action, actor and days, and shows details", async ({ page, request }) => {
  const made = await createJob(request, `audited here ${Date.now()}`, "#!/bin/sh\n");
  const { name } = await api(request, "PATCH", `/api/jobs/${made}`, { timeoutSeconds: 78 });
  await page.goto(`${project}/jobs`);
  await page.getByRole("navigation", { name: "Project" }).getByRole("link", { name: "Audit" }).click();
  await filterByActionAndActor(page, { id: made, name });
  const lines = await linesOf(page);
  expect(JSON.parse(shell.execute(lines.curl)).data[0].resourceId).toBe(made);
  expect(shell.execute(lines.svc)).toContain(made.slice(0, 8));
  await filterByEmptyDays(page);
  await page.goBack();
  await expect(page.locator("tbody tr").first()).toContainText(`Created job ${name}`);
});

test("the audit trail answers who disabled a token", async ({ page, request }) => {
  const name = `to be disabled ${Date.now()}`;
  const { id } = await api(request, "POST", "/api/cli-tokens", { name }).then((made) => made.token ?? made);
  await api(request, "PATCH", `/api/cli-tokens/${id}`, { enabled: false });
  await page.goto(`${project}/audit?action=cli_token.disabled`);
  const row = page.getByRole("row", { name: new RegExp(name) });
  await expect(row).toContainText("Demo User");
  await expect(row).toContainText("token or key");
  await row.getByRole("button", { name: /Details of/ }).click();
  const details = page.locator(".row-details");
  await expect(details).toContainText(id);
  await details.getByRole("link", { name: "Only changes by Demo User" }).click();
  await expect(page).toHaveURL(/action=cli_token.disabled.*actorId=/);
  await expect(page.getByRole("button", { name: "Remove the filter by actor Demo User" })).toBeVisible();
  await api(request, "DELETE", `/api/cli-tokens/${id}`);
});

test("a change leads to its thing, and the filters fit a narrow page", async ({ page, request }) => {
  const made = await createJob(request, `opened from audit ${Date.now()}`, "#!/bin/sh\n");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${project}/audit?action=job.created`);
  const row = page.getByRole("row", { name: /opened from audit/ }).first();
  await row.getByRole("button", { name: /Details of/ }).click();
  const [action, actor] = await Promise.all(["Action", "Actor"].map((name) => page.getByLabel(name, { exact: true }).boundingBox()));
  expect(actor.height).toBe(action.height);
  await page.locator(".row-details").getByRole("link", { name: "Open job" }).click();
  await expect(page).toHaveURL(new RegExp(`/jobs/${made}$`));
});
