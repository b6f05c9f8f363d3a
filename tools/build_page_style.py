#!/usr/bin/env python3
"""Makes the style of status pages from the design's style sheets.

usage: build_page_style.py TOKENS COMPONENTS EXTRA OUTPUT SOURCE...

Takes the rules of COMPONENTS whose classes and elements the C++ sources use, and the tokens that those rules use. Old
browsers do not know light-dark(): each token becomes a plain value and a second one for dark themes. EXTRA is taken
whole. The same input gives the same bytes, because pages allow the style by its hash.
"""

import re
import sys

ELEMENTS = set("""html body h1 h2 h3 h4 p ul ol li a svg path span time table caption thead tbody tr th td details
summary form label input button nav header footer main section article div img""".split())
CLASS = re.compile(r"\.([A-Za-z_][\w-]*)")


def classes_in(sources):
    """The classes that the sources write, also the parts that they put together."""
    used = set()
    for source in sources:
        with open(source, encoding="utf-8") as file:
            text = file.read()
        for value in re.findall(r'class=\\?"([^"\\]*)', text):
            used.update(value.split())
        used.update(re.findall(r'[" ]((?:s|k|btn|is)-[a-z-]+)[" \\]', text))
    return used


def blocks(css):
    """(head, body) of each block of the outermost level."""
    out, depth, head, start = [], 0, "", 0
    for place, char in enumerate(css):
        if char == "{":
            if depth == 0:
                head, start_of_body = css[start:place].strip(), place + 1
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                out.append((head, css[start_of_body:place].strip()))
                start = place + 1
    return out


def parts_of(selectors):
    """The selectors of a list; commas in brackets do not separate."""
    out, depth, part = [], 0, ""
    for char in selectors:
        depth += {"(": 1, ")": -1}.get(char, 0)
        if char == "," and depth == 0:
            out.append(part.strip())
            part = ""
        else:
            part += char
    return out + [part.strip()]


def is_used(selector, used):
    if re.search(r"\[(?:data-|aria-(?!current)|disabled)", selector) or "::backdrop" in selector:
        return False
    if not all(name in used for name in CLASS.findall(selector)):
        return False
    bare = re.sub(r"\[[^\]]*\]|::?[\w-]+|[.#][\w-]+", " ", selector)
    return all(name in ELEMENTS for name in re.findall(r"[a-z][\w]*", bare))


def filtered(css, used):
    """The rules whose selectors match something in the pages."""
    out = []
    for head, body in blocks(css):
        if head.startswith("@keyframes"):
            out.append((head, body))
        elif head.startswith("@media print"):
            continue
        elif head.startswith("@"):
            inner = filtered(body, used)
            if inner:
                out.append((head, inner))
        else:
            selectors = [part for part in parts_of(head) if is_used(part, used)]
            if selectors:
                out.append((",".join(selectors), body))
    return out


def tight(text):
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r"\s*([{};,>])\s*", r"\1", text)
    return re.sub(r":\s+", ":", text).strip().rstrip(";")


def written(rules):
    return "".join(f"{tight(head)}{{{written(body) if isinstance(body, list) else tight(body)}}}" for head, body in rules)


def declarations(body):
    return dict(re.findall(r"(--[\w-]+)\s*:\s*([^;]+);", body))


def in_theme(value, dark):
    """The value with each light-dark() resolved."""
    while "light-dark(" in value:
        start = value.index("light-dark(")
        depth, end = 0, start + len("light-dark")
        for end in range(end, len(value)):
            depth += {"(": 1, ")": -1}.get(value[end], 0)
            if depth == 0:
                break
        light, other = parts_of(value[start + len("light-dark("):end])
        value = value[:start] + (other if dark else light) + value[end + 1:]
    return value.strip()


def used_tokens(css, tokens):
    out, todo = set(), re.findall(r"var\((--[\w-]+)", css)
    while todo:
        name = todo.pop()
        if name in tokens and name not in out:
            out.add(name)
            todo += re.findall(r"var\((--[\w-]+)", tokens[name])
    return out


def root(values):
    return ":root{" + ";".join(f"{name}:{tight(value)}" for name, value in values) + "}" if values else ""


def token_rules(css, needed, tokens):
    """The tokens of both themes, and those of media features."""
    kept = [(name, value) for name, value in tokens.items() if name in needed]
    light = [(name, in_theme(value, False)) for name, value in kept]
    dark = [(name, in_theme(value, True)) for name, value in kept if "light-dark(" in value]
    out = ":root{color-scheme:light dark}" + root(light) + "@media (prefers-color-scheme:dark){" + root(dark) + "}"
    for head, body in blocks(css):
        if not head.startswith("@media"):
            continue
        inner = [(name, value) for _, rule in blocks(body) for name, value in declarations(rule).items() if name in needed]
        plain = [(name, in_theme(value, False)) for name, value in inner]
        if plain:
            out += f"{tight(head)}{{{root(plain)}}}"
        other = [(name, in_theme(value, True)) for name, value in inner if "light-dark(" in value]
        if other:
            out += f"{tight(head)} and (prefers-color-scheme:dark){{{root(other)}}}"
    return out


def read(path):
    with open(path, encoding="utf-8") as file:
        return re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)


def main():
    if len(sys.argv) < 6:
        print(__doc__.strip())
        return 0 if sys.argv[1:] == ["--help"] else 2
    tokens_css, components, extra = read(sys.argv[1]), read(sys.argv[2]), read(sys.argv[3])
    rules = written(filtered(components, classes_in(sys.argv[5:])) + blocks(extra))
    names = set(re.findall(r"animation:(\w+)", rules))
    rules = re.sub(r"@keyframes (\w+)\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}", lambda m: m[0] if m[1] in names else "", rules)
    tokens = declarations(dict(blocks(tokens_css)).get(":root", ""))
    markup = "".join(read(source) for source in sys.argv[5:])
    with open(sys.argv[4], "w", encoding="utf-8") as file:
        file.write(token_rules(tokens_css, used_tokens(rules + markup, tokens), tokens) + rules)
    return 0


sys.exit(main())
