import { filterByActionAndActor, filterByEmptyDays } from "./audit_steps.mjs";
import { api, createJob, expect, service, signInLink, test } from "./fixtures.mjs";

test("earlier addresses of an organisation lead to its pages", async ({ page }) => {
  for (const [before, after] of [["members", "members"], ["invitations/new", "invitations/new"], ["general", "general"], ["", "members"]]) {
    await page.goto(`/app/demo/settings/${before}`);
    await expect(page).toHaveURL(`${service.url}/app/demo/_/${after}`);
    await expect(page.locator("h1")).toBeVisible();
  }
});

test("a project with the short name settings has its own pages", async ({ page }) => {
  const named = {
    id: service.projectId, slug: "settings", name: "Project of settings", role: "org_owner", policyMet: true,
    organization: { id: service.organizationId, slug: "demo", name: "Demo" }, createdAt: "2026-11-20T10:11:12.345Z",
  };
  const json = { data: [named], pagination: { total: 1, page: 1, limit: 100 } };
  await page.route(/\/dashboard\/v1\/projects\?/, (route) => route.fulfill({ json }));
  for (const [place, heading] of [["jobs", "Jobs"], ["members", "Members"], ["settings", "Settings"]]) {
    await page.goto(`/app/demo/settings/${place}`);
    await expect(page.getByRole("heading", { name: heading, exact: true, level: 1 })).toBeVisible();
    await expect(page).toHaveURL(`${service.url}/app/demo/settings/${place}`);
    await expect(page.locator(".switcher-project")).toHaveText("Project of settings");
  }
});

test("a person without a project finds the organisations, and an administrator of one creates a project there", async ({ page }) => {
  const json = { data: [], pagination: { total: 0, page: 1, limit: 100 } };
  await page.route(/\/dashboard\/v1\/projects\?/, (route) => route.fulfill({ json }));
  await page.goto("/app/");
  const organizations = page.getByRole("region", { name: "Your organisations" });
  await expect(organizations.getByRole("link", { name: "Create project in Demo" })).toHaveAttribute("href", "/app/demo/_/projects/new");
  await organizations.getByRole("link", { name: "Demo", exact: true }).click();
  await expect(page).toHaveURL(/\/app\/demo\/_\/members$/);
  await expect(page.getByRole("heading", { name: "Members", level: 1 })).toBeVisible();
});

/** Invites by a link that is shown once; returns the link. */
async function invite(page, email, choose = async () => {}) {
  await page.goto("/app/demo/_/invitations/new");
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  await expect(page.getByText("Enter an e-mail address")).toBeVisible();
  await page.getByLabel("E-mail").fill(email);
  await choose();
  await page.getByLabel("Delivery").selectOption("copy");
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText(`Invitation link for ${email}`);
  const link = await dialog.locator(".reveal-key code").innerText();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeVisible();
  await dialog.getByLabel("I have copied the link").check();
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(page).toHaveURL(/\/_\/invitations$/);
  return link;
}

/** Accepts an invitation in a browser of its own. */
async function accept(browser, link, name) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, baseURL: service.url, storageState: { cookies: [], origins: [] } });
  const page = await context.newPage();
  await page.goto(`/app/invitation#${link.split("#")[1]}`);
  await page.getByLabel("Name").fill(name);
  await page.getByLabel(/password/i).first().fill("a long sentence for invited people");
  await page.locator("form button[type=submit]").click();
  await expect(page).not.toHaveURL(/invitation/);
  return { context, page };
}

// Acts that need a recent sign-in ask for one in a dialog otherwise.
test.describe("with a recent sign-in", () => {
  test.use({ storageState: { cookies: [], origins: [] } });
  test.beforeEach(async ({ page }) => {
    await page.goto(signInLink(service));
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByRole("button", { name: /account of/ })).toBeVisible();
  });

  test("an invited member gets roles, uses them, and leaves with a list of what stops", async ({ page, browser }) => {
    const name = `Ben ${Date.now()}`;
    const email = `${name.replace(" ", "").toLowerCase()}@example.com`;
    const link = await invite(page, email, async () => {
      await page.getByRole("combobox", { name: "Add a project" }).fill("dem");
      await page.getByRole("option", { name: /Demo/ }).click();
      await page.getByLabel("Role in project Demo").selectOption("project_editor");
    });
    const row = page.getByRole("row", { name: new RegExp(email) });
    await expect(row).toContainText("Link copied");
    await expect(row).toContainText("Demo: editor");
    const ben = await accept(browser, link, name);
    await ben.page.goto("/app/demo/_/projects");
    await expect(ben.page.getByRole("heading", { name: "Your role does not permit this page" })).toBeVisible();
    await ben.page.goto("/app/demo/demo/tokens/new");
    await ben.page.getByLabel("Name").fill(`of ${name}`);
    await ben.page.getByRole("button", { name: "Create token" }).click();
    await expect(ben.page.locator(".reveal-key code")).toBeVisible();

    const remove = page.getByRole("button", { name: `Remove ${name}` });
    const removal = page.getByRole("alertdialog");
    const roleField = page.getByRole("combobox", { name: `Role of ${name}` });
    const chooseRole = async (role) => {
      await roleField.selectOption(role);
      await page.getByRole("button", { name: `Set role of ${name}` }).click();
      await expect(roleField).toBeFocused();
    };
    const setRole = async (role, word) => {
      await page.goto("/app/demo/_/members");
      await chooseRole(role);
      await expect(page.getByText(`${name} is ${word} now.`)).toBeVisible();
      await page.goto("/app/demo/demo/members");
      await remove.click();
    };
    // One key chooses in a closed list, and gives nothing yet.
    await page.goto("/app/demo/_/members");
    await roleField.focus();
    await page.keyboard.press("ArrowUp");
    await page.getByRole("button", { name: `Keep role of ${name}` }).click();
    await expect(roleField).toHaveValue("org_member");
    // The token of an administrator of the organisation works without a role in the project.
    await setRole("org_admin", "administrator");
    await expect(removal).toContainText(`${name} is an administrator of Demo. All rights in Demo stay, and no token or key stops.`);
    await expect(removal).not.toContainText("are refused");
    await removal.getByRole("button", { name: "Keep the member" }).click();
    await setRole("org_member", "member");
    await expect(removal).toContainText("1 CLI token stops:");
    await expect(removal.getByRole("listitem")).toHaveText([new RegExp(`^\\s*of ${name} +svc_`)]);
    await expect(removal).toContainText("are refused until the member has a role again");
    await removal.getByRole("button", { name: "Keep the member" }).click();
    await chooseRole("project_viewer");
    await expect(page.getByText(`${name} is viewer now.`)).toBeVisible();
    await remove.click();
    await removal.getByRole("button", { name: "Remove the member" }).click();
    await expect(page.getByText(`The role of ${name} in Demo has ended.`)).toBeVisible();
    await expect(removal).toHaveCount(0);
    await expect(page.getByRole("row", { name })).toHaveCount(0);
    await page.getByRole("button", { name: "Add member" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Add member" }).click();
    await expect(dialog.getByText("Choose a member.")).toBeVisible();
    await dialog.getByRole("combobox", { name: "Member" }).fill(email.slice(0, 16));
    await page.getByRole("option", { name }).click();
    await dialog.getByLabel("Role", { exact: true }).selectOption("project_editor");
    await dialog.getByRole("button", { name: "Add member" }).click();
    await expect(page.getByRole("row", { name })).toBeVisible();

    await page.goto("/app/demo/_/members");
    await remove.click();
    await expect(removal).toContainText("1 token or key stops for ever:");
    await expect(removal).toContainText(`CLI token of ${name} in Demo`);
    await removal.getByRole("button", { name: "Remove the member" }).click();
    await expect(page.getByText(`${name} is no member any more.`)).toBeVisible();
    await ben.page.goto("/app/demo/demo/jobs");
    await expect(ben.page.getByRole("heading", { name: "You have no project demo/demo" })).toBeVisible();
    await ben.context.close();
  });

  test("an invitation is renewed and withdrawn", async ({ page }) => {
    const email = `cy${Date.now()}@example.com`;
    const first = await invite(page, email);
    const menu = page.getByRole("button", { name: `Renew or withdraw the invitation of ${email}` });
    await menu.click();
    await page.getByRole("menuitem", { name: "Renew and copy the link" }).click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.locator(".reveal-key code").innerText()).not.toBe(first);
    await dialog.getByLabel("I have copied the link").check();
    await dialog.getByRole("button", { name: "Done" }).click();
    await menu.click();
    await page.getByRole("menuitem", { name: "Withdraw" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Withdraw invitation" }).click();
    await expect(page.getByRole("row", { name: new RegExp(email) })).toContainText("Withdrawn");
    await page.goto(`/app/invitation#${first.split("#")[1]}`);
    await expect(page.getByRole("heading", { name: "This invitation does not work any more" })).toBeVisible();
    await expect(page.getByLabel(/password/i)).toHaveCount(0);
  });

  test("a project is created, renamed, archived and restored, and the organisation renamed", async ({ page }) => {
    const tag = Date.now();
    await page.goto("/app/demo/_/projects/new");
    await page.getByLabel("Name", { exact: true }).fill(`Café ${tag}`);
    await expect(page.getByLabel("Short name")).toHaveValue(`cafe-${tag}`);
    await page.getByRole("button", { name: "Create project" }).click();
    await expect(page).toHaveURL(new RegExp(`/demo/cafe-${tag}/jobs`));
    await page.goto(`/app/demo/cafe-${tag}/settings`);
    await page.getByLabel("Name", { exact: true }).fill(`Shop ${tag}`);
    await page.getByRole("button", { name: "Save name" }).click();
    await expect(page.locator(".switcher-project")).toHaveText(`Shop ${tag}`);
    await page.getByRole("button", { name: "Archive project" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Archive project" }).click();
    await page.getByRole("button", { name: `Restore Shop ${tag}` }).click();
    await expect(page.getByText(`Project Shop ${tag} works again.`)).toBeVisible();
    // Other tests start with the only project of their user.
    await page.getByRole("button", { name: `Archive Shop ${tag}` }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Archive project" }).click();
    await expect(page.getByRole("button", { name: `Restore Shop ${tag}` })).toBeVisible();
    await page.goto("/app/demo/_/general");
    await page.getByLabel("Name", { exact: true }).fill("Demo Inc");
    await page.getByRole("button", { name: "Save name" }).click();
    await expect(page.locator(".switcher-project")).toHaveText("Demo Inc");
    await page.getByLabel("Name", { exact: true }).fill("Demo");
    await page.getByRole("button", { name: "Save name" }).click();
    await expect(page.locator(".switcher-project")).toHaveText("Demo");
    await expect(page.getByLabel("Any method")).toBeChecked();
    await expect(page.getByText("This service has no identity provider, so there is nothing to choose.")).toBeVisible();
  });

  test("a runner token is shown once and revoked, and runners have a list", async ({ page }) => {
    await page.goto("/app/demo/demo/runners");
    await expect(page.getByRole("table", { name: /Runners/ }).getByRole("row")).not.toHaveCount(0);
    const name = `build ${Date.now()}`;
    await page.getByRole("link", { name: "Create runner token" }).first().click();
    await page.getByLabel("Name").fill(name);
    await page.getByLabel("Name").press("Enter");
    const secret = await page.locator(".reveal-key code").innerText();
    expect(secret).toMatch(/^svc_runner_/);
    await page.goBack();
    await page.getByRole("alertdialog").getByRole("button", { name: "Stay on the page" }).click();
    await page.getByText("I stored it").click();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: `Revoke ${name}` }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Revoke runner token" }).click();
    await expect(page.getByText("was revoked")).toBeVisible();
    await expect(page.getByRole("button", { name: `Revoke ${name}` })).toHaveCount(0);
    await page.goto("/app/demo/_/runners");
    await expect(page.getByRole("heading", { name: "Runners", exact: true, level: 1 })).toBeVisible();
  });

  test("the audit trail is filtered by action, actor and days, and shows details", async ({ page, request }) => {
    const made = await createJob(request, `audited ${Date.now()}`, "#!/bin/sh\n");
    const { name } = await api(request, "PATCH", `/api/jobs/${made}`, { timeoutSeconds: 77 });
    await page.goto("/app/demo/_/audit");
    await filterByActionAndActor(page, { id: made, name });
    await expect(page.getByRole("button", { name: "Remove the filter by actor Demo User" })).toBeVisible();
    await filterByEmptyDays(page);
    await page.getByRole("link", { name: "Show all changes" }).click();
    await expect(page.locator("tbody tr").first()).toBeVisible();
  });
});
