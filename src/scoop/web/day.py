"""The pages of days: the events of each collection, one collection by pages, or all of them in one list."""

from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import groupby

from fastapi import Request, Response

from scoop.core import front_page
from scoop.core.front_page import EventTally
from scoop.errors import NotFound
from scoop.http import routes
from scoop.http.cache import Cached, ResponseCache
from scoop.http.deps import CurrentDesk, Desk
from scoop.http.routes import needs
from scoop.http.visits import PreviousVisit
from scoop.store.db import Connection
from scoop.store.reads import events as event_reads
from scoop.store.reads import front_page as front_page_reads
from scoop.store.reads.events import LanguageOf, ListedEvent
from scoop.store.reads.front_page import DayContents, EventSlice
from scoop.web import calendar, event_summary, labels, pages, sidebar
from scoop.web.calendar import Month, parse_day
from scoop.web.context import Context, PageContext, day_href

router = routes.for_pages()

MAX_OFFSET_DIGITS = 6
SHOWN_OUTLETS = 4
SHOWN_STORIES = 3  # other stories of an event; the rest is collapsed
MAX_STORIES = 10  # of an event, with its lead; its own page has all
SHORT_DAY = 12  # events: with fewer, as after midnight, the front page adds the day before
FRONT_EVENTS = 60  # on a front page, of all collections together
PAGE_EVENTS = 50  # on a page of a collection or of all


@dataclass(frozen=True, slots=True, kw_only=True)
class DayView:
    """The part of a day to show: its front page, one collection or all in one list, and the month of the calendar."""

    day: date
    collection: str | None = None
    is_all: bool = False
    offset: int = 0
    month: date | None = None

    @property
    def is_list(self) -> bool:
        return self.is_all or self.collection is not None

    @property
    def events(self) -> EventSlice:
        return EventSlice(
            limit=PAGE_EVENTS if self.is_list else FRONT_EVENTS,
            offset=self.offset,
            collection=self.collection,
            is_by_collection=not self.is_list,
        )

    def href(self, day: date | None = None, *, offset: int = 0, month: date | None = None) -> str:
        """The same part of a day, from an offset on."""
        return day_href(day or self.day, collection=self.collection, is_all=self.is_all, offset=offset, month=month)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tab:
    name: str
    href: str
    events: int | None
    is_chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Events of one collection, or of all, with their tally and the link to the whole list."""

    name: str
    tally: EventTally
    events: list[ListedEvent]
    href: str


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
        return sum(section.tally.events for section in self.sections) < SHORT_DAY

    @property
    def nearest(self) -> date | None:
        """The newest earlier day that has events, or else the next later one."""
        return self.earlier or self.later


@router.get("/")
@needs("read")
async def home_page(
    cache: Cached, desk: CurrentDesk, context: PageContext, previous_visit_at: PreviousVisit
) -> Response:
    """Today, followed by the day before if it is short; without events the newest day that has some."""
    choice = DayView(day=context.today)
    page = await _cached(cache, desk, context, choice)
    before = None
    if not page.sections and page.nearest:
        page = await _cached(cache, desk, context, replace(choice, day=page.nearest))
    elif page.is_short and page.earlier:
        before = await _cached(cache, desk, context, replace(choice, day=page.earlier))
    return await _page(cache, desk, context, page, previous_visit_at, before=before, is_instead=page.choice != choice)


@router.get("/days/{day}")
@needs("read")
async def day_page(
    request: Request,
    cache: Cached,
    desk: CurrentDesk,
    context: PageContext,
    previous_visit_at: PreviousVisit,
    day: str,
) -> Response:
    """The front page of a day, or the events of one collection."""
    choice = replace(_choice(request, day), collection=_collection(request))
    return await _page(cache, desk, context, await _cached(cache, desk, context, choice), previous_visit_at)


@router.get("/days/{day}/all")
@needs("read")
async def all_page(
    request: Request,
    cache: Cached,
    desk: CurrentDesk,
    context: PageContext,
    previous_visit_at: PreviousVisit,
    day: str,
) -> Response:
    """The events of all collections in one list by rank."""
    choice = replace(_choice(request, day), is_all=True)
    return await _page(cache, desk, context, await _cached(cache, desk, context, choice), previous_visit_at)


async def _page(
    cache: ResponseCache,
    desk: Desk,
    context: Context,
    page: DayPage,
    previous_visit_at: datetime | None,
    *,
    before: DayPage | None = None,
    is_instead: bool = False,
) -> Response:
    day = context.today if is_instead else page.choice.day
    minute = context.now.replace(second=0, microsecond=0)
    language_of = event_summary.language_of(desk, context)
    beside = await cache.find(
        ("sidebar", day, minute, context.visitor.language),
        lambda conn: sidebar.read(conn, context, day, language_of),
    )
    changes = None
    if (since := previous_visit_at) and day == context.today:
        changes = await cache.find(("changes", since), lambda conn: event_reads.count_changes(conn, since=since))
    return pages.cached_page(
        cache,
        context,
        (page.choice, previous_visit_at, is_instead),
        (page, before, beside, changes),
        lambda: pages.page(
            "day.html",
            context,
            page=page,
            before=before,
            rail=beside,
            changes=changes,
            previous_visit_at=previous_visit_at,
            instead_of_today=is_instead,
            PAGE_EVENTS=PAGE_EVENTS,
            SHOWN_OUTLETS=SHOWN_OUTLETS,
            SHOWN_STORIES=SHOWN_STORIES,
            WEEKDAYS=calendar.WEEKDAYS,
        ),
    )


def _choice(request: Request, day: str) -> DayView:
    offset = request.query_params.get("offset", "0")
    if not (offset.isascii() and offset.isdigit() and len(offset) <= MAX_OFFSET_DIGITS):
        raise NotFound("there is no such offset")
    month = request.query_params.get("month")
    return DayView(day=parse_day(day), offset=int(offset), month=calendar.parse_month(month) if month else None)


def _collection(request: Request) -> str | None:
    collection = request.query_params.get("collection") or None
    if collection and not collection.isprintable():
        raise NotFound("there is no such collection")
    return collection


async def _cached(cache: ResponseCache, desk: Desk, context: Context, choice: DayView) -> DayPage:
    order = front_page.parse_order(desk.config.collection_order)
    language_of = event_summary.language_of(desk, context)
    return await cache.find(
        (choice, context.today, context.visitor.language), lambda conn: read(conn, context, choice, order, language_of)
    )


async def read(
    conn: Connection, context: Context, choice: DayView, order: list[str], language_of: LanguageOf
) -> DayPage:
    month = choice.month or choice.day
    contents = await front_page_reads.get_day(
        conn,
        context.window(choice.day),
        month=calendar.month_days(month),
        timezone=str(context.timezone),
        part=choice.events,
        max_stories=MAX_STORIES,
        language_of=language_of,
    )
    summary = contents.summary
    tallies = front_page.order_collections(summary.tallies, order)
    is_unknown = choice.collection not in {None, *(tally.collection for tally in tallies)}
    if is_unknown and not (summary.earlier_at or summary.later_at):
        raise NotFound(f"there is no collection {choice.collection!r}")
    return DayPage(
        choice=choice,
        earlier=context.day_of(summary.earlier_at) if summary.earlier_at else None,
        later=context.day_of(summary.later_at) if summary.later_at else None,
        tabs=_tabs(tallies, choice),
        sections=_sections(contents, tallies, choice),
        month=calendar.month(context, month, contents.events_by_day),
    )


def _tabs(tallies: list[EventTally], choice: DayView) -> list[Tab]:
    """The front page, all events, then each collection; the chosen one also if the day has none of it."""
    events = {tally.collection: tally.events for tally in tallies}
    if choice.collection:
        events.setdefault(choice.collection, 0)
    if not events:
        return []
    front = Tab(name="Front page", href=day_href(choice.day), events=None, is_chosen=not choice.is_list)
    whole = Tab(
        name="All", href=day_href(choice.day, is_all=True), events=sum(events.values()), is_chosen=choice.is_all
    )
    return [front, whole, *(_tab(choice, collection, count) for collection, count in events.items())]


def _tab(choice: DayView, collection: str, events: int) -> Tab:
    return Tab(
        name=labels.collection_name(collection),
        href=day_href(choice.day, collection=collection),
        events=events,
        is_chosen=collection == choice.collection,
    )


def _sections(contents: DayContents, tallies: list[EventTally], choice: DayView) -> list[Section]:
    """One section for a list of all, otherwise one for each collection that has events here."""
    if choice.is_all:
        tally = front_page.sum_tallies(tallies)
        section = Section(name="All collections", tally=tally, events=contents.events, href=choice.href())
        return [section] if contents.events else []
    listed = {
        collection: list(events)
        for collection, events in groupby(contents.events, key=lambda listed: listed.event.collection)
    }
    return [
        Section(
            name=labels.collection_name(tally.collection),
            tally=tally,
            events=listed[tally.collection],
            href=day_href(choice.day, collection=tally.collection),
        )
        for tally in tallies
        if tally.collection in listed
    ]
