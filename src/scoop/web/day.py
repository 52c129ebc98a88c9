"""A day as a page: its neighbours, its collections, its stories."""

from dataclasses import dataclass
from datetime import date
from itertools import groupby

from scoop.errors import NotFound
from scoop.store import reading
from scoop.store.db import Connection
from scoop.store.reading import Day, Headline
from scoop.web import words
from scoop.web.reader import Reader, day_href

PAGE_STORIES = 200
YEARS = range(1900, 3000)  # beyond, a timezone can push a day out of the calendar


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What of a day is wanted: one collection or all, from which place on."""

    day: date
    collection: str | None = None
    offset: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tab:
    name: str
    href: str
    stories: int
    is_chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """The stories of one collection, and where the rest of them is."""

    name: str
    headlines: list[Headline]
    more: int
    more_href: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DayPage:
    choice: Choice
    earlier: date | None
    later: date | None
    tabs: list[Tab]
    sections: list[Section]

    @property
    def nearest(self) -> date | None:
        """The newest day before this one that has stories, else the first after it."""
        return self.earlier or self.later


def day_named(name: str) -> date:
    """The day of an address; NotFound where it names none."""
    try:
        day = date.fromisoformat(name)
    except ValueError as error:
        raise NotFound(f"{name!r} is not a day") from error
    if day.year not in YEARS or day.isoformat() != name:
        raise NotFound(f"{name!r} is not a day as in 2026-11-15")
    return day


async def read(conn: Connection, reader: Reader, choice: Choice) -> DayPage:
    since, until = reader.window(choice.day)
    day = await reading.day(conn, since=since, until=until, collection=choice.collection)
    stories = day.stories_by_collection
    if choice.collection and choice.collection not in stories and not (day.earlier_at or day.later_at):
        raise NotFound(f"there is no collection {choice.collection!r}")
    limit = PAGE_STORIES if choice.collection else PAGE_STORIES // max(len(stories), 1)
    found = await reading.headlines(
        conn, since=since, until=until, collection=choice.collection, limit=max(limit, 1), offset=choice.offset
    )
    return DayPage(
        choice=choice,
        earlier=reader.day_of(day.earlier_at) if day.earlier_at else None,
        later=reader.day_of(day.later_at) if day.later_at else None,
        tabs=_tabs(day, choice),
        sections=[
            _section(choice, collection, list(headlines), stories[collection])
            for collection, headlines in groupby(found, key=lambda headline: headline.story.collection)
        ],
    )


def _tabs(day: Day, choice: Choice) -> list[Tab]:
    """One for all, then one per collection; the chosen one stays where the day has none of it."""
    stories = day.stories_by_collection
    if choice.collection:
        stories = {choice.collection: 0} | stories
    each = [_tab(choice, collection, stories[collection]) for collection in sorted(stories)]
    return [_tab(choice, None, sum(stories.values())), *each] if each else []


def _tab(choice: Choice, collection: str | None, stories: int) -> Tab:
    return Tab(
        name=words.collection_name(collection) if collection else "All",
        href=day_href(choice.day, collection=collection),
        stories=stories,
        is_chosen=collection == choice.collection,
    )


def _section(choice: Choice, collection: str, headlines: list[Headline], stories: int) -> Section:
    shown = choice.offset + len(headlines)
    return Section(
        name=words.collection_name(collection),
        headlines=headlines,
        more=stories - shown,
        more_href=day_href(choice.day, collection=collection, offset=shown),
    )
