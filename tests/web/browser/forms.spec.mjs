import { PASSWORD, createJob, endSessions, expect, project, service, test } from "./fixtures.mjs";

// These tests end sessions, so each signs in by itself.
test.use({ storageState: { cookies: [], origins: [] } });

async function signIn(page, path) {
  await page.goto(path);
  await page.getByLabel("E-mail").fill("demo@localhost");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in with password" }).click();
  await page.waitForURL((address) => address.pathname === path);
}

// Other files use a session that these tests have ended.
test.afterAll(async ({ browser }) => {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, baseURL: service.url });
  await signIn(await context.newPage(), `${project}/jobs`);
  await context.storageState({ path: service.state });
  await context.close();
});

test("a session that ends costs nobody a typed word", async ({ page, request }) => {
  await createJob(request, "unused", "#!/bin/sh\n");
  // The feed would ask for a sign-in before the form does.
  await page.route("**/dashboard/v1/events", (route) => route.abort());
  const name = `kept-words-${Date.now()}`;
  await signIn(page, `${project}/tokens/new`);
  await page.getByLabel("Name").fill(name);
  endSessions();
  await page.getByRole("button", { name: "Create token" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("Your session ended");
  await dialog.getByLabel("Password").fill(PASSWORD);
  await dialog.getByRole("button", { name: "Sign in with password" }).click();
  await expect(page.getByRole("heading", { name: `Token created: ${name}` })).toBeVisible();
});

test("a fresh sign-in in the middle of a form keeps the input and repeats the request", async ({ page }) => {
  const name = `after-a-fresh-sign-in-${Date.now()}`;
  await signIn(page, `${project}/tokens/new`);
  await page.getByLabel("Name").fill(name);
  const bodies = [];
  await page.route("**/api/cli-tokens", (route) => {
    bodies.push(route.request().postData());
    if (bodies.length > 1) return route.continue();
    const error = "Sign in again for this act.";
    return route.fulfill({ status: 403, json: { error, code: "fresh_sign_in_required", requestId: "r" } });
  });
  await page.getByRole("button", { name: "Create token" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("This act needs a fresh sign-in");
  await dialog.getByLabel("Password").fill(PASSWORD);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("heading", { name: `Token created: ${name}` })).toBeVisible();
  expect(bodies).toHaveLength(2);
  expect(bodies[1]).toBe(bodies[0]);
});

test("a secret cannot be lost by Escape, Back, reload or navigation, and its first use shows", async ({ page, request }) => {
  test.setTimeout(150_000);
  const name = `shown-once-${Date.now()}`;
  await signIn(page, `${project}/tokens`);
  await page.getByRole("link", { name: "Create token" }).first().click();
  await page.getByLabel("Name").fill(name);
  await page.getByRole("button", { name: "Create token" }).click();
  const secret = await page.locator(".reveal-key code").innerText();
  expect(secret).toMatch(/^svc_live_/);
  const dialog = page.getByRole("alertdialog");
  const acts = [
    () => page.goBack(),
    () => page.getByRole("link", { name: "Jobs" }).first().click(),
    () => page.keyboard.press("g").then(() => page.keyboard.press("j")),
  ];
  for (const act of acts) {
    await act();
    await expect(dialog).toContainText("Leave without storing the token?");
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
    await expect(page.locator(".reveal-key code")).toHaveText(secret);
  }
  await page.keyboard.press("Escape");
  await expect(page.locator(".reveal-key code")).toHaveText(secret);
  // Reload and the end of the tab ask by the browser's own dialog.
  const asked = new Promise((resolve) => page.once("dialog", async (question) => {
    await question.dismiss();
    resolve(question.type());
  }));
  await page.evaluate(() => setTimeout(() => location.reload()));
  expect(await asked).toBe("beforeunload");
  await expect(page.locator(".reveal-key code")).toHaveText(secret);
  const answer = await request.get(`${service.url}/api/auth/whoami`, { headers: { Authorization: `Bearer ${secret}` } });
  expect(answer.ok()).toBe(true);
  // The service writes uses of tokens every few seconds.
  await expect(page.getByText("The token works")).toBeVisible({ timeout: 40_000 });
  await page.getByText("I stored it").click();
  await page.getByRole("button", { name: "Done" }).click();
  await expect(page.getByRole("heading", { name: "CLI tokens" })).toBeVisible();
  const traces = await page.evaluate(() => JSON.stringify([location.href, { ...localStorage }, { ...sessionStorage }, document.title]));
  expect(traces).not.toContain(secret.slice(9));
  await page.getByRole("button", { name: `More for ${name}` }).click();
  await page.getByRole("menuitem", { name: "Revoke" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Revoke token" }).click();
  await expect(page.getByRole("alertdialog")).toHaveCount(0);
  await expect(page.getByRole("rowheader", { name })).toHaveCount(0);
});

test("the snippet of a trigger key starts the job exactly as it is shown", async ({ page, request }) => {
  test.setTimeout(150_000);
  const { execFileSync } = await import("node:child_process");
  const id = await createJob(request, "by-key", "#!/bin/sh\necho by key\n");
  await signIn(page, `${project}/jobs/${id}/keys/new`);
  await page.getByLabel("Name").fill("pipeline");
  await page.getByRole("button", { name: "Create key" }).click();
  const secret = await page.locator(".reveal-key code").innerText();
  const command = await page.getByRole("region", { name: "Shell" }).innerText();
  const printed = execFileSync("sh", ["-c", command], {
    env: { PATH: process.env.PATH, SERVICE_TRIGGER_KEY: secret, CURL_CA_BUNDLE: service.caFile }, stdio: ["ignore", "pipe", "ignore"],
  });
  expect(JSON.parse(printed).data.jobId).toBe(id);
  await expect(page.getByText("The trigger key works")).toBeVisible({ timeout: 40_000 });
});

test("a sign-out closes the views of all tabs", async ({ page, context }) => {
  await signIn(page, `${project}/jobs`);
  await page.getByRole("link", { name: "Runs", exact: true }).click();
  const other = await context.newPage();
  await other.goto(`${project}/runs`);
  await expect(other.getByRole("heading", { name: "Runs", exact: true, level: 1 })).toBeVisible();
  await page.getByRole("button", { name: /account of/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await expect(other.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
});
