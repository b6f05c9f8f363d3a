// All pages as a viewer sees them: nothing that would fail is offered, and a page for others says which role it needs.
import { api, createJob, expect, project, test } from "./fixtures.mjs";
import { addPerson, removePerson, signInByLink } from "./people.mjs";

test.use({ storageState: { cookies: [], origins: [] } });

const ORGANIZATION = "/app/demo/_";
/** Words with which an act starts that a viewer may not do. */
const ACTS = new RegExp(
  "^(?:Add|Acknowledge|Archive|Cancel|Check now|Create|Delete|Disable|Edit|Enable|Execute|Invite|Mute|Pause|Post|Publish|Remove|Renew|"
    + "Rerun|Restore|Resume|Retry|Revoke|Rotate|Run again|Save|Send|Test|Trigger|Unmute|Withdraw)\\b",
);

let viewer;
let things;
test.beforeAll(async ({ playwright }) => {
  const stamp = Date.now();
  viewer = addPerson(`Victor ${stamp}`, "project_viewer");
  const request = await playwright.request.newContext({ ignoreHTTPSErrors: true });
  const make = async (path, body) => (await api(request, "POST", path, body)).id;
  const job = await createJob(request, `seen-${stamp}`, "#!/bin/sh\necho 'Error: seen' >&2; exit 1\n", {
    parameters: [{ name: "BRANCH", default: "main" }],
  });
  things = {
    job, run: (await api(request, "POST", `/api/jobs/${job}/trigger?wait=50`, {})).data.runId,
    test: await make("/api/tests", { title: `seen-${stamp}`, type: "command", script: "echo seen\n" }),
    monitor: await make("/api/monitors", { name: `seen-${stamp}`, type: "website", target: "https://shop.example.org/", enabled: false }),
    heartbeat: await make("/api/monitors", { name: `beats-${stamp}`, type: "heartbeat", config: { schedule: { everySeconds: 3600 } } }),
    provider: await make("/api/notification-providers", {
      name: `seen-${stamp}`, type: "webhook", config: { url: "https://hooks.example/seen" }, enabled: false,
    }),
    variable: await make("/api/variables", { key: `SEEN_${stamp}`, value: "hidden", isSecret: true }),
    tag: await make("/api/tags", { name: `seen-${stamp}` }),
    page: await make("/api/status-pages", { name: `seen-${stamp}`, slug: `seen-${stamp}`, status: "published" }),
  };
  things.component = await make(`/api/status-pages/${things.page}/components`, { name: "Checkout" });
  things.incident = await make(`/api/status-pages/${things.page}/incidents`, {
    name: "Slow", status: "investigating", body: "It is slow.",
  });
  await request.dispose();
});

test.afterAll(async ({ playwright }) => {
  const request = await playwright.request.newContext({ ignoreHTTPSErrors: true });
  const { job, monitor, heartbeat, provider, variable, tag, page } = things;
  const all = [`jobs/${job}`, `monitors/${monitor}`, `monitors/${heartbeat}`, `notification-providers/${provider}`, `variables/${variable}`,
    `tags/${tag}`, `status-pages/${page}`];
  for (const path of all) await api(request, "DELETE", `/api/${path}`);
  await request.dispose();
  removePerson(viewer);
});

/** Notes refusals and errors of the pages. */
function watch(page) {
  const faults = [];
  page.on("response", (response) => response.status() === 403 && faults.push(`403 ${new URL(response.url()).pathname}`));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  return faults;
}

async function open(page, path) {
  await page.goto(path);
  await expect(page.locator("h1").first()).toBeVisible();
  await expect(page.locator("[aria-busy]")).toHaveCount(0);
}

/** Returns what the content of the page offers: names of buttons and of links that look like one, and forms that send something. */
const offers = (page) => page.locator("main").evaluate((main) => [
  ...[...main.querySelectorAll("button, a.btn, [role=menuitem]")].map((one) => ({
    name: (one.getAttribute("aria-label") ?? one.textContent).trim(),
    explained: one.getAttribute("aria-disabled") === "true" && one.hasAttribute("aria-describedby"),
  })),
  ...[...main.querySelectorAll("form:not([role=search])")].map((form) => ({ name: `Send ${form.action}`, explained: false })),
]);

async function offersNothing(page, path) {
  const wrong = (await offers(page)).filter((one) => ACTS.test(one.name) && !one.explained).map((one) => one.name);
  expect(wrong, path).toEqual([]);
}

/** Opens the first menu of the page and checks its entries. */
async function menuOffersNothing(page, path) {
  await page.locator("main").getByRole("button", { name: /^More for/ }).first().click();
  await expect(page.getByRole("menu")).toBeVisible();
  const entries = await page.getByRole("menuitem").allInnerTexts();
  expect(entries.filter((one) => ACTS.test(one.trim())), path).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("menu")).toHaveCount(0);
}

test("a viewer reads all pages, and none offers what a viewer may not do", async ({ page }) => {
  test.setTimeout(240_000);
  await signInByLink(page, viewer.id);
  const faults = watch(page);
  const { job, run, monitor, heartbeat, provider } = things;
  const own = [
    "overview", "jobs", `jobs/${job}`, "runs", `runs/${run}`, "tests", `tests/${things.test}`, "monitors", "monitors?deleted=true",
    `monitors/${monitor}`, `monitors/${monitor}/results`, `monitors/${monitor}/outages`, `monitors/${heartbeat}`, "outages", "alerts",
    "variables", "tags", "providers", `providers/${provider}`, "members", "usage", "status-pages", `status-pages/${things.page}`,
    `status-pages/${things.page}/incidents`, `status-pages/${things.page}/incidents/${things.incident}`,
  ].map((path) => `${project}/${path}`);
  const withMenu = new Set(["jobs", `jobs/${job}`, "tests", `tests/${things.test}`, `monitors/${monitor}`, "variables", "tags", "providers",
    "status-pages", `status-pages/${things.page}`, `status-pages/${things.page}/incidents`].map((path) => `${project}/${path}`));
  for (const path of [...own, `${ORGANIZATION}/members`, "/app/api"]) {
    await open(page, path);
    await expect(page.getByRole("heading", { name: "Your role does not permit this page" }), path).toHaveCount(0);
    await offersNothing(page, path);
    if (withMenu.delete(path)) await menuOffersNothing(page, path);
  }
  expect([...withMenu], "each page with a menu was opened").toEqual([]);
  expect(faults).toEqual([]);
});

test("a page for other roles says to a viewer which role it needs, and asks the service for nothing of it", async ({ page }) => {
  test.setTimeout(180_000);
  await signInByLink(page, viewer.id);
  const faults = watch(page);
  const { job, monitor, variable } = things;
  const places = {
    editor: [
      "jobs/new", `jobs/${job}/edit`, `jobs/${job}/trigger`, `jobs/${job}/keys`, `jobs/${job}/keys/new`, `jobs/${job}/keys/${job}/rotate`,
      "tests/new", "monitors/new", `monitors/${monitor}/edit`, "providers/new", "variables/new", `variables/${variable}`, "tokens",
      "tokens/new", `tokens/${job}/rotate`, "status-pages/new", "status-pages/post",
      ...["settings", "domain", "subscribers", "components/new", `components/${things.component}`, "incidents/new",
        `incidents/${things.incident}/edit`].map((path) => `status-pages/${things.page}/${path}`),
    ].map((path) => `${project}/${path}`),
    administrator: [
      ...["runners", "runners/new", "audit", "settings"].map((path) => `${project}/${path}`),
      ...["invitations", "invitations/new", "projects", "projects/new", "runners", "runners/new", "audit", "general"]
        .map((path) => `${ORGANIZATION}/${path}`),
    ],
  };
  for (const [role, paths] of Object.entries(places)) {
    for (const path of paths) {
      await open(page, path);
      await expect(page.getByRole("heading", { name: "Your role does not permit this page", level: 1 }), path).toBeVisible();
      await expect(page.getByText(`This page needs the role ${role}.`), path).toBeVisible();
      await offersNothing(page, path);
    }
    const members = page.getByRole("link", { name: "Show the members" });
    await expect(members).toHaveAttribute("href", role === "editor" ? `${project}/members` : `${ORGANIZATION}/members`);
    await members.click();
    await expect(page.getByRole("heading", { name: /^Members/, level: 1 })).toBeVisible();
  }
  expect(faults).toEqual([]);
});

test("the navigation, keys and the palette of a viewer lead to no page for other roles", async ({ page }) => {
  await signInByLink(page, viewer.id);
  const faults = watch(page);
  await open(page, `${project}/jobs`);
  const navigation = page.getByRole("navigation", { name: "Project" });
  await expect(navigation.getByRole("link", { name: /^(?:Tokens|Runners|Audit|Settings)$/ })).toHaveCount(0);
  for (const [key, heading] of [["k", "Your role does not permit this page"], ["m", "Monitors"], ["u", "Usage"]]) {
    await page.keyboard.press("g");
    await page.keyboard.press(key);
    await expect(page.getByRole("heading", { name: heading, exact: true, level: 1 })).toBeVisible();
  }
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search or jump to" }).fill("o");
  await expect(page.getByRole("option", { name: /^Overview/ })).toBeVisible();
  await expect(page.getByRole("option", { name: /^Tokens/ })).toHaveCount(0);
  expect(faults).toEqual([]);
});
