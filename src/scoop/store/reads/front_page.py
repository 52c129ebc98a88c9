"""A day as the front page shows it: its groups of coverage, its month, and the sidebar."""

from dataclasses import dataclass
from datetime import date, datetime

from scoop.model import Health, Story
from scoop.store.db import Connection
from scoop.store.reads import coverage, days, digests, sources
from scoop.store.reads.coverage import Group
from scoop.store.reads.days import DaySummary
from scoop.store.reads.digests import DayDigest

Window = tuple[datetime, datetime]
"""From a moment until before another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DayContents:
    summary: DaySummary
    groups: list[Group]
    stories_by_day: dict[date, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class SidebarContents:
    """`developing` and `sources_by_health` are None on the page of another day than today."""

    digests: list[DayDigest]
    developing: list[Story] | None
    sources_by_health: dict[Health, int] | None


async def get_day(
    conn: Connection,
    day: Window,
    *,
    month: Window,
    timezone: str,
    max_groups: int,
    collection: str | None = None,
    offset: int = 0,
) -> DayContents:
    """The stories of a day, at most `max_groups` groups of all collections together."""
    summary = await days.summarize_day(conn, since=day[0], until=day[1], collection=collection)
    limit = max_groups if collection else max(max_groups // max(len(summary.tally_by_collection), 1), 1)
    return DayContents(
        summary=summary,
        groups=await coverage.list_groups(
            conn, since=day[0], until=day[1], collection=collection, limit=limit, offset=offset
        ),
        stories_by_day=await days.count_stories(
            conn, since=month[0], until=month[1], timezone=timezone, collection=collection
        ),
    )


async def get_sidebar(conn: Connection, day: date) -> SidebarContents:
    """The digests of a day."""
    return SidebarContents(digests=await digests.list_day_digests(conn, day), developing=None, sources_by_health=None)


async def get_sidebar_of_today(
    conn: Connection, day: date, *, grown_since: datetime, known_by: datetime, limit: int
) -> SidebarContents:
    """The digests of today, the stories that are developing, and the health of the sources."""
    return SidebarContents(
        digests=await digests.list_day_digests(conn, day),
        developing=await days.list_developing(conn, grown_since=grown_since, known_by=known_by, limit=limit),
        sources_by_health=await sources.count_health(conn),
    )
