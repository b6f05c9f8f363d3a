#!/usr/bin/env python3
"""Writes the fenced blocks of a page as files, in order: 01.sh, 02.txt, ..., named after their language (none: txt). A block
inside a list loses its indentation.

usage: blocks.py PAGE DIRECTORY
"""
import pathlib
import re
import sys
import textwrap

FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.M | re.S)


def main():
    page, directory = map(pathlib.Path, sys.argv[1:])
    found = FENCE.findall(page.read_text(encoding="utf-8"))
    if not found:
        sys.exit(f"blocks: {page} has no block")
    directory.mkdir(parents=True)
    for number, (_, language, text) in enumerate(found, 1):
        (directory / f"{number:02}.{language or 'txt'}").write_text(textwrap.dedent(text), encoding="utf-8")


main()
