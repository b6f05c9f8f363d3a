export interface TestProgress {
  status: string;
  /** Number of the line that announces the test. */
  line?: number;
  durationMs?: number;
  /** Milliseconds of this browser's clock, if the page saw the start live. */
  seenAt?: number;
}

const MARKER =
  /^\[svc-runner: test (\d{1,3}) of (\d{1,3})(?:: | (passed|failed|error|timed_out|cancelled|skipped)(?: after (\d{1,10}) ms)?\]$)/;

/**
 * Reads the progress of a run with several tests from the lines with which the runner separates them. Results of the API,
 * which come at the end of the run, win over these.
 */
export function readProgress(tests: TestProgress[], line: number, text: string, now?: number): TestProgress[] {
  const found = MARKER.exec(text);
  if (!found || Number(found[2]) !== tests.length || tests.length < 2) return tests;
  const at = Number(found[1]) - 1;
  const current = tests[at];
  if (!current) return tests;
  const next: TestProgress = found[3]
    ? { ...current, status: found[3], durationMs: found[4] === undefined ? undefined : Number(found[4]) }
    : { ...current, status: "running", line, seenAt: now };
  // A script may print such a line; a test that has ended does not start again.
  if (!found[3] && current.status !== "queued") return tests;
  return tests.map((test, index) => (index === at ? next : test));
}
