#!/usr/bin/env python3
"""Checks that sources include only what their layer may use.

usage: check_layers.py

The linker separates compiled modules, but does not see headers. The layers are those of `svc_module(NAME USES ...)` in
src/CMakeLists.txt. Reports

  - an include of a module that the including module does not use, neither directly nor through another one;
  - an include of a header in src/ of another module: public headers are in include/svc/;
  - a header in include/svc/ that no other module, program or test of another module includes, of a module that others
    use;
  - two folders of one module that include each other;
  - a module without a row in the table of docs/architecture.md, or a row without a module.

Exits with 0 if there is nothing to report, otherwise with 1.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def layers():
    """Each module with the modules that it names directly."""
    text = (ROOT / "src/CMakeLists.txt").read_text()
    out = {}
    for name, rest in re.findall(r"^svc_module\((\S+)([^)]*)\)", text, re.MULTILINE):
        used = re.search(r"USES ([^)]*?)(?: EXTERNAL|$)", rest.strip())
        out[name] = used[1].split() if used else []
    return out


def reached(named, module):
    """What a module may use: the modules that it names, and what those may use."""
    out, todo = {module}, list(named[module])
    while todo:
        one = todo.pop()
        if one not in out:
            out.add(one)
            todo += named[one]
    return out


def longest_module(folders, named):
    """The module that holds a path of folders, or None; modules may be nested, as `domain/monitoring` is."""
    for length in range(len(folders), 0, -1):
        if "/".join(folders[:length]) in named:
            return "/".join(folders[:length])
    return None


def module_of(path, named):
    """The module of a source; `main.cpp` belongs to the composition."""
    parts = path.relative_to(ROOT).parts
    return longest_module(parts[2:-1] if parts[0] == "include" else parts[1:-1], named) or "app"


def sources():
    for top in ("src", "include"):
        yield from sorted(p for p in (ROOT / top).rglob("*") if p.suffix in (".cpp", ".hpp"))


def included(path, named):
    """(module, header, whether it is public) of each include of the project's own headers."""
    for header in INCLUDE.findall(path.read_text()):
        parts = header.split("/")
        public = parts[0] == "svc"
        module = longest_module(parts[1:-1] if public else parts[:-1], named)
        if module:
            yield module, header, public


def check_includes(named):
    wrong = []
    for path in sources():
        mine = module_of(path, named)
        allowed = reached(named, mine)
        for module, header, public in included(path, named):
            place = f"{path.relative_to(ROOT)}: includes {header}"
            if module not in named:
                continue
            if module not in allowed:
                wrong.append(f"{place}, but {mine} may not use {module}")
            elif not public and module != mine:
                wrong.append(f"{place}, which is private to {module}")
    return wrong


def tested_module(parts, named):
    """The module that a test belongs to; tests of the whole system belong to none."""
    return {longest_module(parts[2:-1], named)}


def check_public(named):
    users = {}
    everything = list(sources()) + sorted(p for p in (ROOT / "tests").rglob("*") if p.suffix in (".cpp", ".hpp"))
    for path in everything:
        parts = path.relative_to(ROOT).parts
        mine = tested_module(parts, named) if parts[0] == "tests" else {module_of(path, named)}
        for module, header, public in included(path, named):
            if public and module not in mine:
                users.setdefault(header, path)
        if parts[0] == "include":
            # A header that a public header includes is public, too.
            for module, header, public in included(path, named):
                if public:
                    users.setdefault(header, path)
    out = []
    used = {one for module in named for one in named[module]}
    for path in sorted((ROOT / "include/svc").rglob("*.hpp")):
        header = str(path.relative_to(ROOT / "include"))
        if header not in users and module_of(path, named) in used:
            out.append(f"include/{header}: no other module includes it; it belongs in src/{module_of(path, named)}")
    return out


def folder_arrows(module, named):
    """{folder: {used folder: an example}} of one module; its public headers belong to the folder of the same name."""
    uses = {}
    for base in (ROOT / "src" / module, ROOT / "include/svc" / module):
        for path in sorted(base.rglob("*.?pp")):
            if module_of(path, named) != module:
                continue
            folder = path.parent.relative_to(base).as_posix()
            for other, header, public in included(path, named):
                used = pathlib.PurePosixPath(header.removeprefix("svc/")).parent.relative_to(module).as_posix() \
                    if other == module else folder
                if used != folder:
                    uses.setdefault(folder, {}).setdefault(used, f"{path.relative_to(ROOT)} -> {header}")
    return uses


def check_circles(named):
    wrong = []
    for module in named:
        uses = folder_arrows(module, named)
        # The module's top folder may use its subfolders and be used by them.
        for a in uses:
            for b, example in uses[a].items():
                if a < b and a in uses.get(b, {}) and "." not in (a, b):
                    wrong.append(f"src/{module}: {a} and {b} include each other: {example}; {uses[b][a]}")
    return wrong


def check_table(named):
    text = (ROOT / "docs/architecture.md").read_text()
    section = text[text.index("## Folders and layers"):text.index("### Pages")]
    rows = set(re.findall(r"^\| `([a-z_/-]+)` \|", section, re.MULTILINE))
    return [f"docs/architecture.md: {'no row' if module in named else 'a row but no module'} for {module}"
            for module in sorted(rows ^ set(named))]


def main():
    if sys.argv[1:]:
        print(__doc__.strip())
        return 0 if sys.argv[1:] == ["--help"] else 2
    named = layers()
    wrong = check_includes(named) + check_public(named) + check_circles(named) + check_table(named)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


sys.exit(main())
