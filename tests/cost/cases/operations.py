"""One case for each way of misusing any operation, with a case of its own for each operation of the contracts."""

import json
import urllib.parse

from cases import CASES, Case, Number
from cases.largest import enlarged, examples_of, resolved

UNKNOWN_ID = "01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f70"
# No body of a case is larger, whatever an operation takes.
LIMIT_BYTES = 11 << 20
# Operations that hash a password, which takes the memory of argon2id.
HASHES = {"/dashboard/v1" + path for path in ("/sign-in/password", "/sign-in/link", "/sign-in/invitation", "/me/fresh",
                                              "/me/password")}


def path_of(place, operation):
    """The operation's path with the ids of what the attacker has; of nothing where the operation would end it."""
    path = operation.path
    ends = operation.method == "DELETE" or path.endswith("/archive")
    for name, value in place.path_values(path).items():
        path = path.replace("{" + name + "}", UNKNOWN_ID if ends else value)
    return path


def nested(depth, size):
    return b'{"a":' * depth + b"[" + b"1," * size + b"1]" + b"}" * depth


def many_names(count):
    return json.dumps({f"name{i}": i for i in range(count)}).encode()


def long_text(size):
    return json.dumps({"name": "\u0001" * (size // 12), "title": "\\" * (size // 4 - 20)}).encode()


def ask(place, operation, body=None, query=""):
    client = (place.runner if operation.path.startswith("/internal") else
              place.browser if operation.path.startswith("/dashboard") else place.attacker)
    target = path_of(place, operation) + query
    return client.call(operation.method, target, body[:operation.body_limit] if body is not None else None)


class Operation:
    def __init__(self, path, method, document):
        self.path, self.method = path, method.upper()
        self.id = document["operationId"]
        self.body_limit = document.get("x-body-limit", 0)
        self.group = "password" if path in HASHES else "operation"


def add(operation, misuse, numbers, run, summary, short=False):
    name = f"{operation.id}_{misuse}"
    CASES[name] = Case(name, operation.group, numbers, run, summary, short)


def add_body_cases(operation):
    bound = min(operation.body_limit, LIMIT_BYTES)

    def with_depth(place, depth, values):
        return ask(place, operation, nested(depth, values))

    def with_names(place, names):
        return ask(place, operation, many_names(names))

    def with_text(place, size):
        return ask(place, operation, long_text(size))

    most = max(2, bound // 2 - 200)
    add(operation, "nested", {"depth": Number(1, 100_000, 30), "values": Number(1, most, min(most, 49_000))},
        with_depth, "A deeply nested or very long document as the body.")
    add(operation, "names", {"names": Number(1, max(2, bound // 24), min(max(2, bound // 24), 49_000))},
        with_names, "A document with very many names as the body.")
    add(operation, "text", {"size": Number(1, bound, bound)}, with_text,
        "Texts that grow when they are escaped, as large as the body may be.")


def add_largest_case(operation, document, contract):
    """One request with a valid body that is as large as the schema allows, for operations that have an example."""
    schema, examples = examples_of(document, contract)
    if not examples:
        return

    def with_largest(place, items, example):
        value = place.with_own_ids(examples[min(example, len(examples) - 1)])
        body = enlarged(schema, value, contract, items, operation.body_limit)
        return ask(place, operation, json.dumps(body, ensure_ascii=False).encode())

    add(operation, "largest", {"items": Number(1, 1000, 1000), "example": Number(0, 7, 0)}, with_largest,
        "A valid document, as large as its schema allows.", operation.path.startswith("/internal"))


def query_value(name, schema, page, text):
    """A dear value of one query parameter."""
    if name == "page":
        return str(page)
    if "enum" in schema:
        return str(schema["enum"][-1])
    if schema.get("type") == "integer":
        return str(schema.get("maximum", 100))
    if schema.get("type") == "boolean":
        return "true"
    if schema.get("format") == "date-time":
        return "2020-01-01T00:00:00Z" if name in ("from", "since", "after") else "2030-01-01T00:00:00Z"
    if schema.get("format") == "uuid":
        return UNKNOWN_ID
    if name == "cursor":
        return ""
    if schema.get("format") == "cron":
        # Only leap days: years of days are searched for each time.
        return urllib.parse.quote("* * 29 2 *" if page % 2 else "59 23 30 2 *")
    if name == "timeZone":
        return "America/New_York"
    if name == "ids":
        return ",".join([UNKNOWN_ID] * 100)
    return urllib.parse.quote(("%_\u00e9" * text)[:min(text, schema.get("maxLength", text))])


def add_query_case(operation, document, shared, contract):
    """One request whose parameters are all given, or only those that a search needs."""
    known = {}
    for parameter in [*shared, *document.get("parameters", [])]:
        parameter = resolved(parameter, contract)
        # An answer that is held back until something happens costs a place, and no more.
        if parameter["in"] == "query" and parameter["name"] != "wait":
            known[parameter["name"]] = resolved(parameter.get("schema", {}), contract)

    def with_query(place, page, text, parameters):
        values = {name: query_value(name, schema, page, text) for name, schema in list(known.items())[:parameters]}
        return ask(place, operation, query="?" + "&".join(f"{n}={v}" for n, v in values.items() if v))

    numbers = {"page": Number(1, 10_000, 1000), "text": Number(1, 400, 100),
               "parameters": Number(0, len(known), min(3, len(known)))}
    add(operation, "query", numbers, with_query, "Deep pages, and a search that matches everything slowly.")


def add_all(contracts):
    """Adds the cases of each operation of the contracts. GETs get queries, all that take a body get bodies."""
    for contract in contracts:
        for path, operations in contract["paths"].items():
            for method, document in operations.items():
                if method not in ("get", "post", "put", "patch", "delete"):
                    continue
                operation = Operation(path, method, document)
                if operation.id.startswith("stream_"):  # Stays open; cases/responses.py is about open connections.
                    continue
                if operation.body_limit:
                    add_body_cases(operation)
                    add_largest_case(operation, document, contract)
                else:
                    add_query_case(operation, document, operations.get("parameters", []), contract)
