"""Writes a C++ source that holds the bytes of files as constants in namespace svc::embedded.

embed.py SYMBOL INPUT OUTPUT             one std::string_view
embed.py --table SYMBOL OUTPUT INPUT...  a std::span of (file name, bytes)
"""

import os
import sys


# The length of a literal is bounded. Octal escapes of three digits cannot run into the next character.
def literal(chunk: bytes) -> str:
    return '"' + "".join(
        chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else f"\\{b:03o}" for b in chunk) + '"'


def text_of(source: str) -> str:
    with open(source, "rb") as file:
        content = file.read()
    lines = [literal(content[i:i + 96]) for i in range(0, len(content), 96)] or ['""']
    return "(\n" + "\n".join(lines) + f",\n{len(content)})"


def one(symbol: str, source: str) -> str:
    return (f"extern std::string_view const {symbol};\n"
            f"std::string_view const {symbol}{text_of(source)};\n")


def table(symbol: str, sources: list[str]) -> str:
    rows = "".join(
        "{" + literal(os.path.basename(source).encode()) + ", std::string_view" + text_of(source) + "},\n"
        for source in sources)
    return ("using named_file = std::pair<std::string_view, std::string_view>;\n"
            f"extern std::span<named_file const> const {symbol};\n"
            f"namespace {{\nnamed_file const {symbol}_table[] = {{\n{rows}}};\n}}  // namespace\n"
            f"std::span<named_file const> const {symbol}({symbol}_table);\n")


if sys.argv[1] == "--table":
    symbol, target, *sources = sys.argv[2:]
    body = table(symbol, sources)
else:
    symbol, source, target = sys.argv[1:]
    body = one(symbol, source)

with open(target, "w", encoding="ascii") as file:
    file.write("#include <span>\n#include <string_view>\n#include <utility>\n\nnamespace svc::embedded {\n")
    file.write(body + "}  // namespace svc::embedded\n")
