#!/usr/bin/env python3
"""Checks that each test that a table of tests/README.md names exists.

A name that ends with * is the start of a title. A file has its whole path, or as much of the end as one file of tests/ has.

usage: check_promises.py
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TITLE = re.compile(r'\bTEST_CASE\w*\(\s*(?:[\w:<>]+,\s*)?"((?:[^"\\]|\\.)*)"')
FILES = [path.as_posix() for path in (ROOT / "tests").rglob("*_test.cpp")]


def titles():
    return {title for path in (ROOT / "tests").rglob("*_test.cpp") for title in TITLE.findall(path.read_text(encoding="utf-8"))}


def named_tests(page):
    """Names in the last column of tables whose last header is `test` or `tests`."""
    in_table = False
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")] if line.startswith("|") else []
        if not cells:
            in_table = False
        elif cells[-1] in ("test", "tests"):
            in_table = True
        elif in_table:
            yield from re.findall(r"`([^`]+)`", cells[-1])


def files_named(end):
    return [path for path in FILES if path.endswith("/" + end)]


def exists(name, known):
    if name.endswith("*"):
        return any(title.startswith(name[:-1]) for title in known)
    return name in known or (ROOT / name).is_file() or len(files_named(name)) == 1


def main():
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    known, named = titles(), list(named_tests((ROOT / "tests/README.md").read_text(encoding="utf-8")))
    wrong = [name for name in named if not exists(name, known)]
    for name in wrong:
        print(f"lint: tests/README.md names no test: {name}", file=sys.stderr)
    if not named:
        print("lint: tests/README.md names no tests at all", file=sys.stderr)
    sys.exit(1 if wrong or not named else 0)


if __name__ == "__main__":
    main()
