"""Memories of other curators as they are exported: documents of any program that has the two collections, read."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, get_args
from urllib.parse import unquote

import msgspec

from scoop.core import urls
from scoop.core.curation import FULL_SCORE, RejectReason
from scoop.core.shapes import curator_memory
from scoop.core.shapes.curator_memory import COLLECTIONS, EVALUATED_FOR, NOTIFIED, NOTIFIED_FOR, StoredDocument

REASONS: tuple[RejectReason, ...] = get_args(RejectReason)
NESTED = "__collections__"  # how some exports name the collections of a database
_READABLE = re.compile(r"https?:--[^/]+")
_SNOWFLAKE = re.compile(r"[0-9]{17,20}")
_SLASHES_AT_END = re.compile(r"-+(?=\?|\Z)")


class UnreadableDocument(ValueError):
    """Why a document cannot be imported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberedArticle:
    """An article of another memory; `readable_key` identifies one whose id does not lead to its URL."""

    state: Literal["notified", "rejected"]
    curator: str | None
    url: str | None
    readable_key: str | None
    article_title: str
    reason: RejectReason | None
    relevance_score: int | None
    happened_at: datetime
    discord_message_id: str | None

    @property
    def expires_at(self) -> datetime:
        return self.happened_at + (NOTIFIED_FOR if self.state == "notified" else EVALUATED_FOR)


def read_article(document: StoredDocument) -> RememberedArticle:
    """The article of a document; UnreadableDocument says what is missing or wrong."""
    fields, is_notified = document.fields, document.collection == NOTIFIED
    curator, url, key = _identity(document)
    title = fields.get("article_title")
    return RememberedArticle(
        state="notified" if is_notified else "rejected",
        curator=curator,
        url=url,
        readable_key=key,
        article_title=title.strip() if isinstance(title, str) else "",
        reason=None if is_notified else _reason(fields.get("reason")),
        relevance_score=_score(fields.get("relevance_score")),
        happened_at=_time("notified_at" if is_notified else "evaluated_at", fields),
        discord_message_id=_message_id(fields.get("discord_message_id")) if is_notified else None,
    )


def readable_key(readable_id: str) -> str:
    """A readable id without tracking parameters and slashes at the end, as that of a canonical URL."""
    base, question, query = readable_id.partition("#")[0].partition("?")
    if question:
        query = urls.canonical_url(f"https://a.example/?{query}").partition("?")[2]
    return _SLASHES_AT_END.sub("", f"{base}?{query}" if query else base)


# Documents


def parse_export(written: str) -> Iterator[StoredDocument | str]:
    """The documents of a JSON or NDJSON file, and a sentence about each part that is none."""
    try:
        decoded = msgspec.json.decode(written)
    except msgspec.DecodeError:
        yield from _lines(written)
    else:
        yield from _documents(decoded, "the file")


def _lines(written: str) -> Iterator[StoredDocument | str]:
    for number, line in enumerate(written.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            decoded = msgspec.json.decode(line)
        except msgspec.DecodeError as error:
            yield f"line {number} is not JSON: {error}"
        else:
            yield from _documents(decoded, f"line {number}")


def _documents(value: Any, place: str) -> Iterator[StoredDocument | str]:
    match value:
        case list():
            for position, each in enumerate(value, start=1):
                yield from _documents(each, f"{place}, item {position}")
        case {"document": dict(inner)} | {"documents": list(inner)}:
            yield from _documents(inner, place)
        case {"name": str(name), "fields": dict(typed)}:  # as the REST interface has it
            collection, _, document_id = name.rpartition("/documents/")[2].partition("/")
            yield _document(collection, document_id, {field: _plain(each) for field, each in typed.items()})
        case {"collection": str(collection), "id": str(document_id)}:
            yield _document(collection, document_id, value)
        case dict() if any(_collections(value).values()):
            for collection, documents in _collections(value).items():
                yield from (_document(collection, *each) for each in documents.items() if isinstance(each[1], dict))
        case _:
            yield f"{place} is not a document of {' or '.join(COLLECTIONS)}"


def _document(collection: str, document_id: str, fields: Mapping[str, Any]) -> StoredDocument:
    return StoredDocument(collection=collection, document_id=document_id, fields=fields)


def _collections(value: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The collections of an export that has documents by their ids."""
    nested = value.get(NESTED, value)
    return {name: nested[name] for name in COLLECTIONS if isinstance(nested.get(name), dict)}


def _plain(value: Any) -> Any:
    """A field of the REST interface, whose values name their type."""
    match value:
        case {"integerValue": number}:
            return int(number)
        case {"nullValue": _}:
            return None
        case dict() if len(value) == 1:
            return next(iter(value.values()))
    return value


# Fields


def _identity(document: StoredDocument) -> tuple[str | None, str | None, str | None]:
    """The curator, the URL and the readable key of an article, as far as the document has them."""
    own = curator_memory.parse_id(document.document_id)
    named = document.fields.get("curator")
    curator = named if isinstance(named, str) else own[0] if own else None
    spellings = (document.fields.get("url"), own[1] if own else None, unquote(document.document_id))
    if url := next(filter(_is_url, spellings), None):
        return curator, urls.canonical_url(url), None
    if _READABLE.fullmatch(document.document_id):
        return curator, None, readable_key(document.document_id)
    raise UnreadableDocument("its id leads to no URL, and it has no field url")


def _is_url(value: Any) -> bool:
    """Whether a value is a URL with its slashes: `https:--dev.to` is a URL too, of the host --dev.to."""
    return isinstance(value, str) and "://" in value and urls.is_url(value)


def _time(name: str, fields: Mapping[str, Any]) -> datetime:
    moment = _moment(fields.get(name))
    if moment is None:
        raise UnreadableDocument(f"{name} is missing or not a time")
    return moment


def _moment(value: Any) -> datetime | None:
    """A time in any of the forms that exports have: ISO 8601, or seconds and nanoseconds."""
    match value:
        case datetime():
            return value if value.tzinfo else value.replace(tzinfo=UTC)
        case str():
            return _iso(value)
        case {"__datatype__": "timestamp", "value": inner} | {"__time__": inner}:
            return _moment(inner)
        case {"_seconds": int(seconds), "_nanoseconds": int(nanos)} | {
            "seconds": int(seconds),
            "nanoseconds": int(nanos),
        }:
            return datetime.fromtimestamp(seconds, UTC) + timedelta(microseconds=nanos // 1000)
    return None


def _iso(written: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _reason(value: Any) -> RejectReason:
    if value not in REASONS:
        raise UnreadableDocument(f"reason is {value!r}, not one of {', '.join(REASONS)}")
    return value  # type: ignore[no-any-return]


def _score(value: Any) -> int | None:
    is_score = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= FULL_SCORE
    return round(value) if is_score else None


def _message_id(value: Any) -> str | None:
    return value if isinstance(value, str) and _SNOWFLAKE.fullmatch(value) else None
