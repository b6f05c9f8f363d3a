import assert from "node:assert/strict";
import { test } from "node:test";
import { SettledReads } from "../../../web/dashboard/src/api/settled_reads";
import {
  HOURS, hourBars, hoursSentence, marksOf, marksSentence, streakWords, successText,
} from "../../../web/dashboard/src/pages/overview/overview_words";
import { MOST_JOBS, troublesOf } from "../../../web/dashboard/src/pages/shell/troubles";
import { failingJobs } from "../../../web/dashboard/src/parts/states";
import { until } from "./server";

const times = (count: number, status: string) => Array<string>(count).fill(status);

test("a failing job is one whose last run ended badly; a cancelled or waiting run says nothing", () => {
  const all = ["pending", "queued", "running", "passed", "failed", "error", "cancelled", "timed_out", "newer"];
  assert.deepEqual(failingJobs(all.map((status) => ({ status }))).map((job) => job.status), ["failed", "error", "timed_out"]);
});

test("the words under a job count the newest runs in a row that did not pass", () => {
  const cases: [string[], number, number, string | undefined][] = [
    [[], 0, 0, undefined],
    [["failed"], 1, 0, undefined],
    [["failed", "passed"], 2, 1, undefined],
    [["failed", "error", "passed", "failed"], 40, 30, "2 runs in a row did not pass"],
    [times(9, "failed").concat("passed"), 100, 91, "9 runs in a row did not pass"],
    [times(10, "timed_out"), 100, 3, "10 or more runs in a row did not pass"],
    [times(3, "error"), 3, 0, "None of its last 3 runs passed"],
    [times(10, "error"), 100, 0, "None of its last 100 runs passed"],
    [["passed", "failed", "failed"], 3, 1, undefined],
  ];
  for (const [lastStatuses, runs, passed, words] of cases) {
    assert.equal(streakWords({ lastStatuses: lastStatuses as never, runs, passed }), words);
  }
});

test("a success rate below 100 never reads as 100", () => {
  const cases: [number, number, string][] = [
    [100, 81, "81.0"], [100, 100, "100.0"], [100, 99, "99.0"], [7, 6, "85.7"], [3, 2, "66.6"], [3, 0, "0.0"],
  ];
  for (const [runs, passed, text] of cases) assert.equal(successText({ runs, passed }), `${text}\u00a0%`);
});

test("marks show the oldest run at the left, the worse the taller, and a dash for runs that do not exist", () => {
  const marks = marksOf(["failed", "error", "timed_out", "passed"]);
  const own = marks.filter((mark) => mark.look !== "f-unknown");
  assert.deepEqual(own.map((mark) => [mark.look, mark.x]), [
    ["f-passed", 66], ["f-timed-out", 77], ["f-timed-out", 77], ["f-error", 88], ["f-error", 88], ["f-error", 88], ["f-failed", 99],
  ]);
  assert.deepEqual(marks.filter((mark) => mark.look === "f-unknown").map((mark) => mark.x), [0, 11, 22, 33, 44, 55]);
  const height = (look: string) => Math.max(...own.filter((mark) => mark.look === look).map((mark) => 20 - mark.y));
  assert.ok(height("f-passed") < height("f-failed"));
  assert.equal(marksOf(times(10, "newer")).length, 10);
  assert.ok(marksOf(times(10, "newer")).every((mark) => mark.look === "f-unknown"));
  assert.equal(marksSentence([]), "No run has ended yet");
  assert.equal(marksSentence(["failed", "passed", "timed_out"]), "Ended runs, 3 in all: 1 passed, 1 failed, 1 timed out");
  assert.equal(marksSentence(times(7, "passed").concat(times(3, "failed"))), "Last ten ended runs: 7 passed, 3 failed");
});

test("the bars of hours stand on the axis, trouble on top, and every number above 0 is visible", () => {
  const { bars, top } = hourBars([{ passed: 0, notPassed: 0 }, { passed: 300, notPassed: 1 }, { passed: 0, notPassed: 300 }]);
  assert.equal(top, 600);
  assert.deepEqual([bars[0]!.passed, bars[0]!.notPassed], [undefined, undefined]);
  assert.deepEqual(bars[1]!.passed, { y: HOURS.base - 87, height: 87 });
  assert.deepEqual(bars[1]!.notPassed, { y: HOURS.base - 90, height: 2 });
  assert.deepEqual([bars[2]!.passed, bars[2]!.notPassed], [undefined, { y: HOURS.base - 87, height: 87 }]);
  assert.deepEqual(bars.map((bar) => bar.x), [6, 46, 86]);
  const full = hourBars([{ passed: 3, notPassed: 0 }]);
  assert.ok(full.bars[0]!.passed!.y >= 0);
});

test("the sentence of the chart has the range and the exceptions", () => {
  const hour = (start: string, passed: number, notPassed: number) => ({ start, passed, notPassed });
  const label = (start: string) => start;
  assert.equal(
    hoursSentence([hour("16:22", 43, 6), hour("17:22", 37, 9), hour("18:22", 1200, 0)], label),
    "Runs in each of the last 24 hours: 1\u00a0295 in all, at most 1\u00a0200 from 18:22. 15 did not pass, the most from 17:22 (9). " +
      "The table below has the numbers.",
  );
  assert.match(hoursSentence([hour("17:22", 2, 0)], label), / 2 in all, at most 2 from 17:22\. All passed\./);
});

test("the navigation counts only trouble", () => {
  const jobs = (count: number) => Array.from({ length: count }, () => ({ status: "failed" }));
  assert.deepEqual(troublesOf({ jobs: [{ status: "passed" }], monitors: { down: 0 }, openOutages: 0 }), {
    jobs: undefined, monitors: undefined, outages: undefined,
  });
  assert.deepEqual(troublesOf({ jobs: [...jobs(2), { status: "passed" }], monitors: { down: 1 }, openOutages: 1200 }), {
    jobs: { count: "2", label: "2 failing", look: "s-failed" }, monitors: { count: "1", label: "1 down", look: "s-down" },
    outages: { count: "1\u00a0200", label: "1\u00a0200 open", look: "s-down" },
  });
  assert.equal(troublesOf({ jobs: jobs(MOST_JOBS), monitors: { down: 0 }, openOutages: 0 }).jobs?.label, "100+ failing");
  assert.equal(troublesOf({ jobs: jobs(MOST_JOBS - 1), monitors: { down: 0 }, openOutages: 0 }).jobs?.label, "99 failing");
});

test("a change is read at once and again after the pause, and many changes cause one read in each pause", async () => {
  let count = 0;
  const reads = new SettledReads(() => count++, 40);
  reads.changed();
  assert.equal(count, 1);
  await until(() => count === 2);
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(count, 2, "nothing has changed since");

  for (let change = 0; change < 5; change++) reads.changed();
  assert.equal(count, 3);
  await until(() => count === 5);
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(count, 5, "the changes of the first pause need one more read");

  reads.changed();
  reads.changed();
  reads.stop();
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(count, 6);

  reads.readLater();
  assert.equal(count, 6, "the page has just read");
  await until(() => count === 7);
  reads.readLater();
  reads.changed();
  assert.equal(count, 8, "a change does not wait for the later read");
  await until(() => count === 9);
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(count, 9);
});
