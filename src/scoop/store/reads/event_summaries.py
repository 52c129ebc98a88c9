"""Events as programs get them: in the API, in messages to webhooks, in JSON of the command line."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from typing import Literal
from uuid import UUID

from scoop.core import events as decisions
from scoop.core.events import EventStatus
from scoop.model import Event, Outlet, Story
from scoop.store import db
from scoop.store.db import Connection
from scoop.store.reads import events, slices, stories, summaries
from scoop.store.reads.events import EventDocument
from scoop.store.reads.slices import ListSlice
from scoop.store.reads.summaries import SummaryReport

SQL = db.blocks(__name__)

MAX_DOCUMENTS = 1000  # of one event, at once
MAX_OFFSET = 1_000_000  # documents of one event: above what an event can have
MAX_DIGESTS = 50  # of one event

SummaryStatus = EventStatus | Literal["suppressed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventSummary:
    """An event with its outlets, in order of appearance, and its topics; the lead story gives title, url and lead.

    `summary` is the current summary in the language of the desk, null if there is none; `summary_disclaimer` is
    extract or generated. `outlet_count` counts sources of one publisher and name once. `developed_at` is when it last
    gave reason to look again. `status` is new in the first 12 hours, developing for a day after it developed, quiet
    later, and suppressed while it is hidden from readers.
    """

    event_id: int
    event_uuid: UUID
    collection: str
    title: str
    url: str | None
    status: SummaryStatus
    first_seen_at: datetime
    last_seen_at: datetime
    developed_at: datetime
    story_count: int
    item_count: int
    source_count: int
    outlet_count: int
    publisher_family_count: int
    language_count: int
    sources: list[str]
    publisher_families: list[str]
    languages: list[str]
    language: str
    lead: str
    summary: str | None
    summary_language: str | None
    summary_disclaimer: str | None
    image_url: str | None
    lead_story_uuid: UUID
    outlets: list[Outlet]
    topics: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventStory(Story):
    """A story of an event; `centrality` is its mean link probability to the other stories, null if it is alone."""

    centrality: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedSummary:
    """Another event that is linked to this one: the probability of the best link and its signals by name."""

    event: EventSummary
    probability: float
    signs: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventDigest:
    """A published digest that has a story of the event."""

    digest_run_id: int
    topic_slug: str
    topic_name: str
    run_date: date
    published_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class EventDetail:
    """An event with its summary, its stories, the lead first, its documents in order of appearance, and its links.

    `additions` are figures and names that only one publisher has, by publisher family.
    """

    event: EventSummary
    summary: SummaryReport
    stories: list[EventStory]
    documents: list[EventDocument]
    additions: dict[str, list[str]]
    related: list[RelatedSummary]
    digests: list[EventDigest]


EVENT_FIELDS = tuple({field.name for field in fields(EventSummary)} - {"status", "outlets", "topics"})


async def list_summaries(
    conn: Connection,
    part: ListSlice,
    *,
    now: datetime,
    collection: str | None = None,
    words: str | None = None,
    topic_id: int | None = None,
    status: EventStatus | None = None,
) -> list[EventSummary]:
    """Active events, the latest first; `words` must be in the title of a story exactly as they are given."""
    await slices.plan_for_values(conn)
    newest, developing = now - decisions.NEW_FOR, now - decisions.DEVELOPING_FOR
    since = part.since if status in {None, "quiet"} else max(part.since, developing)  # none of the others is older
    pattern = stories.containing(words) if words else None
    rows = await conn.fetch(
        SQL["listed"], since, *part.before, collection, pattern, topic_id, status, newest, developing, part.limit
    )
    return await summarize(conn, [events.event_from(row) for row in rows], now=now)


async def summarize(conn: Connection, found: Sequence[Event], *, now: datetime) -> list[EventSummary]:
    """Events with their outlets, topics and status."""
    event_ids = [event.event_id for event in found]
    outlets, topics = await events.list_outlets(conn, event_ids), await events.list_topics(conn, event_ids)
    return [
        EventSummary(
            **{name: getattr(event, name) for name in EVENT_FIELDS},
            status=_status(event, now),
            outlets=outlets[event.event_id],
            topics=topics.get(event.event_id, []),
        )
        for event in found
    ]


def _status(event: Event, now: datetime) -> SummaryStatus:
    if event.status == "suppressed":
        return "suppressed"
    return decisions.status(
        first_seen_at=event.first_seen_at,
        last_seen_at=event.last_seen_at,
        created_at=event.created_at,
        developed_at=event.developed_at,
        now=now,
    )


async def get_detail(
    conn: Connection,
    name: str,
    *,
    now: datetime,
    languages_of: Callable[[str], Sequence[str]],
    limit: int = MAX_DOCUMENTS,
    offset: int = 0,
) -> EventDetail:
    """The event of a number or public id, or the event that it was merged into, with all that belongs to it.

    `languages_of` gives the languages of its summary by its collection, the best first; `limit` and `offset` choose its
    documents.
    """
    event = await events.get_event(conn, name)
    related = await events.list_related(conn, event.event_id)
    summary, *others = await summarize(conn, [event, *(other.event for other in related)], now=now)
    return EventDetail(
        event=summary,
        summary=await summaries.get_report(conn, "event", event.event_id, languages=languages_of(event.collection)),
        stories=await _list_stories(conn, event.event_id),
        documents=await events.list_documents(conn, event.event_id, limit=limit, skip=offset),
        additions=await events.list_additions(conn, event.event_id),
        related=[
            RelatedSummary(event=other, probability=link.probability, signs=link.signs)
            for other, link in zip(others, related, strict=True)
        ],
        digests=[EventDigest(**row) for row in await conn.fetch(SQL["digests"], event.event_id, MAX_DIGESTS)],
    )


async def _list_stories(conn: Connection, event_id: int) -> list[EventStory]:
    centrality = {row["story_id"]: row["centrality"] for row in await conn.fetch(SQL["centrality"], event_id)}
    return [
        EventStory(
            **{name: getattr(story, name) for name in stories.STORY_FIELDS}, centrality=centrality[story.story_id]
        )
        for story in (await events.list_stories(conn, [event_id]))[event_id]
    ]
