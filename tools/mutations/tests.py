"""Runs the tests of a build with faults: once without a fault, to see which case reaches which fault, then for each fault."""

import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import zlib

CASES, FAULTS = 4096, 1024
# The tests of each module, quick ones first: a binary, or some files of its tests.
OPERATORS = "integration_system:admin_command,operator_views,reload,master_key,background_loops,service_manager,first_day"
LIMITS = "integration_system:limit_of_20,trigger_limits,windows,revocation,denied_redis,rotation_cases"
USERS = "integration_system:idempotency,schedules,tags_and_variables,heartbeats,asked_checks,first_day"
RUNNERS = "integration_system:runners,runner_limits,waiting_claims,unread_runner_responses"
PEOPLE = "integration_system:sessions,passwords,managed_passwords,invitations,organizations,projects,account_lists,"\
    "identity_sign_in"
STREAMS = "integration_output:stream,stream_right"
WATCHED = "integration_system:background_loops,asked_checks,watched_monitors,heartbeats"
TESTS = {
    "core": ["unit_core", "unit_app", "unit_cli", "unit_svc-runner", "unit_access", STREAMS],
    "domain": ["unit_domain", "unit_access", "unit_api"],
    "domain/monitoring": ["unit_domain_monitoring", "integration_store"],
    "domain/pages": ["unit_domain_pages"],
    "http/site": ["unit_http_site", "integration_system:pages"],
    "http/public_pages": ["unit_http_public_pages", "integration_public_pages", "unit_domain_pages"],
    "http": ["unit_http", "unit_api", "contract_tests"],
    "redis": ["unit_redis", "integration_redis", "integration_feed"],
    "postgres": ["unit_postgres", "integration_postgres"],
    "egress": ["unit_egress", "integration_egress", "unit_monitoring", "integration_monitoring_checks",
               "integration_monitoring_notifications:mail"],
    "store": ["unit_store", "integration_store", "integration_monitoring_notifications"],
    "monitoring": ["unit_monitoring", "integration_monitoring_checks", "integration_monitoring_scheduler",
                   "integration_monitoring_notifications", WATCHED],
    "access": ["unit_access", "integration_access", "contract_tests", STREAMS, LIMITS],
    "live/output": ["unit_live_output", "integration_output"],
    "live/feed": ["unit_live_feed", "integration_feed"],
    "live/dispatch": ["unit_live_dispatch", "integration_dispatch", RUNNERS],
    "api": ["unit_api", "contract_tests", USERS, PEOPLE],
    "sign_in": ["unit_sign_in", "integration_sign_in", PEOPLE],
    "runner_api": ["unit_runner_api", "contract_tests", RUNNERS],
    "net": ["unit_net", "integration_net", "integration_attacks:connection_hoarders"],
    "app": ["unit_app", "integration_app", OPERATORS],
    "cli": ["unit_cli", "integration_cli"],
    "svc-runner": ["unit_svc-runner", "integration_runner"],
}
PROGRAMS = ["svcd", "svc-runner", "svc"]
# A fault that lets a test wait for ever is found after this time, in seconds.
LONGEST_WAIT = 20


def module_of(source):
    """Returns the module of a source: src/domain/monitoring/... is a module of its own, for example."""
    parts = pathlib.PurePath(source).parts[1:]
    nested = "/".join(parts[:2])
    return nested if nested in TESTS else parts[0]


def tests_of(sources):
    """Returns the tests of the modules of these sources."""
    wanted = {name for source in sources for name in TESTS[module_of(source)]}
    return [name for name in dict.fromkeys(sum(TESTS.values(), [])) if name in wanted]


def command_of(tree, test):
    """Returns the command that runs a binary's tests, or only those of the named files."""
    binary, _, files = test.partition(":")
    command = [str(pathlib.Path(tree) / "build/dev/bin" / binary)]
    return command + ["-sf=" + ",".join(f"*/{name}_test.cpp" for name in files.split(","))] if files else command


def execute(command, environment, seconds, directory):
    """Returns the exit code, or None if the command was ended after `seconds`, and its output."""
    # A file, because servers that a test leaves behind would keep a pipe open.
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, cwd=directory,
                                   env=os.environ | environment, start_new_session=True)
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            code = None
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        output.seek(0)
        return code, output.read().decode(errors="replace")


def title_filter(titles):
    """Returns doctest's option that runs exactly these cases."""
    return "-tc=" + ",".join(title.replace("\\", "\\\\").replace(",", "\\,") for title in titles)


class Suite:
    """The tests of one build. `notes` is a directory for what the runs without a fault have shown."""

    def __init__(self, tree, notes):
        self.tree, self.notes = pathlib.Path(tree), pathlib.Path(notes)
        self.reaching = collections.defaultdict(dict)  # number of a fault -> binary -> {title: seconds}

    def observe(self, binary):
        """Runs all tests of a binary without a fault, unless an earlier call has done so."""
        # The checksum tells apart lists of files that begin alike, because a name is too short for a whole list.
        kept = self.notes / f"{re.sub(r'[^a-z_]', '_', binary)[:60]}-{zlib.crc32(binary.encode()):08x}.json"
        if not kept.exists():
            kept.write_text(json.dumps(self._observe(binary)))
        for number, titles in json.loads(kept.read_text()).items():
            self.reaching[int(number)][binary] = titles

    def _observe(self, binary):
        reached, cases = self.notes / "reached", self.notes / "cases"
        reached.write_bytes(b"")
        os.truncate(reached, 4 + CASES * FAULTS)
        reached.chmod(0o666)
        cases.write_text("")
        code, _ = execute(command_of(self.tree, binary),
                          {"TEST_MUTATION_REACHED": str(reached), "TEST_MUTATION_CASES": str(cases)}, 3600, self.tree)
        data, result, broken = reached.read_bytes(), {}, []
        for line in cases.read_text(errors="replace").splitlines():
            number, state, seconds, title = line.split("\t", 3)
            if state == "failed":
                broken.append(title)
            if state == "passed":
                row = data[4 + int(number) * FAULTS:4 + (int(number) + 1) * FAULTS]
                for fault, seen in enumerate(row):
                    if seen:
                        result.setdefault(fault, {})[title] = round(float(seconds), 3)
        print(f"  {binary}: exit code {code}", *(f"fails without a fault, so it is not used: {title}" for title in broken),
              sep="\n    ", flush=True)
        return result

    def judge(self, number, source, budget):
        """Runs the cases that reach a fault, those of the module's binaries in their order, the shortest cases first, for
        about `budget` seconds. Returns found, survived or not reached, and the case that failed."""
        reached = False
        for binary in TESTS[module_of(source)]:
            cases, total = [], 0.0
            for title, seconds in sorted(self.reaching[number].get(binary, {}).items(), key=lambda pair: pair[1]):
                if total + seconds > budget and cases:
                    break
                total += seconds
                cases.append(title)
            while cases:
                reached = True
                failed = self._run(binary, cases, number, total)
                if failed is None:
                    break
                # A case that also fails without the fault says nothing.
                doubtful = [failed] if failed in cases else cases
                if binary.startswith("unit_") or self._run(binary, doubtful, 0, total) is None:
                    return "found", f"{binary}: {failed}"
                cases = [title for title in cases if title not in doubtful]
        return ("survived" if reached else "not reached"), ""

    def _run(self, binary, titles, number, expected):
        """Returns the title of the first case that fails, or None."""
        command = [*command_of(self.tree, binary), "--abort-after=1", title_filter(titles)]
        code, output = execute(command, {"TEST_MUTATION": str(number)}, LONGEST_WAIT + 4 * expected, self.tree)
        if code == 0:
            return None
        if code is None:
            return "does not end"
        titles = re.findall(r"^TEST CASE:\s+(.*)$", output, re.MULTILINE)
        return titles[0] if titles else f"exit code {code}"
