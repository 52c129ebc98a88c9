"""Sources as every interface shows them: their settings, health, visits and latest items."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from scoop.core import health
from scoop.errors import NotFound
from scoop.model import Health, Source
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)

SourceCursor = tuple[int, str, str]
START: SourceCursor = (0, "", "")  # before all sources


@dataclass(frozen=True, slots=True, kw_only=True)
class NextVisit:
    """The remaining pause of a source after its last visit, if any, and the time of its next visit, if planned."""

    source_id: int
    source: str
    rests_for: timedelta | None
    due_at: datetime | None
    is_on_its_way: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRow(Source):
    """A source, and the time of its last successful visit."""

    last_success_at: datetime | None = None
    urgency: int = 0
    """Its place among the states of `health.ORDER`, the most urgent first."""

    @property
    def position(self) -> SourceCursor:
        """Its position in the list."""
        return self.urgency, self.name, self.slug


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFilter:
    """Conditions on sources; None matches all. `words` are part of the name or slug."""

    collection: str | None = None
    kind: str | None = None
    healths: Sequence[Health] | None = None
    enabled: bool | None = None
    words: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceTally:
    """The number of sources that share these values."""

    collection: str
    kind: str
    health: Health
    enabled: bool
    sources: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LatestItem:
    """A document of a source; `story_uuid` is None until dedup has run."""

    title: str
    url: str | None
    language: str
    seen_at: datetime
    read_at: datetime
    content_problem: str | None
    story_uuid: str | None


async def count_health(conn: Connection) -> dict[Health, int]:
    return {row["health"]: row["sources"] for row in await conn.fetch(SQL["health"])}


async def list_next_visits(
    conn: Connection, stage: str, source_ids: Sequence[int], *, rest: timedelta
) -> list[NextVisit]:
    """The next visits of sources; each pauses for `rest` after a visit."""
    return [NextVisit(**row) for row in await conn.fetch(SQL["next_visits"], stage, source_ids, rest)]


async def list_sources(
    conn: Connection, condition: SourceFilter, *, after: SourceCursor = START, limit: int
) -> list[SourceRow]:
    values = (condition.collection, condition.kind, condition.healths, condition.enabled, condition.words)
    return [SourceRow(**row) for row in await conn.fetch(SQL["sources"], *values, health.ORDER, *after, limit)]


async def get_source(conn: Connection, slug: str) -> SourceRow:
    row = await conn.fetchrow(SQL["source"], slug)
    if row is None:
        raise NotFound(f"there is no source {slug!r}; it may have been removed")
    return SourceRow(**row)


async def count_sources(conn: Connection) -> list[SourceTally]:
    return [SourceTally(**row) for row in await conn.fetch(SQL["tallies"])]


async def count_items_a_day(
    conn: Connection, slugs: Sequence[str], *, since: datetime, timezone: str
) -> Mapping[str, Mapping[date, int]]:
    """The number of new items of each source, by local day; days without items are left out."""
    items: dict[str, dict[date, int]] = {slug: {} for slug in slugs}
    for row in await conn.fetch(SQL["items_a_day"], slugs, since, timezone):
        items[row["source"]][row["day"]] = row["items"]
    return items


async def get_beginnings(conn: Connection, slugs: Sequence[str], *, since: datetime) -> dict[str, datetime]:
    """When sources began: when they were added, or their first run since a moment if that is earlier."""
    return {row["slug"]: row["began_at"] for row in await conn.fetch(SQL["beginnings"], slugs, since)}


async def list_latest_items(conn: Connection, slug: str, *, limit: int) -> list[LatestItem]:
    return [LatestItem(**row) for row in await conn.fetch(SQL["latest_items"], slug, limit)]


async def has_source(conn: Connection, slug: str) -> bool:
    """Whether a source is configured, or was once: its runs and arrivals stay."""
    return bool(await conn.fetchval(SQL["has_source"], slug))


async def list_slugs(conn: Connection) -> list[str]:
    return [row["slug"] for row in await conn.fetch(SQL["slugs"])]


async def get_names(conn: Connection, slugs: Collection[str]) -> dict[str, str]:
    """The names of these sources by slug, also of those that were removed."""
    return {row["source"]: row["name"] for row in await conn.fetch(SQL["names"], list(slugs))}
