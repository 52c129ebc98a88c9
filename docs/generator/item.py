"""The page of the canonical item, from its JSON Schema."""

import json
from collections.abc import Mapping
from typing import Any

from generator.markdown import code, page_head, table
from scoop.core import items


def item_page() -> str:
    schema = json.loads(items.schema_text())
    metadata = schema["properties"]["source_metadata"]
    about = f"{schema['description']} No other key is allowed at the top. `scoop schema item` prints the JSON Schema."
    return "\n\n".join(
        [
            page_head("The canonical item, version 1", about),
            _fields(schema),
            "## source_metadata",
            f"{metadata['description']} Any other key is kept as it is.",
            _fields(metadata) + "\n",
        ]
    )


def _fields(schema: dict[str, Any]) -> str:
    rows = [
        (code(name), "yes" if name in schema["required"] else "", _shape(field), field["description"])
        for name, field in schema["properties"].items()
    ]
    return table(("field", "required", "shape", "about"), rows)


def _shape(field: Mapping[str, Any]) -> str:
    """What a value must be, in words."""
    if "const" in field:
        return code(json.dumps(field["const"]))
    if field["type"] == "array":
        return f"at most {field['maxItems']:,} of: {_shape(field['items'])}"
    low, high = field.get("minLength"), field.get("maxLength")
    size = f"{low:,} to {high:,} characters" if low and high else f"at most {high:,} characters" if high else ""
    default = f"default {code(field['default'])}" if "default" in field else ""
    return ", ".join(filter(None, [field.get("format", field["type"]), size, default]))
