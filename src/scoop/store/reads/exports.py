"""Stories and documents as lines of JSON, a page at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFilter:
    """What of stories or documents is wanted: a collection, what was seen since one moment and before another."""

    collection: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    with_merged: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """Some lines of JSON, and the place after which the next begin."""

    lines: list[str]
    place: int


async def story_lines(conn: Connection, choice: ExportFilter, *, after: int, limit: int) -> Lines:
    """Stories as lines of JSON, after a place."""
    wanted = (after, choice.collection, choice.since, choice.until, choice.with_merged, limit)
    return _lines(await conn.fetch(SQL["stories"], *wanted), after)


async def document_lines(conn: Connection, choice: ExportFilter, *, after: int, limit: int) -> Lines:
    """Documents as lines of JSON, after a place."""
    wanted = (after, choice.collection, choice.since, choice.until, limit)
    return _lines(await conn.fetch(SQL["documents"], *wanted), after)


def _lines(rows: Sequence[Mapping[str, Any]], after: int) -> Lines:
    return Lines(lines=[row["line"] for row in rows], place=rows[-1]["place"] if rows else after)
