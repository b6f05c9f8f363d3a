import assert from "node:assert/strict";
import { test } from "node:test";
import { localWords, noteWords } from "../../../web/dashboard/src/pages/jobs/edit/preview_words";
import { isLocated, pathWithin } from "../../../web/dashboard/src/pages/located";
import { runnerState } from "../../../web/dashboard/src/pages/runners/runner_place";
import { type RunWaiting, waitingWords } from "../../../web/dashboard/src/pages/runs/waiting_words";

test("Times of a schedule show in the zone of the job, whatever the zone of the reader is", () => {
  const cases: [string, string, string][] = [
    ["2027-03-14T03:00:00", "-04:00", "Sunday, 14 Mar 2027, 03:00 (UTC-04:00)"],
    ["2026-12-31T23:59:00", "+05:30", "Thursday, 31 Dec 2026, 23:59 (UTC+05:30)"],
    ["not a time", "+00:00", "not a time"],
  ];
  for (const [local, offset, words] of cases) assert.equal(localWords({ local, offset }), words);
  assert.match(noteWords("skipped"), /end of the gap/);
  assert.match(noteWords("doubled"), /twice/);
  assert.match(noteWords("skipped", "window"), /the window starts at the end of the gap/);
});

const runner = (busy: number, lastSeenAt = "2026-11-20T10:00:00.000Z") => ({ name: "build", slots: 4, busy, lastSeenAt });

test("A waiting run names its reason; a missing runner comes before a limit, and a limit before busy runners", () => {
  const cases: [Partial<RunWaiting>, RegExp][] = [
    [{ reasons: ["no_runner_for_type"] }, /^no runner takes runs of this type$/],
    [{ reasons: ["runners_busy"], runners: [runner(4), runner(4)] }, /^all runners are busy$/],
    [{ reasons: ["max_concurrent_runs"], running: 2, limit: 2 }, /^the job has 2 of at most 2 running runs$/],
    [{ reasons: ["runners_busy", "max_concurrent_runs"], running: 1, limit: 1 }, /^the job has 1 of at most 1/],
    [{ reasons: ["max_concurrent_runs", "no_runner_for_type"], running: 1, limit: 1 }, /^no runner/],
    [{ reasons: [] }, /in a moment$/],
  ];
  const words = (waiting: Partial<RunWaiting>) => waitingWords({ reasons: [], runners: [], ...waiting }, "playwright");
  for (const [waiting, title] of cases) assert.match(words(waiting).title, title);
  assert.match(words({ reasons: ["runners_busy"], runners: [runner(4), runner(4)] }).act, /All 8 slots/);
  assert.match(words({ reasons: ["no_runner_for_type"] }).act, /takes runs of playwright/);
});

test("A runner is busy with all slots in use, and silent after a minute", () => {
  const now = new Date("2026-11-20T10:01:00.000Z");
  const cases: [ReturnType<typeof runner>, string][] = [
    [runner(4), "Busy"], [runner(3), "Free"], [runner(0, "2026-11-20T09:59:59.999Z"), "Silent"], [runner(5), "Busy"],
  ];
  for (const [one, word] of cases) assert.equal(runnerState(one, now).word, word);
});

test("A link of a message leads to pages of this application only", () => {
  const cases: [string, string | undefined][] = [
    ["/app/acme/shop/jobs/01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f70", "/acme/shop/jobs/01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f70"],
    ["/app/acme/shop", "/acme/shop"], ["/app/acme", undefined], ["https://evil.example/app/a/b", undefined], ["//evil.example", undefined],
    ["/app/acme/shop/../..", undefined], ["/app/acme/shop//x", undefined], ["/app/acme/shop/jobs?x=1", undefined], ["", undefined],
    ["/api/jobs/x", undefined],
  ];
  for (const [path, within] of cases) assert.equal(pathWithin(path), within, path);
  for (const type of ["monitor", "outage", "alert", "job", "run", "test", "provider", "status_page"]) assert.ok(isLocated(type));
  for (const type of ["", "token", "toString", "constructor"]) assert.ok(!isLocated(type), type);
});
