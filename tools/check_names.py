#!/usr/bin/env python3
"""Checks that names are nouns and verbs, and that comments begin with their subject.

usage: check_names.py [--count]

Reports, in src, include, tests and bench,

  - parameters, variables and members that are called by a preposition or a question word: `of`, `to`, `what`, `with`;
  - comments that begin with such a word.

tools/comments_to_do.txt lists the files whose comments are not checked yet, one on each line. A file in the list with
nothing to report is reported as well, so that the list only shrinks. `--count` prints for each file how much there is to
report, and exits with 0.

Exits with 0 if there is nothing to report, otherwise with 1.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TO_DO = ROOT / "tools/comments_to_do.txt"
WORDS = "of to what how who whom why by with from at on in one is".split()
NAME = re.compile(r"(?<![\w.:>])(" + "|".join(WORDS) + r")(_?)\b(?!\s*\()")
TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
COMMENT = re.compile(r"^\s*(?:[^/\n]*;\s*)?//[/<!]*\s*(Of|To|What|How|Who|Whom|Whose|Why|By whom|Those|That which|As many|So many)\b",
                     re.MULTILINE)


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


def sources():
    names = subprocess.run(["git", "ls-files", "src", "include", "tests", "bench"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.split()
    return [name for name in names if name.endswith((".cpp", ".hpp"))]


def main():
    if sys.argv[1:] not in ([], ["--count"]):
        print(__doc__.strip())
        return 0 if sys.argv[1:] == ["--help"] else 2
    to_do = set(TO_DO.read_text(encoding="utf-8").split()) if TO_DO.exists() else set()
    wrong = []
    for name in sources():
        text = (ROOT / name).read_text(encoding="utf-8")
        names, comments = list(names_in(text)), list(comments_in(text))
        if sys.argv[1:] == ["--count"]:
            if names or comments:
                print(f"{len(names):5} {len(comments):5} {name}")
            continue
        wrong += [f"{name}:{line}: a name is no preposition and no question word: `{word}`" for line, word in names]
        if name not in to_do:
            wrong += [f"{name}:{line}: a comment begins with its subject, not with `{word}`" for line, word in comments]
        elif not comments:
            wrong.append(f"tools/comments_to_do.txt: {name} is done; remove its line")
    wrong += [f"tools/comments_to_do.txt: there is no {name}" for name in sorted(to_do - set(sources()))]
    for line in wrong:
        print(line)
    return 1 if wrong else 0


sys.exit(main())
