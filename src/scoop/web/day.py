"""The pages of days: their collections, and their stories in groups of coverage."""

from dataclasses import dataclass, replace
from datetime import date
from itertools import groupby
from operator import attrgetter

from fastapi import Request, Response

from scoop.errors import NotFound
from scoop.http import routes
from scoop.http.cache import Cached, ResponseCache
from scoop.http.deps import CurrentDesk
from scoop.http.routes import needs
from scoop.store.db import Connection
from scoop.store.reads import front_page as front_page_reads
from scoop.store.reads.coverage import Group
from scoop.store.reads.days import DaySummary, StoryTally
from scoop.web import calendar, labels, pages, sidebar
from scoop.web.calendar import Month, parse_day
from scoop.web.context import PageContext, day_href
from scoop.web.sidebar import Sidebar

router = routes.for_pages()

MAX_OFFSET_DIGITS = 6
SHOWN_OUTLETS = 6
SHOWN_COMPANY = 3  # other stories of a group; the rest is collapsed
SHORT_DAY = 12  # groups: with fewer, as after midnight, the front page adds the day before
PAGE_GROUPS = 100  # a group may hold many stories, and a page of them should still load at once


@dataclass(frozen=True, slots=True, kw_only=True)
class DayView:
    """The part of a day to show: one collection or all, from an offset on, and the month of the calendar."""

    day: date
    collection: str | None = None
    offset: int = 0
    month: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tab:
    name: str
    href: str
    groups: int
    is_chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """The groups of one collection, its tally of the day, and the link to the rest."""

    name: str
    tally: StoryTally
    groups: list[Group]
    more: int
    more_href: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DayPage:
    choice: DayView
    earlier: date | None
    later: date | None
    tabs: list[Tab]
    sections: list[Section]
    month: Month

    @property
    def is_short(self) -> bool:
        return sum(section.tally.groups for section in self.sections) < SHORT_DAY

    @property
    def nearest(self) -> date | None:
        """The newest earlier day that has stories, or else the next later one."""
        return self.earlier or self.later


@router.get("/")
@needs("read")
async def home_page(cache: Cached, desk: CurrentDesk, context: PageContext) -> Response:
    """Today, followed by the day before if it is short; without stories the newest day that has some."""
    choice = DayView(day=context.today)
    page = await _cached(cache, context, choice)
    before = None
    if not page.sections and page.nearest:
        page = await _cached(cache, context, replace(choice, day=page.nearest))
    elif page.is_short and page.earlier:
        before = await _cached(cache, context, replace(choice, day=page.earlier))
    async with desk.reading() as conn:
        beside = await sidebar.read(conn, context, context.today)
    return _page(page, beside, context, before=before, instead_of_today=page.choice != choice)


@router.get("/days/{day}")
@needs("read")
async def day_page(request: Request, cache: Cached, desk: CurrentDesk, context: PageContext, day: str) -> Response:
    page = await _cached(cache, context, _choice(request, day))
    async with desk.reading() as conn:
        beside = await sidebar.read(conn, context, page.choice.day)
    return _page(page, beside, context)


def _page(
    page: DayPage,
    beside: Sidebar,
    context: PageContext,
    *,
    before: DayPage | None = None,
    instead_of_today: bool = False,
) -> Response:
    return pages.page(
        "day.html",
        context,
        page=page,
        before=before,
        rail=beside,
        instead_of_today=instead_of_today,
        SHOWN_OUTLETS=SHOWN_OUTLETS,
        SHOWN_COMPANY=SHOWN_COMPANY,
        WEEKDAYS=calendar.WEEKDAYS,
    )


def _choice(request: Request, day: str) -> DayView:
    collection = request.query_params.get("collection") or None
    offset = request.query_params.get("offset", "0")
    if collection and not collection.isprintable():
        raise NotFound("there is no such collection")
    if not (offset.isascii() and offset.isdigit() and len(offset) <= MAX_OFFSET_DIGITS):
        raise NotFound("there is no such offset")
    month = request.query_params.get("month")
    return DayView(
        day=parse_day(day),
        collection=collection,
        offset=int(offset),
        month=calendar.parse_month(month) if month else None,
    )


async def _cached(cache: ResponseCache, context: PageContext, choice: DayView) -> DayPage:
    return await cache.find((choice, context.today), lambda conn: read(conn, context, choice))


async def read(conn: Connection, context: PageContext, choice: DayView) -> DayPage:
    month = choice.month or choice.day
    contents = await front_page_reads.get_day(
        conn,
        context.window(choice.day),
        month=calendar.month_window(context, month),
        timezone=str(context.timezone),
        max_groups=PAGE_GROUPS,
        collection=choice.collection,
        offset=choice.offset,
    )
    summary = contents.summary
    tallies = summary.tally_by_collection
    if choice.collection and choice.collection not in tallies and not (summary.earlier_at or summary.later_at):
        raise NotFound(f"there is no collection {choice.collection!r}")
    return DayPage(
        choice=choice,
        earlier=context.day_of(summary.earlier_at) if summary.earlier_at else None,
        later=context.day_of(summary.later_at) if summary.later_at else None,
        tabs=_tabs(summary, choice),
        sections=[
            _section(choice, collection, list(groups), tallies[collection])
            for collection, groups in groupby(contents.groups, key=attrgetter("collection"))
        ],
        month=calendar.month(context, month, contents.stories_by_day),
    )


def _tabs(day: DaySummary, choice: DayView) -> list[Tab]:
    """One for all, then one for each collection; the chosen one also if the day has none of it."""
    groups = {collection: tally.groups for collection, tally in day.tally_by_collection.items()}
    if choice.collection:
        groups = {choice.collection: 0} | groups
    tabs = [_tab(choice, collection, groups[collection]) for collection in sorted(groups)]
    return [_tab(choice, None, sum(groups.values())), *tabs] if tabs else []


def _tab(choice: DayView, collection: str | None, groups: int) -> Tab:
    return Tab(
        name=labels.collection_name(collection) if collection else "All",
        href=day_href(choice.day, collection=collection),
        groups=groups,
        is_chosen=collection == choice.collection,
    )


def _section(choice: DayView, collection: str, groups: list[Group], tally: StoryTally) -> Section:
    shown = choice.offset + len(groups)
    return Section(
        name=labels.collection_name(collection),
        tally=tally,
        groups=groups,
        more=tally.groups - shown,
        more_href=day_href(choice.day, collection=collection, offset=shown),
    )
