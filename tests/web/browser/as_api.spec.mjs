import { api, createJob, expect, project, service, test } from "./fixtures.mjs";
import { linesOf, openShell } from "./shell_lines.mjs";

let shell;
test.beforeAll(() => (shell = openShell()));
test.afterAll(() => shell.close());

const execute = (line, variables) => shell.execute(line, variables);

test("the lines of lists give the rows that their pages show", async ({ page, request }) => {
  const tag = `lines-${Date.now()}`;
  const id = await createJob(request, `${tag} it's $HOME`, "#!/bin/sh\necho output of a line\n");
  await createJob(request, "another job", "#!/bin/sh\n");
  const run = (await api(request, "POST", `/api/jobs/${id}/trigger?wait=50`, {})).data.runId;
  const views = [
    [`${project}/jobs?search=${encodeURIComponent(`${tag} it's $HOME`)}&status=passed`, id],
    [`${project}/runs?jobId=${id}&status=passed&trigger=remote`, run],
  ];
  for (const [address, expected] of views) {
    await page.goto(address);
    await expect(page.locator("tbody tr")).toHaveCount(1);
    const lines = await linesOf(page);
    expect(JSON.parse(execute(lines.curl)).data.map((row) => row.id)).toEqual([expected]);
    expect(execute(lines.svc)).toContain(expected.slice(0, 8));
  }
  await page.goto(`${project}/jobs/${id}`);
  await expect(page.locator("tbody tr")).toHaveCount(1);
  const ofJob = await linesOf(page);
  expect(JSON.parse(execute(ofJob["curl: Show this job"])).id).toBe(id);
  expect(execute(ofJob["svc: Show this job"])).toContain(id);
  expect(JSON.parse(execute(ofJob["curl: List its runs"])).data.map((row) => row.id)).toEqual([run]);
  expect(execute(ofJob["svc: List its runs"])).toContain(run.slice(0, 8));
  await page.goto(`${project}/runs/${run}`);
  await expect(page.locator(".badge")).toContainText("Passed");
  const ofRun = await linesOf(page);
  expect(JSON.parse(execute(ofRun["curl: Show this run"])).id).toBe(run);
  expect(execute(ofRun["svc: Show this run"])).toContain(run);
  expect(execute(ofRun["curl: Print its output"])).toContain("output of a line");
  expect(execute(ofRun["svc: Print its output"])).toContain("output of a line");
});

test("the lines of tokens and trigger keys list them", async ({ page, request }) => {
  const id = await createJob(request, `keyed-${Date.now()}`, "#!/bin/sh\n");
  const key = await api(request, "POST", `/api/jobs/${id}/trigger-keys`, { name: "of the lines" });
  const views = [[`${project}/tokens`, undefined], [`${project}/jobs/${id}/keys`, "of the lines"]];
  expect(JSON.stringify(key)).toContain("of the lines");
  for (const [address, name] of views) {
    await page.goto(address);
    await expect(page.locator("tbody tr").first()).toBeVisible();
    const shown = name ?? (await page.locator("tbody th").first().innerText()).split("\n")[0];
    const lines = await linesOf(page);
    expect(JSON.parse(execute(lines.curl)).data.map((row) => row.name)).toContain(shown);
    expect(execute(lines.svc)).toContain(shown);
  }
});

test("the lines of forms do what the forms would do", async ({ page, request }) => {
  const id = await createJob(request, `formed-${Date.now()}`, "#!/bin/sh\necho \"branch: $SERVICE_PARAM_BRANCH\"\n", {
    parameters: [{ name: "BRANCH", required: true }],
  });
  await page.goto(`${project}/jobs/${id}/trigger`);
  await page.getByLabel("BRANCH").fill("it's a 'branch' & $HOME");
  const lines = await linesOf(page);
  const made = JSON.parse(execute(lines.curl)).data.runId;
  expect((await api(request, "GET", `/api/runs/${made}`)).parameters.BRANCH).toBe("it's a 'branch' & $HOME");
  execute(lines.svc);
  const runs = (await api(request, "GET", `/api/runs?jobId=${id}`)).data;
  expect(runs.map((run) => run.parameters.BRANCH)).toEqual(Array(2).fill("it's a 'branch' & $HOME"));
  page.on("dialog", (dialog) => dialog.accept());
  await page.goto(`${project}/jobs/${id}/edit`);
  await page.getByLabel("Time limit, seconds").fill("123");
  const change = await linesOf(page);
  expect(JSON.parse(execute(change.curl)).timeoutSeconds).toBe(123);
  // The version of the form is not the stored one any more, so the second line is refused.
  expect(() => execute(change.svc)).toThrow();
});

const failing = (line, variables) => expect(() => execute(line, variables)).toThrow();

test("the lines of a monitor's forms create, test and change it, and hold no secret", async ({ page, request }) => {
  page.on("dialog", (dialog) => dialog.accept());
  const name = `lined-${Date.now()}`;
  const secrets = { TOKEN: "battery staple", HEADER_X_API_KEY: "correct 'horse'" };
  await page.goto(`${project}/monitors/new?type=http_request`);
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Target").fill(service.url);
  await page.getByLabel("Sign in").selectOption("bearer");
  await page.getByLabel("Token", { exact: true }).fill(secrets.TOKEN);
  await page.getByRole("button", { name: "Add header" }).click();
  await page.getByLabel("Name of header 1").fill("X-Api-Key");
  await page.getByLabel("Value of header 1").fill(secrets.HEADER_X_API_KEY);
  const lines = await linesOf(page);
  expect(JSON.stringify(lines)).not.toMatch(/battery|horse/);
  const made = [];
  for (const tool of ["curl", "svc"]) {
    made.push(JSON.parse(execute(lines[`${tool}: Create this monitor`], secrets)));
    expect(JSON.parse(execute(lines[`${tool}: Test it without saving`], secrets))).toHaveProperty("checkedAt");
  }
  for (const one of made) {
    expect(one).toMatchObject({ name, config: { auth: { type: "bearer", token: "********" }, headers: { "X-Api-Key": "********" } } });
  }
  const { id } = made[0];
  await page.goto(`${project}/monitors/${id}/edit`);
  await page.getByLabel("Timeout of an attempt, s").fill("7");
  const change = await linesOf(page);
  expect(JSON.parse(execute(change["curl: Save the changes"])).config.timeoutSeconds).toBe(7);
  failing(change["svc: Save the changes"]);
  await page.goto(`${project}/monitors/${id}`);
  const acts = await linesOf(page);
  expect(JSON.parse(execute(acts["curl: Show the monitor"])).id).toBe(id);
  execute(acts["svc: Pause it"]);
  expect((await api(request, "GET", `/api/monitors/${id}`)).enabled).toBe(false);
});

test("the lines of a provider's forms create, test and change it, and hold no secret", async ({ page, request }) => {
  page.on("dialog", (dialog) => dialog.accept());
  const name = `lined-${Date.now()}`;
  const secrets = { URL: `${service.url}/none?key=horse` };
  await page.goto(`${project}/providers/new?type=webhook`);
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("URL", { exact: true }).fill(secrets.URL);
  const lines = await linesOf(page);
  expect(JSON.stringify(lines)).not.toContain("horse");
  expect(JSON.parse(execute(lines["svc: Send a test message without saving"], secrets))).toHaveProperty("success");
  const made = JSON.parse(execute(lines["curl: Create this provider"], secrets));
  await page.goto(`${project}/providers/${made.id}`);
  await page.getByLabel("Messages a minute, at most").fill("7");
  const change = await linesOf(page);
  expect(JSON.parse(execute(change["curl: Save the changes"])).ratePerMinute).toBe(7);
  failing(change["svc: Save the changes"]);
  expect(execute(change["svc: Show the provider"])).toContain(name);
  expect(JSON.parse(execute(change["curl: Show who uses it"]))).toHaveProperty("monitors");
  expect((await api(request, "GET", `/api/notification-providers/${made.id}`)).config.url).toBe("********");
});

test("the lines of a new job, token and trigger key create them", async ({ page, request }) => {
  page.on("dialog", (dialog) => dialog.accept());
  const name = `lined it's ${Date.now()}`;
  await page.goto(`${project}/jobs/new`);
  await page.getByLabel("Name", { exact: true }).fill(name);
  const { id } = JSON.parse(execute((await linesOf(page)).curl));
  expect((await api(request, "GET", `/api/jobs/${id}`)).name).toBe(name);
  await page.goto(`${project}/tokens/new`);
  await page.getByLabel("Name", { exact: true }).fill(name);
  execute((await linesOf(page)).svc);
  const [token] = (await api(request, "GET", "/api/cli-tokens?limit=100")).data.filter((one) => one.name === name);
  expect(token.expiresAt).not.toBeNull();
  await page.goto(`${project}/jobs/${id}/keys/new`);
  await page.getByLabel("Name", { exact: true }).fill("of a line");
  await page.getByLabel("Rate limit").fill("20");
  execute((await linesOf(page)).svc);
  const [key] = (await api(request, "GET", `/api/jobs/${id}/trigger-keys`)).data;
  expect([key.name, key.rateLimit.limit]).toEqual(["of a line", 20]);
  await page.goto(`${project}/jobs/${id}/keys/${key.id}/rotate`);
  expect(JSON.parse(execute((await linesOf(page)).curl)).triggerKey.id).toBe(key.id);
});

test("the lines of outages list what is down", async ({ page }) => {
  await page.goto(`${project}/outages`);
  const lines = await linesOf(page);
  expect(JSON.parse(execute(lines["curl: List the monitors that are down"]))).toHaveProperty("data");
  execute(lines["svc: List the monitors that are down"]);
});

test("the lines of status pages list, create and change them", async ({ page, request }) => {
  page.on("dialog", (dialog) => dialog.accept());
  const slug = `lined-${Date.now()}`;
  await page.goto(`${project}/status-pages/new`);
  await page.getByLabel("Name", { exact: true }).fill(`it's ${slug}`);
  await page.getByLabel("Short name in the address", { exact: true }).fill(slug);
  const { id } = JSON.parse(execute((await linesOf(page)).curl));
  await page.goto(`${project}/status-pages?search=${slug}`);
  await expect(page.locator("tbody tr")).toHaveCount(1);
  const lists = await linesOf(page);
  expect(JSON.parse(execute(lists.curl)).data.map((row) => row.id)).toEqual([id]);
  expect(execute(lists.svc)).toContain(slug);
  await page.goto(`${project}/status-pages/${id}/components/new`);
  await page.getByLabel("Name", { exact: true }).fill("Checkout");
  expect(JSON.parse(execute((await linesOf(page)).curl)).name).toBe("Checkout");
  await page.goto(`${project}/status-pages/${id}`);
  await expect(page.getByRole("row", { name: /Checkout/ })).toBeVisible();
  const shown = await linesOf(page);
  expect(execute(shown["svc: Show the status page"])).toContain(slug);
  expect(execute(shown["svc: List its components"])).toContain("Checkout");
  await page.goto(`${project}/status-pages/${id}/incidents/new`);
  await page.getByLabel("Name", { exact: true }).fill("Checkout fails");
  await page.getByLabel("Text", { exact: true }).fill("We look for the cause.");
  const incident = JSON.parse(execute((await linesOf(page)).curl));
  await page.goto(`${project}/status-pages/${id}/incidents/${incident.id}`);
  await page.getByLabel("Text", { exact: true }).fill("It's found.");
  const posts = await linesOf(page);
  expect(JSON.parse(execute(posts["curl: Post this update"])).status).toBe("identified");
  await page.goto(`${project}/status-pages/${id}/settings`);
  await page.getByLabel("Headline optional", { exact: true }).fill("it's all");
  expect(JSON.parse(execute((await linesOf(page)).curl)).headline).toBe("it's all");
  await api(request, "DELETE", `/api/status-pages/${id}`);
});

test("the lines of maintenance windows list, create, change and end them", async ({ page, request }) => {
  page.on("dialog", (dialog) => dialog.accept());
  const name = `lined window ${Date.now()}`;
  const monitor = await api(request, "POST", "/api/monitors", {
    name: `monitor of ${name}`, type: "website", target: "https://target.invalid/", enabled: false,
  });
  await page.goto(`${project}/maintenance/new?monitorId=${monitor.id}`);
  await page.getByLabel("Name", { exact: true }).fill(name);
  const { id } = JSON.parse(execute((await linesOf(page)).curl));
  await page.goto(`${project}/maintenance?monitorId=${monitor.id}`);
  await expect(page.locator("tbody tr")).toHaveCount(1);
  const lists = await linesOf(page);
  expect(JSON.parse(execute(lists["curl: List the planned windows"])).data.map((row) => row.id)).toEqual([id]);
  expect(execute(lists["svc: List the planned windows"])).toContain(id.slice(0, 8));
  await page.goto(`${project}/maintenance/${id}/edit`);
  await page.getByLabel("Description optional", { exact: true }).fill("it's planned");
  const change = await linesOf(page);
  expect(JSON.parse(execute(change.curl)).description).toBe("it's planned");
  failing(change.svc);
  await page.goto(`${project}/monitors/${monitor.id}`);
  const started = JSON.parse(execute((await linesOf(page))["curl: Start maintenance of an hour"]));
  await page.goto(`${project}/maintenance/${started.id}`);
  const acts = await linesOf(page);
  expect(execute(acts["svc: Show the window"])).toContain(started.id);
  execute(acts["svc: End it now"]);
  expect((await api(request, "GET", `/api/maintenance-windows/${started.id}`)).state).toBe("finished");
  await api(request, "DELETE", `/api/monitors/${monitor.id}`);
  await api(request, "DELETE", `/api/maintenance-windows/${id}`);
});
