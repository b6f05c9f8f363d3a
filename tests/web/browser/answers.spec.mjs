// Questions of people who use the service every day, each answered from the first page by at most four clicks on what it shows.
import { api, createJob, expect, project, test } from "./fixtures.mjs";
import { addPerson, openBrowser, removePerson } from "./people.mjs";
import { startTarget } from "./target.mjs";

const MOST_CLICKS = 4;

/** Opens the first page of the project; returns what clicks visible links and buttons, and fails at the fifth click. */
async function start(page) {
  await page.goto(project);
  await expect(page.getByRole("heading", { name: "Jobs", level: 1 })).toBeVisible();
  let clicks = 0;
  return async (target) => {
    expect(++clicks, "clicks from the first page").toBeLessThanOrEqual(MOST_CLICKS);
    await expect(target).toBeVisible();
    await target.click();
  };
}

// The pages before a list also have links with the names of jobs.
const showsRuns = (page) => expect(page.getByRole("heading", { name: "Runs", exact: true, level: 1 })).toBeVisible();
const place = (page, name) => page.getByRole("navigation", { name: "Project" }).getByRole("link", { name });

test("which jobs failed tonight, and why", async ({ page, request }) => {
  const name = `tonight-${Date.now()}`;
  const id = await createJob(request, name, "#!/bin/sh\necho 'Error: the voucher is unknown' >&2\nexit 1\n");
  await api(request, "POST", `/api/jobs/${id}/trigger?wait=50`, {});
  const click = await start(page);
  await click(place(page, /^Overview/));
  const row = page.getByRole("table", { name: "Jobs, failing first" }).getByRole("row", { name: new RegExp(name) });
  await expect(row).toContainText("Failing");
  await click(page.getByRole("list", { name: "Runs that did not pass" }).getByRole("link", { name: /^Failed/ }));
  await showsRuns(page);
  await click(page.getByRole("link", { name, exact: true }));
  await expect(page.locator(".badge")).toContainText("Failed");
  await expect(page.locator(".output-lines")).toContainText("Error: the voucher is unknown");
  await api(request, "DELETE", `/api/jobs/${id}`);
});

test("who disabled this token", async ({ page, request, browser }) => {
  const stamp = Date.now();
  const grace = addPerson(`Grace ${stamp}`, "project_admin");
  const name = `deploy-${stamp}`;
  const made = await api(request, "POST", "/api/cli-tokens", { name });
  const hers = await openBrowser(browser, grace);
  await hers.page.goto(`${project}/tokens`);
  await hers.page.getByRole("button", { name: `More for ${name}` }).click();
  await hers.page.getByRole("menuitem", { name: "Disable" }).click();
  await expect(hers.page.getByText(`Token ${name} is disabled.`)).toBeVisible();
  await hers.context.close();

  const click = await start(page);
  await click(place(page, "Tokens"));
  await expect(page.getByRole("row", { name: new RegExp(name) })).toContainText("Disabled");
  await click(page.getByRole("link", { name: `Who disabled ${name}` }));
  const row = page.getByRole("row", { name: new RegExp(`Disabled token ${name}`) });
  await expect(row).toContainText(grace.name);
  await expect(row).toContainText("dashboard");
  await expect(row.locator("time")).toBeVisible();
  await api(request, "DELETE", `/api/cli-tokens/${(made.token ?? made).id}`);
  removePerson(grace);
});

test("when this monitor last failed, and for how long", async ({ page, request }) => {
  test.setTimeout(150_000);
  const target = await startTarget(503);
  try {
    const name = `last-failure-${Date.now()}`;
    const { id } = await api(request, "POST", "/api/monitors", {
      name, type: "website", target: `${target.url}/`, frequencyMinutes: 60,
      config: { timeoutSeconds: 5, retryStrategy: { maxRetries: 0 } },
    });
    const statusBecomes = (status) =>
      expect.poll(async () => (await api(request, "GET", `/api/monitors/${id}`)).status, { timeout: 40_000 }).toBe(status);
    await statusBecomes("down");
    target.status = 200;
    await api(request, "POST", `/api/monitors/${id}/check`);
    await statusBecomes("up");

    const click = await start(page);
    await click(place(page, /^Outages/));
    await click(page.getByRole("row", { name: new RegExp(name) }).getByRole("link", { name, exact: true }));
    const outage = page.getByRole("table", { name: `Outages of ${name}` }).locator("tbody tr");
    await expect(outage).toHaveCount(1);
    await expect(outage).toContainText("Recovered");
    await expect(outage).toContainText("status_unexpected");
    await expect(outage.getByRole("rowheader")).toHaveText(/\d{2}:\d{2}:\d{2}/);
    await expect(outage.locator('[data-label="Duration"]')).toHaveText(/^\d+\s(?:ms|s|min)/);
    await api(request, "DELETE", `/api/monitors/${id}`);
  } finally {
    await target.close();
  }
});

test("whether anything is waiting, and why", async ({ page, request }) => {
  const name = `waiting-${Date.now()}`;
  const id = await createJob(request, name, "#!/bin/sh\nsleep 60\n", { maxConcurrentRuns: 1, timeoutSeconds: 80 });
  const runs = [];
  for (let number = 0; number < 2; number++) runs.push((await api(request, "POST", `/api/jobs/${id}/trigger`, {})).data.runId);
  await expect.poll(async () => (await api(request, "GET", `/api/runs/${runs[0]}`)).status).toBe("running");

  const click = await start(page);
  await click(place(page, /^Overview/));
  const now = page.getByRole("region", { name: "Now" });
  await expect(now).toContainText("the oldest for");
  await click(now.getByRole("link", { name: "Queued", exact: true }));
  await showsRuns(page);
  await click(page.getByRole("link", { name, exact: true }));
  await expect(page.getByRole("heading", { name: /^Queued for .*: the job has 1 of at most 1 running runs$/ })).toBeVisible();
  await expect(page.getByText("The run starts when one of them ends.")).toBeVisible();
  for (const run of runs.reverse()) await api(request, "POST", `/api/runs/${run}/cancel`);
  await api(request, "DELETE", `/api/jobs/${id}`);
});

test("what the removal of this member would stop", async ({ page, browser }) => {
  const stamp = Date.now();
  const heidi = addPerson(`Heidi ${stamp}`, "project_editor");
  const hers = await openBrowser(browser, heidi);
  await hers.page.goto(`${project}/tokens/new`);
  await hers.page.getByLabel("Name").fill(`nightly of ${stamp}`);
  await hers.page.getByRole("button", { name: "Create token" }).click();
  await expect(hers.page.locator(".reveal-key code")).toBeVisible();
  await hers.context.close();

  const click = await start(page);
  await click(place(page, "Organisation"));
  await click(page.getByRole("button", { name: `Remove ${heidi.name}` }));
  const impact = page.getByRole("alertdialog", { name: new RegExp(`^Remove ${heidi.name} from `) });
  await expect(impact).toContainText("1 token or key stops for ever:");
  await expect(impact).toContainText(`nightly of ${stamp}`);
  await expect(impact).toContainText(`What ${heidi.name} made stays.`);
  await impact.getByRole("button", { name: "Keep the member" }).click();
  await expect(page.getByRole("row", { name: new RegExp(heidi.name) })).toBeVisible();
  removePerson(heidi);
});
