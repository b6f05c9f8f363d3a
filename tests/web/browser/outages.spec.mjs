import { createServer } from "node:http";
import { api, expect, project, test } from "./fixtures.mjs";

let server;
let address;
test.beforeEach(async () => {
  server = createServer((_, response) => (response.statusCode = 503, response.end()));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${server.address().port}/`;
});
test.afterEach(() => new Promise((resolve) => server.close(resolve)));

test("an outage of the project is acknowledged, and the bar of its monitor says that it was down", async ({ page, request }) => {
  test.setTimeout(180_000);
  const name = `failing-${Date.now()}`;
  const made = await api(request, "POST", "/api/monitors", {
    name, type: "website", target: address, frequencyMinutes: 60, config: { timeoutSeconds: 5, retryStrategy: { maxRetries: 0 } },
  });
  await page.goto(`${project}/outages?open=true&monitorId=${made.id}`);
  const row = page.locator("tbody tr");
  await expect(row).toContainText("status_unexpected", { timeout: 40_000 });
  await expect(row).toContainText("Open");
  await row.getByRole("button", { name: `Acknowledge the outage of ${name}` }).click();
  await expect(row.getByRole("button")).toHaveCount(0);
  await page.getByRole("link", { name: `Remove the filter by ${name}` }).click();
  await page.getByRole("combobox", { name: "Monitor" }).fill(name);
  await page.getByRole("option", { name }).click();
  await expect(page).toHaveURL(new RegExp(`monitorId=${made.id}`));
  await row.getByRole("link", { name, exact: true }).click();
  await expect(page.getByRole("heading", { name, exact: true, level: 1 })).toBeVisible();
  await page.goto(`${project}/monitors?search=${name}`);
  await expect(page.getByRole("img", { name: /^Last 24 hours by hour: .*1 down/ })).toBeVisible({ timeout: 75_000 });
});
