import assert from "node:assert/strict";
import { test } from "node:test";
import { runReason } from "../../../web/dashboard/src/pages/runs/run_reason";

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
