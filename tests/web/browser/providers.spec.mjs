import { createServer } from "node:http";
import { api, expect, project, test } from "./fixtures.mjs";

/** Takes messages and answers with a status that the test chooses. */
async function startReceiver() {
  const receiver = { status: 200, messages: [] };
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => (body += piece));
    request.on("end", () => {
      receiver.messages.push({ headers: request.headers, body });
      response.statusCode = receiver.status;
      response.end();
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  receiver.url = `http://127.0.0.1:${server.address().port}/hook`;
  receiver.close = () => new Promise((resolve) => server.close(resolve));
  return receiver;
}

let receiver;
test.beforeEach(async () => (receiver = await startReceiver()));
test.afterEach(() => receiver.close());

test("a webhook is tested and made, and its signing secret is shown once", async ({ page, request }) => {
  const name = `hook-${Date.now()}`;
  await page.goto(`${project}/providers`);
  await page.getByRole("link", { name: "Create provider" }).click();
  await page.getByLabel("Type of the provider").getByRole("link", { name: "Webhook" }).click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByRole("button", { name: "Create provider" }).click();
  await expect(page.getByRole("alert")).toContainText("URL: Enter the URL.");
  await page.getByLabel("URL", { exact: true }).fill(receiver.url);
  receiver.status = 403;
  await page.getByRole("button", { name: "Test", exact: true }).click();
  await expect(page.getByRole("region", { name: "Result of the test" })).toContainText("auth_failed");
  receiver.status = 200;
  await page.getByRole("button", { name: "Test", exact: true }).click();
  await expect(page.getByRole("region", { name: "Result of the test" })).toContainText("The test message was accepted");
  await page.getByLabel("Signature").selectOption("generate");
  await page.getByRole("button", { name: "Create provider" }).dblclick();
  await expect(page.getByRole("heading", { name: `Signing secret of ${name}` })).toBeVisible();
  const secret = await page.locator(".reveal-key code").innerText();
  expect(secret).toMatch(/^whsec_/);
  await page.goBack();
  await page.getByRole("alertdialog").getByRole("button", { name: "Stay on the page" }).click();
  await page.getByText("I stored it").click();
  await page.getByRole("button", { name: "Done" }).click();
  await expect(page.getByRole("heading", { name, exact: true, level: 1 })).toBeVisible();
  await expect(page.getByLabel("URL", { exact: true })).toHaveValue("********");
  const traces = await page.evaluate(() => JSON.stringify([location.href, { ...localStorage }, { ...sessionStorage }, document.title]));
  expect(traces).not.toContain(secret.slice(6));
  await page.getByRole("button", { name: "Send test message" }).click();
  await expect(page.getByRole("region", { name: "Result of the test" })).toContainText("The test message was accepted");
  expect(receiver.messages.at(-1).headers["webhook-signature"]).toMatch(/^v1,/);
  await expect(page.locator(".badge")).toContainText("Works");
  const made = (await api(request, "GET", "/api/notification-providers?limit=100")).data.filter((one) => one.name === name);
  expect(made).toHaveLength(1);
  expect(made[0].maskedFields).toContain("/config/signingSecret");
});

test("a provider that somebody else changed shows both versions and keeps the typed text", async ({ page, request }) => {
  const name = `contested-${Date.now()}`;
  const provider = await api(request, "POST", "/api/notification-providers", { name, type: "webhook", config: { url: receiver.url } });
  await page.goto(`${project}/providers/${provider.id}`);
  await page.getByLabel("Name", { exact: true }).fill(`${name} by me`);
  await page.getByLabel("Messages a minute, at most").fill("7");
  await api(request, "PATCH", `/api/notification-providers/${provider.id}`, { ratePerMinute: 9, config: { method: "PUT" } });
  await page.getByRole("button", { name: "Save provider" }).click();
  const conflict = page.getByRole("alert", { name: "Conflict" });
  const versions = (field) => conflict.getByRole("group", { name: field });
  await expect(versions("Messages a minute, at most")).toContainText(/Saved version\s*9\s*Your version\s*7/);
  await expect(versions("Method").getByLabel("Saved version")).toBeChecked();
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue(`${name} by me`);
  await versions("Messages a minute, at most").getByLabel("Saved version").check();
  await conflict.getByRole("button", { name: "Save the chosen versions" }).click();
  await expect(page.getByRole("status").filter({ hasText: "was saved" })).toBeVisible();
  const saved = await api(request, "GET", `/api/notification-providers/${provider.id}`);
  expect([saved.name, saved.ratePerMinute, saved.config.method]).toEqual([`${name} by me`, 9, "PUT"]);
});

test("another address asks for the secrets of a provider again, and a deletion names its users", async ({ page, request }) => {
  const name = `used-${Date.now()}`;
  const provider = await api(request, "POST", "/api/notification-providers", {
    name, type: "webhook", config: { url: receiver.url, headers: { "X-Key": "correct horse" } },
  });
  await api(request, "POST", "/api/monitors", {
    name: `user of ${name}`, type: "website", target: receiver.url, enabled: false,
    alertConfig: { enabled: true, notificationProviders: [provider.id] },
  });
  const shown = await api(request, "POST", "/api/status-pages", {
    name: `page of ${name}`, slug: name, notificationProviders: [provider.id],
  });
  await page.goto(`${project}/providers/${provider.id}`);
  await expect(page.getByRole("region", { name: "Used by" }).getByRole("link", { name: `page of ${name}`, exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Replace URL" }).click();
  await page.getByLabel("URL", { exact: true }).fill("https://elsewhere.example/");
  await page.getByRole("button", { name: "Save provider" }).click();
  await expect(page.getByRole("alert")).toContainText("Header X-Key: The address has changed.");
  await page.getByRole("button", { name: "Remove header X-Key" }).click();
  await page.getByRole("button", { name: "Save provider" }).click();
  await expect(page.getByRole("status").filter({ hasText: "was saved" })).toBeVisible();
  const saved = await api(request, "GET", `/api/notification-providers/${provider.id}`);
  expect(saved.config.headers ?? {}).toEqual({});
  await page.getByRole("button", { name: `More for ${name}` }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  const dialog = page.getByRole("alertdialog");
  await expect(dialog).toContainText(`1 monitor no longer notifies it: user of ${name}.`);
  await expect(dialog).toContainText(`1 status page no longer notifies it: page of ${name}.`);
  await dialog.getByRole("button", { name: "Delete provider" }).click();
  await expect(page.getByRole("heading", { name: "Notification providers" })).toBeVisible();
  await expect(page.getByRole("link", { name })).toHaveCount(0);
  await api(request, "DELETE", `/api/status-pages/${shown.id}`);
});
