// A monitor from its form to its recovery on a phone: the alert's link leads to it, and no step reloads the page.
import { LINKS, api, expect, project, service, test } from "./fixtures.mjs";
import { startTarget } from "./target.mjs";

test.use({ viewport: { width: 390, height: 844 } });
// The feed names a verdict at once. Without it a page reads again after 20 s, so a lost feed fails here by its time only.
const CHECKED = { timeout: 40_000 };

let target;
let receiver;
test.beforeEach(async () => ([target, receiver] = [await startTarget(), await startTarget()]));
test.afterEach(() => Promise.all([target.close(), receiver.close()]));

async function fitsTheWidth(page, name) {
  const sideways = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(sideways, `${name} scrolls sideways`).toBeLessThanOrEqual(0);
}

/** Fills the form, tests it, and saves it; ends on the page of the monitor, whose id it returns. */
async function makeMonitor(page, name, provider) {
  await page.goto(`${project}/monitors`);
  await page.getByRole("link", { name: "Create monitor" }).first().click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Target").fill(`${target.url}/health`);
  await page.getByLabel("Retries", { exact: true }).fill("0");
  await page.getByLabel("Send alerts").check();
  await page.getByRole("checkbox", { name: new RegExp(`^${provider.name} `) }).check();
  await fitsTheWidth(page, "the form");
  await page.getByRole("button", { name: "Test", exact: true }).click();
  const outcome = page.getByRole("complementary", { name: "Result of the test" });
  await expect(outcome.locator(".panel-head")).toContainText("Up");
  await page.getByRole("button", { name: "Create monitor" }).click();
  await expect(page.getByRole("heading", { name, exact: true, level: 1 })).toBeVisible();
  return new URL(page.url()).pathname.split("/").at(-1);
}

/** Marks the page; a reload would lose the mark. */
const mark = (page) => page.evaluate(() => (globalThis.isTheSamePage = true));
const isMarked = (page) => page.evaluate(() => globalThis.isTheSamePage === true);

/** Waits for the message of this type and returns its path in the dashboard. */
async function linkOf(type) {
  const found = () => receiver.messages.find((one) => one.type.startsWith(type));
  await expect.poll(() => found()?.data.url, { ...CHECKED, message: `the link of ${type}` }).toMatch(`${LINKS}/app/go/monitor/`);
  return new URL(found().data.url).pathname;
}

test("a monitor is made on a phone, turns red and green by itself, and the link of its alert leads to it", async ({ page, request }) => {
  test.setTimeout(240_000);
  const name = `phone-${Date.now()}`;
  const provider = await api(request, "POST", "/api/notification-providers", {
    name: `hook of ${name}`, type: "webhook", config: { url: `${receiver.url}/hook` },
  });
  const id = await makeMonitor(page, name, provider);
  const check = () => api(request, "POST", `/api/monitors/${id}/check`);
  const badge = page.locator(".badge");
  await expect(badge).toContainText("Up", CHECKED);

  await mark(page);
  target.status = 503;
  await check();
  await expect(badge).toContainText("Down", CHECKED);
  await expect(page).toHaveTitle(/^Down/);
  const banner = page.getByRole("region", { name: /^Down since/ });
  await expect(banner).toContainText("status_unexpected");
  await expect(banner).toContainText(`${provider.name} was notified at`, CHECKED);
  expect(await isMarked(page)).toBe(true);
  await fitsTheWidth(page, "the page of a monitor that is down");

  await page.goto(await linkOf("monitor."));
  await expect(page).toHaveURL(`${service.url}${project}/monitors/${id}`);
  await expect(page.getByRole("heading", { name, exact: true, level: 1 })).toBeVisible();
  await mark(page);
  await banner.getByRole("button", { name: "Acknowledge" }).click();
  await expect(banner).toContainText("acknowledged it at");
  await page.getByLabel("Parts of the monitor").getByRole("link", { name: "Outages" }).click();
  const outage = page.getByRole("table", { name: `Outages of ${name}, newest first` }).locator("tbody tr");
  await expect(outage).toContainText("Open");
  await expect(outage).toContainText("Demo User");
  await fitsTheWidth(page, "the outages of a monitor");

  target.status = 200;
  await check();
  await expect(badge).toContainText("Up", CHECKED);
  await expect(outage).toContainText("Recovered", CHECKED);
  await page.getByLabel("Parts of the monitor").getByRole("link", { name: "State" }).click();
  await expect(page).toHaveTitle(/^Up/);
  await expect(banner).toHaveCount(0);
  expect(await isMarked(page)).toBe(true);
  await expect.poll(() => receiver.messages.filter((one) => one.data.ended).length, CHECKED).toBe(1);
  await api(request, "DELETE", `/api/monitors/${id}`);
  await api(request, "DELETE", `/api/notification-providers/${provider.id}`);
});
