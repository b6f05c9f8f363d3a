#!/usr/bin/env python3
"""Runs the tests of stores, processes and lines that fail, in long forms, in an hour on two cores at most.

usage: test_fault.py BUILD_DIRECTORY [STEP...]

Each step has its share of the hour; one that needs more is ended and has failed. The output of each is in
BUILD_DIRECTORY/Testing/fault/STEP.log; its tables are also printed. With names of steps only these run. Exits with 0
if all have passed, otherwise 1.
"""

import os
import pathlib
import signal
import subprocess
import sys
import time

RIG, SYSTEM, OUTPUT, REDIS = "fault_rig", "integration_system", "integration_output", "integration_redis"
# With the disk under them that a store has elsewhere; short forms are in memory where there is plenty.
ON_DISK = {"TEST_PLACE": "/tmp"}
# Name, seconds, binary, source files of its tests, variables that choose the long form.
STEPS = [
    ("judges", 10, RIG, "judge,gate", {}),
    ("partitions", 1260, RIG, "partition", {"TEST_PARTITION": "30"}),
    ("frozen", 320, RIG, "frozen", {"TEST_PARTITION": "30"}),
    ("full", 130, RIG, "full_disk,full_memory", {"TEST_PARTITION": "30"}),
    ("soak", 280, RIG, "soak", {"SOAK_MINUTES": "3"}),
    ("stores", 190, SYSTEM, "lost_redis,lost_postgres,lost_stores,revocation_outage,revocation_faults", {}),
    ("promotion", 235, SYSTEM, "promotion,restore,lost_commits", {}),
    ("failovers", 160, SYSTEM, "redis_failover", {"TEST_FAILOVERS": "2", "TEST_MOVES": "10"}),
    ("groups", 100, REDIS, "sentinel,cluster,cluster_failover,cluster_lookups", {"TEST_LOOKUPS": "1000000"}),
    ("identity", 95, SYSTEM, "identity", {"TEST_ANSWERS": "16000"}),
    ("late uses", 130, SYSTEM, "late_uses", {"TEST_LATE": "60"}),
    ("campaign", 210, SYSTEM, "runner_campaign", {"TEST_CAMPAIGN": "1500"}),
    ("freezes", 140, SYSTEM, "freeze_campaign", {"TEST_FREEZES": "60"}),
    ("kills", 100, SYSTEM, "idempotency_kill,completes_kill,runner_kill", {"TEST_TRIGGERS": "1500"}),
    ("rolls", 110, SYSTEM, "rolling,service_manager", {"TEST_ROLLS": "8", "TEST_RESTARTS": "6"}),
    ("clocks", 100, SYSTEM, "clocks,frozen_instance,instances", {}),
    ("streams", 30, OUTPUT, "stream_right", {"TEST_STREAM_OUTAGE": "10"}),
]
assert sum(step[1] for step in STEPS) <= 3600


def run(build, step, logs):
    """Whether it passed, and after how many seconds it ended."""
    name, share, binary, files, variables = step
    command = [build / "bin" / binary, "--source-file=" + ",".join(f"*/{file}_test.cpp" for file in files.split(","))]
    begun = time.monotonic()
    with open(logs / f"{name.replace(' ', '_')}.log", "w", encoding="utf-8") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=ON_DISK | os.environ | variables,
                                   start_new_session=True)
        try:
            code = process.wait(share)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            code = None
    return code, time.monotonic() - begun, pathlib.Path(log.name).read_text(encoding="utf-8", errors="replace")


def show(text, passed):
    """The tables, and everything when it failed."""
    for line in text.splitlines():
        if not passed or " | " in line:
            print("    " + line)


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__.strip())
        return 0 if sys.argv[1:] == ["--help"] else 2
    build = pathlib.Path(sys.argv[1])
    chosen = [step for step in STEPS if not sys.argv[2:] or step[0] in sys.argv[2:]]
    if unknown := set(sys.argv[2:]) - {step[0] for step in STEPS}:
        print("test_fault: no step named " + ", ".join(sorted(unknown)))
        return 2
    logs = build / "Testing" / "fault"
    logs.mkdir(parents=True, exist_ok=True)
    results = []
    for number, step in enumerate(chosen, 1):
        print(f"test_fault: {number}/{len(chosen)} {step[0]}, at most {step[1]} s", flush=True)
        code, seconds, text = run(build, step, logs)
        show(text, code == 0)
        said = {0: "passed", None: "too slow"}.get(code, "failed")
        results.append((step[0], said, seconds, step[1]))
        print(f"test_fault: {step[0]} {said} after {seconds:.0f} s", flush=True)
    print("\n| step | result | seconds | share |\n|---|---|---|---|")
    for name, said, seconds, share in results:
        print(f"| {name} | {said} | {seconds:.0f} | {share} |")
    print(f"test_fault: {sum(result[2] for result in results) / 60:.0f} minutes")
    return 0 if all(result[1] == "passed" for result in results) else 1


sys.exit(main())
