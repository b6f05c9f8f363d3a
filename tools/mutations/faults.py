"""Finds functions of a source file and the faults that can be put into them, by libclang.

Each fault is a list of edits of the file's bytes. The edited text contains both the correct code and the fault, and
`svc_fault(N)` selects one of them at run time.
"""

import dataclasses
import json
import pathlib
import re
import shlex

try:
    from clang import cindex
except ImportError as error:
    raise SystemExit("mutations need libclang's Python bindings: apt-get install python3-clang-19") from error

KIND = cindex.CursorKind
FUNCTIONS = {KIND.FUNCTION_DECL, KIND.CXX_METHOD, KIND.CONSTRUCTOR, KIND.DESTRUCTOR, KIND.FUNCTION_TEMPLATE,
             KIND.CONVERSION_FUNCTION}
SCOPES = {KIND.NAMESPACE, KIND.CLASS_DECL, KIND.STRUCT_DECL, KIND.CLASS_TEMPLATE, KIND.LINKAGE_SPEC}
LOOPS = {KIND.FOR_STMT, KIND.CXX_FOR_RANGE_STMT, KIND.WHILE_STMT}
OPERATORS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-",
             "-": "+"}
# Tests promise nothing about log lines, and the others only save time.
NOT_REMOVED = re.compile(rb"^(co_await )?([\w:.>-]*\blog\w*\b|SVC_FAILPOINT|BOOST_ASIO|[\w:.>-]*(reserve|shrink_to_fit)\()")
# A number there is no fault at run time.
CONSTANT = re.compile(rb"\b(static_assert|case|constexpr)\b")
SYMMETRIC = {"min", "max", "equal", "tie"}
NUMBER = re.compile(r"^(\d[\d']*)(u|U|l|L|ul|UL|ull|ULL|z|uz|s|ms|us|min|h|_kib|_mib)?$")
LONGEST_COPY = 300
NUMBER_OF_FAULT = b"@FAULT@"


@dataclasses.dataclass
class Fault:
    """A fault in one function. `edits` are (start, end, text) with NUMBER_OF_FAULT in the place of its number."""
    kind: str
    line: int
    edits: list


class Compiler:
    """Parses sources with the options of the preset `dev`. Owns libclang's index and keeps no translation unit."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        cindex.Config.set_library_file("libclang-19.so.1")
        self.index = cindex.Index.create()
        self.options = {}
        self.modules = {}
        build = self.root / "build/dev"
        for entry in json.loads((build / "compile_commands.json").read_text()):
            target = re.search(r" -o (\S+)\.dir/", entry["command"])
            if not target or not target[1].startswith("src/"):
                continue
            target = target[1]
            self.options.setdefault(target, (entry, self._arguments(entry)))
            for name in self._sources(entry):
                self.modules[name] = target

    def _sources(self, entry):
        file = pathlib.Path(entry["file"])
        if "Unity" in file.parts and file.exists():
            return [name.replace(f"{self.root}/", "") for name in re.findall(r'#include "([^"]+)"', file.read_text())]
        return [str(file).replace(f"{self.root}/", "")]

    @staticmethod
    def _arguments(entry):
        words = shlex.split(entry["command"])
        while words and not pathlib.Path(words[0]).name.startswith("clang"):
            words.pop(0)
        result, skip = [], False
        for word in words[1:]:
            if skip:
                skip = False
            elif word in ("-o", "-MF", "-MT", "-MQ"):
                skip = True
            elif word not in ("-c", "-MD", "-Werror", entry["file"]):
                result.append(word)
        return result + ["-Wno-everything", "-ferror-limit=0"]

    def parse(self, name, text=None):
        """Returns the translation unit of the source `name`, or of `text` in its place; None if no target has it."""
        if name not in self.modules:
            return None
        entry, arguments = self.options[self.modules[name]]
        path = str(self.root / name)
        arguments = arguments + [f"-working-directory={entry['directory']}"]
        return self.index.parse(path, args=arguments, unsaved_files=[(path, text)] if text is not None else None)


def functions(unit, path):
    """Returns the cursors of all functions that the file `path` defines, in the file's order."""
    found, open_scopes = [], [unit.cursor]
    while open_scopes:
        for cursor in open_scopes.pop().get_children():
            if cursor.location.file is None or cursor.location.file.name != path:
                continue
            if cursor.kind in SCOPES:
                open_scopes.append(cursor)
            elif cursor.kind in FUNCTIONS and cursor.is_definition():
                found.append(cursor)
    return sorted(found, key=lambda cursor: cursor.extent.start.offset)


def type_of(expression):
    """Returns the name of an expression's type, without `const` and aliases."""
    return expression.type.get_canonical().spelling.replace("const ", "")


class Collector:
    """Collects the faults of one function."""

    def __init__(self, source, function):
        self.source = source
        self.first, self.last = function.extent.start.offset, function.extent.end.offset
        self.faults = {}
        bodies = [child for child in function.get_children() if self._text(child).startswith(b"{")]
        self.body = bodies[-1] if bodies else None
        if self.body is not None:
            # Returns that follow are reached if an earlier return is missing.
            statements = self._statements(self.body)
            last = self._text(statements[-1]) if statements else b""
            self.exit = statements[-1].extent.start.offset if re.match(rb"(return|co_return|throw)\b", last) else -1
            self._visit(self.body, [])
            self._literals(function)

    def _text(self, cursor):
        return self.source[cursor.extent.start.offset:cursor.extent.end.offset]

    def _inside(self, cursor):
        return self.first <= cursor.extent.start.offset < cursor.extent.end.offset <= self.last

    def _statements(self, block):
        """Returns a block's statements. libclang shows a coroutine's body below a statement without a kind."""
        children = [child for child in block.get_children() if self._inside(child)]
        if block.kind != KIND.COMPOUND_STMT:
            blocks = [child for child in children if child.kind == KIND.COMPOUND_STMT]
            return self._statements(blocks[0]) if blocks else children
        return children

    def _line(self, offset):
        return self.source.count(b"\n", 0, offset) + 1

    def _add(self, kind, start, end, text):
        """Adds a fault that replaces the text from `start` to `end`."""
        faults = self.faults.setdefault(kind, {})
        faults.setdefault((start, end), Fault(kind, self._line(start), [(start, end, text)]))

    def _choice(self, kind, cursor, wrong):
        text = self._text(cursor)
        if len(text) <= LONGEST_COPY:
            self._add(kind, cursor.extent.start.offset, cursor.extent.end.offset,
                      b"(svc_fault(@FAULT@) ? (" + wrong + b") : (" + text + b"))")

    def _visit(self, cursor, parents):
        if not self._inside(cursor):
            return
        if cursor.kind == KIND.IF_STMT:
            self._condition(cursor)
        elif cursor.kind == KIND.CONDITIONAL_OPERATOR:
            children = list(cursor.get_children())
            if children:
                self._inverted(children[0])
        elif cursor.kind == KIND.BINARY_OPERATOR:
            self._operator(cursor)
        elif cursor.kind == KIND.CALL_EXPR:
            self._arguments(cursor)
        elif cursor.kind == KIND.COMPOUND_STMT:
            for child in self._statements(cursor):
                self._statement(child, parents)
        elif cursor.kind in LOOPS:
            children = [child for child in cursor.get_children() if self._inside(child)]
            if children and children[-1].kind != KIND.COMPOUND_STMT:
                self._statement(children[-1], parents)
        for child in cursor.get_children():
            self._visit(child, [*parents, cursor])

    def _condition(self, branch):
        if re.match(rb"if (constexpr|consteval|!consteval)", self._text(branch)):
            return
        children = [child for child in branch.get_children() if self._inside(child)]
        conditions = [child for child in children if child.kind.is_expression()]
        declared = [child for child in children if child.kind in (KIND.VAR_DECL, KIND.DECL_STMT)]
        if conditions and not any(child.extent.end.offset >= conditions[0].extent.end.offset for child in declared):
            self._inverted(conditions[0])
        # A branch without braces. The switch would take an `else` that follows it.
        branches = children[children.index(conditions[0]) + 1:] if conditions else []
        if len(branches) == 1 and branches[0].kind != KIND.COMPOUND_STMT:
            self._statement(branches[0], [branch])

    def _inverted(self, condition):
        self._add("inverted condition", condition.extent.start.offset, condition.extent.end.offset,
                  b"(svc_fault(@FAULT@) != static_cast<bool>(" + self._text(condition) + b"))")

    def _operator(self, cursor):
        children = list(cursor.get_children())
        if len(children) != 2:
            return
        left, right = children
        between = self.source[left.extent.end.offset:right.extent.start.offset].strip().decode(errors="replace")
        if between in OPERATORS:
            wrong = self._text(left) + b" " + OPERATORS[between].encode() + b" " + self._text(right)
            self._choice("wrong operator", cursor, wrong)

    def _arguments(self, call):
        arguments = [argument for argument in call.get_arguments() if argument is not None]
        text = self._text(call)
        if (len(arguments) < 2 or call.spelling.startswith("operator") or call.spelling in SYMMETRIC
                or not text.endswith(b")") or (call.referenced and call.referenced.kind == KIND.CONSTRUCTOR)):
            return
        for left, right in zip(arguments, arguments[1:]):
            if not (self._inside(left) and self._inside(right)) or self._text(left) == self._text(right):
                continue
            if type_of(left) != type_of(right):
                continue
            base = call.extent.start.offset
            wrong = (text[:left.extent.start.offset - base] + self._text(right)
                     + text[left.extent.end.offset - base:right.extent.start.offset - base] + self._text(left)
                     + text[right.extent.end.offset - base:])
            self._choice("swapped arguments", call, wrong)

    def _statement(self, statement, parents):
        text, start = self._text(statement), statement.extent.start.offset
        if any(parent.kind == KIND.IF_STMT for parent in parents):
            self._exit(statement)
        if not statement.kind.is_expression() or NOT_REMOVED.match(text):
            return
        kind = "missing await" if text.startswith(b"co_await") else "removed statement"
        self._add(kind, start, start, b"if (!svc_fault(@FAULT@)) ")

    def _exit(self, statement):
        text, start = self._text(statement), statement.extent.start.offset
        if re.match(rb"(return|co_return|continue|break|throw)\b", text) and start < self.exit:
            self._add("missing exit", start, start, b"if (!svc_fault(@FAULT@)) ")

    def _literal(self, kind, token, wrong):
        self._add(kind, token.extent.start.offset, token.extent.end.offset,
                  b"(svc_fault(@FAULT@) ? " + wrong + b" : " + token.spelling.encode() + b")")

    def _literals(self, function):
        directive = re.compile(rb"^\s*#")
        for token in function.get_tokens():
            start = token.extent.start.offset
            line = self.source[self.source.rfind(b"\n", 0, start) + 1:start]
            if start < self.body.extent.start.offset or directive.match(line) or CONSTANT.search(line):
                continue
            if token.spelling in ("true", "false"):
                self._literal("wrong boolean", token, b"false" if token.spelling == "true" else b"true")
            number = NUMBER.match(token.spelling)
            if number:
                value, suffix = int(number[1].replace("'", "")), number[2] or ""
                wrong = f"{value + 1}{suffix}".encode()
                self._literal("wrong number", token, wrong)


def faults_of(source, function):
    """Returns the faults that a function can have: kind to list, in the order of their places."""
    faults = Collector(source, function).faults
    return {kind: [faults[kind][place] for place in sorted(faults[kind])] for kind in sorted(faults)}


def apply(source, numbered, header):
    """Returns the source with faults: pairs of a number and a fault. `header` declares `svc_fault`."""
    edits = [(start, end, text.replace(NUMBER_OF_FAULT, str(number).encode()))
             for number, fault in numbered for start, end, text in fault.edits]
    for start, end, text in sorted(edits, reverse=True):
        source = source[:start] + text + source[end:]
    return header + source


def wrong(text, source, start, end):
    """Returns the faulty code that an edit's text contains, without the switch."""
    if text.startswith(b"if (!svc_fault("):
        return b";  // missing: "
    inverted = b"(svc_fault(" + NUMBER_OF_FAULT + b") != static_cast<bool>("
    if text.startswith(inverted):
        return b"!(" + source[start:end] + b")"
    choice = b"(svc_fault(" + NUMBER_OF_FAULT + b") ? "
    return text[len(choice):text.rindex(b" : ", 0, len(text) - (end - start))]
