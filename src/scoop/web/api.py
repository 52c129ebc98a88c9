"""The API reference page: every operation with its right, parameters and responses, from the OpenAPI document."""

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from fastapi import Request, Response

from scoop.core import access
from scoop.http import routes
from scoop.http.errors import CODES
from scoop.http.routes import needs
from scoop.store import db
from scoop.web import pages
from scoop.web.context import PageContext

router = routes.for_pages()

MAX_DEPTH = 6  # of nested values; deeper ones are shown by name only
METHODS = ("get", "post", "put", "patch", "delete")
LIMITS = (
    ("minimum", "at least {}"),
    ("exclusiveMinimum", "more than {}"),
    ("maximum", "at most {}"),
    ("exclusiveMaximum", "less than {}"),
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
    ("minItems", "at least {} items"),
    ("maxItems", "at most {} items"),
    ("pattern", "pattern {}"),
    ("default", "default {}"),
)
OpenApiDocument = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A value of a request or response, with its nested values."""

    name: str
    type: str
    about: str
    limits: list[str]
    is_required: bool
    parts: "list[Value]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    value: Value
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyDoc:
    media_type: str
    value: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseDoc:
    status: str
    about: str
    bodies: list[BodyDoc]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    anchor: str
    method: str
    path: str
    right: str
    summary: str
    about: str
    parameters: list[Parameter]
    bodies: list[BodyDoc]
    answers: list[ResponseDoc]
    example: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """The operations of one tag."""

    name: str
    anchor: str
    calls: list[Call]


@router.get("/api")
@needs("read")
async def api_page(request: Request, context: PageContext) -> Response:
    document = request.app.openapi()
    address = str(request.base_url).rstrip("/")
    return pages.page(
        "api.html",
        context,
        chapters=chapters(document, address=address),
        address=address,
        about=document["info"]["description"].split("\n\n"),
        rights=access.ABOUT_RIGHTS,
        codes=[(status.value, code, pages.HEADINGS.get(status, status.phrase)) for status, code in CODES.items()],
    )


def chapters(document: OpenApiDocument, *, address: str) -> list[Chapter]:
    """The operations of a document by tag, in the order of their paths."""
    calls_by_tag: dict[str, list[Call]] = {}
    for path, operations in sorted(document["paths"].items()):
        for method in (name for name in METHODS if name in operations):
            call = _call(document, path, method, operations[method], address)
            calls_by_tag.setdefault(operations[method].get("tags", ["Other"])[0], []).append(call)
    return [Chapter(name=name, anchor=_anchor(name), calls=calls) for name, calls in sorted(calls_by_tag.items())]


def _call(document: OpenApiDocument, path: str, method: str, operation: Mapping[str, Any], address: str) -> Call:
    summary, _, about = operation.get("description", operation.get("summary", "")).partition("\n\n")
    return Call(
        anchor=_anchor(f"{method} {path}"),
        method=method.upper(),
        path=path,
        right=operation.get("x-right", "none"),
        summary=" ".join(summary.split()),
        about=" ".join(about.split()),
        parameters=[_parameter(document, parameter) for parameter in operation.get("parameters", [])],
        bodies=_bodies(document, operation.get("requestBody", {})),
        answers=[
            ResponseDoc(status=status, about=answer.get("description", ""), bodies=_bodies(document, answer))
            for status, answer in operation["responses"].items()
            if status.startswith(("2", "3"))
        ],
        example=_example(document, path, method, operation, address),
    )


def _anchor(name: str) -> str:
    return "".join(sign if sign.isalnum() else "-" for sign in name.lower()).strip("-")


def _parameter(document: OpenApiDocument, parameter: Mapping[str, Any]) -> Parameter:
    schema = parameter.get("schema", {})
    schema = {**schema, "description": parameter.get("description", schema.get("description", ""))}
    value = _value(document, parameter["name"], schema, is_required=parameter.get("required", False))
    return Parameter(value=value, place=parameter["in"])


def _bodies(document: OpenApiDocument, message: Mapping[str, Any]) -> list[BodyDoc]:
    return [
        BodyDoc(media_type=media_type, value=_value(document, "", content.get("schema", {}), is_required=True))
        for media_type, content in message.get("content", {}).items()
    ]


def _value(
    document: OpenApiDocument, name: str, schema: Mapping[str, Any], *, is_required: bool, seen: tuple[str, ...] = ()
) -> Value:
    parts = list(_parts(document, schema, seen)) if len(seen) < MAX_DEPTH else []
    return Value(
        name=name,
        type=_type(document, schema),
        about=" ".join(_resolved(document, schema).get("description", "").split()),
        limits=list(_limits(schema)),
        is_required=is_required,
        parts=parts,
    )


def _limits(schema: Mapping[str, Any]) -> Iterator[str]:
    for limit, phrase in LIMITS:
        if limit in schema and schema[limit] not in (None, db.LAST_ID):  # which only says that it is a BIGINT
            yield phrase.format(json.dumps(schema[limit], ensure_ascii=False))


def _resolved(document: OpenApiDocument, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema behind a reference, with the keys beside the reference."""
    if "$ref" not in schema:
        return schema
    target = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return {**target, **{key: value for key, value in schema.items() if key != "$ref"}}


def _parts(document: OpenApiDocument, schema: Mapping[str, Any], seen: tuple[str, ...]) -> Iterator[Value]:
    """The nested values of an object, of the items of a list, or of the alternatives of a choice."""
    reference = schema.get("$ref", "")
    if reference and reference in seen:
        return
    path, inside = (*seen, reference or "inline"), _resolved(document, schema)
    for choice in _choices(inside):
        yield from _parts(document, choice, path)
    if "items" in inside:
        yield from _parts(document, inside["items"], path)
    required = inside.get("required", [])
    for name, part in inside.get("properties", {}).items():
        yield _value(document, name, part, is_required=name in required, seen=path)


def _choices(schema: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    choices: Sequence[Mapping[str, Any]] = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf") or ()
    return choices


def _type(document: OpenApiDocument, schema: Mapping[str, Any]) -> str:
    """A type in words: string (uuid), list of integer, "a" or "b"."""
    if "$ref" in schema:
        inside = _resolved(document, schema)
        return _type(document, inside) if "enum" in inside else schema["$ref"].rpartition("/")[2]
    if choices := _choices(schema):
        return " or ".join(dict.fromkeys(_type(document, choice) for choice in choices))
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " or ".join(json.dumps(value) for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type(document, schema.get('items', {}))}"
    kind = schema.get("type", "anything")
    name = " or ".join(kind) if isinstance(kind, list) else kind
    return f"{name} ({schema['format']})" if "format" in schema else str(name)


def _example(document: OpenApiDocument, path: str, method: str, operation: Mapping[str, Any], address: str) -> str:
    """The operation as a curl command with its required values and placeholders."""
    parameters = operation.get("parameters", [])
    for parameter in parameters:
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", parameter["name"].upper())
    query = {
        parameter["name"]: _sample(document, parameter.get("schema", {}))
        for parameter in parameters
        if parameter["in"] == "query" and parameter.get("required")
    }
    url = f"{address}{path}{'?' + urlencode(query) if query else ''}"
    lines = ["curl" if method == "get" else f"curl -X {method.upper()}"]
    if operation.get("x-right", "none") != "none":
        lines.append('-H "Authorization: Bearer $SCOOP_KEY"')
    for media_type, content in list(operation.get("requestBody", {}).get("content", {}).items())[:1]:
        lines.append(f"-H 'Content-Type: {media_type}'")
        lines.append(_data(document, media_type, content.get("schema", {})))
    return " \\\n  ".join([*lines, f"'{url}'"])


def _data(document: OpenApiDocument, media_type: str, schema: Mapping[str, Any]) -> str:
    if "json" not in media_type or "ndjson" in media_type:
        return "--data-binary @FILE"
    return f"-d {shlex.quote(json.dumps(_sample(document, schema), ensure_ascii=False))}"


def _sample(document: OpenApiDocument, schema: Mapping[str, Any], depth: int = 0) -> Any:
    """A small valid value: only required fields."""
    inside = _resolved(document, schema)
    for key in ("default", "const"):
        if key in inside:
            return inside[key]
    if "enum" in inside:
        return inside["enum"][0]
    if choices := _choices(inside):
        return _sample(document, choices[0], depth + 1)
    match inside.get("type"):
        case "object":
            names = inside.get("required", []) if depth < MAX_DEPTH else []
            return {name: _sample(document, inside["properties"][name], depth + 1) for name in names}
        case "array":
            return [_sample(document, inside.get("items", {}), depth + 1)] if depth < MAX_DEPTH else []
        case "integer" | "number":
            return inside.get("minimum", 1)
        case "boolean":
            return True
    return "..."
