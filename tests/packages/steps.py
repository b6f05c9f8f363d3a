#!/usr/bin/env python3
"""Writes the shell blocks of one section of a page as files, in order: 01.svc-1, 02.svc-1.svc-2, ..., named after the
machines of the nearest line before that begins with `On ` or ends with one (`On `svc-1` and `svc-2`...`).

usage: steps.py PAGE SECTION DIRECTORY
"""
import re
import sys


def blocks(page, section):
    """Yields (machines, commands)."""
    machines, commands, inside = [], None, False
    for line in page.splitlines():
        if commands is None and line.startswith("## "):
            inside = line == f"## {section}"
        if not inside:
            continue
        if line.startswith("```"):
            if commands is not None:
                yield machines, "\n".join(commands) + "\n"
                commands = None
            elif line == "```sh":
                commands = []
        elif commands is not None:
            commands.append(line)
        elif named := re.search(r"\bOn (`svc-\d`(?:(?:, | and )`svc-\d`)*)", line):
            machines = re.findall(r"svc-\d", named[1])


def main():
    page, section, directory = sys.argv[1:]
    with open(page, encoding="utf-8") as file:
        found = list(blocks(file.read(), section))
    if not found or not all(machines for machines, _ in found):
        sys.exit(f"steps: {page} has no steps in {section!r}, or one of no machine")
    for number, (machines, commands) in enumerate(found, 1):
        with open(f"{directory}/{number:02}." + ".".join(machines), "w", encoding="utf-8") as file:
            file.write(commands)


main()
