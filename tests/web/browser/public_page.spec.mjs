// Public status pages as visitors see them: accessible with and without script, and without anything that a tenant's text can do.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { test as plain } from "@playwright/test";
import { api, expect, service, test } from "./fixtures.mjs";
import { markupFaults } from "./markup.mjs";
import { long } from "./measure.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const PAGES = "/api/status-pages";
const LANGUAGES = long ? ["de", "en", "es", "fr", "it", "ja", "nl", "pl", "pt", "zh"] : ["en", "pl", "ja"];
const HOSTILE = [
  "<script>top.ran=1</script>", "<img src=https://evil.invalid/x onerror=top.ran=1>", "\"><svg onload=top.ran=1>",
  "' onmouseover='top.ran=1", "</style><script>top.ran=1</script>", "<iframe srcdoc=\"<script>top.ran=1</script>\">",
  "<base href=//evil.invalid>", "<meta http-equiv=refresh content=0;url=//evil.invalid>", "{{constructor.constructor('top.ran=1')()}}",
];

let request;
let stamp = Date.now();
test.beforeAll(async ({ playwright }) => { request = await playwright.request.newContext({ ignoreHTTPSErrors: true }); });
test.afterAll(() => request.dispose());

/** Makes a published page with a component, an open incident, a resolved one and planned work. */
async function makePage(text, more = {}) {
  const slug = `public-${stamp++}`;
  const page = await api(request, "POST", PAGES, {
    name: text, slug, status: "published", headline: text, description: text, allowSubscribers: true, ...more,
  });
  const parts = `${PAGES}/${page.id}`;
  const component = await api(request, "POST", `${parts}/components`, { name: text, description: text, group: text.slice(0, 100) });
  const components = [{ id: component.id, status: "partial_outage" }];
  const incident = await api(request, "POST", `${parts}/incidents`, { name: text, status: "investigating", body: text, components });
  await api(request, "POST", `${parts}/incidents`, { name: text, status: "resolved", body: text });
  const soon = Date.now() + 3_600_000;
  const window = await api(request, "POST", "/api/maintenance-windows", {
    name: text, all: true, startsAt: new Date(soon).toISOString(), endsAt: new Date(soon + 60_000).toISOString(),
    statusPageIds: [page.id], componentIds: [component.id], announcement: { title: text, body: text },
  });
  const path = `/status/${slug}`;
  return { id: page.id, window: window.id, slug, path, incident: `${path}/incidents/${incident.id}` };
}

async function remove(shown) {
  await api(request, "DELETE", `/api/maintenance-windows/${shown.window}`);
  await api(request, "DELETE", `${PAGES}/${shown.id}`);
}

/** Opens a page and reads its markup. A page that was changed is shown within a second. */
async function open(page, path) {
  await expect(async () => {
    const answer = await page.goto(path);
    expect(answer.status()).toBe(200);
    expect(markupFaults(await answer.text()), path).toEqual([]);
  }).toPass({ timeout: 10_000 });
}

test.describe("without a session", () => {
  test.use({ storageState: { cookies: [], origins: [] } });

  test.describe("measured by axe, which adds styles of its own", () => {
    test.use({ bypassCSP: true });
    for (const language of LANGUAGES)
      test(`a public page in ${language} is accessible at both widths and in both themes`, async ({ page }) => {
        const shown = await makePage("Checkout and payments", { language });
        for (const path of [shown.path, `${shown.path}/history`, shown.incident])
          for (const [width, colorScheme] of [[1280, "light"], [320, "dark"]]) {
            await page.setViewportSize({ width, height: 900 });
            await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
            await open(page, path);
            await expect(page.locator("html")).toHaveAttribute("lang", language);
            await page.evaluate(axe);
            const found = await page.evaluate((rules) => globalThis.axe.run(document, { runOnly: rules }), RULES);
            const violations = found.violations.map((one) => `${one.id} at ${one.nodes.map((node) => node.target).join(", ")}`);
            expect(violations, `${path} at ${width} px`).toEqual([]);
            const sideways = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
            expect(sideways, `${path} scrolls sideways at ${width} px`).toBeLessThanOrEqual(0);
          }
        await remove(shown);
      });
  });

  test("text of a tenant runs nothing, loads nothing and changes no address", async ({ page }) => {
    const foreign = [];
    page.on("request", (asked) => { if (!asked.url().startsWith(service.url)) foreign.push(asked.url()); });
    page.on("dialog", (asked) => { foreign.push(asked.message()); asked.dismiss(); });
    const text = HOSTILE.join(" ").slice(0, 255);
    for (const each of [...HOSTILE, text]) {
      const shown = await makePage(each);
      for (const path of [shown.path, `${shown.path}/history`, shown.incident]) {
        await open(page, path);
        await expect(page.locator("body")).toContainText(each.slice(0, 20));
        const found = await page.evaluate(() => ({
          ran: globalThis.ran, scripts: document.scripts.length, base: document.baseURI,
          strange: document.querySelectorAll("iframe, base, object, embed, meta[http-equiv], body img").length,
        }));
        expect(found, path).toEqual({ ran: undefined, scripts: 1, base: service.url + path, strange: 0 });
      }
      await remove(shown);
    }
    expect(foreign).toEqual([]);
  });
});

test("pages without a snapshot, and answers to forms, are whole HTML", async () => {
  const shown = await makePage("Answers", { language: "pl" });
  const form = { form: { email: `reader-${stamp}@example.org` } };
  const asked = [
    ["GET", `${shown.path}/history?month=2020-01`, {}, 200], ["POST", `${PAGES}/${shown.slug}/subscribe`, form, 202],
    ["POST", `${PAGES}/${shown.slug}/subscribe`, { form: { email: "none" } }, 400],
    ["GET", `${shown.path}/subscriptions/${"a".repeat(32)}`, {}, 404], ["GET", "/status/no-such-page", {}, 404],
  ];
  for (const [method, path, options, status] of asked) {
    const answer = await request.fetch(service.url + path, { method, headers: { accept: "text/html,*/*;q=0.8" }, ...options });
    const html = await answer.text();
    expect(answer.status(), `${method} ${path}: ${html.slice(0, 300)}`).toBe(status);
    expect(answer.headers()["content-type"], path).toBe("text/html; charset=utf-8");
    expect(markupFaults(html), path).toEqual([]);
  }
  expect(markupFaults("<!doctype html><p>an open paragraph"), "the parser sees faults").not.toEqual([]);
  await remove(shown);
});

test("a public page, even if a script of a tenant ran in it, reads nothing of the service", async ({ page }) => {
  const shown = await makePage("Hostile");
  await open(page, shown.path);
  // The visitor has a session, and these lines are what the script would do.
  const read = await page.evaluate(async (paths) => {
    const out = { origin: globalThis.origin };
    for (const [name, value] of [["cookie", () => document.cookie], ["storage", () => localStorage.length]]) {
      try { out[name] = value(); } catch (error) { out[name] = error.name; }
    }
    for (const path of paths)
      try {
        out[path] = (await fetch(new URL(path, document.baseURI), { credentials: "include" })).status;
      } catch (error) { out[path] = error.name; }
    return out;
  }, ["/api/jobs", "/dashboard/v1/me", "/app/", `${PAGES}/${shown.slug}/summary`]);
  // Credentials and `*` exclude each other, so even the page's own data need a request without them.
  expect(read).toEqual({
    origin: "null", cookie: "SecurityError", storage: "SecurityError", "/api/jobs": "TypeError", "/dashboard/v1/me": "TypeError",
    "/app/": "TypeError", [`${PAGES}/${shown.slug}/summary`]: "TypeError",
  });
  const ask = async (path) => (await fetch(new URL(path, document.baseURI))).status;
  expect(await page.evaluate(ask, `${PAGES}/${shown.slug}/summary`)).toBe(200);
  await remove(shown);
});

test("members follow links inside a page for members", async ({ page }) => {
  const shown = await makePage("Internal", { visibility: "members" });
  await open(page, shown.path);
  await page.getByRole("link", { name: "History", exact: true }).click();
  // The sandbox leaves out the session's cookie; a page without texts of tenants asks again with it.
  await expect(page).toHaveURL(new RegExp(`${shown.path}/history`));
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.locator("body")).toContainText("Internal");
  await remove(shown);
});

plain.describe("without script", () => {
  plain.use({ baseURL: service.url, javaScriptEnabled: false });

  plain("a public page says everything, and its form subscribes", async ({ page }) => {
    const shown = await makePage("Without script");
    await open(page, shown.path);
    await expect(page.locator("body")).toContainText("Without script");
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await page.locator("input[type=email]").fill(`visitor-${Date.now()}@example.org`);
    const [answer] = await Promise.all([
      page.waitForResponse((got) => got.request().method() === "POST"),
      page.locator("form button").click(),
    ]);
    expect(answer.status()).toBe(202);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await remove(shown);
  });
});

test("each link and field of a public page is reached by Tab", async ({ page }) => {
  const shown = await makePage("Keyboard");
  await open(page, shown.path);
  const wanted = await page.locator("a[href], button, input, summary").count();
  const reached = new Set();
  for (let i = 0; i < wanted * 2; ++i) {
    await page.keyboard.press("Tab");
    const place = await page.evaluate(() =>
      [...document.querySelectorAll("a[href], button, input, summary")].indexOf(document.activeElement));
    // The window itself, and a part that scrolls, may take the focus too.
    if (place >= 0) reached.add(place);
  }
  expect(reached.size).toBe(wanted);
  await remove(shown);
});
