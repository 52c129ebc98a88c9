"""Events as every interface shows them: lists, one event with its stories and documents, and its neighbours."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

from scoop.core import contributions, ids
from scoop.core import events as core_events
from scoop.core.contributions import PublisherText
from scoop.errors import NotFound
from scoop.model import Event, Outlet, Story
from scoop.store import db
from scoop.store.db import Connection
from scoop.store.reads import slices, stories
from scoop.store.reads.slices import ListSlice
from scoop.store.reads.stories import StoryMember, story_from

SQL = db.blocks(__name__)

EVENT_FIELDS = tuple(field.name for field in fields(Event))
STORIES_PER_EVENT = 5  # read for each event of a topic that is listed: an event may have several
MAX_STORIES = 200  # of one event
MAX_OUTLETS = 40
MAX_RELATED = 12
MAX_COMPARED = 40  # documents: finding what each publisher adds takes about 1 ms a document
CACHED_COMPARISONS = 50  # 6 MB, at 40 texts each
MAX_LINKED_DOCUMENTS = 200  # of an event, the newest, whose links are read
RELATED_AT = 0.25  # lower probabilities are noise, not worth showing
MAX_CHANGES = 1000  # counted for the front page: above, the number says nothing more
MAX_PER_PUBLISHER = 3  # events that only one publisher reports, before all others are shown

LanguageOf = Callable[[str], str]
"""The language of a reader by the collection of an event, empty for any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedEvent:
    """An event in a list: its first stories, the lead first, and its outlets in order of appearance."""

    event: Event
    stories: list[Story]
    outlets: list[Outlet]
    topics: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventDocument(StoryMember):
    """A document of an event, with its story."""

    story_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedEvent:
    """An event that is linked to another one: the best link's probability and its signals by name."""

    event: Event
    probability: float
    signs: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeCounts:
    """How many events are new and how many developed; together at most MAX_CHANGES, the latest."""

    new: int
    developed: int

    @property
    def is_complete(self) -> bool:
        return self.new + self.developed < MAX_CHANGES


def event_from(row: Mapping[str, Any]) -> Event:
    """The event in a row that has all columns of `event_rows`, whatever else it has."""
    return Event(**{name: row[name] for name in EVENT_FIELDS})


async def list_events(
    conn: Connection, part: ListSlice, *, collection: str | None = None, words: str | None = None, offset: int = 0
) -> list[Event]:
    """Active events, the latest first; `words` must be in the title of one of its stories exactly as they are given."""
    await slices.plan_for_values(conn)
    pattern = stories.containing(words) if words else None
    rows = await conn.fetch(SQL["latest"], part.since, *part.before, collection, pattern, part.limit, offset)
    return [event_from(row) for row in rows]


async def list_events_of_topic(conn: Connection, topic_id: int, *, limit: int) -> list[Event]:
    """The latest events of a topic, without those whose stories it suppresses."""
    rows = await conn.fetch(SQL["latest_of_topic"], topic_id, limit * STORIES_PER_EVENT, limit)
    return [event_from(row) for row in rows]


async def rank_events(
    conn: Connection,
    *,
    since: datetime,
    until: datetime,
    limit: int,
    offset: int = 0,
    collection: str | None = None,
    by_collection: bool = True,
) -> list[Event]:
    """The events of a window by rank; `limit` and `offset` count within each collection, or over all together."""
    await slices.plan_for_values(conn)
    rows = await conn.fetch(SQL["ranked"], since, until, collection, limit, offset, by_collection, MAX_PER_PUBLISHER)
    return [event_from(row) for row in rows]


async def list_developing(conn: Connection, *, now: datetime, limit: int) -> list[Event]:
    """The events whose status is developing, by rank."""
    developed_since, known_by = now - core_events.DEVELOPING_FOR, now - core_events.NEW_FOR
    return [event_from(row) for row in await conn.fetch(SQL["developing"], developed_since, known_by, limit)]


async def count_changes(conn: Connection, *, since: datetime) -> ChangeCounts:
    """The numbers of events that are new and that developed since a moment."""
    return ChangeCounts(**await conn.fetchrow(SQL["count_changes"], since, MAX_CHANGES))


async def in_language(conn: Connection, events: Sequence[Event], language_of: LanguageOf) -> list[Event]:
    """Events as lists show them to a reader: the best report and the summary in their language, where there are any."""
    led = await led_in_language(conn, events, language_of)
    wanted = {
        event.event_id: language
        for event in led
        if (language := language_of(event.collection)) and not _is_in(event.summary_language or "", language)
    }
    if not wanted:
        return led
    rows = await conn.fetch(SQL["summaries_in_language"], list(wanted), list(wanted.values()))
    summary_by_event = {row["subject_id"]: row for row in rows}
    return [_summarized_by(event, summary_by_event.get(event.event_id)) for event in led]


async def led_in_language(conn: Connection, events: Sequence[Event], language_of: LanguageOf) -> list[Event]:
    """Events led by their best report in the language of a reader, where there is one."""
    wanted = {
        event.event_id: language
        for event in events
        if (language := language_of(event.collection))
        and len(event.languages) > 1
        and not _is_in(event.language, language)
    }
    if not wanted:
        return list(events)
    rows = await conn.fetch(SQL["leads_in_language"], list(wanted), list(wanted.values()))
    lead_by_event = {row["coverage_id"]: row for row in rows}
    return [_led_by(event, lead_by_event.get(event.event_id)) for event in events]


def _is_in(language: str, wanted: str) -> bool:
    return language.partition("-")[0] == wanted.partition("-")[0]


def _summarized_by(event: Event, row: Mapping[str, Any] | None) -> Event:
    """The event with another summary."""
    if row is None:
        return event
    return replace(event, **{name: row[name] for name in ("summary", "summary_language", "summary_disclaimer")})


def _led_by(event: Event, row: Mapping[str, Any] | None) -> Event:
    """The event with the values of another lead."""
    if row is None:
        return event
    names = ("title", "url", "language", "lead", "image_url", "own_publisher")
    ids_of_lead = {"lead_story_id": row["story_id"], "lead_story_uuid": row["story_uuid"]}
    return replace(event, **{name: row[name] for name in names}, **ids_of_lead)


async def with_coverage(conn: Connection, events: Sequence[Event], *, max_stories: int) -> list[ListedEvent]:
    """Events with their first stories, outlets and topics."""
    event_ids = [event.event_id for event in events]
    shown = await list_stories(conn, event_ids, limit=max_stories, leads=[event.lead_story_id for event in events])
    outlets = await list_outlets(conn, event_ids)
    topics = await list_topics(conn, event_ids)
    return [
        ListedEvent(
            event=event,
            stories=shown[event.event_id],
            outlets=outlets[event.event_id],
            topics=topics.get(event.event_id, []),
        )
        for event in events
    ]


async def list_stories(
    conn: Connection, event_ids: Sequence[int], *, limit: int = MAX_STORIES, leads: Sequence[int] = ()
) -> defaultdict[int, list[Story]]:
    """The stories of each event: the lead, or the one in `leads`, first, then those of most publishers."""
    by_event: defaultdict[int, list[Story]] = defaultdict(list)
    for row in await conn.fetch(SQL["stories"], event_ids, limit, leads):
        by_event[row["coverage_id"]].append(story_from(row))
    return by_event


async def list_outlets(conn: Connection, event_ids: Sequence[int]) -> defaultdict[int, list[Outlet]]:
    """The sources of each event in order of appearance."""
    by_event: defaultdict[int, list[Outlet]] = defaultdict(list)
    for row in await conn.fetch(SQL["outlets"], event_ids, MAX_OUTLETS):
        values = dict(row)
        by_event[values.pop("event_id")].append(Outlet(**values))
    return by_event


async def list_topics(conn: Connection, event_ids: Sequence[int]) -> dict[int, list[str]]:
    """The slugs of the topics of each event that has any."""
    return {row["event_id"]: row["topics"] for row in await conn.fetch(SQL["topics"], event_ids)}


async def events_by_id(conn: Connection, event_ids: Sequence[int]) -> dict[int, Event]:
    """Active events by their numbers."""
    return {row["event_id"]: event_from(row) for row in await conn.fetch(SQL["by_ids"], event_ids)}


async def event_ids_of_stories(conn: Connection, story_ids: Sequence[int]) -> dict[int, int]:
    return {row["story_id"]: row["event_id"] for row in await conn.fetch(SQL["of_stories"], story_ids)}


async def event_uuids_of_stories(conn: Connection, story_ids: Sequence[int]) -> dict[int, UUID]:
    """The public id of the present event of each story."""
    return {row["story_id"]: row["event_uuid"] for row in await conn.fetch(SQL["uuids_of_stories"], story_ids)}


async def resolve_merged(conn: Connection, event_ids: Sequence[int]) -> dict[int, int]:
    """The surviving event of each of these, itself where it was not merged; unknown ids are left out."""
    return {row["event_id"]: row["surviving_id"] for row in await conn.fetch(SQL["resolve"], event_ids)}


async def get_event(conn: Connection, name: str) -> Event:
    """The event of a number or public id, or the event that it was merged into."""
    row = await conn.fetchrow(SQL["find"], ids.parse_number(name), ids.parse_uuid(name))
    if row is None:
        raise NotFound(f"there is no event {name!r}; `scoop events` lists the latest")
    return event_from(row)


async def get_event_of_story(conn: Connection, story_id: int) -> Event:
    """The event that a story is part of."""
    return await get_event(conn, str((await event_ids_of_stories(conn, [story_id]))[story_id]))


async def list_documents(conn: Connection, event_id: int, *, limit: int, skip: int = 0) -> list[EventDocument]:
    """The documents of an event, in order of appearance."""
    return [EventDocument(**row) for row in await conn.fetch(SQL["documents"], event_id, limit, skip)]


async def list_additions(conn: Connection, event_id: int) -> dict[str, list[str]]:
    """Figures and names that only one of the compared publishers has, by publisher family; see MAX_COMPARED."""
    return await compare_texts(conn, await conn.fetchval(SQL["compared_documents"], event_id, MAX_COMPARED) or [])


async def compare_texts(conn: Connection, document_ids: Sequence[int]) -> dict[str, list[str]]:
    """Figures and names that only one of the publishers of these documents has, by publisher family."""
    rows = await conn.fetch(SQL["compared_texts"], document_ids, contributions.COMPARED_CHARACTERS)
    return _list_contributions(tuple(PublisherText(**row) for row in rows))


@lru_cache(maxsize=CACHED_COMPARISONS)
def _list_contributions(texts: tuple[PublisherText, ...]) -> dict[str, list[str]]:
    """The answers are cached, because a page is read again after each change, and most change none of its texts."""
    return contributions.list_contributions(texts)


async def list_related(conn: Connection, event_id: int) -> list[RelatedEvent]:
    """The events that are linked to this one, the most probable first."""
    from scoop.core import links  # with numpy: 0.1 s of CPU time that lists of events need not take

    rows = await conn.fetch(SQL["related"], event_id, RELATED_AT, MAX_LINKED_DOCUMENTS, MAX_RELATED)
    return [
        RelatedEvent(event=event_from(row), probability=row["probability"], signs=links.features_by_name(row["signs"]))
        for row in rows
    ]


async def get_last_change(conn: Connection, event_ids: Sequence[int]) -> datetime | None:
    """When any of these events, or one of its stories, last changed."""
    changed_at: datetime | None = await conn.fetchval(SQL["last_change"], event_ids)
    return changed_at
