"""Digests as every interface shows them: by date, and as they were published."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import msgspec

from scoop.model import Digest, Relevance, Telling
from scoop.store import db, publishers
from scoop.store.db import Connection

SQL = db.blocks(__name__)

DigestCursor = tuple[date, str]
START: DigestCursor = (date.max, "")  # before all dates, as the latest come first


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicDigest:
    """The digest of a topic and a date: its schedule and state; `mode` is None if none was made."""

    topic_slug: str
    topic_name: str
    timezone: str
    digest_cron: str
    mode: str | None
    published_at: datetime | None
    left_to_legacy_at: datetime | None
    entry_count: int | None
    post_states: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class DayDigest(TopicDigest):
    """The digest of a topic on a day; `created_at` is when the topic was added, `has_channels` if it posts anywhere."""

    created_at: datetime
    has_channels: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedDigest(Digest):
    """A digest that was published."""

    digest_run_id: int
    published_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedDigest(TopicDigest):
    """The digest of a topic and a date in figures; `has_shadow`: there is a shadow run of it as well."""

    run_date: date
    started_at: datetime
    window_end_utc: datetime
    candidate_count: int
    has_shadow: bool

    @property
    def position(self) -> DigestCursor:
        """Its position in the list."""
        return self.run_date, self.topic_slug


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours:
    earlier: date | None
    later: date | None


async def list_day_digests(conn: Connection, day: date) -> list[DayDigest]:
    return [DayDigest(**row) for row in await conn.fetch(SQL["day_digests"], day)]


async def list_published(conn: Connection, topic_id: int, *, limit: int) -> list[PublishedDigest]:
    """The latest published digests of a topic."""
    return await _list_published(conn, topic_id, None, limit)


async def find_published(conn: Connection, digest_run_id: int) -> PublishedDigest | None:
    return next(iter(await _list_published(conn, None, digest_run_id, 1)), None)


async def _list_published(
    conn: Connection, topic_id: int | None, digest_run_id: int | None, limit: int
) -> list[PublishedDigest]:
    rows = await conn.fetch(SQL["published"], topic_id, digest_run_id, limit)
    families = {family for row in rows for entry in row["tellings"] for family in entry["publishers"]}
    names = await publishers.publisher_names(conn, families)
    return [_published(row, names) for row in rows]


async def list_digests(
    conn: Connection, *, topic_slug: str | None = None, after: DigestCursor = START, limit: int
) -> list[DatedDigest]:
    return [DatedDigest(**row) for row in await conn.fetch(SQL["digests"], topic_slug, *after, limit)]


async def get_neighbours(conn: Connection, topic_id: int, day: date) -> Neighbours:
    return Neighbours(**await conn.fetchrow(SQL["neighbours"], topic_id, day))


def _published(row: Mapping[str, Any], names: Mapping[str, str]) -> PublishedDigest:
    """The digest with each twin under its story, or by itself if that story is not in it."""
    rows = row["tellings"]
    leading = {entry["story_id"] for entry in rows if entry["twin_of"] is None}
    twins: dict[int, list[Telling]] = {}
    for entry in rows:
        if entry["twin_of"] in leading:
            twins.setdefault(entry["twin_of"], []).append(_telling(entry, names))
    tellings = [
        _telling(entry, names, twins.get(entry["story_id"], ())) for entry in rows if entry["twin_of"] not in leading
    ]
    return PublishedDigest(**{**row, "tellings": tuple(tellings)})


def _telling(row: Mapping[str, Any], names: Mapping[str, str], twins: Sequence[Telling] = ()) -> Telling:
    shown = {name: value for name, value in row.items() if name not in {"twin_of", "publishers", "relevance"}}
    return Telling(
        **shown,
        relevance=msgspec.convert(row["relevance"], Relevance | None),
        publishers=tuple(row["publishers"]),
        publisher_names=tuple(names[family] for family in row["publishers"]),
        twins=tuple(twins),
    )
