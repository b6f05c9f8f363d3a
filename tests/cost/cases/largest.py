"""Valid documents that are as large as their schema allows, made from the examples of the contract. Pure."""

import json

WIDE = "\u20ac"  # three bytes in UTF-8
LONGEST_TEXT = 200_000


def resolved(schema, document):
    while "$ref" in schema:
        target = document
        for part in schema["$ref"].lstrip("#/").split("/"):
            target = target[part]
        schema = target
    return schema


def enlarged_text(schema, text):
    """As long as it may be, unless its form is prescribed."""
    if any(key in schema for key in ("pattern", "format", "enum", "const")):
        return text
    if "x-max-bytes" in schema:
        return "x" * min(schema["x-max-bytes"], LONGEST_TEXT)
    return WIDE * min(schema.get("maxLength", len(text)), LONGEST_TEXT // 3)


def enlarged(schema, value, document, items, limit):
    """The value with each text and each list as large as the schema allows.

    Lists have at most `items` members and about `limit` bytes as JSON.
    """
    schema = resolved(schema, document)
    if isinstance(value, str):
        return enlarged_text(schema, value)
    if isinstance(value, list) and value:
        member = enlarged(schema.get("items", {}), value[0], document, items, limit // 2)
        if schema.get("uniqueItems"):
            return value
        count = min(items, schema.get("maxItems", len(value)), limit // (len(json.dumps(member)) + 2))
        return [member] * max(1, count)
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        return {name: enlarged(properties.get(name, {}), member, document, items, limit)
                for name, member in value.items()}
    return value


def examples_of(operation, document):
    """The schema of an operation's JSON body and its examples."""
    content = operation.get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema")
    if schema is None:
        return None, []
    return schema, resolved(schema, document).get("examples", [])
