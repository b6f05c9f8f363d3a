#!/usr/bin/python3
"""Puts realistic faults into functions chosen at random and reports those that no test finds.

usage: mutate.py [--count N] [--seed N] [--budget SECONDS] [--again] [--show N] [STEP...]

Steps, all by default: `plan` chooses functions and faults, `build` compiles a copy of the project with all of them at once,
`run` executes the tests of each fault's module that reach it, `report` writes the results. The same seed and the same
sources give the same faults. The next call continues an interrupted one, and a larger N adds faults. The copy is in
build/mutations/tree, the results are in build/mutations/SEED: plan.json, results.jsonl and report.txt. No file outside build/
changes.

--budget   seconds of tests of one binary for each fault (60); unit tests rarely need a second
--again    after new tests: forgets all survivors, builds the present tests and judges the survivors again
--show N   prints fault N of the plan and ends
"""

import argparse
import difflib
import json
import pathlib
import random
import shutil
import subprocess
import sys
import time

import faults
import tests

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
HEADER = b'#include <svc/mutation_switch.hpp>\n#pragma clang diagnostic ignored "-Weverything"\n#line 1\n'
COPIED = ["CMakeLists.txt", "CMakePresets.json", "CHANGELOG.md", "cmake", "deploy", "docs", "include", "openapi", "schema", "src",
          "tests", "tools", "web/dashboard/src/styles"]
TRIES = 6


def sources():
    """Returns the names of all sources that can get faults, with their lines as weights."""
    names = subprocess.run(["git", "ls-files", "src/*.cpp"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    return {name: (ROOT / name).read_bytes().count(b"\n") for name in names if (ROOT / name).exists()}


class Planner:
    """Chooses functions at random, and for each one fault that compiles. Functions of a long file are chosen more often."""

    def __init__(self, chosen):
        self.compiler = faults.Compiler(ROOT)
        self.files = sources()
        self.texts, self.functions = {}, {}
        self.taken = {(entry["file"], entry["index"]) for entry in chosen}

    def _load(self, name):
        if name not in self.functions:
            self.texts[name] = (ROOT / name).read_bytes()
            unit = self.compiler.parse(name)
            found = faults.functions(unit, str(ROOT / name)) if unit is not None else []
            possible = [(function.spelling, faults.faults_of(self.texts[name], function)) for function in found]
            self.functions[name] = [(spelling, kinds) for spelling, kinds in possible if kinds]
        return self.functions[name]

    def _compiles(self, name, fault):
        text = faults.apply(self.texts[name], [(1, fault)], b"constexpr bool svc_fault(int) { return false; }\n")
        unit = self.compiler.parse(name, text.decode())
        return all(diagnostic.severity < faults.cindex.Diagnostic.Error for diagnostic in unit.diagnostics)

    def choose(self, number, seed):
        """Returns fault `number` of a seed as an entry of the plan."""
        chance = random.Random(f"{seed} {number}")
        while True:
            name = chance.choices(list(self.files), list(self.files.values()))[0]
            functions = self._load(name)
            if not functions:
                continue
            index = chance.randrange(len(functions))
            if (name, index) in self.taken:
                continue
            self.taken.add((name, index))
            spelling, kinds = functions[index]
            for _ in range(TRIES):
                fault = chance.choice(kinds[chance.choice(list(kinds))])
                if self._compiles(name, fault):
                    return {"number": number, "file": name, "index": index, "line": fault.line, "function": spelling,
                            "kind": fault.kind, "edits": [[start, end, text.decode()] for start, end, text in fault.edits],
                            "diff": difference(name, self.texts[name], fault)}


def difference(name, before, fault):
    """Returns the fault as a diff without the switch."""
    text = before
    for start, end, replacement in fault.edits:
        text = text[:start] + faults.wrong(replacement, before, start, end) + text[end:]
    lines = difflib.unified_diff(before.decode().splitlines(), text.decode().splitlines(), name, name, "", "", 1, "")
    return "\n".join(list(lines)[2:])


def plan(count, seed, place):
    """Writes plan.json, or continues it until it has `count` faults."""
    file = place / "plan.json"
    planned = json.loads(file.read_text()) if file.exists() else {"faults": [], "files": {}}
    chosen = planned["faults"]
    if len(chosen) >= count:
        return
    if any((ROOT / name).read_text() != text for name, text in planned["files"].items() if (ROOT / name).exists()):
        raise SystemExit("the sources have changed since the plan: take another seed, or go back to the plan's commit")
    planner = Planner(chosen)
    while len(chosen) < count:
        entry = planner.choose(len(chosen) + 1, seed)
        chosen.append(entry)
        planned["files"][entry["file"]] = planner.texts[entry["file"]].decode()
        write(file, json.dumps(planned, indent=1).encode())
        print(f"  {entry['number']}: {entry['file']}:{entry['line']} {entry['function']}: {entry['kind']}", flush=True)


def write(path, content):
    """Writes a file of the copy only if its content changes, so that the build compiles only what has changed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_bytes() != content:
        path.write_bytes(content)


def copy(tree, planned):
    """Brings the copy of the project to the present state, with all faults."""
    wanted = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", *COPIED], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.splitlines()
    contents = {name: (ROOT / name).read_bytes() for name in wanted if (ROOT / name).is_file()}
    for name, text in planned["files"].items():
        if contents.get(name) != text.encode():
            raise SystemExit(f"{name} has changed since the plan: take another seed, or go back to the plan's commit")
        chosen = [(entry["number"], faults.Fault(entry["kind"], entry["line"],
                                                 [(start, end, edit.encode()) for start, end, edit in entry["edits"]]))
                  for entry in planned["faults"] if entry["file"] == name]
        contents[name] = faults.apply(contents[name], chosen, HEADER)
    contents["include/svc/mutation_switch.hpp"] = (HERE / "switch.hpp").read_bytes()
    contents["src/core/mutation_switch.cpp"] = (HERE / "switch.cpp").read_bytes()
    contents["tests/support/doctest_main.cpp"] += (HERE / "listener.cpp").read_bytes()
    for old in tree.rglob("*") if tree.exists() else []:
        name = old.relative_to(tree)
        if old.is_file() and any(name.is_relative_to(one) for one in COPIED) and str(name) not in contents:
            old.unlink()
    for name, content in contents.items():
        write(tree / name, content)
        if (ROOT / name).exists():
            shutil.copymode(ROOT / name, tree / name)


def build(tree, binaries):
    """Compiles the copy."""
    subprocess.run(["cmake", "--preset", "dev"], cwd=tree, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "build/dev", "--target", *tests.PROGRAMS, *binaries], cwd=tree, check=True)


def results(place):
    """Returns the results so far, by the fault's number."""
    file = place / "results.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    return {row["number"]: row for row in rows}


def run(tree, place, planned, suites, budget):
    """Judges each fault without a result."""
    # Observations of a shorter plan say nothing about the further faults.
    notes = place / f"observed-{len(planned['faults'])}"
    notes.mkdir(exist_ok=True)
    suite = tests.Suite(tree, notes)
    for name in suites:
        suite.observe(name)
    known = results(place)
    for entry in planned["faults"]:
        if entry["number"] in known:
            continue
        begin = time.monotonic()
        result, case = suite.judge(entry["number"], entry["file"], budget)
        row = {"number": entry["number"], "result": result, "case": case, "seconds": round(time.monotonic() - begin, 1)}
        with open(place / "results.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        print(f"  {entry['number']}: {result} after {row['seconds']} s: {entry['file']}:{entry['line']} {entry['function']}: "
              f"{entry['kind']} {case}", flush=True)


def report(place, planned):
    """Writes report.txt and prints the survivors."""
    known, lines, found = results(place), [], 0
    for entry in planned["faults"]:
        row = known.get(entry["number"])
        if row is None:
            continue
        found += row["result"] == "found"
        if row["result"] != "found":
            lines.append(f"{entry['number']}: {row['result']}: {entry['file']}:{entry['line']} {entry['function']}: "
                         f"{entry['kind']}\n{entry['diff']}\n")
    lines.append(f"{found} of {len(known)} faults were found; {len(planned['faults']) - len(known)} were not judged")
    (place / "report.txt").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


def forget_survivors(place):
    """Removes the results of survivors, and the observations that new tests have made old."""
    rows = [row for row in results(place).values() if row["result"] == "found"]
    (place / "results.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for notes in place.glob("observed-*"):
        shutil.rmtree(notes)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--budget", type=float, default=60)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--show", type=int)
    parser.add_argument("--place", type=pathlib.Path, default=ROOT / "build/mutations", help="directory of copy and results")
    parser.add_argument("--tree", type=pathlib.Path, help="path by which the copy is built (PLACE/tree)")
    parser.add_argument("steps", nargs="*")
    options = parser.parse_args()
    if options.count >= tests.FAULTS:
        parser.error(f"at most {tests.FAULTS - 1} faults")
    steps = options.steps or ["plan", "build", "run", "report"]
    place, tree = options.place / str(options.seed), options.tree or options.place / "tree"
    place.mkdir(parents=True, exist_ok=True)
    if "plan" in steps:
        plan(options.count, options.seed, place)
    planned = json.loads((place / "plan.json").read_text())
    if options.show:
        print(planned["faults"][options.show - 1]["diff"])
        return
    suites = tests.tests_of(entry["file"] for entry in planned["faults"])
    if options.again:
        forget_survivors(place)
    if "copy" in steps or "build" in steps:
        copy(options.place / "tree", planned)
    if "build" in steps:
        build(tree, [suite.partition(":")[0] for suite in suites])
    if "run" in steps:
        run(tree, place, planned, suites, options.budget)
    if "report" in steps:
        report(place, planned)


if __name__ == "__main__":
    sys.exit(main())
