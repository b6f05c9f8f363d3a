import assert from "node:assert/strict";
import { test } from "node:test";
import { browserName } from "../../../web/dashboard/src/pages/account/user_agent";
import { CHART, durationBars, failureStreak } from "../../../web/dashboard/src/pages/jobs/durations";
import { type TestProgress, readProgress } from "../../../web/dashboard/src/pages/runs/test_progress";
import { layTimeline, ticksOf } from "../../../web/dashboard/src/pages/runs/timeline";
import { keyBody } from "../../../web/dashboard/src/pages/trigger_keys/key_form_values";
import { keySnippets } from "../../../web/dashboard/src/pages/trigger_keys/key_snippets";
import { tokenSnippets } from "../../../web/dashboard/src/pages/tokens/token_snippets";
import { hasRole, jobState, runState, tokenState } from "../../../web/dashboard/src/parts/states";
import { looksLikeFailure } from "../../../web/dashboard/src/output/failures";

const run = (id: string, status: string, durationMs: number | null = 1000) =>
  ({ id, status, durationMs, queuedAt: `2026-11-20T10:00:0${id}.000Z` }) as never;

test("A streak counts failures from the newest run to the last passed one, without cancelled runs", () => {
  const cases: [string[], number, string | undefined, string | undefined][] = [
    [[], 0, undefined, undefined],
    [["passed", "failed"], 0, undefined, "0"],
    [["failed", "timed_out", "cancelled", "error", "passed", "failed"], 3, "3", "4"],
    [["running", "queued", "failed"], 1, "2", undefined],
  ];
  for (const [statuses, count, first, passed] of cases) {
    const streak = failureStreak(statuses.map((status, at) => run(String(at), status)));
    assert.deepEqual([streak.count, streak.first?.id, streak.passed?.id], [count, first, passed], statuses.join());
  }
});

test("Bars of durations end at the right with the newest run, and a failure has a cap", () => {
  const runs = [run("0", "failed", 4000), run("1", "running", null), run("2", "cancelled", 1), run("3", "passed", 2000)];
  const { bars, most } = durationBars(runs);
  assert.equal(most, 4000);
  assert.deepEqual(bars.map((bar) => [bar.id, bar.look, bar.cap]), [
    ["3", "quiet", false], ["2", "f-cancelled", false], ["0", "f-failed", true],
  ]);
  assert.equal(bars.at(-1)!.x, (CHART.bars - 1) * CHART.pitch + 6);
  assert.ok(bars.every((bar) => bar.height >= 2 && bar.y >= 10 && bar.y + bar.height === CHART.height));
  assert.equal(durationBars(Array.from({ length: 50 }, (_, at) => run(String(at % 10), "passed"))).bars.length, 30);
});

test("The lines of the runner give the progress of several tests", () => {
  const queued: TestProgress[] = [{ status: "queued" }, { status: "queued" }];
  let tests = readProgress(queued, 1, "[svc-runner: test 1 of 2: smoke]", 7);
  assert.deepEqual(tests[0], { status: "running", line: 1, seenAt: 7 });
  tests = readProgress(tests, 9, "[svc-runner: test 1 of 2 failed after 61 ms]");
  assert.deepEqual(tests[0], { status: "failed", line: 1, seenAt: 7, durationMs: 61 });
  tests = readProgress(tests, 10, "[svc-runner: test 2 of 2: other]");
  assert.equal(tests[1]?.status, "running");
  const unchanged = [
    "[svc-runner: test 1 of 2: again]", "[svc-runner: test 3 of 2: x]", "[svc-runner: test 1 of 3: x]", "[svc-runner: test 0 of 2: x]",
    " [svc-runner: test 2 of 2 passed]", "[svc-runner: test 2 of 2 unheard after 1 ms]", "[svc-runner: output limit reached]", "",
  ];
  for (const line of unchanged) assert.equal(readProgress(tests, 11, line), tests, line);
});

test("Tests lie one after the other behind the time in the queue", () => {
  const timeline = layTimeline({
    queuedAt: 0, startedAt: 10_000, completedAt: 20_000, now: 99_000,
    tests: [
      { status: "passed", durationMs: 4000 }, { status: "failed", durationMs: 6000 }, { status: "queued" }, { status: "skipped" },
    ],
  });
  assert.deepEqual(timeline.ticks, [0, 5000, 10_000, 15_000, 20_000]);
  assert.deepEqual([timeline.wait.x, timeline.wait.width], [0, 500]);
  assert.deepEqual(timeline.tests.map((span) => span && [span.x, span.width]), [[500, 200], [700, 300], undefined, undefined]);
  assert.equal(timeline.now, undefined);
  const started = [{ status: "passed", durationMs: 2000 }, { status: "running" }];
  const live = layTimeline({ queuedAt: 0, startedAt: 2000, now: 8000, tests: started });
  assert.deepEqual(live.tests.map((span) => span && [span.x, span.width]), [[250, 250], [500, 500]]);
  assert.equal(live.now, 1000);
  const waiting = layTimeline({ queuedAt: 0, now: 3000, tests: [{ status: "queued" }] });
  assert.deepEqual(waiting.tests, [undefined]);
  assert.equal(waiting.wait.milliseconds, 3000);
});

test("Time axes have at most five equal steps", () => {
  for (const length of [1, 999, 1000, 4001, 61_000, 3_600_001, 86_400_000, 40 * 86_400_000]) {
    const ticks = ticksOf(length);
    assert.ok(ticks.length >= 2 && ticks.length <= 6, `${length}: ${ticks.join()}`);
    assert.ok(ticks.at(-1)! >= length, String(length));
  }
});

test("States of jobs, runs and tokens", () => {
  assert.equal(jobState({ enabled: false, status: "failed" }).word, "Disabled");
  assert.equal(jobState({ enabled: true, status: "failed" }).word, "Failing");
  assert.equal(jobState({ enabled: true, status: "pending" }).word, "Never run");
  assert.equal(runState("of a newer service").word, "Unknown");
  const now = new Date("2026-11-20T12:00:00Z");
  const token = { enabled: true, lastUsedAt: "2026-11-20T11:00:00Z", createdAt: "2026-01-01T00:00:00Z" };
  const cases: [object, string][] = [
    [{}, "Active"], [{ expiresAt: "2026-11-20T12:00:00Z" }, "Expired"], [{ expiresAt: "2026-11-21T00:00:00Z" }, "Expires soon"],
    [{ enabled: false }, "Disabled"], [{ enabled: false, expiresAt: "2020-01-01T00:00:00Z" }, "Expired"], [{ previous: {} }, "Rotating"],
    [{ lastUsedAt: "2026-08-15T12:00:00Z" }, "Unused 97 days"], [{ lastUsedAt: null, createdAt: "2026-11-19T12:00:00Z" }, "Never used"],
    [{ lastUsedAt: null }, "Unused 323 days"], [{ expiresAt: "2027-02-15T00:00:00Z" }, "Active"],
  ];
  for (const [change, word] of cases) assert.equal(tokenState({ ...token, ...change }, now).word, word, JSON.stringify(change));
});

test("Roles are ordered, and an unknown role has no rights", () => {
  const cases: [string, boolean, boolean][] = [
    ["project_viewer", false, false], ["project_editor", true, false], ["project_admin", true, true], ["org_admin", true, true],
    ["org_owner", true, true], ["later", false, false],
  ];
  for (const [role, editor, admin] of cases) {
    assert.deepEqual([hasRole(role, "project_editor"), hasRole(role, "project_admin")], [editor, admin], role);
  }
});

test("Lines that look like a failure", () => {
  const failures = [
    "Error: expect(locator) failed", "npm ERR! error: x", "  ✘  1 checkout.spec.ts", "FAIL src/a.test.ts", "not ok 3 - adds",
    "Traceback (most recent call last): error", "sh: 1: foo: command not found", "[svc-runner: test 3 of 6 failed after 62 s]",
  ];
  const calm = ["0 failed", "no errors: fine", "terror is no word here", "10 passed, 0 failed", "error_count=0", "ok"];
  for (const line of failures) assert.ok(looksLikeFailure(line, "stdout"), line);
  for (const line of calm) assert.ok(!looksLikeFailure(line, "stdout"), line);
  assert.ok(!looksLikeFailure("Error: x", "note"));
});

test("Browsers have names", () => {
  const cases: [string, string][] = [
    ["Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0", "Firefox on Linux"],
    ["Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36 Edg/130.0", "Edge on Windows"],
    ["Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 Version/18.0 Safari/604.1", "Safari on iOS"],
    ["curl/8.5.0", "curl/8.5.0"], ["", "Unknown program"],
  ];
  for (const [agent, name] of cases) assert.equal(browserName(agent), name);
});

test("Only the file for variables holds the token in its snippet", () => {
  const snippets = tokenSnippets("https://ci.example", "svc_live_secret");
  assert.deepEqual(snippets.filter((one) => one.text.includes("svc_live_secret")).map((one) => one.place), [".env"]);
  assert.ok(snippets.every((one) => one.text.includes("https://ci.example")));
});

test("The form of a trigger key makes the body of its request, or errors by field", () => {
  const values = { name: " github ", life: "", addresses: "", limit: "", window: "60" };
  const bodies: [object, object][] = [
    [{}, { name: "github" }],
    [{ life: "2592000" }, { name: "github", expiresIn: 2592000 }],
    [
      { addresses: "203.0.113.7\n 2001:db8::1, 10.0.0.0/8" },
      { name: "github", allowedCidrs: ["203.0.113.7/32", "2001:db8::1/128", "10.0.0.0/8"] },
    ],
    [{ limit: "20", window: "1" }, { name: "github", rateLimit: { limit: 20, windowSeconds: 1 } }],
  ];
  for (const [change, body] of bodies) assert.deepEqual(keyBody({ ...values, ...change }).body, body);
  const errors: [object, string][] = [
    [{ name: " " }, "name"], [{ limit: "0" }, "limit"], [{ limit: "1e3" }, "limit"], [{ limit: "100001" }, "limit"],
    [{ addresses: "10.0.0.1 10.0.0.1" }, "addresses"],
    [{ addresses: Array.from({ length: 25 }, (_, at) => `10.0.0.${at}`).join(" ") }, "addresses"],
  ];
  for (const [change, field] of errors) {
    const checked = keyBody({ ...values, ...change });
    assert.deepEqual([checked.body, Object.keys(checked.errors)], [undefined, [field]], JSON.stringify(change));
  }
});

test("Snippets of a trigger key name the job, and only the file for variables holds the key", () => {
  const snippets = keySnippets("https://ci.example", "01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f70", "svc_trigger_secret");
  assert.deepEqual(snippets.filter((one) => one.text.includes("svc_trigger_secret")).map((one) => one.place), [".env"]);
  const commands = snippets.filter((one) => one.place !== ".env");
  assert.ok(commands.every((one) => one.text.includes("https://ci.example/api/jobs/01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f70/trigger")));
});
