"""Events, stories and documents as lines of JSON, a page at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFilter:
    """Conditions on rows: a collection, a window of time, merged events and stories or not."""

    collection: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    with_merged: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """Some lines of JSON, and the id after which the next begin."""

    lines: list[str]
    place: int


async def event_lines(conn: Connection, condition: ExportFilter, *, after: int, limit: int) -> Lines:
    """Events as lines of JSON, after an id."""
    values = (after, condition.collection, condition.since, condition.until, condition.with_merged, limit)
    return _lines(await conn.fetch(SQL["events"], *values), after)


async def story_lines(conn: Connection, condition: ExportFilter, *, after: int, limit: int) -> Lines:
    """Stories as lines of JSON, after an id."""
    values = (after, condition.collection, condition.since, condition.until, condition.with_merged, limit)
    return _lines(await conn.fetch(SQL["stories"], *values), after)


async def document_lines(conn: Connection, condition: ExportFilter, *, after: int, limit: int) -> Lines:
    """Documents as lines of JSON, after an id."""
    values = (after, condition.collection, condition.since, condition.until, limit)
    return _lines(await conn.fetch(SQL["documents"], *values), after)


def _lines(rows: Sequence[Mapping[str, Any]], after: int) -> Lines:
    return Lines(lines=[row["line"] for row in rows], place=rows[-1]["place"] if rows else after)
