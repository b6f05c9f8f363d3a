import { api, createJob, expect, project, service, test } from "./fixtures.mjs";
import { serveFront } from "./front.mjs";
import { allowed, long, report, slowDown, timed } from "./measure.mjs";

const LINES = 100_000;
const PER_SECOND = 5_000;
const SECONDS = long ? 20 : 3;

const event = (number, name, data) => `id: 1-${number}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const sixDigits = (number) => String(number).padStart(6, "0");
const coloured = (number) => event(number, "console", {
  line: `\u001b[${31 + number % 6}m${sixDigits(number)}\u001b[0m GET https://shop.example/item/${number % 97} 200 in ${number % 311} ms`,
  stream: number % 50 ? "stdout" : "stderr",
});
const head = event(0, "status", { status: "running" });

let run;
let front;
let answer;
test.beforeAll(async ({ playwright }) => {
  const request = await playwright.request.newContext({ ignoreHTTPSErrors: true });
  const job = await createJob(request, "much-output", "#!/bin/sh\nsleep 300\n");
  run = (await api(request, "POST", `/api/jobs/${job}/trigger`, {})).data.runId;
  await request.dispose();
  front = await serveFront(service, {
    answer(asked, response) {
      if (asked.url !== `/api/runs/${run}/stream`) return false;
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      answer(response);
      return true;
    },
  });
});
test.afterAll(async ({ playwright }) => {
  const request = await playwright.request.newContext({ ignoreHTTPSErrors: true });
  await api(request, "POST", `/api/runs/${run}/cancel`);
  await request.dispose();
  await front.close();
});

/** Shows the runs, as people do before they open one, with the other pages' script in the cache. */
async function open(page) {
  const loaded = page.waitForResponse(/later_pages/);
  await page.goto(`${front.url}${project}/runs`);
  await (await loaded).finished();
  await page.locator(`a[href$="${run}"]`).first().waitFor();
  return slowDown(page);
}

/** Waits in the page for a change, because questions of the test would cost the page time. */
const changed = (page, selector, attribute, end, act) => page.evaluate(([selector, attribute, end, act]) => new Promise((resolve) => {
  const look = () => {
    const element = document.querySelector(selector);
    if (!(attribute ? element?.getAttribute(attribute) : element?.textContent)?.endsWith(end)) return;
    observer.disconnect();
    resolve();
  };
  const observer = new MutationObserver(look);
  const attributes = attribute ? { attributeFilter: [attribute] } : {};
  observer.observe(document.body, { subtree: true, childList: true, characterData: true, ...attributes });
  if (act.click) document.querySelector(act.click).click();
  if (act.type) {
    const field = document.getElementById("output-search");
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, act.type);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  look();
}), [selector, attribute, end, act]);

const openRun = (page) => page.locator(`a[href$="${run}"]`).first().click();

test("100 000 lines of output are usable, searched and held within their budget", async ({ page }) => {
  test.setTimeout(120_000);
  const text = Buffer.from(Array.from({ length: LINES }, (_, at) => coloured(at + 1)).join(""));
  answer = (response) => response.write(head, () => response.write(text));
  const session = await open(page);
  const usable = await timed(page, () => changed(page, ".output-lines", "aria-label", ` to ${LINES}`, { click: `a[href$="${run}"]` }));
  report("100 000 lines usable", usable.time, allowed(1_500), "ms");
  await expect(page.locator(`#L${LINES} .t`)).toHaveText(/^100000 GET https:\/\/shop\.example\/item\/90 200 in 169 ms$/);
  expect(await page.locator(".output-lines li").count()).toBeLessThan(1_500);
  const field = page.getByLabel("Search the output");
  const search = await timed(page, () =>
    changed(page, ".output-bar [role=status]", "", "10 lines", { type: "0000 get " }));
  report("search over all lines", search.time, allowed(300), "ms");
  await session.send("HeapProfiler.collectGarbage");
  const heap = (await session.send("Runtime.getHeapUsage")).usedSize / 1e6;
  report("heap", heap, 60, "MB");
  expect(usable.time).toBeLessThanOrEqual(allowed(1_500));
  expect(search.time).toBeLessThanOrEqual(allowed(300));
  expect(heap).toBeLessThanOrEqual(60);
  await field.press("Enter");
  await expect(page.locator(".output-lines .is-target mark").first()).toBeInViewport();
});

test("5 000 lines a second are followed without a long task", async ({ page }) => {
  test.setTimeout(120_000);
  const total = SECONDS * PER_SECOND;
  answer = (response) => {
    response.write(head);
    const start = Date.now();
    let sent = 0;
    const timer = setInterval(() => {
      const due = Math.min(Math.floor((Date.now() - start) * PER_SECOND / 1000), total);
      let text = "";
      while (sent < due) text += coloured(++sent);
      if (text) response.write(text);
      if (sent === total) clearInterval(timer);
    }, 20);
    response.on("close", () => clearInterval(timer));
  };
  await open(page);
  await openRun(page);
  await page.locator(".output-lines .t").first().waitFor();
  const live = await timed(page, () => changed(page, ".output-lines", "aria-label", ` to ${total}`, {}));
  report("longest task of 5 000 lines/s", live.longest, allowed(100), "ms");
  expect(live.longest).toBeLessThanOrEqual(allowed(100));
  await expect(page.locator(`#L${total}`)).toBeInViewport();
  // The lines that the flood left out are there when somebody scrolls to them.
  const middle = Math.round(total / 2);
  await page.getByLabel("Search the output").fill(sixDigits(middle));
  await expect(page.locator(".output-bar [role=status]")).toHaveText("1 line");
  await page.getByLabel("Search the output").press("Enter");
  await expect(page.locator(`#L${middle}`)).toBeInViewport();
});
