import { api, createJob, expect, project, service, test } from "./fixtures.mjs";
import { linesOf, openShell } from "./shell_lines.mjs";

let shell;
test.beforeAll(() => (shell = openShell()));
test.afterAll(() => shell.close());

test("the audit trail of a project is filtered by action, actor and days, and shows details", async ({ page, request }) => {
  const made = await createJob(request, `audited here ${Date.now()}`, "#!/bin/sh\n");
  const { name } = await api(request, "PATCH", `/api/jobs/${made}`, { timeoutSeconds: 78 });
  await page.goto(`${project}/jobs`);
  await page.getByRole("navigation", { name: "Project" }).getByRole("link", { name: "Audit" }).click();
  const rows = page.locator("tbody tr");
  await expect(rows.first()).toContainText(`Changed job ${name}`);
  await page.getByRole("button", { name: `Details of: Changed job ${name}` }).click();
  await expect(page.getByRole("region", { name: `Details of: Changed job ${name}` })).toContainText(`name: ${name}`);
  await expect(page.locator(".row-details")).toContainText(made);
  await page.getByLabel("Action").fill("job.created");
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await expect(page).toHaveURL(/[?&]action=job.created/);
  await expect(rows.first()).toContainText(`Created job ${name}`);
  await expect(rows.filter({ hasText: "job.updated" })).toHaveCount(0);
  await page.getByRole("combobox", { name: "Actor" }).fill("demo");
  await page.getByRole("option", { name: /Demo User/ }).click();
  await expect(page).toHaveURL(new RegExp(`actorId=${service.userId}`));
  await expect(rows.first()).toContainText(`Created job ${name}`);
  const lines = await linesOf(page);
  expect(JSON.parse(shell.execute(lines.curl)).data[0].resourceId).toBe(made);
  expect(shell.execute(lines.svc)).toContain(made.slice(0, 8));
  await page.getByLabel("From").fill("2026-01-01");
  await page.getByLabel("To", { exact: true }).fill("2026-01-02");
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await expect(page.getByRole("heading", { name: "No change matches these filters" })).toBeVisible();
  await page.reload();
  await expect(page.getByLabel("From")).toHaveValue("2026-01-01");
  await page.goBack();
  await expect(rows.first()).toContainText(`Created job ${name}`);
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
  await expect(page.locator(".row-details")).toContainText(id);
  await api(request, "DELETE", `/api/cli-tokens/${id}`);
});
