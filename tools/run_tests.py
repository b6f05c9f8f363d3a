#!/usr/bin/env python3
"""Runs all tests of a build once, and ticker.py beside them, which records when the machine stood still.

usage: run_tests.py BUILD_DIRECTORY

A failed test is run again, at most twice, only if the machine stood still for 500 ms or more while it ran: a
deadline cannot tell that from a fault. Every other failure stands. Reports at the end how many tests ran, which were
repeated, and for which stall; the output of failed tests is above. Exits with 0 if all have passed, otherwise 1.
"""

import os
import pathlib
import re
import subprocess
import sys
import time

REPEATS = 2
TICKER = pathlib.Path(__file__).with_name("ticker.py")
STARTED = re.compile(r"\s+Start\s+\d+: (\S+)\s*$")
ENDED = re.compile(r"\s*\d+/\d+ Test\s+#\d+: (\S+) ")


class Ticker:
    """One for each run of ctest; all share one record. Ends before the record is read, so that it has the last stall."""

    def __init__(self, record):
        self.record = record
        # In a session of its own, as servers of tests are: where the scheduler goes by sessions, it waits as they do.
        self.process = subprocess.Popen([sys.executable, TICKER, record], start_new_session=True)
        while f"ticker {self.process.pid} " not in self.text() and self.process.poll() is None:
            time.sleep(0.01)

    def text(self):
        return self.record.read_text() if self.record.exists() else ""

    def end(self):
        """The stalls: (begin, end) in seconds of CLOCK_MONOTONIC."""
        lived = self.process.poll() is None
        self.process.terminate()
        self.process.wait()
        if not lived:
            print("run_tests: the ticker ended by itself: what it missed excuses no test")
        lines = [line.split() for line in self.text().splitlines()]
        if lines and int(lines[0][3]) >= 0:
            print("run_tests: the ticker has normal priority: a test that keeps all cores busy may look like a stall")
        return [(float(line[1]), float(line[2])) for line in lines if line[0] == "stall"]


def run_ctest(build, names):
    """Runs these tests, all if None: whether ctest succeeded, start and end of each, names of those that failed."""
    failures = build / "Testing" / "Temporary" / "LastTestsFailed.log"
    failures.unlink(missing_ok=True)
    # Several at once where the tests allow it; each waits two fifths of its time.
    jobs = len(os.sched_getaffinity(0)) + 1
    command = ["ctest", "-j", str(jobs), "--test-dir", build, "--output-on-failure", "--no-tests=error"]
    if names:
        command += ["-R", "^(" + "|".join(re.escape(name) for name in names) + ")$"]
    begun, over = {}, {}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace") as ctest:
        for line in ctest.stdout:
            print(line, end="", flush=True)
            # The output of a failed test may look the same; it comes after ctest's own line with that name.
            if match := STARTED.match(line):
                begun.setdefault(match[1], time.monotonic())
            elif match := ENDED.match(line):
                over.setdefault(match[1], time.monotonic())
    spans = {name: (begin, over.get(name, time.monotonic())) for name, begin in begun.items()}
    failed = [line.split(":", 1)[1] for line in failures.read_text().splitlines()] if failures.exists() else []
    return ctest.returncode == 0, spans, failed


def stall_within(span, stalls):
    """Describes the longest stall during which the test ran; empty if there was none."""
    met = [stall for stall in stalls if stall[0] < span[1] and span[0] < stall[1]]
    if not met:
        return ""
    begin, end = max(met, key=lambda stall: stall[1] - stall[0])
    return f"a stall of {1000 * (end - begin):.0f} ms, {max(0.0, begin - span[0]):.1f} s after its start"


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__.strip())
        return 0 if sys.argv[1:] == ["--help"] else 2
    build = pathlib.Path(sys.argv[1])
    record = build / "Testing" / "stalls.txt"
    record.parent.mkdir(exist_ok=True)
    record.unlink(missing_ok=True)
    said = {}  # for each test that failed: how each of its runs ended
    count, names, odd = 0, None, False
    for repeats_left in range(REPEATS, -1, -1):
        ticker = Ticker(record)
        try:
            content, spans, failed = run_ctest(build, names)
        finally:
            stalls = ticker.end()
        count = count or len(spans)
        odd = odd or (not content and not failed)
        for name in names or []:
            if name not in failed:
                said[name].append("passed")
        names = []
        for name in failed:
            stall = stall_within(spans[name], stalls) if name in spans else ""
            said.setdefault(name, []).append("failed beside " + (stall or "no stall"))
            if stall and repeats_left:
                names.append(name)
        if not names:
            break
    standing = [name for name, runs in said.items() if runs[-1] != "passed"]
    repeated = [name for name, runs in said.items() if len(runs) > 1]
    print(f"\nrun_tests: {count} tests, {len(repeated)} repeated, {len(standing)} failed")
    for name, runs in said.items():
        print(f"run_tests: {name}: " + "; ".join(runs))
    if odd:
        print("run_tests: ctest itself failed")
    return 1 if standing or odd else 0


sys.exit(main())
