import assert from "node:assert/strict";
import { test } from "node:test";
import { runReason } from "../../../web/dashboard/src/pages/runs/run_reason";
import { waitingWords } from "../../../web/dashboard/src/pages/runs/waiting_words";
import { dayStartingAt, startOfDay } from "../../../web/dashboard/src/time/zone_day";

type Ended = Parameters<typeof runReason>[0];
const failed = (title: string, errorDetails: string | null = null) => ({ title, status: "failed" as const, errorDetails });
const passed = { title: "Open the shop", status: "passed" as const, errorDetails: null };

test("A run in a list says in one line why it did not pass", () => {
  const cases: [Partial<Ended>, string | undefined][] = [
    [{ tests: [passed, failed("Pay", "\n  exit code 3\nmore")] }, "Pay: exit code 3"],
    [{ tests: [failed("Pay"), failed("Refund", "exit code 1")] }, "Refund: exit code 1 (and 1 more)"],
    [{ tests: [failed("Pay")], errorDetails: "the run's time was over" }, "Pay: the run's time was over"],
    [{ tests: [failed("Pay")] }, "Pay"],
    [{ status: "error", tests: [passed], errorDetails: "the runner was lost" }, "the runner was lost"],
    [{ status: "error", tests: [] }, undefined],
    [{ status: "passed", tests: [passed] }, undefined],
    [{ status: "cancelled", errorDetails: "cancelled" }, undefined],
    [{ status: "running", tests: [failed("Pay", "exit code 3")] }, undefined],
  ];
  for (const [run, reason] of cases) assert.equal(runReason({ status: "failed", errorDetails: null, tests: [], ...run }), reason);
});

test("A run without a runner names the type that no runner takes", () => {
  assert.match(waitingWords({ reasons: ["no_runner_for_type"], runners: [] }, "playwright").act, /takes runs of playwright/);
});

test("A moment that starts or ends a day of the reader's zone is that day in the filters, any other moment is none", () => {
  const zones = ["UTC", "Asia/Kolkata", "America/New_York", "America/Sao_Paulo", "Africa/Cairo"];
  for (const zone of zones) {
    for (const day of ["2026-11-30", "2026-03-08", "2026-11-01", "2018-11-04", "2026-04-24"]) {
      assert.equal(dayStartingAt(startOfDay(day, zone)!.toISOString(), zone), day, zone);
      assert.equal(dayStartingAt(startOfDay(day, zone, 1)!.toISOString(), zone, 1), day, zone);
    }
  }
  for (const moment of ["2026-11-30T04:00:00Z", "no moment", undefined]) assert.equal(dayStartingAt(moment, "UTC"), undefined);
});
