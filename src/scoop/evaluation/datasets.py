"""Labelled dataset files: documents with their gold stories."""

import gzip
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, cast

import msgspec

from scoop.core import items, text, urls
from scoop.core.item_stream import GZIP_MAGIC, RawItem, split_items
from scoop.errors import InputError
from scoop.model import Item
from scoop.store.stories import DocumentName

SUFFIXES = {".gz", ".jsonl", ".ndjson", ".json", ".dev"}  # not part of a set's name
TITLE_CHARACTERS = 200  # of the text, if a document has no title

GoldKey = str | tuple[str, str]
"""Key of an item in a gold file: its UUID, or its source and source_item_id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A document to ingest, its gold story, and the wider labels by which it may be grouped as well."""

    item: Item
    story: str
    wide: frozenset[str]

    @property
    def name(self) -> DocumentName:
        return self.item["source_metadata"]["collection"], self.item["source"], self.item["source_item_id"]

    @property
    def language(self) -> str:
        return str(self.item.get("language", "und"))


class _LabelledRow(msgspec.Struct):
    title: str | None
    story: str | int
    wide: str | None = None
    id: str | int | None = None
    text: str | None = None
    url: str | None = None
    source: str | None = None
    published_at: str | None = None
    lang: str | None = None
    collection: str | None = None


class _Metadata(msgspec.Struct):
    collection: str
    item_uuid: str = ""


class _V1(msgspec.Struct):
    """Fields needed to look an item up in the gold file."""

    source: str
    source_item_id: str
    title: str
    source_metadata: _Metadata


class _GoldRow(msgspec.Struct):
    story: str | int
    source: str = ""
    source_item_id: str = ""
    item_uuid: str = ""


def set_name(file: str) -> str:
    path = Path(file)
    while path.suffix in SUFFIXES:
        path = path.with_suffix("")
    return path.name


def stories(file: str) -> dict[GoldKey, str]:
    """Gold stories of v1 items, by key."""
    story_by_key: dict[GoldKey, str] = {}
    with opened(file) as stream:
        for piece in split_items(stream):
            row = decoded(piece, _GoldRow)
            if not row.item_uuid and not (row.source and row.source_item_id):
                raise InputError(f"line {piece.line}: give item_uuid, or source and source_item_id")
            story_by_key[row.item_uuid or (row.source, row.source_item_id)] = _story(piece, row.story)
    return story_by_key


def documents(file: str, gold: Mapping[GoldKey, str] | None, *, now: datetime) -> list[Labelled]:
    """The documents of a file; with `gold` they are v1 items, else each line names its story."""
    labelled: dict[DocumentName, Labelled] = {}
    with opened(file) as stream:
        for piece in split_items(stream):
            document = _labelled(piece, set_name(file), now=now) if gold is None else _labelled_item(piece, gold)
            if document.name in labelled:
                raise InputError(f"line {piece.line}: the id {document.name[-1]!r} is already used in an earlier line")
            labelled[document.name] = document
        if not labelled:
            raise InputError("the file has no documents")
    return list(labelled.values())


@contextmanager
def opened(file: str) -> Iterator[IO[bytes]]:
    """The file's bytes, decompressed; an error names the file."""
    try:
        with open(file, "rb") as raw:
            is_zipped = raw.peek(1)[:1] == GZIP_MAGIC[:1]
            yield cast(IO[bytes], gzip.GzipFile(fileobj=raw)) if is_zipped else raw
    except InputError as error:
        raise InputError(f"{file}: {error}") from error
    except (OSError, EOFError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"{file}: cannot be read: {reason.lower()}") from error


def _labelled(piece: RawItem, set_name: str, *, now: datetime) -> Labelled:
    row = decoded(piece, _LabelledRow)
    return Labelled(
        item=_item(row, piece.line, set_name, now=now),
        story=_story(piece, row.story),
        wide=frozenset((row.wide or "").split()),
    )


def _story(piece: RawItem, story: str | int) -> str:
    if story == "":
        raise InputError(f"line {piece.line}: the story is empty")
    return str(story)


def _labelled_item(piece: RawItem, gold: Mapping[GoldKey, str]) -> Labelled:
    item = decoded(piece, _V1)
    pair = item.source, item.source_item_id
    for key in (item.source_metadata.item_uuid, str(items.item_uuid(*pair)), pair):
        if key in gold:
            return Labelled(item=decoded(piece, dict[str, Any]), story=gold[key], wide=frozenset())
    raise InputError(f"line {piece.line}: the gold file has no story for {':'.join(pair)}")


def decoded(piece: RawItem, kind: type[Any]) -> Any:
    if piece.problem is not None:
        raise InputError(f"line {piece.line}: {piece.problem}")
    try:
        return msgspec.json.decode(piece.raw, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"line {piece.line}: {error}; see the example in `scoop evaluate --help`") from error


def _item(row: _LabelledRow, line: int, set_name: str, *, now: datetime) -> Item:
    """The v1 item of a row; empty fields are unknown, invalid ones are left to validation."""
    address = row.url if row.url and urls.is_url(row.url) else None
    fields = {
        "canonical_url": urls.percent_encoded(address) if address else row.url,
        "published_at": _moment(row.published_at) if row.published_at else None,
        "body_text": row.text,
        "language": row.lang,
    }
    return {
        "payload_version": "v1",
        "source": row.source or (urls.host(urls.canonical_url(address)) if address else set_name),
        "source_item_id": str(line if row.id in {None, ""} else row.id),
        "title": row.title or text.truncated(text.one_line(row.text or ""), TITLE_CHARACTERS),
        **{field: value for field, value in fields.items() if value},
        "source_metadata": {
            "collection": row.collection or set_name,
            "job_name": "evaluate",
            "job_run_id": set_name,
            "scraped_at": now.isoformat(),
        },
    }


def _moment(iso_8601: str) -> str:
    """The moment in the form that ingest requires, if it is valid."""
    try:
        moment = datetime.fromisoformat(iso_8601)
    except ValueError:
        return iso_8601
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat()
