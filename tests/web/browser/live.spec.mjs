import https from "node:https";
import { api, createJob, expect, project, service, test } from "./fixtures.mjs";
import { serveFront } from "./front.mjs";
import { startInstance } from "./instances.mjs";
import { long, median } from "./measure.mjs";
import { hide, show, steerVisibility } from "./visibility.mjs";

const TICKS = 60;
const TABS = long ? 40 : 8;
const STREAMS = 20;

let front;
test.beforeAll(async () => {
  front = await serveFront(service);
});
test.afterAll(() => front.close());
test.beforeEach(() => {
  front.target = service.url;
  front.requests.length = 0;
});

const trigger = async (request, name, script) =>
  (await api(request, "POST", `/api/jobs/${await createJob(request, name, script)}/trigger`, {})).data.runId;
const cancel = (request, run) => api(request, "POST", `/api/runs/${run}/cancel`);
const isStream = (one) => one.url.endsWith("/stream");
const openStreams = () => front.requests.filter((one) => isStream(one) && !one.response.destroyed && !one.response.writableEnded);

test("a killed instance loses and repeats no line", async ({ page, request }) => {
  test.setTimeout(120_000);
  const first = await startInstance();
  const second = await startInstance();
  try {
    front.target = first.url;
    const ticks = `#!/bin/sh\nfor i in $(seq 1 ${TICKS}); do echo tick $i; sleep 0.3; done\n`;
    const run = await trigger(request, "outlives-an-instance", ticks);
    await page.goto(`${front.url}${project}/runs/${run}`);
    await expect(page.locator(".output-lines .t").nth(4)).toBeVisible();
    front.target = second.url;
    await first.stop("SIGKILL");
    await expect(page.locator(".badge")).toContainText("Passed", { timeout: 60_000 });
    await expect(page.locator(".output-lines .t")).toHaveText(Array.from({ length: TICKS }, (_, at) => `tick ${at + 1}`));
    const streams = front.requests.filter(isStream);
    expect(streams.length).toBeGreaterThan(1);
    expect(streams.slice(1).every((one) => /^1-\d+$/.test(one.headers["last-event-id"]))).toBe(true);
  } finally {
    front.target = service.url;
    await Promise.all([first.stop("SIGKILL"), second.stop()]);
  }
});

test("a hidden tab ends its stream, asks once a minute and shows the end of its run", async ({ page, request }) => {
  test.setTimeout(120_000);
  const run = await trigger(request, "watched", "#!/bin/sh\necho started\nsleep 600\n");
  await steerVisibility(page);
  await page.clock.install();
  await page.goto(`${front.url}${project}/runs/${run}`);
  await page.clock.runFor(1_000);
  await expect(page.locator(".output-lines .t").first()).toHaveText("started");
  expect(openStreams()).toHaveLength(1);
  await hide(page);
  await page.clock.runFor(5_000);
  expect(openStreams()).toHaveLength(1);
  await page.clock.runFor(6_000);
  await expect.poll(() => openStreams().length).toBe(0);
  front.requests.length = 0;
  await page.clock.runFor(59_000);
  await page.clock.runFor(60_000);
  await expect.poll(() => front.requests.map((one) => one.url)).toEqual([`/api/runs/${run}/status`, `/api/runs/${run}/status`]);
  const icon = () => page.locator('link[rel="icon"]').getAttribute("href");
  const before = await icon();
  await cancel(request, run);
  await expect.poll(async () => (await api(request, "GET", `/api/runs/${run}/status`)).status).toBe("cancelled");
  await page.clock.runFor(60_000);
  await expect(page).toHaveTitle(/^Cancelled/);
  await expect(page.locator(".badge")).toContainText("Cancelled");
  expect(await icon()).not.toBe(before);
  front.requests.length = 0;
  await page.clock.runFor(180_000);
  expect(front.requests.map((one) => one.url)).toEqual([]);
  await show(page);
  await page.clock.runFor(1_000);
  await expect(page.locator(".badge")).toContainText("Cancelled");
});

/** Starts a run that waits, which is cancelled even if the test fails: it has a place of the runner. */
async function whileRunning(request, name, act) {
  const run = await trigger(request, name, "#!/bin/sh\necho started\nsleep 600\n");
  try {
    await act(run);
  } finally {
    await cancel(request, run);
  }
}

test(`${TABS} tabs stay quick, and only the visible one has a stream`, async ({ context, request }) => {
  test.setTimeout(240_000);
  await steerVisibility(context);
  await whileRunning(request, "many-tabs", async (run) => {
    const times = [];
    const tabs = [];
    for (let number = 0; number < TABS; number++) {
      if (tabs.length) await hide(tabs.at(-1));
      const tab = await context.newPage();
      tabs.push(tab);
      const start = performance.now();
      await tab.goto(`${front.url}${project}/runs/${run}`);
      // In each frame: an expectation looks again after up to a second.
      await tab.waitForFunction(() => document.querySelector(".output-lines .t")?.textContent === "started");
      times.push(performance.now() - start);
      // A browser has six connections to a service, so the streams of tabs that nobody sees would block the seventh tab.
      await expect.poll(() => openStreams().length).toBe(1);
    }
    console.log(`  navigations of ${TABS} tabs: median ${Math.round(median(times))} ms, slowest ${Math.round(Math.max(...times))} ms`);
    if (long) expect(Math.max(...times)).toBeLessThanOrEqual(1_000);
    await hide(tabs.at(-1));
    await show(tabs[0]);
    await expect.poll(() => openStreams().length).toBe(1);
    await Promise.all(tabs.map((tab) => tab.close()));
  });
});

/** Opens a stream with the session of the browser, outside of it, because a browser has only six connections. */
const hold = (path, cookie, projectId) => new Promise((resolve, reject) => {
  const headers = { Cookie: cookie, "Svc-Project": projectId, Accept: "text/event-stream", "Sec-Fetch-Site": "same-origin" };
  const held = https.get(service.url + path, { headers, rejectUnauthorized: false, agent: false }, (response) => {
    response.resume();
    response.on("error", () => {});
    if (response.statusCode === 200) resolve(held);
    else reject(new Error(`${path}: ${response.statusCode}`));
  });
  held.on("error", reject);
});

test("the 21st stream of a session polls, and becomes live when one is free", async ({ page, context, request }) => {
  test.setTimeout(120_000);
  const cookie = (await context.cookies(service.url)).map((one) => `${one.name}=${one.value}`).join("; ");
  await whileRunning(request, "many-streams", async (run) => {
    const held = await Promise.all(Array.from({ length: STREAMS }, () => hold(`/api/runs/${run}/stream`, cookie, service.projectId)));
    await page.goto(`${front.url}${project}/runs/${run}`);
    await expect(page.getByText("Not live: too many streams are open in this session.")).toBeVisible();
    await expect(page.locator(".badge")).toContainText("Running");
    held.pop().destroy();
    await expect(page.locator(".output-lines .t").first()).toHaveText("started", { timeout: 60_000 });
    held.forEach((one) => one.destroy());
  });
});

test("a newer bundle shows a notice, and the next navigation loads it unless a form holds input", async ({ page }) => {
  await steerVisibility(page);
  // The feed names the real bundle.
  await page.route("**/dashboard/v1/events", (route) => route.abort());
  let bundle;
  await page.route("**/dashboard/v1/me", async (route) => {
    const headers = { ...await route.request().allHeaders(), "sec-fetch-site": "same-origin" };
    delete headers["if-none-match"];
    const answer = await route.fetch({ headers });
    const body = await answer.json();
    return route.fulfill({ response: answer, json: { ...body, bundle: bundle ?? body.bundle } });
  });
  const notice = page.getByText("A new version of the dashboard is available");
  await page.goto(`${project}/tokens/new`);
  await page.getByLabel("Name").fill("typed");
  await page.evaluate(() => (globalThis.isOldDocument = true));
  const isOld = () => page.evaluate(() => globalThis.isOldDocument === true);
  bundle = "0123456789abcdef";
  await expect(async () => {
    await hide(page);
    // As another tab that is visible now, so that this one need not be hidden for ten seconds.
    await page.evaluate(() => new Promise((resolve) => {
      new BroadcastChannel("svc-session").onmessage = resolve;
      new BroadcastChannel("svc-session").postMessage({ type: "visible" });
    }));
    await show(page);
    await expect(notice).toBeVisible({ timeout: 500 });
  }).toPass();
  await expect(page.getByLabel("Name")).toHaveValue("typed");
  page.on("dialog", (question) => question.accept());
  await page.getByRole("link", { name: "Runs" }).first().click();
  await expect(page.getByRole("heading", { name: "Runs", exact: true, level: 1 })).toBeVisible();
  expect(await isOld()).toBe(true);
  // The document that is loaded now is of the served bundle again.
  page.on("framenavigated", () => (bundle = undefined));
  await page.getByRole("link", { name: "Jobs" }).first().click();
  await expect.poll(() => isOld().catch(() => undefined)).toBe(false);
  await expect(page.getByRole("heading", { name: "Jobs", exact: true, level: 1 })).toBeVisible();
  await expect(notice).toHaveCount(0);
});
