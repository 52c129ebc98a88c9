"""Events as reading apps list them to a person: streams of ids, items with their text, counts of unread events."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from scoop.model import Event, Outlet
from scoop.store import db
from scoop.store.db import Connection
from scoop.store.reads import events
from scoop.store.reads.slices import END, START, Cursor

SQL = db.blocks(__name__)
TEXT_CHARACTERS = 20_000
COUNTED_FOR = timedelta(days=30)  # older unread events are not counted
FIRST: Cursor = (START, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """A filter on events: a collection, topic or label, read or unread, starred, developed between two moments.

    `cursor` is the last event of the page before.
    """

    collection: str | None = None
    topic_id: int | None = None
    label: str | None = None
    is_read: bool | None = None
    is_starred: bool = False
    since: datetime = START
    until: datetime = END[0]
    cursor: Cursor | None = None
    is_oldest_first: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamItem:
    """An event with the text of its lead and its outlets, and what the person said of it."""

    event: Event
    is_read: bool
    is_starred: bool
    labels: list[str]
    body: str
    outlets: list[Outlet]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    name: str
    count: int
    newest_at: datetime


async def list_ids(conn: Connection, user_id: int, stream: Stream, *, limit: int) -> list[tuple[int, datetime]]:
    """The ids of a stream's events, with the time each last developed."""
    rows = await conn.fetch(
        SQL["oldest" if stream.is_oldest_first else "newest"],
        user_id,
        stream.collection,
        stream.topic_id,
        stream.label,
        stream.is_read,
        stream.is_starred,
        stream.since,
        stream.until,
        *(stream.cursor or (FIRST if stream.is_oldest_first else END)),
        limit,
    )
    return [(row["event_id"], row["developed_at"]) for row in rows]


async def list_items(conn: Connection, user_id: int, event_ids: Sequence[int]) -> list[StreamItem]:
    """These events, in this order; those that are not active are left out."""
    rows = await conn.fetch(SQL["items"], user_id, list(event_ids), TEXT_CHARACTERS)
    outlets = await events.list_outlets(conn, [row["event_id"] for row in rows])
    item_by_id = {row["event_id"]: _item(row, outlets[row["event_id"]]) for row in rows}
    return [item_by_id[event_id] for event_id in event_ids if event_id in item_by_id]


def _item(row: Mapping[str, Any], outlets: list[Outlet]) -> StreamItem:
    return StreamItem(
        event=events.event_from(row),
        is_read=row["is_read"],
        is_starred=row["is_starred"],
        labels=row["labels"],
        body=row["body"],
        outlets=outlets,
    )


async def list_labels(conn: Connection, user_id: int) -> list[str]:
    return [row["label"] for row in await conn.fetch(SQL["labels"], user_id)]


async def count_unread(
    conn: Connection, user_id: int, *, topic_ids: Collection[int], now: datetime
) -> tuple[list[Unread], list[Unread]]:
    """The unread events of each collection, and of each of these topics."""
    since = now - COUNTED_FOR
    collections = await conn.fetch(SQL["unread"], user_id, since)
    topics = await conn.fetch(SQL["unread_of_topics"], user_id, since, list(topic_ids))
    return [_unread(row) for row in collections], [_unread(row) for row in topics]


def _unread(row: Any) -> Unread:
    return Unread(name=row[0], count=row["count"], newest_at=row["newest_at"])
