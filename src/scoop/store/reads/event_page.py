"""An event with all that its page shows: documents by publisher, the lead's text, related events, topics."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from scoop.model import Decision, Event, Story
from scoop.store import db, publishers, translations
from scoop.store.db import Connection
from scoop.store.reads import decisions, documents, evaluations, events, summaries
from scoop.store.reads.decisions import DocumentDecision, RejectedCandidate
from scoop.store.reads.documents import ReaderArticle, TextFacts
from scoop.store.reads.evaluations import CuratorVerdict
from scoop.store.reads.events import EventDocument, RelatedEvent
from scoop.store.reads.stories import story_from
from scoop.store.reads.summaries import SummaryOnPage
from scoop.store.translations import Translation

SQL = db.blocks(__name__)

MAX_OUTLINED = 20_000  # documents of one event
MAX_DIGESTS = 12
MAX_DECISIONS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlinedDocument:
    """A document of an event, as far as a timeline needs it."""

    document_id: int
    story_id: int
    publisher_family: str
    seen_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownDocument(EventDocument):
    """A document of an event, with the public id of its story."""

    story_uuid: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class EventTopic:
    """A topic of an event's stories: when it published one, or why it suppresses all of them."""

    topic_slug: str
    topic_name: str
    publish_count: int
    last_published_at: datetime | None
    suppressed: bool
    suppression_reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestOfEvent:
    topic_slug: str
    topic_name: str
    run_date: date


@dataclass(frozen=True, slots=True, kw_only=True)
class EventEvidence:
    """Why the shown documents are in their stories; the mappings are by document.

    `lead_story_id` is the lead for everybody, which may be of another language than that of this reader.
    """

    lead_story_id: int
    stories: list[Story]
    decisions: list[Decision]
    decisions_by_document: Mapping[int, list[DocumentDecision]]
    rejected_by_document: Mapping[int, list[RejectedCandidate]]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPage:
    """`outline` has all documents in order of appearance, `shown` those of this page by publisher.

    `publisher_names` are by family, for all documents. `additions` are figures and names that only one publisher has.
    `evidence` is None for those who may not edit. `translation` is that of the lead into the language of the reader.
    """

    event: Event
    lead_document_id: int
    article: ReaderArticle
    outline: list[OutlinedDocument]
    publisher_names: Mapping[str, str]
    shown: list[ShownDocument]
    skip: int
    facts: Mapping[int, TextFacts]
    additions: Mapping[str, list[str]]
    related: list[RelatedEvent]
    digests: list[DigestOfEvent]
    topics: list[EventTopic]
    verdicts: list[CuratorVerdict]
    evidence: EventEvidence | None
    summary: SummaryOnPage
    translation: Translation | None


async def get_event_page(
    conn: Connection,
    name: str,
    *,
    skip: int = 0,
    limit: int,
    story_id: int | None = None,
    has_evidence: bool,
    languages_of: Callable[[str], Sequence[str]],
) -> EventPage:
    """The surviving event of a number or public id, with `limit` of its documents: those of a story if one is named.

    `languages_of` gives the languages of the reader by its collection, the best first.
    """
    led = await events.get_event(conn, name)
    (event,) = await events.led_in_language(conn, [led], lambda collection: languages_of(collection)[0])
    rows = await conn.fetch(SQL["outline"], event.event_id, MAX_OUTLINED)
    outline = [OutlinedDocument(**row) for row in rows]
    ordered = _by_publisher(outline)
    if story_id is not None and not skip:
        place = next((place for place, document in enumerate(ordered) if document.story_id == story_id), 0)
        skip = place - place % limit
    part = [document.document_id for document in ordered[skip : skip + limit]]
    lead_document_id: int = await conn.fetchval(SQL["lead_document"], event.lead_story_id)
    article = await documents.get_reader_article(conn, event.lead_story_id, lead_document_id)
    languages = languages_of(event.collection)
    return EventPage(
        event=event,
        lead_document_id=lead_document_id,
        article=article,
        outline=outline,
        publisher_names=await publishers.publisher_names(
            conn, {document.publisher_family for document in outline} | {event.own_publisher or ""}
        ),
        shown=[ShownDocument(**row) for row in await conn.fetch(SQL["documents_by_id"], part)],
        skip=skip,
        facts=await documents.get_text_facts(conn, [*part, lead_document_id]),
        additions=await events.list_additions(conn, event.event_id),
        related=await events.list_related(conn, event.event_id),
        digests=[DigestOfEvent(**row) for row in await conn.fetch(SQL["digests"], event.event_id, MAX_DIGESTS)],
        topics=[EventTopic(**row) for row in await conn.fetch(SQL["topic_states"], event.event_id)],
        verdicts=await evaluations.list_verdicts(conn, [document.document_id for document in outline]),
        evidence=await _get_evidence(conn, led, part) if has_evidence else None,
        summary=await summaries.get_for_page(conn, "event", event.event_id, languages=languages),
        translation=await translations.find_current(
            conn, lead_document_id, languages[0], from_language=article.language
        ),
    )


def _by_publisher(outline: Sequence[OutlinedDocument]) -> list[OutlinedDocument]:
    """Documents by publisher, the publishers in order of appearance."""
    place: dict[str, int] = {}
    for document in outline:
        place.setdefault(document.publisher_family, len(place))
    return sorted(outline, key=lambda document: place[document.publisher_family])


async def _get_evidence(conn: Connection, event: Event, document_ids: Sequence[int]) -> EventEvidence:
    rows = await conn.fetch(SQL["stories_of_documents"], document_ids, event.lead_story_id)
    return EventEvidence(
        lead_story_id=event.lead_story_id,
        stories=[story_from(row) for row in rows],
        decisions=[Decision(**row) for row in await conn.fetch(SQL["decisions"], event.event_id, MAX_DECISIONS)],
        decisions_by_document=await decisions.list_decisions(conn, document_ids),
        rejected_by_document=await decisions.list_rejected(conn, document_ids),
    )
