import assert from "node:assert/strict";
import { test } from "node:test";
import { type FirstFacts, firstState } from "../../../web/dashboard/src/pages/jobs/start/first_steps_state";

test("The steps of a new project follow each other and end with a run that passed", () => {
  const none: FirstFacts = { hasTest: false, hasJob: false, newest: undefined, hasPassed: false, runners: 1 };
  const cases: [Partial<FirstFacts>, string | undefined, boolean][] = [
    [{}, "test", false],
    [{ hasTest: true }, "job", false],
    [{ hasTest: true, hasJob: true }, "run", false],
    // Somebody deleted the test of the job.
    [{ hasJob: true }, "run", false],
    [{ hasTest: true, hasJob: true, newest: "queued" }, "run", false],
    [{ hasTest: true, hasJob: true, newest: "queued", runners: 0 }, "run", true],
    [{ hasTest: true, hasJob: true, newest: "running", runners: 0 }, "run", false],
    [{ runners: 0 }, "test", true],
    [{ runners: undefined }, "test", false],
    [{ hasTest: true, hasJob: true, newest: "failed" }, "run", false],
    [{ hasTest: true, hasJob: true, newest: "queued", hasPassed: true, runners: 0 }, undefined, false],
    [{ hasPassed: true }, undefined, false],
  ];
  for (const [facts, current, needsRunner] of cases) {
    const state = firstState({ ...none, ...facts });
    assert.deepEqual([state.current, state.needsRunner], [current, needsRunner], JSON.stringify(facts));
  }
});
