import { execFileSync } from "node:child_process";
import { test as base, expect } from "@playwright/test";

export { LINKS, PASSWORD, signInLink } from "./global_setup.mjs";
export { expect };

export const service = JSON.parse(process.env.TEST_WEB_SERVICE);
export const project = "/app/demo/demo";

/** Ends all sessions of the sample user. */
export const endSessions = () =>
  execFileSync(process.env.SVC_BIN, ["admin", "end-sessions", "--config", service.configFile, "--user", service.userId]);

/** Asks the API with the sample token. */
export async function api(request, method, path, body) {
  const answer = await request.fetch(service.url + path, {
    method, timeout: 60_000, headers: { Authorization: `Bearer ${service.token}` }, ...(body === undefined ? {} : { data: body }),
  });
  expect(answer.ok(), `${method} ${path}: ${answer.status()}`).toBe(true);
  return answer.status() === 204 ? undefined : answer.json();
}

/** Creates a job with one test of a shell script; returns its id. */
export async function createJob(request, name, script, more = {}) {
  const made = await api(request, "POST", "/api/tests", { title: `test of ${name}`, type: "command", script });
  const job = await api(request, "POST", "/api/jobs", { name, jobType: "command", tests: [{ id: made.id }], ...more });
  return job.id;
}

// Secrets have a prefix and at least 30 characters. The fragment of a link does not leave the browser, and its page removes it.
const SECRET = /svc_[a-z]+_[A-Za-z0-9]{30,}/;
const leaks = (place, text) => (SECRET.test(text) ? [`a secret in ${place}: ${text.replace(SECRET, "…")}`] : []);

function watchRequests(context, faults) {
  context.on("request", (request) => {
    const address = new URL(request.url());
    faults.push(...leaks("an address", address.origin + address.pathname + address.search));
    if (address.pathname !== "/app/link" && address.pathname !== "/app/invitation") faults.push(...leaks("a fragment", address.hash));
    faults.push(...leaks("Referer", request.headers().referer ?? ""));
  });
}

/** Returns the secrets in what a page leaves behind. */
async function traces(page) {
  if (page.isClosed() || !page.url().startsWith("https:")) return [];
  const kept = await page.evaluate(() => JSON.stringify([
    location.href, document.title, history.state, { ...localStorage }, { ...sessionStorage },
    performance.getEntriesByType("navigation").map((one) => one.name),
  ])).catch(() => "");
  return leaks("what a page keeps", kept.replaceAll(/\/app\/(?:link|invitation)#svc_\w+/g, ""));
}

/**
 * Any test fails by a violation of the Content-Security-Policy or of Trusted Types, by an error of a page, and by a secret in an
 * address, a Referer, the storage or the history.
 */
export const test = base.extend({
  storageState: ({}, use) => use(service.state),
  baseURL: ({}, use) => use(service.url),
  context: async ({ context }, use) => {
    const faults = [];
    const watch = (page) => {
      page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
      page.on("console", (message) => {
        if (/Content Security Policy|Trusted(?:HTML|Script|ScriptURL)|violat/i.test(message.text())) faults.push(message.text());
        faults.push(...leaks("the console", message.text()));
      });
    };
    context.on("page", watch);
    watchRequests(context, faults);
    await context.addInitScript(() =>
      document.addEventListener("securitypolicyviolation", (event) =>
        console.error(`violation of ${event.effectiveDirective} by ${event.blockedURI}`)));
    await use(context);
    for (const page of context.pages()) faults.push(...await traces(page));
    expect(faults).toEqual([]);
  },
});
