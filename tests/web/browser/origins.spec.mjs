// A hostile and a sibling origin in a real browser, with a session of the service and without.

import { expect, test } from "@playwright/test";
import { askByScript, loadAsElements, openWindow, sendForms } from "./attempts.mjs";
import { CHROMIUM } from "./chromium.mjs";
import { createJob, service } from "./fixtures.mjs";
import {
  NAMES, admin, newLinkSecret, refusedRequests, serveForeignSite, serveNamed, storedRows, withoutOrigin,
} from "./foreign_sites.mjs";

test.use({
  launchOptions: { executablePath: CHROMIUM, args: ["--no-sandbox", NAMES] },
});
test.describe.configure({ timeout: 300_000 });

const SESSION = "__Host-svc_session";
const PASSWORD = "a password that mallory chose alone";
const EMAIL = `mallory-${Date.now()}@example.org`;

let site;
let named;
let own;
let attackersSession;
let reads;
let writes;

test.beforeAll(async ({ playwright }) => {
  site = await serveForeignSite();
  named = await serveNamed();
  own = named.url;
  const attacker = admin("create-user", "--email", EMAIL, "--name", "M.").id;
  const request = await playwright.request.newContext({ ignoreHTTPSErrors: true });
  const job = await createJob(request, `attacked-${Date.now()}`, "#!/bin/sh\n");
  const signedIn = await request.post(`${service.url}/dashboard/v1/sign-in/link`, {
    headers: { "Sec-Fetch-Site": "same-origin" }, data: { token: newLinkSecret(attacker), password: PASSWORD },
  });
  expect(signedIn.ok(), await signedIn.text()).toBe(true);
  attackersSession = new RegExp(`${SESSION}=([^;]+)`).exec(signedIn.headers()["set-cookie"])[1];
  await request.dispose();
  const organization = `/dashboard/v1/organizations/${service.organizationId}`;
  reads = [
    "/dashboard/v1/me", "/dashboard/v1/me/sessions", "/dashboard/v1/me/tokens", "/dashboard/v1/projects",
    `${organization}/members`, "/api/jobs", `/api/jobs/${job}`, "/app/", "/app/demo/demo/jobs",
  ];
  writes = [
    { method: "POST", path: "/dashboard/v1/sign-out" },
    { method: "POST", path: "/dashboard/v1/sign-in/password", body: { email: EMAIL, password: PASSWORD } },
    { method: "POST", path: "/dashboard/v1/sign-in/link", body: { token: newLinkSecret(attacker) } },
    { method: "PATCH", path: "/dashboard/v1/me", body: { name: "Mallory" } },
    { method: "PUT", path: "/dashboard/v1/me/password", body: { password: PASSWORD } },
    { method: "DELETE", path: "/dashboard/v1/me/sessions" },
    { method: "POST", path: `${organization}/invitations`, body: { email: EMAIL, role: "org_owner", delivery: "copy" } },
    { method: "POST", path: "/api/cli-tokens", body: { name: "mallory" } },
    { method: "POST", path: `/api/jobs/${job}/trigger` },
    { method: "DELETE", path: `/api/jobs/${job}` },
  ];
});

test.afterAll(() => {
  site?.close();
  named?.close();
});

/** Signs the sample user in on a page of the service at this address. */
async function signIn(context, address = own) {
  const page = await context.newPage();
  await page.goto(`${address}/app/sign-in`);
  const status = await page.evaluate(async (token) => (await fetch("/dashboard/v1/sign-in/link", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ token }),
  })).status, newLinkSecret(service.userId));
  expect(status).toBe(200);
  await page.close();
}

/** The answer to a page of the service that asks whose session the browser has. */
async function whoIsSignedIn(context) {
  const page = await context.newPage();
  await page.goto(`${own}/app/sign-in`);
  const body = await page.evaluate(async () => (await fetch("/dashboard/v1/me")).text());
  await page.close();
  return body;
}

const sessionCookies = async (context) =>
  (await context.cookies(own)).filter((cookie) => /svc_/i.test(cookie.name + cookie.value));

/** Tries everything from a page of this address; returns what it could read. */
async function attack(context, address) {
  const page = await context.newPage();
  await page.goto(`${address}/`);
  const target = { own, reads, writes };
  const found = [
    ...await page.evaluate(askByScript, target), ...await page.evaluate(loadAsElements, target),
    ...await page.evaluate(sendForms, target),
  ];
  for (const frame of page.frames()) {
    const shown = frame.url();
    if (shown.startsWith(`${own}/app/`)) found.push(`frame ${shown}`);
  }
  for (const path of ["/dashboard/v1/me", "/app/demo/demo/jobs", `/app/link#${writes[2].body.token}`]) {
    const [opened, read] = await Promise.all([context.waitForEvent("page"), page.evaluate(openWindow, { own, path })]);
    await opened.waitForLoadState();
    if (read) found.push(`window ${path}: ${read}`);
    if (path.startsWith("/app/")) {
      // A page may just be leaving for another one.
      await expect.poll(() => opened.evaluate(() => window.opener === null).catch(() => undefined)).toBe(true);
    }
    await opened.close();
  }
  await page.close();
  return found;
}

/** Tries everything with a session in the browser, and without one. */
async function attackBoth(browser, request, address) {
  for (const signedIn of [true, false]) {
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    if (signedIn) await signIn(context);
    const cookies = await sessionCookies(context);
    expect(cookies.map((cookie) => cookie.name).includes(SESSION)).toBe(signedIn);
    const rows = storedRows();
    const refused = await refusedRequests(request);
    named.seen.length = 0;

    expect(await attack(context, address)).toEqual([]);
    const isApi = (one) => one.site !== "same-origin" && one.method !== "OPTIONS" && /^\/(api|dashboard)\//.test(one.path);
    const writtenPaths = () => new Set(named.seen.filter((one) => isApi(one) && one.method === "POST").map((one) => one.path));
    // The attempts have reached the service, and it has answered all.
    await expect.poll(writtenPaths).toEqual(new Set(writes.map((one) => one.path)));
    await expect.poll(() => named.seen.filter((one) => one.status === undefined)).toEqual([]);
    expect(named.seen.filter((one) => isApi(one) && !(one.status >= 400))).toEqual([]);
    expect(named.seen.filter((one) => one.shared !== undefined)).toEqual([]);
    expect(await refusedRequests(request)).toBeGreaterThan(refused);
    expect(storedRows()).toBe(rows);
    expect(await sessionCookies(context)).toEqual(cookies);
    expect(await whoIsSignedIn(context)).toContain(signedIn ? service.userId : "session_required");
    await context.close();
  }
}

test("a hostile site writes, reads and signs in nothing", async ({ browser, request }) => {
  await attackBoth(browser, request, `https://hostile.test:${site.port}`);
});

test("a sibling site writes, reads and signs in nothing", async ({ browser, request }) => {
  await attackBoth(browser, request, `https://shop.service.test:${site.port}`);
});

test("another port of the service's name writes, reads and signs in nothing", async ({ browser, request }) => {
  await attackBoth(browser, request, `https://app.service.test:${site.port}`);
});

test("cookies that a sibling site sets replace no session and make none", async ({ browser }) => {
  for (const signedIn of [true, false]) {
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    if (signedIn) await signIn(context);
    const before = (await sessionCookies(context)).find((cookie) => cookie.name === SESSION)?.value;
    const tossed = [SESSION, SESSION.toLowerCase(), SESSION.toUpperCase(), `=${SESSION}`, ` ${SESSION}`, "__Host-svc_session%00"]
      .map((name) => `${name}=${attackersSession}; Domain=service.test; Path=/; Secure`);
    const page = await context.newPage();
    await page.goto(`https://shop.service.test:${site.port}/?${tossed.map((one) => `cookie=${encodeURIComponent(one)}`).join("&")}`);
    await page.evaluate((all) => { for (const one of all) document.cookie = one; }, [
      ...tossed, ...tossed.map((one) => one.replace("Path=/", "Path=/dashboard")), "harmless=yes; Domain=service.test; Path=/; Secure",
    ]);
    // The last cookie shows that the browser has handled all (a page does not wait for that), and that it takes some.
    await expect.poll(async () => (await context.cookies(own)).map((cookie) => cookie.name)).toContain("harmless");
    expect((await context.cookies(own)).filter((cookie) => cookie.name === SESSION).map((cookie) => cookie.value))
      .toEqual(signedIn ? [before] : []);
    expect(await whoIsSignedIn(context)).toContain(signedIn ? service.userId : "session_required");
    await context.close();
  }
});

test("the same attempts read on a page of the service, and end a session where nobody checks the origin", async ({ browser }) => {
  const unguarded = await serveNamed(withoutOrigin);
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  await signIn(context, unguarded.url);
  const rows = storedRows();
  const page = await context.newPage();
  await page.goto(`${unguarded.url}/app/sign-in`);
  const found = await page.evaluate(askByScript, { own: unguarded.url, reads: ["/dashboard/v1/me"], writes: [] });
  for (const way of ["fetch cors", "fetch same-origin", "XMLHttpRequest"]) {
    expect(found.some((one) => one.startsWith(`${way} /dashboard/v1/me: `))).toBe(true);
  }
  await page.goto(`https://shop.service.test:${site.port}/`);
  // The empty answer to a sign-out loads no page into the frame, so nothing waits for one.
  const sent = page.evaluate(sendForms, { own: unguarded.url, writes: writes.slice(0, 1) }).catch(() => undefined);
  await expect.poll(() => unguarded.seen.some((one) => one.path === "/dashboard/v1/sign-out" && one.status === 204)).toBe(true);
  expect(storedRows()).not.toBe(rows);
  await expect.poll(async () => (await sessionCookies(context)).some((cookie) => cookie.name === SESSION)).toBe(false);
  await context.close();
  await sent;
  unguarded.close();
});
