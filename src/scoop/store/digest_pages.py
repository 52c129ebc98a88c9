"""Digests as their pages list them: by date, each with the run that counts."""

from dataclasses import dataclass
from datetime import date, datetime

from scoop.store import db
from scoop.store.db import Connection
from scoop.store.front import DayDigest

SQL = db.blocks(__name__)
DigestCursor = tuple[date, str]
START: DigestCursor = (date.max, "")  # before all dates, as the latest come first


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedDigest(DayDigest):
    """The digest of a topic and a date in figures; `has_shadow` where there is a shadow of it, too."""

    run_date: date
    started_at: datetime
    window_end_utc: datetime
    candidate_count: int
    has_shadow: bool

    @property
    def place(self) -> DigestCursor:
        """Where it stands in the list."""
        return self.run_date, self.topic_slug


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours:
    earlier: date | None
    later: date | None


async def dated(
    conn: Connection, *, topic_slug: str | None = None, after: DigestCursor = START, limit: int
) -> list[DatedDigest]:
    return [DatedDigest(**row) for row in await conn.fetch(SQL["dated"], topic_slug, *after, limit)]


async def neighbours(conn: Connection, topic_id: int, day: date) -> Neighbours:
    return Neighbours(**await conn.fetchrow(SQL["neighbours"], topic_id, day))
