"""Import of an older system's files: valid lines are stored, invalid ones reported."""

import gzip
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, time
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, cast

import msgspec

from scoop.core import digest_windows, handover_lines, schedules
from scoop.core.handover_lines import LegacyLine, LineKind, PostedItem, SeenItem
from scoop.core.item_stream import GZIP_MAGIC, RawItem, split_items
from scoop.errors import InputError
from scoop.model import Topic
from scoop.store import handover
from scoop.store.db import Connection

BATCH = 2000
NOON = time(12)

_NO_SLUG = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedLine:
    line: int
    reason: str


@dataclass(slots=True, kw_only=True)
class FileImport:
    """The outcome of a file; `kind` is None if none of its lines could be read."""

    file: str
    kind: LineKind | None
    items: int = 0
    new: int = 0
    refused: list[RefusedLine] = field(default_factory=list)

    def refuse(self, line: int, reason: object) -> None:
        self.refused.append(RefusedLine(line=line, reason=str(reason)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """Topics by the names that lines use; with `of_all` every line belongs to that topic."""

    topics: Sequence[Topic]
    of_all: Topic | None = None

    def find(self, name: str | None) -> Topic | None:
        """The topic that a line names by slug or title; None if it names none."""
        if self.of_all is not None or name is None:
            return self.of_all
        for topic in self.topics:
            if _slug(name) in {topic.topic_slug, _slug(topic.topic_name)}:
                return topic
        raise ValueError(f"there is no topic {name!r}; give the topic with --topic")


def _slug(name: str) -> str:
    return _NO_SLUG.sub("_", name.lower()).strip("_")


async def keep(conn: Connection, path: Path, names: Names, *, kind: LineKind | None) -> FileImport:
    """Store the contents of a file, inside the caller's transaction; stored lines are not duplicated.

    Without `kind`, the first readable line decides it.
    """
    imported = FileImport(file=str(path), kind=kind)
    with _opened(path) as stream:
        lines = _read(stream, imported)
        first = list(islice(lines, 1))
        if first:
            imported.kind = kind or handover_lines.kind(first[0][1])
        if imported.kind == "digests":
            await _keep_posted(conn, chain(first, lines), names, imported)
        else:
            await _keep_seen(conn, chain(first, lines), names, imported)
    imported.refused.sort(key=lambda refused: refused.line)
    return imported


async def _keep_posted(
    conn: Connection, lines: Iterable[tuple[RawItem, LegacyLine]], names: Names, imported: FileImport
) -> None:
    found = [(_topic_of_digest(item, names), item) for item in _posted(lines, names, imported)]
    imported.items = len(found)
    imported.new = await handover.put_posted(
        conn, [(topic.topic_id, _posted_at(item, topic), item) for topic, item in found]
    )


def _posted(lines: Iterable[tuple[RawItem, LegacyLine]], names: Names, imported: FileImport) -> list[PostedItem]:
    """The items of digests, whether a line holds a digest or one item."""
    whole: list[PostedItem] = []
    single: list[PostedItem] = []
    for piece, line in lines:
        try:
            items, problems = handover_lines.posted(line)
            for item in items[:1]:
                _topic_of_digest(item, names)
        except ValueError as error:
            imported.refuse(piece.line, error)
            continue
        for problem in problems:
            imported.refuse(piece.line, problem)
        (whole if "items" in line else single).extend(items)
    return [*whole, *handover_lines.numbered(single)]


def _topic_of_digest(item: PostedItem, names: Names) -> Topic:
    topic = names.find(item.topic)
    if topic is None:
        raise ValueError("names no topic; --topic says which it is")
    return topic


def _posted_at(item: PostedItem, topic: Topic) -> datetime:
    """When it was posted, or else was due; noon on dates without a digest of ours."""
    due = digest_windows.due_at(topic.digest_cron, topic.timezone, item.run_date)
    noon = datetime.combine(item.run_date, NOON, schedules.zone(topic.timezone))
    return item.posted_at or due or noon


async def _keep_seen(
    conn: Connection, lines: Iterable[tuple[RawItem, LegacyLine]], names: Names, imported: FileImport
) -> None:
    seen = _seen(lines, names, imported)
    while batch := list(islice(seen, BATCH)):
        imported.items += len(batch)
        imported.new += await handover.put_seen(conn, batch)


def _seen(
    lines: Iterable[tuple[RawItem, LegacyLine]], names: Names, imported: FileImport
) -> Iterator[tuple[int | None, SeenItem]]:
    for piece, line in lines:
        try:
            item = handover_lines.seen(line, piece.raw.decode())
            topic = names.find(item.topic)
        except ValueError as error:
            imported.refuse(piece.line, error)
        else:
            yield topic.topic_id if topic else None, item


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """The file, decompressed if it is gzip."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise InputError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from error
    with file:
        is_packed = file.peek(1)[:1] == GZIP_MAGIC[:1]  # no JSON begins with it
        yield cast(IO[bytes], gzip.GzipFile(fileobj=file)) if is_packed else file


def _read(stream: IO[bytes], imported: FileImport) -> Iterator[tuple[RawItem, LegacyLine]]:
    """The objects of a file with their line numbers; other lines, and broken compression, are refused."""
    last = 0
    try:
        for piece in split_items(stream):
            last = piece.line
            try:
                yield piece, _object(piece)
            except ValueError as error:
                imported.refuse(piece.line, error)
    except (OSError, EOFError, zlib.error, InputError) as error:
        imported.refuse(last + 1, f"cannot be read from here on: {error}")


def _object(piece: RawItem) -> LegacyLine:
    if piece.problem is not None:
        raise ValueError(piece.problem)
    if b"\\u0000" in piece.raw or b"\0" in piece.raw:
        raise ValueError("holds a NUL character, which the database cannot")
    try:
        found: Any = msgspec.json.decode(piece.raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise ValueError("is not a JSON object")  # noqa: TRY004 - of a line, not of an argument
    return found
