import { api, createJob, expect, project, test } from "./fixtures.mjs";
import { linesOf, openShell } from "./shell_lines.mjs";

let shell;
test.beforeAll(() => (shell = openShell()));
test.afterAll(() => shell.close());

/** Executes a line exactly as a page shows it, and returns what it prints. */
const execute = (line) => shell.execute(line);

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
