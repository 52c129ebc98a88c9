"""Canonical v1 items: validation, encoding and parsing of their fields."""

import hashlib
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, lru_cache, reduce
from importlib.resources import files
from itertools import chain, islice
from typing import Any
from uuid import NAMESPACE_URL, UUID

import jsonschema_rs
import msgspec

from scoop.core import text, urls
from scoop.model import Item

MAX_DEPTH = 64
MAX_INTEGER_BITS = 3_322  # 1,000 decimal digits; Python refuses to print more than 4,300
MAX_NAMES_BYTES = 2_400  # of source, source_item_id and collection, which one index holds
# Near the limits of datetime, other timezones and the database driver would overflow.
FIRST_MOMENT, LAST_MOMENT = datetime(1, 1, 3, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)
MAX_PROBLEMS = 100  # reported of one item
SHOWN_CHARACTERS = 100  # of a key
NOT_JSON = "is not JSON"  # the beginning of the problem of an item that cannot be parsed

_HTTP = "^[Hh][Tt][Tt][Pp][Ss]?://"
_REASON_BY_FORMAT = {
    "date-time": "is not a date-time as in 2026-11-15T09:00:00Z",
    "uri": "is not a URI as in https://example.com/article; percent-encode what is not ASCII",
    "uuid": "is not a UUID as in 6ba7b811-9dad-11d1-80b4-00c04fd430c8",
}
_REASON_BY_PATTERN = {r"\S": "must not be blank", _HTTP: "must begin with http:// or https://"}
_JSON_NAME_BY_TYPE = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
}


@dataclass(frozen=True, slots=True)
class ItemProblem:
    """Why an item is refused: a JSONPath and what is allowed there."""

    path: str
    reason: str


def list_problems(item: Any) -> list[ItemProblem]:
    """The problems of an item; empty if it is valid."""
    return _first_problems(_storage_problems(item), _schema_problems(item), _meaning_problems(item))


def parse_item(raw: bytes) -> tuple[Item, list[ItemProblem]]:
    """Parse JSON into an item, with its problems."""
    try:
        item = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return {}, _json_problems(raw, error)
    return item, _problems_of_json(item, raw)


def encode_item(item: Item) -> tuple[bytes, list[ItemProblem]]:
    """Encode an item that a source built as JSON, with its problems."""
    try:
        raw = msgspec.json.encode(item)
    except (ValueError, TypeError, OverflowError, RecursionError):  # lone surrogates, numbers that JSON cannot hold
        return json.dumps(item, ensure_ascii=False, default=str).encode("utf-8", "replace"), list_problems(item)
    return raw, _problems_of_json(item, raw)


def _problems_of_json(item: Any, raw: bytes) -> list[ItemProblem]:
    # Parsed JSON is Unicode and finite; only NUL escapes or deep nesting can still be unstorable.
    if b"\\u0000" in raw or raw.count(b"{") + raw.count(b"[") > MAX_DEPTH:
        return list_problems(item)
    return _first_problems(_schema_problems(item), _meaning_problems(item))


def _json_problems(raw: bytes, error: Exception) -> list[ItemProblem]:
    """Why bytes are not JSON; a problem that only the stricter parser refuses has its path."""
    try:
        problems = list_problems(json.loads(raw))
    except (ValueError, RecursionError):  # ValueError: not JSON, or a number with more digits than Python parses
        problems = []
    reason = "is nested too deeply" if isinstance(error, RecursionError) else f"{NOT_JSON}: {error}"
    return problems or [ItemProblem("$", reason)]


def _first_problems(*checks: Iterator[ItemProblem]) -> list[ItemProblem]:
    """The problems of the first check that finds any: each relies on the one before it."""
    for check in checks:
        if problems := list(islice(check, MAX_PROBLEMS)):
            return problems
    return []


def schema_text() -> str:
    """The JSON Schema of v1 items."""
    return files("scoop").joinpath("schemas", "item.v1.json").read_text("utf-8")


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema of v1 items, parsed."""
    parsed: dict[str, Any] = json.loads(schema_text())
    return parsed


def item_uuid(source: str, source_item_id: str) -> UUID:
    """The permanent UUID of an item: UUIDv5 of `source:source_item_id` in the URL namespace."""
    name = NAMESPACE_URL.bytes + f"{source}:{source_item_id}".encode()
    # The same as uuid5() in half the time.
    return UUID(bytes=hashlib.sha1(name, usedforsecurity=False).digest()[:16], version=5)


def complete_item(partial: Item, *, source: str, collection: str, category: str, now: datetime) -> Item:
    """Add the required fields to the fields that a source has read."""
    scraped_at = now.isoformat()
    metadata = {
        "collection": collection,
        "job_name": f"ingest {source}",
        "job_run_id": scraped_at,
        "scraped_at": scraped_at,
        "item_uuid": str(item_uuid(source, str(partial.get("source_item_id", "")))),
        "category": category,
    }
    return {
        **partial,
        "payload_version": "v1",
        "source": source,
        "source_metadata": partial.get("source_metadata", {}) | metadata,
    }


@lru_cache(maxsize=1024)  # an item is parsed twice, and all items of one fetch have the same scraped_at
def parse_moment(rfc_3339: str) -> datetime:
    """Parse an RFC 3339 date-time into UTC; a leap second counts as the second before it."""
    clock = rfc_3339.upper()
    if clock[17:19] == "60":
        clock = f"{clock[:17]}59{clock[19:]}"
    try:
        return datetime.fromisoformat(clock).astimezone(UTC)
    except OverflowError as error:
        raise ValueError(f"{rfc_3339!r} is not between the years 1 and 9999 in UTC") from error


def _storage_problems(item: Any) -> Iterator[ItemProblem]:
    """Values that JSON or the database cannot hold, and nesting that would exceed a parser's recursion."""
    stack: list[Iterator[tuple[str, Any]]] = [iter([("$", item)])]  # a loop: recursion could overflow
    while stack:
        entry = next(stack[-1], None)
        if entry is None:
            stack.pop()
            continue
        path, value = entry
        if reason := _storage_problem(value, depth=len(stack)):
            yield ItemProblem(path, reason)
        elif isinstance(value, dict):
            yield from _key_problems(path, value)
            stack.append(_members(path, value))
        elif isinstance(value, list):
            stack.append(_entries(path, value))


def _members(path: str, value: dict[Any, Any]) -> Iterator[tuple[str, Any]]:
    return ((_step(path, key), inner) for key, inner in value.items())


def _entries(path: str, value: list[Any]) -> Iterator[tuple[str, Any]]:
    return ((f"{path}[{index}]", inner) for index, inner in enumerate(value))


def _storage_problem(value: Any, depth: int) -> str | None:
    match value:
        case str():
            return _text_problem(value)
        case None | bool():
            return None
        case dict() | list():
            return f"must not be nested deeper than {MAX_DEPTH} levels" if depth > MAX_DEPTH else None
        case int():
            return "must have at most 1,000 digits" if value.bit_length() > MAX_INTEGER_BITS else None
        case float():
            return None if math.isfinite(value) else f"must be a number that JSON can hold (is {value})"
    return f"is not a JSON value (is {type(value).__name__})"


def _text_problem(value: str) -> str | None:
    if "\0" in value:
        return "contains a NUL character"
    if value.isascii():
        return None
    try:
        value.encode()
    except UnicodeEncodeError:
        return "contains a lone surrogate, which is not Unicode text"
    return None


def _key_problems(path: str, value: dict[Any, Any]) -> Iterator[ItemProblem]:
    for key in value:
        if not isinstance(key, str):
            yield ItemProblem(path, f"has a key that is not a string (is {type(key).__name__})")
        elif reason := _text_problem(key):
            yield ItemProblem(_step(path, key), f"has a key that {reason}")


def _step(path: str, key: Any) -> str:
    if isinstance(key, int):
        return f"{path}[{key}]"
    key = str(key)[:SHOWN_CHARACTERS]
    return f"{path}.{key}" if key.isidentifier() else f"{path}[{json.dumps(key)}]"


def _schema_problems(item: Any) -> Iterator[ItemProblem]:
    validator = _validator()
    if validator.is_valid(item):
        return
    reported = set()
    for problem in chain.from_iterable(map(_describe, validator.iter_errors(item))):
        if problem.path not in reported:  # an empty title is also blank: one problem is enough
            reported.add(problem.path)
            yield problem


def _describe(error: jsonschema_rs.ValidationError) -> list[ItemProblem]:
    path = reduce(_step, error.instance_path, "$")
    keyword, allowed = error.kind.name, error.kind.value
    if keyword == "required":
        return [ItemProblem(_step(path, allowed), "is required")]
    if keyword == "additionalProperties":
        allowed_keys = ", ".join(schema()["properties"])
        return [ItemProblem(_step(path, key), f"unknown key; allowed are {allowed_keys}") for key in allowed]
    return [ItemProblem(path, _reason(keyword, allowed, error.instance))]


def _reason(keyword: str, allowed: Any, value: Any) -> str:
    match keyword:
        case "type":
            return f"must be of type {' or '.join(allowed)} (is {_JSON_NAME_BY_TYPE[type(value)]})"
        case "const":
            return f"must be {json.dumps(allowed)}"
        case "minLength":
            return f"must be at least {allowed} characters (has {len(value)})" if allowed > 1 else "must not be empty"
        case "maxLength":
            return f"must be at most {allowed} characters (has {len(value)})"
        case "maxItems":
            return f"must be at most {allowed} entries (has {len(value)})"
        case "format":
            return _REASON_BY_FORMAT[allowed]
        case "pattern":
            return _REASON_BY_PATTERN[allowed]
    raise AssertionError(f"no message for the keyword {keyword} of the schema")


def _meaning_problems(item: Item) -> Iterator[ItemProblem]:
    names = (item["source"], item["source_item_id"], item["source_metadata"]["collection"])
    if len("".join(names).encode()) > MAX_NAMES_BYTES:
        reason = f"must be, with source and collection, at most {MAX_NAMES_BYTES} bytes of UTF-8"
        yield ItemProblem("$.source_item_id", reason)
    if not text.normalized(item["title"]):
        yield ItemProblem("$.title", _REASON_BY_PATTERN[r"\S"])
    for key in ("canonical_url", "image_url"):
        if key in item and not urls.is_url(item[key]):
            yield ItemProblem(f"$.{key}", "is not a valid URL, as in https://example.com/article")
    if "published_at" in item and not _is_moment(item["published_at"]):
        yield ItemProblem("$.published_at", _REASON_BY_FORMAT["date-time"])
    if not _is_moment(item["source_metadata"]["scraped_at"]):
        yield ItemProblem("$.source_metadata.scraped_at", _REASON_BY_FORMAT["date-time"])


def _is_moment(value: str) -> bool:
    try:
        moment = parse_moment(value)
    except ValueError:
        return False
    return FIRST_MOMENT < moment < LAST_MOMENT


@cache
def _validator() -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(schema(), validate_formats=True, offline=True)
