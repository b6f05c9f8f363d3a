#!/usr/bin/env python3
"""Checks that names are nouns and verbs, and that comments begin with their subject.

usage: check_names.py

Reports, in src, include, tests and bench,

  - parameters, variables and members that are called by a preposition or a question word: `of`, `to`, `what`, `with`;
  - comments that begin with such a word;
  - log lines that have a member twice (the compiler refuses the members that every line has).

Exits with 0 if there is nothing to report, otherwise with 1.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORDS = "of to what how who whom why by with from at on in one is".split()
NAME = re.compile(r"(?<![\w.:>])(" + "|".join(WORDS) + r")(_?)\b(?!\s*\()")
TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
COMMENT = re.compile(r"^\s*(?:[^/\n]*;\s*)?//[/<!]*\s*(Of|To|What|How|Who|Whom|Whose|Why|By whom|Those|That which|As many|So many)\b",
                     re.MULTILINE)

LOG_CALL = re.compile(r"\blog::(?:info|warn|error|write)\(")
LOG_MEMBER = re.compile(r'\{\s*"(\w+)",')


def code_of(text):
    """The text without comments and literals; line breaks stay."""
    return TEXT.sub(lambda match: "\n" * match[0].count("\n"), text)


def begins_comment(lines, number):
    """True if the comment in this line does not continue one in the line above."""
    line = lines[number].strip()
    if not line.startswith("//"):
        return True
    above = lines[number - 1].strip() if number > 0 else ""
    return not above.startswith("//") or above.rstrip("/ ") == ""


def names_in(text):
    """(line, word) of each name that is a preposition or a question word."""
    for number, line in enumerate(code_of(text).split("\n"), 1):
        if not line.lstrip().startswith("#include"):
            for match in NAME.finditer(line):
                yield number, match[0]


def comments_in(text):
    """(line, first word) of each comment that begins with such a word."""
    lines = text.split("\n")
    for match in COMMENT.finditer(text):
        number = text.count("\n", 0, match.start(1))
        if begins_comment(lines, number):
            yield number + 1, match[1]


def calls_of_log(text):
    """(line, arguments) of each call that writes a log line."""
    for match in LOG_CALL.finditer(text):
        depth, end = 1, match.end()
        while depth > 0 and end < len(text):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        yield text.count("\n", 0, match.start()) + 1, text[match.end():end]


def repeated_members(text):
    """(line, name) of each member that a log line has twice."""
    for line, arguments in calls_of_log(text):
        names = LOG_MEMBER.findall(arguments)
        yield from ((line, name) for name in sorted(set(names)) if names.count(name) > 1)


def sources():
    names = subprocess.run(["git", "ls-files", "src", "include", "tests", "bench"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.split()
    return [name for name in names if name.endswith((".cpp", ".hpp"))]


def main():
    if sys.argv[1:]:
        print(__doc__.strip())
        return 0 if sys.argv[1:] == ["--help"] else 2
    wrong = []
    for name in sources():
        text = (ROOT / name).read_text(encoding="utf-8")
        wrong += [f"{name}:{line}: a name is no preposition and no question word: `{word}`" for line, word in names_in(text)]
        wrong += [f"{name}:{line}: a comment begins with its subject, not with `{word}`" for line, word in comments_in(text)]
        wrong += [f"{name}:{line}: a log line has the member `{member}` twice" for line, member in repeated_members(text)]
    for line in wrong:
        print(line)
    return 1 if wrong else 0


sys.exit(main())
