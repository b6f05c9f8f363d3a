"""Writes a C++ source that holds the bytes of files as constants in namespace svc::embedded.

embed.py SYMBOL INPUT OUTPUT [HEAD]                       one std::string_view; with the bytes of HEAD before those of INPUT,
                                                          or after its first line if that starts with #!
embed.py --table SYMBOL OUTPUT [--under DIR] INPUT...     a std::span of (file name, bytes); --under: of (path in DIR, bytes)
"""

import os
import sys

# Octal escapes of three digits cannot run into the next character.
SPELLINGS = [chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else f"\\{b:03o}" for b in range(256)]


# The length of a literal is bounded.
def literal(chunk: bytes) -> str:
    return '"' + "".join([SPELLINGS[b] for b in chunk]) + '"'


def content_of(source: str, head: str | None = None) -> bytes:
    with open(source, "rb") as file:
        content = file.read()
    if head is None:
        return content
    first = content.index(b"\n") + 1 if content.startswith(b"#!") else 0
    return content[:first] + content_of(head) + content[first:]


def text_of(source: str, head: str | None = None) -> str:
    content = content_of(source, head)
    lines = [literal(content[i:i + 96]) for i in range(0, len(content), 96)] or ['""']
    return "(\n" + "\n".join(lines) + f",\n{len(content)})"


def one(symbol: str, source: str, head: str | None) -> str:
    return (f"extern std::string_view const {symbol};\n"
            f"std::string_view const {symbol}{text_of(source, head)};\n")


def table(symbol: str, sources: list[str], name_of) -> str:
    head = ("using named_file = std::pair<std::string_view, std::string_view>;\n"
            f"extern std::span<named_file const> const {symbol};\n")
    if not sources:
        return head + f"std::span<named_file const> const {symbol};\n"
    rows = "".join(
        "{" + literal(name_of(source).encode()) + ", std::string_view" + text_of(source) + "},\n" for source in sources)
    return (head + f"namespace {{\nnamed_file const {symbol}_table[] = {{\n{rows}}};\n}}  // namespace\n"
            f"std::span<named_file const> const {symbol}({symbol}_table);\n")


if sys.argv[1] == "--table":
    symbol, target, *sources = sys.argv[2:]
    name_of = os.path.basename
    if sources[:1] == ["--under"]:
        folder, *sources = sources[1:]

        def name_of(source: str) -> str:
            return os.path.relpath(source, folder)
    body = table(symbol, sources, name_of)
else:
    symbol, source, target, *rest = sys.argv[1:]
    [head] = rest or [None]
    body = one(symbol, source, head)

with open(target, "w", encoding="ascii") as file:
    file.write("#include <span>\n#include <string_view>\n#include <utility>\n\nnamespace svc::embedded {\n")
    file.write(body + "}  // namespace svc::embedded\n")
