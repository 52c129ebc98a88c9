"""A day as a page: its neighbours, its collections, its stories in their groups of coverage."""

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
from scoop.store.reads import coverage as coverage_reads
from scoop.store.reads import days as day_reads
from scoop.store.reads.coverage import Group
from scoop.store.reads.days import DaySummary, StoryTally
from scoop.web import calendar, labels, pages, sidebar
from scoop.web.calendar import Month, day_named
from scoop.web.context import PageContext, day_href
from scoop.web.sidebar import Rail

router = routes.for_pages()

MAX_OFFSET_DIGITS = 6
SHOWN_OUTLETS = 6
SHOWN_COMPANY = 3  # what else tells of a story's event is folded after these
SHORT_DAY = 12  # groups: with fewer, as after midnight, the front page goes on with the day before
PAGE_GROUPS = 100  # a group may hold many stories, and a page of them should still come at once


@dataclass(frozen=True, slots=True, kw_only=True)
class DayView:
    """What of a day is wanted: one collection or all, from which place on, beside which month of the calendar."""

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
    """The groups of one collection, how many the day has of it, and where the rest of them is."""

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
        """The newest day before this one that has stories, else the first after it."""
        return self.earlier or self.later


@router.get("/")
@needs("read")
async def home_page(shelf: Cached, desk: CurrentDesk, context: PageContext) -> Response:
    """Today, with the day before while there is little yet; or the newest day that has stories."""
    choice = DayView(day=context.today)
    page = await _kept(shelf, context, choice)
    before = None
    if not page.sections and page.nearest:
        page = await _kept(shelf, context, replace(choice, day=page.nearest))
    elif page.is_short and page.earlier:
        before = await _kept(shelf, context, replace(choice, day=page.earlier))
    async with desk.reading() as conn:
        beside = await sidebar.read(conn, context, context.today, is_now=True)
    return _page(page, beside, context, before=before, instead_of_today=page.choice != choice)


@router.get("/days/{day}")
@needs("read")
async def day_page(request: Request, shelf: Cached, desk: CurrentDesk, context: PageContext, day: str) -> Response:
    page = await _kept(shelf, context, _choice(request, day))
    async with desk.reading() as conn:
        beside = await sidebar.read(conn, context, page.choice.day, is_now=page.choice.day == context.today)
    return _page(page, beside, context)


def _page(
    page: DayPage, beside: Rail, context: PageContext, *, before: DayPage | None = None, instead_of_today: bool = False
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
        day=day_named(day),
        collection=collection,
        offset=int(offset),
        month=calendar.month_named(month) if month else None,
    )


async def _kept(shelf: ResponseCache, context: PageContext, choice: DayView) -> DayPage:
    return await shelf.find((choice, context.today), lambda conn: read(conn, context, choice))


async def read(conn: Connection, context: PageContext, choice: DayView) -> DayPage:
    since, until = context.window(choice.day)
    day = await day_reads.summarize_day(conn, since=since, until=until, collection=choice.collection)
    tallies = day.tally_by_collection
    if choice.collection and choice.collection not in tallies and not (day.earlier_at or day.later_at):
        raise NotFound(f"there is no collection {choice.collection!r}")
    limit = PAGE_GROUPS if choice.collection else PAGE_GROUPS // max(len(tallies), 1)
    found = await coverage_reads.list_groups(
        conn, since=since, until=until, collection=choice.collection, limit=max(limit, 1), offset=choice.offset
    )
    return DayPage(
        choice=choice,
        earlier=context.day_of(day.earlier_at) if day.earlier_at else None,
        later=context.day_of(day.later_at) if day.later_at else None,
        tabs=_tabs(day, choice),
        sections=[
            _section(choice, collection, list(groups), tallies[collection])
            for collection, groups in groupby(found, key=attrgetter("collection"))
        ],
        month=await calendar.month(conn, context, choice.month or choice.day, collection=choice.collection),
    )


def _tabs(day: DaySummary, choice: DayView) -> list[Tab]:
    """One for all, then one per collection; the chosen one stays where the day has none of it."""
    groups = {collection: tally.groups for collection, tally in day.tally_by_collection.items()}
    if choice.collection:
        groups = {choice.collection: 0} | groups
    each = [_tab(choice, collection, groups[collection]) for collection in sorted(groups)]
    return [_tab(choice, None, sum(groups.values())), *each] if each else []


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
