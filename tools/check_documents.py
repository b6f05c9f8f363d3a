#!/usr/bin/env python3
"""Checks sizes, rows, first words and links of documents, so that they stay short and plain.

usage: check_documents.py

Reports:
  - README.md above 150 lines or 1 000 words, CONTRIBUTING.md above 2 500 words;
  - rows of the long tables above 300 characters, without their column of tests;
  - rows of a table that repeat another row: two merged versions of one change leave both;
  - sentences that start with a word of FIRST_WORDS;
  - links to files and headings that do not exist.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_WORDS = {"README.md": 1000, "CONTRIBUTING.md": 2500}
MOST_LINES = {"README.md": 150}
SHORT_ROWS = ("tests/README.md", "schema/README.md", "docs/operating.md")
MOST_CHARACTERS = 300
FIRST_WORDS = re.compile(r"^(?:Of|What|Who|Whose|Those|That which|As many|So many|Whether)\b")
# The error table writes the first one; the second is history.
OTHER_RULES = ("openapi/errors.md", "CHANGELOG.md")
FENCE = re.compile(r"^( *)```.*?^\1```$", re.M | re.S)
GENERATED = re.compile(r"<!-- [\w-]+: generated -->.*?<!-- [\w-]+: end -->", re.S)


def wrong_sizes(name, text):
    if len(text.split()) > MOST_WORDS.get(name, sys.maxsize):
        yield f"has {len(text.split())} words; {MOST_WORDS[name]} are allowed"
    if text.count("\n") > MOST_LINES.get(name, sys.maxsize):
        yield f"has {text.count(chr(10))} lines; {MOST_LINES[name]} are allowed"


def long_rows(text):
    with_tests = False
    for line in text.splitlines():
        if not line.startswith("|"):
            with_tests = False
            continue
        cells = line.strip("| ").split(" | ")
        with_tests = with_tests or cells[-1] in ("test", "tests")
        length = len(" | ".join(cells[:-1] if with_tests else cells))
        if length > MOST_CHARACTERS:
            yield f"a row has {length} characters; {MOST_CHARACTERS} are allowed: {line[:60]}..."


def tables(text):
    """Each table as a list of rows, each row as a list of cells."""
    rows = []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            rows.append(line.strip("| ").split(" | "))
        elif rows:
            yield rows
            rows = []


def begin_alike(one, other):
    """True for the same names of tests, which may be cut at other words."""
    return len(one) == len(other) > 0 and all(a.startswith(b) or b.startswith(a) for a, b in zip(one, other))


def titles(cell):
    """Names of tests in a cell, without files."""
    return [name for name in re.findall(r"`([^`]+?)\*?`", cell) if " " in name]


def repeated_rows(name, text):
    # Elsewhere one test may hold many rows, and one file everywhere.
    by_tests = name == "tests/README.md"
    for rows in tables(text):
        named = [titles(row[-1]) if by_tests and rows[0][-1] == "test" else [] for row in rows]
        for last, row in enumerate(rows):
            if any(row[:-1] == rows[i][:-1] != [""] or begin_alike(named[last], named[i]) for i in range(last)):
                yield f"a row repeats an earlier one: {' | '.join(row)[:80]}..."


def paragraphs(text):
    """Paragraphs, items of lists and cells of tables, without headings, blocks and code."""
    text = re.sub(r"`[^`]*`", "`", FENCE.sub("\n", text))
    gathered = []
    for line in [*text.splitlines(), ""]:
        item = re.match(r"\s*(?:[-*]|\d+\.) ", line)
        if gathered and (item or not line.strip() or line[0] in "|#"):
            yield " ".join(gathered)
            gathered = []
        if line.startswith("|"):
            yield from (cell.strip() for cell in line.strip("| ").split(" | "))
        elif line.strip() and not line.startswith(("#", "    ")):
            gathered.append(line[item.end():] if item else line.strip())


def wrong_sentences(text):
    for paragraph in paragraphs(text):
        for sentence in re.split(r"(?<=[.!?])\s+", paragraph):
            if FIRST_WORDS.match(sentence.lstrip("*[")):
                yield f"a sentence starts with {sentence.split()[0]!r}: {sentence[:60]}..."


def anchors(path):
    """Names of headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", path.read_text(encoding="utf-8")), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def wrong_links(name, text):
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", FENCE.sub("", text))):
        if link.startswith(("http:", "https:", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = (ROOT / name).parent / path if path else ROOT / name
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            yield f"has a broken link: {link}"


def problems():
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    for name in listed.split():
        text = GENERATED.sub("", (ROOT / name).read_text(encoding="utf-8"))
        found = [*wrong_sizes(name, text), *wrong_links(name, text)]
        if name in SHORT_ROWS:
            found += [*long_rows(text), *repeated_rows(name, text)]
        if name not in OTHER_RULES:
            found += wrong_sentences(text)
        yield from (f"{name} {problem}" for problem in found)


def main():
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    found = list(problems())
    for problem in found:
        print(f"lint: {problem}", file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
