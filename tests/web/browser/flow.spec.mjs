import { PASSWORD, api, createJob, expect, project, service, signInLink, test } from "./fixtures.mjs";

test.describe("from a link to a green run", () => {
  test.use({ storageState: { cookies: [], origins: [] } });

  test("by mouse", async ({ page, request }) => {
    const name = `by-mouse-${Date.now()}`;
    await createJob(request, name, "#!/bin/sh\nfor i in $(seq 1 20); do echo tick $i; sleep 0.05; done\n");
    await page.goto(signInLink(service));
    await expect(page).toHaveURL(`${service.url}/app/link`);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: `Trigger ${name}` }).click();
    await expect(page).toHaveURL(/\/runs\/[0-9a-f-]{36}$/);
    await expect(page.locator(".badge")).toContainText("Passed");
    await expect(page.locator(".output-lines .t")).toHaveText(Array.from({ length: 20 }, (_, at) => `tick ${at + 1}`));
    await expect(page).toHaveTitle(/^Passed/);
  });

  test("by keyboard only", async ({ page, request }) => {
    const name = `by-keyboard-${Date.now()}`;
    await createJob(request, name, "#!/bin/sh\necho done\n");
    await page.goto("/app/sign-in");
    await expect(page.getByLabel("E-mail")).toBeFocused();
    await page.keyboard.type("demo@localhost");
    await page.keyboard.press("Tab");
    // Masked, and known to password managers.
    await expect(page.getByLabel("Password")).toHaveAttribute("type", "password");
    await expect(page.getByLabel("Password")).toHaveAttribute("autocomplete", "current-password");
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Enter");
    await expect(page.getByRole("heading", { name: "Jobs" })).toBeVisible();
    // The keys of the page come with its script, shortly after its first paint.
    await expect(async () => {
      await page.keyboard.press("Control+k");
      await expect(page.getByRole("combobox", { name: "Search or jump to" })).toBeFocused({ timeout: 1_000 });
    }).toPass();
    await page.keyboard.type(name);
    await expect(page.getByRole("option", { name: /^by-keyboard/ })).toHaveAttribute("aria-selected", "true");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("heading", { name, exact: true, level: 1 })).toBeVisible();
    const trigger = page.getByRole("button", { name: "Trigger" });
    for (let step = 0; step < 30 && !(await trigger.evaluate((element) => element === document.activeElement)); step++) {
      await page.keyboard.press("Tab");
    }
    await expect(trigger).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page.locator(".badge")).toContainText("Passed");
    await page.keyboard.press("g");
    await page.keyboard.press("r");
    await expect(page.getByRole("heading", { name: "Runs", exact: true, level: 1 })).toBeVisible();
  });
});

test("a double click on the trigger form makes one run", async ({ page, request }) => {
  const id = await createJob(request, "one-run", "#!/bin/sh\necho $SERVICE_PARAM_BRANCH\n", {
    parameters: [{ name: "BRANCH", required: true }],
  });
  await page.goto(`${project}/jobs/${id}`);
  await page.getByRole("link", { name: "Trigger", exact: true }).click();
  await page.getByRole("button", { name: "Trigger job" }).click();
  await expect(page.getByRole("alert")).toContainText("1 field needs a change");
  await page.getByLabel("BRANCH").fill("release/1");
  await page.getByRole("button", { name: "Trigger job" }).dblclick();
  await expect(page.locator(".badge")).toContainText("Passed");
  await expect(page.locator(".output-lines")).toContainText("release/1");
  await page.goto(`${project}/runs?jobId=${id}`);
  await expect(page.locator("tbody tr")).toHaveCount(1);
});

test("the form with an earlier run's values names that run and the parameters that are gone", async ({ page, request }) => {
  const branch = { name: "BRANCH", required: true };
  const id = await createJob(request, "run again", "#!/bin/sh\ntrue\n", { parameters: [branch, { name: "OLD" }] });
  const { data } = await api(request, "POST", `/api/jobs/${id}/trigger`, { parameters: { BRANCH: "release/1", OLD: "x" } });
  await api(request, "PATCH", `/api/jobs/${id}`, { parameters: [branch] });
  await page.goto(`${project}/runs/${data.runId}`);
  await page.getByRole("button", { name: "Rerun" }).click();
  await page.getByRole("menuitem", { name: "With other parameters" }).click();
  await expect(page.getByLabel("BRANCH")).toHaveValue("release/1");
  await expect(page.getByText("The job has no parameter OLD any more.")).toBeVisible();
  await expect(page.getByRole("link", { name: /^the run of/ })).toHaveAttribute("href", new RegExp(`/runs/${data.runId}$`));
  await page.goto(`${project}/jobs/${id}/trigger?run=${id}`);
  await expect(page.getByText("The earlier run could not be read")).toBeVisible();
});

test("the list of runs says why one failed and filters by days, and the end of an old run is no news", async ({ page, request }) => {
  const name = `broken-${Date.now()}`;
  const job = await createJob(request, name, "#!/bin/sh\necho 'Error: 502' >&2\nexit 3\n");
  const { runId } = (await api(request, "POST", `/api/jobs/${job}/trigger?wait=50`, {})).data;
  await page.goto(`${project}/runs?jobId=${job}`);
  const row = page.getByRole("row").filter({ has: page.locator(`a[href$="${runId}"]`) });
  await expect(row).toContainText(`test of ${name}: exit code 3`);
  const day = (later) => new Date(Date.now() + later * 86_400_000).toISOString().slice(0, 10);
  await page.getByLabel("From", { exact: true }).fill(day(-1));
  await expect(page).toHaveURL(/[?&]from=/);
  await page.getByLabel("To", { exact: true }).fill(day(1));
  await expect(page).toHaveURL(/[?&]to=/);
  await expect(row).toBeVisible();
  await page.reload();
  await expect(page.getByLabel("From", { exact: true })).toHaveValue(day(-1));
  await expect(page.getByLabel("To", { exact: true })).toHaveValue(day(1));
  await page.getByLabel("To", { exact: true }).fill("");
  await page.getByLabel("From", { exact: true }).fill(day(2));
  await expect(page.getByRole("heading", { name: "No run matches these filters" })).toBeVisible();

  // A stream in more than one piece, as that of a long output: the earlier statuses of the run arrive before its last one.
  const event = (at, kind, data) => `id: 1-${at}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
  const line = (at) => event(at, "console", { line: `line ${at} `.padEnd(80, "."), stream: "stdout" });
  const lines = Array.from({ length: 1_000 }, (_, at) => line(at + 1));
  const body = [event(0, "status", { status: "running" }), ...lines, event(1_001, "complete", { status: "failed" })].join("");
  await page.route(`**/api/runs/${runId}/stream`, (route) => route.fulfill({ contentType: "text/event-stream", body }));
  await page.goto(`${project}/runs/${runId}`);
  await expect(page.getByText(/^1\s000 lines$/)).toBeVisible();
  await expect(page).toHaveTitle(new RegExp(`^Failed · ${name}`));
  await expect(page.getByText("Run failed", { exact: true })).toHaveCount(0);
  await api(request, "DELETE", `/api/jobs/${job}`);
});

test("filters, sort and scroll survive Back and a reload", async ({ page, request }) => {
  const many = `many-${Date.now()}-`;
  for (let number = 0; number < 24; number++) await createJob(request, `${many}${String(number).padStart(2, "0")}`, "#!/bin/sh\n");
  await page.goto(`${project}/jobs`);
  await page.getByLabel("Search jobs").fill(many);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("link", { name: "Show all", exact: true })).toBeVisible();
  await page.getByRole("link", { name: "Name" }).click();
  await expect(page).toHaveURL(new RegExp(`search=${many}&sort=-name`));
  await expect(page.locator("tbody tr").first()).toContainText(`${many}23`);
  const last = page.getByRole("link", { name: `${many}00` });
  await last.scrollIntoViewIfNeeded();
  const before = await page.evaluate(() => scrollY);
  await last.click();
  await expect(page.getByRole("heading", { name: `${many}00`, exact: true, level: 1 })).toBeVisible();
  await page.goBack();
  await expect(last).toBeFocused();
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(before);
  await page.reload();
  await expect(page.getByLabel("Search jobs")).toHaveValue(many);
  await expect(page.locator("tbody tr").first()).toContainText(`${many}23`);
});

test("text of tenants stays text", async ({ page, request }) => {
  // Names may not have characters that change the direction of text; descriptions may.
  const hostile = '<img src=x onerror=alert(1)>"\'&amp; {{7*7}} javascript:alert(1)';
  const lines = ["<script>alert(1)</script>", "javascript:alert(1) https://a.example/x", "\\033[2J\\033]8;;https://evil.example\\007x"];
  const script = `#!/bin/sh\nprintf '%b\\n' ${lines.map((line) => `'${line}'`).join(" ")}\n`;
  const id = await createJob(request, hostile, script, { description: `\u202e${hostile}` });
  await page.goto(`${project}/jobs/${id}`);
  await expect(page.locator("h1")).toHaveText(hostile);
  await page.getByRole("button", { name: "Trigger", exact: true }).click();
  await expect(page.locator(".badge")).toContainText("Passed");
  await expect(page.locator(".output-lines .t").first()).toHaveText("<script>alert(1)</script>");
  const links = page.locator(".output-lines a");
  await expect(links).toHaveCount(1);
  await expect(links).toHaveAttribute("href", "https://a.example/x");
  await expect(links).toHaveAttribute("rel", "noopener noreferrer");
});
