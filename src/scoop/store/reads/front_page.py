"""A day as the front page shows it: its events, its month, and the sidebar."""

from dataclasses import dataclass
from datetime import date, datetime

from scoop.model import Event, Health
from scoop.store.db import Connection
from scoop.store.reads import days, digests, events, sources
from scoop.store.reads.days import DaySummary
from scoop.store.reads.digests import DayDigest
from scoop.store.reads.events import LanguageOf, ListedEvent

Window = tuple[datetime, datetime]
"""From a moment until before another."""
MIN_OF_COLLECTION = 4  # events on the front page, however many collections there are


@dataclass(frozen=True, slots=True, kw_only=True)
class EventSlice:
    """The events of a day to read, by rank: the first of every collection, or a page of one or of all together.

    By collection, `limit` is shared among the collections of the day.
    """

    limit: int
    offset: int = 0
    collection: str | None = None
    is_by_collection: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class DayContents:
    summary: DaySummary
    events: list[ListedEvent]
    events_by_day: dict[date, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class SidebarContents:
    """`developing` and `sources_by_health` are None on the page of another day than today."""

    digests: list[DayDigest]
    developing: list[Event] | None
    sources_by_health: dict[Health, int] | None


async def get_day(
    conn: Connection,
    day: Window,
    *,
    month: tuple[date, date],
    timezone: str,
    part: EventSlice,
    max_stories: int,
    language_of: LanguageOf,
) -> DayContents:
    """A part of a day's events in the language of a reader, each with at most `max_stories` stories."""
    summary = await days.summarize_day(conn, since=day[0], until=day[1], collection=part.collection)
    share = max(part.limit // max(len(summary.tallies), 1), MIN_OF_COLLECTION)
    ranked = await events.rank_events(
        conn,
        since=day[0],
        until=day[1],
        limit=share if part.is_by_collection else part.limit,
        offset=part.offset,
        collection=part.collection,
        by_collection=part.is_by_collection,
    )
    return DayContents(
        summary=summary,
        events=await events.with_coverage(
            conn, await events.in_language(conn, ranked, language_of), max_stories=max_stories
        ),
        events_by_day=await days.count_events(
            conn, first=month[0], until=month[1], timezone=timezone, collection=part.collection
        ),
    )


async def get_sidebar(conn: Connection, day: date) -> SidebarContents:
    """The digests of a day."""
    return SidebarContents(digests=await digests.list_day_digests(conn, day), developing=None, sources_by_health=None)


async def get_sidebar_of_today(
    conn: Connection, day: date, *, now: datetime, limit: int, language_of: LanguageOf
) -> SidebarContents:
    """The digests of today, the events that are developing, and the health of the sources."""
    return SidebarContents(
        digests=await digests.list_day_digests(conn, day),
        developing=await events.in_language(
            conn, await events.list_developing(conn, now=now, limit=limit), language_of
        ),
        sources_by_health=await sources.count_health(conn),
    )
