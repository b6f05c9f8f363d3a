import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { api, createJob, expect, project, test } from "./fixtures.mjs";
import { long } from "./measure.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

// axe adds styles of its own to a page.
test.use({ bypassCSP: true });

async function check(page, name) {
  await page.evaluate(axe);
  const found = await page.evaluate((rules) => globalThis.axe.run(document, { runOnly: rules }), RULES);
  const violations = found.violations.map((one) => `${name}: ${one.id} at ${one.nodes.map((node) => node.target).join(", ")}`);
  expect(violations).toEqual([]);
  const sideways = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(sideways, `${name} scrolls sideways`).toBeLessThanOrEqual(0);
}

let job;
let run;
let variable;
let script;
let planned;
let statusPage;
test.beforeAll(async ({ playwright }) => {
  const request = await playwright.request.newContext({ ignoreHTTPSErrors: true });
  job = await createJob(request, `a-failing-job-${Date.now()}`, "#!/bin/sh\necho 'Error: no' >&2; exit 1\n", {
    cronSchedule: "*/30 * * * *", parameters: [{ name: "BRANCH", default: "main" }],
  });
  run = (await api(request, "POST", `/api/jobs/${job}/trigger?wait=50`, {})).data.runId;
  const stamp = Date.now();
  variable = (await api(request, "POST", "/api/variables", { key: `ACCESS_${stamp}`, value: "hidden", isSecret: true })).id;
  await api(request, "POST", "/api/tags", { name: `access-${stamp}` });
  script = (await api(request, "POST", "/api/tests", { title: `a script ${Date.now()}`, type: "command", script: "echo 'a script'\n" })).id;
  const soon = Date.now() + 86_400_000;
  planned = (await api(request, "POST", "/api/maintenance-windows", {
    name: `a window ${stamp}`, all: true, startsAt: new Date(soon).toISOString(), endsAt: new Date(soon + 60_000).toISOString(),
  })).id;
  const shown = await api(request, "POST", "/api/status-pages", {
    name: `a page ${stamp}`, slug: `access-${stamp}`, status: "published", customDomain: `access-${stamp}.invalid`,
  });
  const component = await api(request, "POST", `/api/status-pages/${shown.id}/components`, { name: "Checkout", group: "Shop" });
  const incident = await api(request, "POST", `/api/status-pages/${shown.id}/incidents`, {
    name: "Checkout fails", status: "investigating", body: "We look for the cause.",
    components: [{ id: component.id, status: "partial_outage" }],
  });
  statusPage = { id: shown.id, component: component.id, incident: incident.id };
  await request.dispose();
});
test.afterAll(async ({ playwright }) => {
  const request = await playwright.request.newContext({ ignoreHTTPSErrors: true });
  await api(request, "DELETE", `/api/maintenance-windows/${planned}`);
  await api(request, "DELETE", `/api/status-pages/${statusPage.id}`);
  await request.dispose();
});

function statusPages() {
  const own = `${project}/status-pages/${statusPage.id}`;
  return [
    ["status pages", `${project}/status-pages`], ["new status page", `${project}/status-pages/new`], ["status page", own],
    ["settings of a status page", `${own}/settings`], ["domain of a status page", `${own}/domain`],
    ["subscribers", `${own}/subscribers`], ["new component", `${own}/components/new`],
    ["component", `${own}/components/${statusPage.component}`], ["incidents", `${own}/incidents`],
    ["new incident", `${own}/incidents/new`], ["incident", `${own}/incidents/${statusPage.incident}`],
    ["edited incident", `${own}/incidents/${statusPage.incident}/edit`], ["post without a monitor", `${project}/status-pages/post`],
  ];
}

// Each page has both widths and both themes; the long form has all pairs.
const PAIRS = [[1280, "light"], [320, "dark"], [1280, "dark"], [320, "light"]];
const VIEWS = long ? PAIRS : PAIRS.slice(0, 2);

async function checkViews(page, name) {
  for (const [width, colorScheme] of VIEWS) {
    await page.setViewportSize({ width, height: 900 });
    // Colours change at once, so that axe does not measure them on their way.
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await check(page, `${name} at ${width} px, ${colorScheme}`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
}

test("axe finds nothing in both themes, at 1280 and 320 px", async ({ page, context }) => {
  test.setTimeout(400_000);
  const missing = "01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f70";
  const pages = [
    ["overview", `${project}/overview`], ["usage", `${project}/usage`],
    ["jobs", `${project}/jobs`], ["job", `${project}/jobs/${job}`], ["trigger form", `${project}/jobs/${job}/trigger`],
    ["trigger keys", `${project}/jobs/${job}/keys`], ["new key", `${project}/jobs/${job}/keys/new`], ["runs", `${project}/runs`],
    ["no runs", `${project}/runs?jobId=${missing}`], ["run", `${project}/runs/${run}`], ["missing run", `${project}/runs/${missing}`],
    ["tests", `${project}/tests`], ["new test", `${project}/tests/new`], ["test", `${project}/tests/${script}`],
    ["tokens", `${project}/tokens`], ["new token", `${project}/tokens/new`], ["profile", "/app/account"],
    ["password", "/app/account/password"], ["sessions", "/app/account/sessions"], ["activity", "/app/account/activity"],
    ["new job", `${project}/jobs/new`], ["edited job", `${project}/jobs/${job}/edit`], ["runners", `${project}/runners`],
    ["monitors", `${project}/monitors`], ["new monitor", `${project}/monitors/new`], ["outages", `${project}/outages`],
    ["alerts", `${project}/alerts`], ["windows", `${project}/maintenance`], ["finished windows", `${project}/maintenance?state=finished`],
    ["new window", `${project}/maintenance/new`], ["window", `${project}/maintenance/${planned}`],
    ["edited window", `${project}/maintenance/${planned}/edit`], ...statusPages(), ["providers", `${project}/providers`],
    ["new provider", `${project}/providers/new`],
    ["organization", "/app/demo/_/members"], ["invitations", "/app/demo/_/invitations"], ["projects", "/app/demo/_/projects"],
    ["general", "/app/demo/_/general"], ["audit", "/app/demo/_/audit"],
    ["tags", `${project}/tags`], ["variables", `${project}/variables`], ["new variable", `${project}/variables/new`],
    ["edited variable", `${project}/variables/${variable}`], ["audit of a project", `${project}/audit`],
    ["reference", "/app/api"], ["operation", "/app/api?operation=create_monitor"],
    ["missing project", "/app/demo/missing/jobs"], ["missing page", "/app/a/b/c/d"],
  ];
  for (const [name, path] of pages) {
    await page.goto(path);
    await page.locator("h1").first().waitFor();
    await expect(page.locator("[aria-busy]")).toHaveCount(0);
    await checkViews(page, name);
  }
  await page.goto(`${project}/jobs`);
  await page.getByRole("table").waitFor();
  await page.keyboard.press("Control+k");
  await page.locator("#palette-0").waitFor();
  await checkViews(page, "palette");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /account of/ }).click();
  await page.getByRole("menu").waitFor();
  await check(page, "menu");
  await context.clearCookies();
  await page.goto("/app/sign-in");
  await page.getByLabel("Password").waitFor();
  await checkViews(page, "sign-in");
});
