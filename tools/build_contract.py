"""Merges openapi/ into one OpenAPI 3.1 document, written as JSON and as YAML, and lists its operations for C++.

usage: build_contract.py SOURCE_DIR ERROR_TABLE OUTPUT.json OUTPUT.yaml OUTPUT.hpp [NAME]

SOURCE_DIR holds openapi.yaml (the frame), responses.yaml (shared headers and parameters), errors.yaml
(groups of error codes), paths/*.yaml and schemas/*.yaml (one map each). ERROR_TABLE is the C++ source
whose rows `{errc::code, status, "code", "sentence"}` are the only place that defines statuses and sentences.
OUTPUT.hpp gets the macro SVC_OPERATIONS(X): X(operationId) for each operation without `x-served-by`.
With NAME it builds another document: the frame is NAME.yaml, the paths and schemas are those in NAME/ and the
files of schemas/ that the frame lists as `x-schemas` (common.yaml), and the macro SVC_NAME_OPERATIONS(X).

Short forms in the sources, so that nothing is written twice:
  $ref: Name                     a schema of schemas/*.yaml
  schema: Name                   the same, for the schema of a media type or parameter
  parameters: [Name, {...}]      a parameter of responses.yaml, or a complete one
  requestBody: {schema, required, media}  JSON with that schema, unless `media` is another type
  responses: {200: {description, headers: [Name], schema: Name | page: Name, media}}
                                 `page` is the pagination envelope around Name, and adds PAGE_PARTS;
                                 a JSON 200 of a GET with a token adds CONDITIONAL_PARTS, a 304, a 412;
                                 a response schema without `examples` gets one from its members' examples;
                                 `media` is JSON by default, or a list
  x-errors: [code, +group]       becomes the sorted list of codes and, by status, the error responses
  x-token-kinds                  becomes `security` as well
  x-served-by: MODULE            this module serves the operation before the router; it is only described here
  x-deprecated: {since, sunset}  date-times, beside `deprecated: true`; every answer has them in its headers
Rate-limit headers are added where `x-rate-class` is not none.
"""

import http
import itertools
import json
import pathlib
import re
import sys

import yaml

WITHOUT_BODY = (204, 303, 304)
METHODS = ("get", "put", "post", "delete", "patch")
LIMIT_HEADERS = {"X-RateLimit-Limit": "RateLimitLimit", "X-RateLimit-Remaining": "RateLimitRemaining",
                 "X-RateLimit-Reset": "RateLimitReset", "RateLimit-Policy": "RateLimitPolicy",
                 "RateLimit": "RateLimit"}
HEADERS = {"ETag": "ETag", "Link": "Link", "Location": "Location", "CacheControl": "Cache-Control",
           "IdempotentReplayed": "Idempotent-Replayed"}
CONDITIONAL_PARTS = {"parameters": ["IfMatch", "IfNoneMatch"], "headers": ["ETag"]}
DEPRECATION = {"description": "Since when (RFC 9745).", "schema": {"type": "string"}}
SUNSET = {"description": "Until when (RFC 8594).", "schema": {"type": "string"}}
PAGE_PARTS = {"parameters": ["Page", "Limit", "Cursor"], "headers": ["Link"]}
SCHEMES = {"cli": "cliToken", "test": "cliToken", "trigger": "triggerKey", "runner": "runnerToken",
           "session": "sessionCookie"}


class ContractError(Exception):
    """The sources contradict each other; the text names the place."""


class UniqueLoader(yaml.SafeLoader):
    """Refuses repeated keys, of which PyYAML keeps the last one, and reads dates as strings."""

    def construct_mapping(self, node, deep=False):
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if key in seen:
                raise ContractError(f"{key_node.start_mark}: {key!r} appears twice")
            seen.add(key)
        return super().construct_mapping(node, deep)


UniqueLoader.yaml_implicit_resolvers = {
    first: [(tag, rule) for tag, rule in rules if not tag.endswith(":timestamp")]
    for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()}


# No anchors: every place is written in full.
yaml.SafeDumper.ignore_aliases = lambda *_: True


def read(path):
    with open(path, encoding="utf-8") as file:
        content = yaml.load(file, UniqueLoader)
    if not isinstance(content, dict):
        raise ContractError(f"{path}: must be a map")
    return content


def read_folder(folder):
    merged = {}
    for path in sorted(folder.glob("*.yaml")):
        for key, value in read(path).items():
            if key in merged:
                raise ContractError(f"{path}: {key} is defined twice")
            merged[key] = value
    if not merged:
        raise ContractError(f"{folder}: no definitions")
    return merged


def reference(kind, name):
    return {"$ref": f"#/components/{kind}/{name}"}


def read_error_table(path):
    row = re.compile(r'\{errc::(\w+), (\d{3}), "(\w+)",\s*"([^"]*)"\}')
    rows = row.findall(path.read_text(encoding="utf-8"))
    if not rows or any(code != name for code, _, name, _ in rows):
        raise ContractError(f"{path}: no rows of the form {{errc::code, status, \"code\", \"sentence\"}}")
    return {code: {"status": int(status), "message": sentence} for code, status, _, sentence in rows}


class Builder:
    def __init__(self, source, error_table, name=None):
        own = source / name if name else source
        self.document = read(source / f"{name or 'openapi'}.yaml")
        shared = read(source / "responses.yaml")
        self.errors = read(source / "errors.yaml")
        self.table = read_error_table(error_table)
        self.paths = read_folder(own / "paths")
        self.headers = shared["headers"]
        self.parameters = shared["parameters"]
        self.schemas = read_folder(own / "schemas")
        if name:
            for file in self.document.pop("x-schemas", ["common"]):
                self.schemas |= read(source / "schemas" / f"{file}.yaml")
        self.pages = {}
        self.error_responses = {}
        self.used_codes = set()

    def build(self):
        self.expand_references(self.schemas, "schemas")
        paths = {path: self.path_item(path, item) for path, item in self.paths.items()}
        self.check_codes(self.document["x-common-errors"], "x-common-errors")
        request = "01934f2e-9999-7d3e-9b1f-5a2c8e4d6f70"
        examples = {
            code: {"summary": code, "value": {"error": row["message"], "code": code, "requestId": request}}
            for code, row in self.table.items() if code in self.used_codes}
        components = self.document.pop("components")
        used = json.dumps(paths)
        self.document["paths"] = paths
        self.document["components"] = {
            **components,
            "schemas": {**self.schemas, **self.pages},
            "parameters": {name: one for name, one in self.parameters.items()
                           if reference("parameters", name)["$ref"] in used},
            "headers": self.headers,
            "responses": {**self.error_responses, "CommonError": {
                "description": "An error that can end any request; `x-common-errors` lists the codes.",
                "headers": {"X-Request-Id": reference("headers", "RequestId")},
                "content": self.error_content({}),
            }},
            "examples": examples,
        }
        return self.document

    def expand_references(self, value, where):
        if isinstance(value, dict):
            for key, child in value.items():
                if key == "$ref" and isinstance(child, str):
                    value[key] = self.schema(child, where)["$ref"]
                elif key == "mapping":
                    value[key] = {kind: self.schema(name, where)["$ref"] for kind, name in child.items()}
                elif key not in ("examples", "default", "const", "enum"):
                    self.expand_references(child, f"{where}.{key}")
        elif isinstance(value, list):
            for index, child in enumerate(value):
                self.expand_references(child, f"{where}.{index}")

    def schema(self, value, where):
        if isinstance(value, dict):
            return value
        if value not in self.schemas:
            raise ContractError(f"{where}: no schema {value!r} in schemas/")
        return reference("schemas", value)

    def page(self, response, where):
        """The schema of a page of rows; `more` has members next to them."""
        name, more = response["page"], response.get("more", {})
        if name + "Page" not in self.pages:
            self.pages[name + "Page"] = {
                "type": "object",
                "required": ["data", "pagination", *more],
                "properties": {
                    "data": {"type": "array", "items": self.schema(name, where)},
                    "pagination": self.schema("Pagination", where),
                    **{member: self.schema(schema, where) for member, schema in more.items()},
                },
            }
        return reference("schemas", name + "Page")

    def resolve(self, schema):
        name = schema.get("$ref", "").rpartition("/")[2]
        return {**self.schemas, **self.pages}[name] if name else schema

    def exemplify(self, schema, where):
        """Gives a schema without examples one made from those of its members."""
        target = self.resolve(schema)
        if "examples" not in target:
            target["examples"] = [self.example_of(target, where)]

    def example_of(self, schema, where):
        found = self.resolve(schema)
        if "examples" in found:
            return found["examples"][0]
        if "const" in found:
            return found["const"]
        if found.get("type") == "array":
            return [self.example_of(found["items"], where)]
        if found.get("type") == "object" and "properties" in found:
            return {name: self.example_of(found["properties"][name], where) for name in found.get("required", [])}
        raise ContractError(f"{where}: a schema of the answer has no examples: {found}")

    def path_item(self, path, item):
        result = {}
        if "parameters" in item:
            result["parameters"] = [self.parameter(p, path) for p in item.pop("parameters")]
        for method, operation in item.items():
            where = f"{method.upper()} {path}"
            if method not in METHODS:
                raise ContractError(f"{path}: {method!r} is no method")
            result[method] = self.operation(operation, where)
        return result

    def parameter(self, value, where):
        if isinstance(value, dict):
            return {**value, "schema": self.schema(value["schema"], where)}
        if value not in self.parameters:
            raise ContractError(f"{where}: no parameter {value!r} in responses.yaml")
        return reference("parameters", value)

    def operation(self, operation, where):
        for key in ("operationId", "x-token-kinds", "x-rate-class", "x-errors", "x-success", "responses"):
            if key not in operation:
                raise ContractError(f"{where}: {key} is missing")
        self.complete(where.split()[0], operation)
        result = {k: v for k, v in operation.items() if k[:2] != "x-" and k != "responses"}
        if "parameters" in result:
            result["parameters"] = [self.parameter(p, where) for p in result["parameters"]]
        if "requestBody" in result:
            body = result["requestBody"]
            content = {body.get("media", "application/json"): {"schema": self.schema(body["schema"], where)}}
            result["requestBody"] = {"required": body["required"], "content": content}
        schemes = list(dict.fromkeys(SCHEMES[kind] for kind in operation["x-token-kinds"]))
        result["security"] = [{scheme: []} for scheme in schemes]
        result.update({k: v for k, v in operation.items() if k.startswith("x-")})
        result["x-errors"] = self.codes(operation["x-errors"], where)
        result["responses"] = self.responses(operation, result["x-errors"], where)
        return result

    @staticmethod
    def complete(method, operation):
        """Adds the parts that every operation of a kind has, so that none can lack them."""
        responses = operation["responses"]

        def is_conditional(response):
            return (method == "GET" and operation["x-token-kinds"] and response is responses.get(200)
                    and response.get("media", "application/json") == "application/json")

        for parts, wanted in ((PAGE_PARTS, lambda r: "page" in r), (CONDITIONAL_PARTS, is_conditional)):
            for response in [r for r in responses.values() if wanted(r)]:
                own = [p for p in operation.get("parameters", []) if p not in parts["parameters"]]
                first = parts is PAGE_PARTS
                operation["parameters"] = parts["parameters"] + own if first else own + parts["parameters"]
                response["headers"] = list(dict.fromkeys(parts["headers"] + response.get("headers", [])))
                if parts is CONDITIONAL_PARTS:
                    responses.setdefault(304, {"description": "Nothing has changed.", "headers": ["ETag"]})
                    operation["x-errors"] = [*operation["x-errors"], "precondition_failed"]

    def codes(self, listed, where):
        found = set()
        for entry in listed:
            if entry.startswith("+") and entry[1:] not in self.errors["groups"]:
                raise ContractError(f"{where}: no group {entry[1:]!r} in errors.yaml")
            names = self.errors["groups"][entry[1:]] if entry.startswith("+") else [entry]
            repeated = found.intersection(names)
            if repeated:
                raise ContractError(f"{where}: x-errors names {', '.join(sorted(repeated))} twice")
            found.update(names)
        self.check_codes(sorted(found), where)
        self.used_codes |= found
        return [code for code in self.table if code in found]

    def check_codes(self, codes, where):
        unknown = [code for code in codes if code not in self.table]
        if unknown:
            raise ContractError(f"{where}: the error table has no {', '.join(unknown)}")

    def responses(self, operation, codes, where):
        limited = operation["x-rate-class"] != "none"
        result = {}
        for status, response in operation["responses"].items():
            headers = {HEADERS[name]: reference("headers", name) for name in response.get("headers", [])}
            if "x-deprecated" in operation:
                headers.update({"Deprecation": DEPRECATION, "Sunset": SUNSET} if "sunset" in operation["x-deprecated"]
                               else {"Deprecation": DEPRECATION})
            entry = {"description": response["description"], "headers": self.with_shared(headers, limited)}
            schema = self.page(response, where) if "page" in response else response.get("schema")
            if (schema is None) != (status in WITHOUT_BODY):
                raise ContractError(f"{where}: response {status} must have a body unless it is 204, 303 or 304")
            if schema is not None:
                media = response.get("media", "application/json")
                named = media if isinstance(media, list) else [media]
                self.exemplify(self.schema(schema, where), where)
                entry["content"] = {name: {"schema": self.schema(schema, where)} for name in named}
            result[str(status)] = entry
        if str(operation["x-success"]) not in result:
            raise ContractError(f"{where}: x-success {operation['x-success']} has no response")
        for status in sorted({self.table[code]["status"] for code in codes}):
            here = [code for code in codes if self.table[code]["status"] == status]
            result[str(status)] = self.shared_response(status, self.error_response(status, here, limited))
        result["default"] = reference("responses", "CommonError")
        return result

    def shared_response(self, status, response):
        """Operations with the same errors share one response, which halves the document."""
        stem = http.HTTPStatus(status).phrase.title().replace(" ", "")
        for number in itertools.count(1):
            name = stem if number == 1 else f"{stem}{number}"
            if self.error_responses.setdefault(name, response) == response:
                return reference("responses", name)

    def error_response(self, status, codes, limited):
        headers = {}
        if status == 401:
            headers["WWW-Authenticate"] = reference("headers", "WwwAuthenticate")
        if status in (429, 503) or {"idempotency_in_progress", "queue_full"} & set(codes):
            headers["Retry-After"] = reference("headers", "RetryAfter")
        if "unsupported_content_coding" in codes:
            headers["Accept-Encoding"] = reference("headers", "AcceptEncoding")
        return {
            "description": self.errors["statuses"][status],
            "headers": self.with_shared(headers, limited and status != 503),
            "content": self.error_content({"examples": {code: reference("examples", code) for code in codes}}),
        }

    @staticmethod
    def error_content(examples):
        return {
            "application/json": {"schema": reference("schemas", "Error"), **examples},
            "application/problem+json": {"schema": reference("schemas", "Problem")},
        }

    @staticmethod
    def with_shared(headers, limited):
        shared = {"X-Request-Id": reference("headers", "RequestId")}
        if limited:
            shared.update({name: reference("headers", key) for name, key in LIMIT_HEADERS.items()})
        return {**headers, **shared}


def operation_list(document, name=""):
    """A header with one macro that applies another one to each operationId."""
    macro = f"SVC_{name.upper()}_OPERATIONS" if name else "SVC_OPERATIONS"
    all_operations = [item[method] for item in document["paths"].values() for method in METHODS if method in item]
    ids = [one["operationId"] for one in all_operations if "x-served-by" not in one]
    return f"#pragma once\n\n#define {macro}(X) " + " ".join(f"X({one})" for one in ids) + "\n"


def main(arguments):
    if "--help" in arguments or "-h" in arguments:
        print(__doc__.strip())
        return 0
    if len(arguments) not in (5, 6):
        print(__doc__.strip().splitlines()[2], file=sys.stderr)
        return 2
    source, table, json_path, yaml_path, list_path = (pathlib.Path(a) for a in arguments[:5])
    try:
        document = Builder(source, table, *arguments[5:]).build()
    except (ContractError, OSError, yaml.YAMLError) as error:
        print(f"build_contract: {error}", file=sys.stderr)
        return 1
    except (KeyError, TypeError, AttributeError) as error:
        print(f"build_contract: a source has the wrong shape: {error!r}", file=sys.stderr)
        return 1
    json_path.write_text(json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    yaml_path.write_text(
        yaml.dump(document, Dumper=yaml.SafeDumper, sort_keys=False, allow_unicode=True, width=120), encoding="utf-8")
    list_path.write_text(operation_list(document, *arguments[5:]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
