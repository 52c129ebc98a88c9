"""Canonical v1 items: what is wrong with one, and how to read its fields."""

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
MAX_INTEGER_BITS = 3_322  # 1,000 decimal digits; Python will not print more than 4,300
MAX_NAMES_BYTES = 2_400  # what an index of the database can hold of source, source_item_id and collection
# At the very ends of time other timezones, and the database driver, have no dates any more.
FIRST_MOMENT, LAST_MOMENT = datetime(1, 1, 3, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)
MAX_PROBLEMS = 100  # told of one item
SHOWN_CHARACTERS = 100  # of a key
NOT_JSON = "is not JSON"  # how the problem of bytes that cannot be read begins

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
    """Why an item is refused: where, in JSONPath, and what is allowed there."""

    path: str
    reason: str


def list_problems(item: Any) -> list[ItemProblem]:
    """What keeps an item out of the ledger; nothing for a good one."""
    return _first_problems(_storage_problems(item), _schema_problems(item), _meaning_problems(item))


def parse_item(raw: bytes) -> tuple[Item, list[ItemProblem]]:
    """The item that these bytes of JSON are, and what keeps it out of the ledger."""
    try:
        item = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return {}, _json_problems(raw, error)
    return item, _problems_of_json(item, raw)


def encode_item(item: Item) -> tuple[bytes, list[ItemProblem]]:
    """The JSON of an item that a program made, and what keeps it out of the ledger."""
    try:
        raw = msgspec.json.encode(item)
    except (ValueError, TypeError, OverflowError, RecursionError):  # lone surrogates, numbers that JSON cannot hold
        return json.dumps(item, ensure_ascii=False, default=str).encode("utf-8", "replace"), list_problems(item)
    return raw, _problems_of_json(item, raw)


def _problems_of_json(item: Any, raw: bytes) -> list[ItemProblem]:
    # What JSON can tell is Unicode and finite; without NUL escapes and with few brackets nothing is left to look for.
    if b"\\u0000" in raw or raw.count(b"{") + raw.count(b"[") > MAX_DEPTH:
        return list_problems(item)
    return _first_problems(_schema_problems(item), _meaning_problems(item))


def _json_problems(raw: bytes, error: Exception) -> list[ItemProblem]:
    """Why bytes are no JSON; what only the stricter reader refuses is told with its place."""
    try:
        found = list_problems(json.loads(raw))
    except (ValueError, RecursionError):  # ValueError: no JSON, or a number of more digits than Python reads
        found = []
    reason = "is nested too deeply" if isinstance(error, RecursionError) else f"{NOT_JSON}: {error}"
    return found or [ItemProblem("$", reason)]


def _first_problems(*checks: Iterator[ItemProblem]) -> list[ItemProblem]:
    """The problems of the first check that finds any: each relies on the one before it."""
    for found in checks:
        if told := list(islice(found, MAX_PROBLEMS)):
            return told
    return []


def schema_text() -> str:
    """The JSON Schema of v1 items."""
    return files("scoop").joinpath("schemas", "item.v1.json").read_text("utf-8")


@cache
def schema() -> dict[str, Any]:
    """The same, read."""
    found: dict[str, Any] = json.loads(schema_text())
    return found


def item_uuid(source: str, source_item_id: str) -> UUID:
    """The UUID that stays with an item: UUIDv5 of `source:source_item_id` in the URL namespace."""
    name = NAMESPACE_URL.bytes + f"{source}:{source_item_id}".encode()
    # The same as uuid5() in half the time.
    return UUID(bytes=hashlib.sha1(name, usedforsecurity=False).digest()[:16], version=5)


def complete_item(found: Item, *, source: str, collection: str, category: str, now: datetime) -> Item:
    """A whole v1 item from what a source knew of it."""
    scraped_at = now.isoformat()
    metadata = {
        "collection": collection,
        "job_name": f"ingest {source}",
        "job_run_id": scraped_at,
        "scraped_at": scraped_at,
        "item_uuid": str(item_uuid(source, str(found.get("source_item_id", "")))),
        "category": category,
    }
    return {
        **found,
        "payload_version": "v1",
        "source": source,
        "source_metadata": found.get("source_metadata", {}) | metadata,
    }


@lru_cache(maxsize=1024)  # the door asks twice, and all items of one visit have one scraped_at
def parse_moment(rfc_3339: str) -> datetime:
    """The moment, in UTC, of an RFC 3339 date-time; a leap second counts as the second before it."""
    clock = rfc_3339.upper()
    if clock[17:19] == "60":
        clock = f"{clock[:17]}59{clock[19:]}"
    try:
        return datetime.fromisoformat(clock).astimezone(UTC)
    except OverflowError as error:
        raise ValueError(f"{rfc_3339!r} is not between the years 1 and 9999 in UTC") from error


def _storage_problems(item: Any) -> Iterator[ItemProblem]:
    """What neither JSON nor the database can hold, and what is nested so deep that it would break its reader."""
    waiting: list[Iterator[tuple[str, Any]]] = [iter([("$", item)])]  # no recursion to run out of
    while waiting:
        following = next(waiting[-1], None)
        if following is None:
            waiting.pop()
            continue
        path, value = following
        if reason := _storage_problem(value, depth=len(waiting)):
            yield ItemProblem(path, reason)
        elif isinstance(value, dict):
            yield from _key_problems(path, value)
            waiting.append(_members(path, value))
        elif isinstance(value, list):
            waiting.append(_entries(path, value))


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
    told_paths = set()
    for problem in chain.from_iterable(map(_told, validator.iter_errors(item))):
        if problem.path not in told_paths:  # an empty title is also blank: once is enough
            told_paths.add(problem.path)
            yield problem


def _told(error: jsonschema_rs.ValidationError) -> list[ItemProblem]:
    path = reduce(_step, error.instance_path, "$")
    keyword, allowed = error.kind.name, error.kind.value
    if keyword == "required":
        return [ItemProblem(_step(path, allowed), "is required")]
    if keyword == "additionalProperties":
        known = ", ".join(schema()["properties"])
        return [ItemProblem(_step(path, key), f"unknown key; allowed are {known}") for key in allowed]
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
    raise AssertionError(f"the schema has a keyword without a sentence: {keyword}")


def _meaning_problems(item: Item) -> Iterator[ItemProblem]:
    names = (item["source"], item["source_item_id"], item["source_metadata"]["collection"])
    if len("".join(names).encode()) > MAX_NAMES_BYTES:
        reason = f"must be, with source and collection, at most {MAX_NAMES_BYTES} bytes of UTF-8"
        yield ItemProblem("$.source_item_id", reason)
    if not text.normalized(item["title"]):
        yield ItemProblem("$.title", _REASON_BY_PATTERN[r"\S"])
    for key in ("canonical_url", "image_url"):
        if key in item and not urls.is_url(item[key]):
            yield ItemProblem(f"$.{key}", "is not a URL that can be opened, as in https://example.com/article")
    if "published_at" in item and not _is_moment(item["published_at"]):
        yield ItemProblem("$.published_at", _REASON_BY_FORMAT["date-time"])
    if not _is_moment(item["source_metadata"]["scraped_at"]):
        yield ItemProblem("$.source_metadata.scraped_at", _REASON_BY_FORMAT["date-time"])


def _is_moment(value: str) -> bool:
    try:
        found = parse_moment(value)
    except ValueError:
        return False
    return FIRST_MOMENT < found < LAST_MOMENT


@cache
def _validator() -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(schema(), validate_formats=True, offline=True)
