#!/usr/bin/env python3
"""Attacks a release build as one tenant would, and compares what that costs with a table of budgets.

usage: tests/cost/cost.py [--binary build/release/bin/svcd] [--short | --minutes N | --case NAME [NUMBER=VALUE ...]]
                          [--seed N] [--list] [--planted]

Without a choice each case runs once. --short: the known worst cases, in about a minute. --minutes: all cases once, then
cases whose numbers are changed towards higher cost, for so long; at last the ten most expensive per resource.
--planted: with a build that has failpoints, a turn of 300 ms is planted into a request; exits with 1 unless it is seen.
Exits with 1 if a budget was exceeded, or the second tenant was refused. tests/cost/README.md explains the rest.
"""

import argparse
import http.client
import json
import pathlib
import random
import signal
import sys
import threading
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import cases
from bystander import Bystander
from cases import operations
from gauge import Gauge
from installation import Installation
from budgets import costs_of, excesses, parts_of_budget
from place import Place

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LONGEST_END_SECONDS = 5 + 5 + 2  # drain_timeout, what is promised beyond it, and the machine
SHOWN_FAILURES = 6
PLANTED_TRIES = 3
AGAIN = 2  # A budget counts as exceeded if each of so many tries exceeded it: the machine is shared.
ENVIRONMENT = {"SVC_LOG_LEVEL": "warn", "SVC_WORKERS": "2", "SVC_HTTP_CONNECTIONS_PER_ADDRESS": "10000",
               "SVC_DRAIN_TIMEOUT": "5s"}


class Laboratory:
    """Runs cases one at a time on one installation, and keeps what they cost."""

    def __init__(self, binary, environment=None):
        self.installation = Installation(binary, {**ENVIRONMENT, **(environment or {})})
        self.place = Place(self.installation)
        self.bystander = Bystander(self.installation, self.place.other)
        self.gauge = Gauge(self.installation)
        self.results = []
        time.sleep(1)
        self.idle = self.gauge.measure(lambda: time.sleep(1))[1]

    def close(self):
        self.gauge.close()
        self.bystander.close()
        self.installation.close()

    def once(self, case, numbers):
        """Runs a case; returns its costs, and what the second tenant was refused."""
        self.bystander.take()
        began = time.monotonic()
        said, reading = self.gauge.measure(lambda: self.attack(case, numbers))
        self.take_away_idle(reading, time.monotonic() - began)
        noticed = self.bystander.take()
        costs = costs_of(reading, {kind: slowest for kind, (slowest, _) in noticed.items()})
        refused = [failure for _, failures in noticed.values() for failure in failures]
        return said, costs, refused

    def attack(self, case, numbers):
        try:
            status, text = case.run(self.place, **numbers)
            return f"{status} {text[-200:] if status == 400 else text[:80]!r}"
        except (OSError, http.client.HTTPException) as failure:  # To close a connection is an answer too.
            self.place.attacker.close()
            return repr(failure)[:100]

    def take_away_idle(self, reading, seconds):
        """The second tenant and the background loops spend all the time; that is not the case's cost."""
        for name, value in reading.thread_ms.items():
            reading.thread_ms[name] = max(0.0, value - self.idle.thread_ms.get(name, 0.0) * seconds)
        for field in ("redis_ms", "postgres_ms", "written_kb"):
            setattr(reading, field, max(0.0, getattr(reading, field) - getattr(self.idle, field) * seconds))

    def run(self, case, numbers=None):
        """Runs a case, again while it exceeds a budget; remembers the cheapest of its tries."""
        numbers = numbers or case.seeds()
        wrong = []
        for _ in range(AGAIN):
            said, costs, refused = self.once(case, numbers)
            found = excesses(case.group, costs) + refused
            if not wrong or len(found) < len(wrong):
                wrong, best = found, (said, costs)
            if not found:
                wrong = []
                best = (said, costs)
                break
        result = {"case": case.name, "group": case.group, "numbers": numbers, "said": best[0], "costs": best[1],
                  "wrong": wrong}
        self.results.append(result)
        return result


def show(result):
    """The two costs that are nearest to their budgets, and what is wrong."""
    parts = sorted(parts_of_budget(result["group"], result["costs"]).items(), key=lambda one: -one[1])[:2]
    near = ", ".join(f"{name} {result['costs'][name]:.1f} ({part:.0%})" for name, part in parts)
    numbers = " ".join(f"{name}={value}" for name, value in result["numbers"].items())
    print(f"{'EXCEEDED ' if result['wrong'] else ''}{result['case']} {numbers}: {near}; {result['said']}", flush=True)
    for line in result["wrong"][:SHOWN_FAILURES]:
        print("    " + line, flush=True)
    if len(result["wrong"]) > SHOWN_FAILURES:
        print(f"    and {len(result['wrong']) - SHOWN_FAILURES} more", flush=True)


def show_costs(result):
    """All costs of one case, each with its part of the budget."""
    parts = parts_of_budget(result["group"], result["costs"])
    for name, cost in result["costs"].items():
        print(f"    {name:20} {cost:10.1f}" + (f" {parts[name]:6.0%}" if name in parts else ""))


def mutated(case, numbers, chance):
    """Other numbers near these: doubled, halved, at an end of their range, or any."""
    out = dict(numbers)
    for name in chance.sample(list(out), k=chance.randint(1, len(out))):
        bounds = case.numbers[name]
        value = chance.choice([out[name] * 2, out[name] // 2, bounds.high, bounds.low,
                               round(bounds.low * (bounds.high / max(1, bounds.low)) ** chance.random())])
        out[name] = max(bounds.low, min(bounds.high, value))
    return out


def score(result):
    return max(parts_of_budget(result["group"], result["costs"]).values())


def search(laboratory, chosen, minutes, chance):
    """Changes numbers of the cases, the more often the nearer they are to a budget, and keeps what costs more."""
    best = {}
    for case in chosen:
        best[case.name] = laboratory.run(case)
        show(best[case.name])
    until = time.monotonic() + minutes * 60
    tries = 0
    while time.monotonic() < until:
        case = chance.choices(chosen, weights=[0.02 + score(best[one.name]) for one in chosen])[0]
        tried = laboratory.run(case, mutated(case, best[case.name]["numbers"], chance))
        tries += 1
        if tried["wrong"] or score(tried) > score(best[case.name]):
            show(tried)
        if score(tried) > score(best[case.name]):
            best[case.name] = tried
    print(f"{tries} changed cases in {minutes} minutes")


def show_table(results):
    """The ten most expensive cases for each resource."""
    resources = sorted({name for result in results for name in result["costs"]})
    for resource in resources:
        print(f"\n| {resource} | case | numbers |\n|--:|---|---|")
        seen = set()
        for result in sorted(results, key=lambda one: -one["costs"][resource]):
            if result["case"] in seen:
                continue
            seen.add(result["case"])
            numbers = " ".join(f"{name}={value}" for name, value in result["numbers"].items())
            print(f"| {result['costs'][resource]:.1f} | {result['case']} | {numbers} |")
            if len(seen) == 10:
                break


def contracts_of(binary):
    """The contracts, from the build that the program belongs to."""
    directory = pathlib.Path(binary).resolve().parent.parent / "src"
    return [json.loads((directory / name).read_text()) for name in ("openapi.json", "internal.json", "dashboard.json")]


def choose(given, everything):
    if given.case:
        return [everything[given.case]]
    return [case for case in everything.values() if case.short or not given.short]


def sees_planted_fault(binary, everything):
    """True if a request that keeps its worker busy for 300 ms exceeds its budget, and the same one without it does not.

    On a full machine the worker gets little processor time in 300 ms, so the fault has several tries to be seen. Time that
    another machine takes splits a piece of work in two, so the whole time of the worker shows the fault as well.
    """
    laboratory = Laboratory(binary)
    try:
        case = everything["register_executor_largest"]
        plain = laboratory.run(case)
        show(plain)
        request = urllib.request.Request(laboratory.installation.line["adminUrl"] + "/debug/failpoints",
                                         b"internal.before_handler=block:300")
        with urllib.request.urlopen(request, timeout=10):
            pass
        for _ in range(PLANTED_TRIES):
            planted = laboratory.run(case)
            show(planted)
            if any(line.startswith("worker_") for line in planted["wrong"]):
                return not plain["wrong"]
        return False
    finally:
        laboratory.close()


def ends_in_time(laboratory, case):
    """Sends SIGTERM while a case runs; seconds until the process has ended, or None if that took too long."""
    attack = threading.Thread(target=laboratory.attack, args=(case, case.seeds()), daemon=True)
    attack.start()
    time.sleep(0.3)
    return laboratory.installation.stop(LONGEST_END_SECONDS)


def parse_arguments():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--binary", default=str(ROOT / "build/release/bin/svcd"))
    options.add_argument("--short", action="store_true")
    options.add_argument("--minutes", type=float, default=0)
    options.add_argument("--case")
    options.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    options.add_argument("--list", action="store_true")
    options.add_argument("--planted", action="store_true")
    options.add_argument("numbers", nargs="*", help="NUMBER=VALUE of the one case")
    return options.parse_args()


def run_all(laboratory, given, chosen, everything):
    """Runs what was chosen. Returns the failures that belong to no case, as sentences."""
    if given.minutes:
        print(f"seed {given.seed}")
        search(laboratory, chosen, given.minutes, random.Random(given.seed))
        show_table(laboratory.results)
    else:
        for case in chosen:
            more = {name: int(value) for name, value in (each.split("=") for each in given.numbers)}
            show(laboratory.run(case, case.seeds() | more))
    if given.case:
        show_costs(laboratory.results[-1])
        return []
    took = ends_in_time(laboratory, everything["repetitive_keyword"])
    if took is None:
        return [f"SIGTERM during a check: not ended within {LONGEST_END_SECONDS} s"]
    print(f"SIGTERM during a check: ended after {took:.1f} s")
    return []


def main():
    given = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    everything = cases.load_all()
    operations.add_all(contracts_of(given.binary))
    chosen = choose(given, everything)
    if given.list:
        for case in chosen:
            print(f"{case.name} ({case.group}): {case.summary}")
        return 0
    if given.planted:
        seen = sees_planted_fault(given.binary, everything)
        print(f"{int(seen)} passed, {int(not seen)} failed")
        return 0 if seen else 1
    laboratory = Laboratory(given.binary)
    try:
        others = run_all(laboratory, given, chosen, everything)
    finally:
        laboratory.close()
    for sentence in others:
        print(sentence)
    wrong = sum(1 for result in laboratory.results if result["wrong"]) + len(others)
    print(f"{len(laboratory.results) + len(others) - wrong} passed, {wrong} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
