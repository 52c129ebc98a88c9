"""Digests as every interface shows them: by date, and as they were published."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from scoop.model import Digest, Telling
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)

DigestCursor = tuple[date, str]
START: DigestCursor = (date.max, "")  # before all dates, as the latest come first


@dataclass(frozen=True, slots=True, kw_only=True)
class DayDigest:
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
class PublishedDigest(Digest):
    """A digest that was published."""

    digest_run_id: int
    published_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedDigest(DayDigest):
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
    return [_published(row) for row in await conn.fetch(SQL["published"], topic_id, None, limit)]


async def find_published(conn: Connection, digest_run_id: int) -> PublishedDigest | None:
    row = await conn.fetchrow(SQL["published"], None, digest_run_id, 1)
    return _published(row) if row else None


async def list_digests(
    conn: Connection, *, topic_slug: str | None = None, after: DigestCursor = START, limit: int
) -> list[DatedDigest]:
    return [DatedDigest(**row) for row in await conn.fetch(SQL["digests"], topic_slug, *after, limit)]


async def get_neighbours(conn: Connection, topic_id: int, day: date) -> Neighbours:
    return Neighbours(**await conn.fetchrow(SQL["neighbours"], topic_id, day))


def _published(row: Mapping[str, Any]) -> PublishedDigest:
    """The digest with each twin under its story, or by itself if that story is not in it."""
    rows = row["tellings"]
    leading = {entry["story_id"] for entry in rows if entry["twin_of"] is None}
    twins: dict[int, list[Telling]] = {}
    for entry in rows:
        if entry["twin_of"] in leading:
            twins.setdefault(entry["twin_of"], []).append(_telling(entry))
    tellings = [_telling(entry, twins.get(entry["story_id"], ())) for entry in rows if entry["twin_of"] not in leading]
    return PublishedDigest(**{**row, "tellings": tuple(tellings)})


def _telling(row: Mapping[str, Any], twins: Sequence[Telling] = ()) -> Telling:
    shown = {name: value for name, value in row.items() if name != "twin_of"}
    return Telling(**{**shown, "publishers": tuple(row["publishers"])}, twins=tuple(twins))
