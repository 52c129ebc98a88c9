"""An event with all that its page shows: documents by publisher, the lead's text, related events, topics."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import chain, islice, zip_longest
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
class OutlinedPublisher:
    """A publisher of an event: its documents, their stories and when they appeared (seconds since 1970), in that order.

    Columns instead of rows, because an event may have thousands of documents.
    """

    publisher_family: str
    document_ids: list[int]
    story_ids: list[int]
    seen_at: list[float]


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
    """`outline` has all publishers in order of appearance, `shown` the documents of this page by publisher.

    `publisher_names` are by family, for all documents. `additions` are figures and names that only one publisher has.
    `evidence` is None for those who may not edit. `translation` is that of the lead into the language of the reader.
    """

    event: Event
    lead_document_id: int
    article: ReaderArticle
    outline: list[OutlinedPublisher]
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

    @property
    def document_count(self) -> int:
        """How many documents the outline has."""
        return sum(len(publisher.document_ids) for publisher in self.outline)


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
    outline = await _get_outline(conn, event.event_id)
    document_ids = [document_id for publisher in outline for document_id in publisher.document_ids]
    if story_id is not None and not skip:
        story_ids = (story_id for publisher in outline for story_id in publisher.story_ids)
        place = next((place for place, one in enumerate(story_ids) if one == story_id), 0)
        skip = place - place % limit
    part = document_ids[skip : skip + limit]
    lead_document_id: int = await conn.fetchval(SQL["lead_document"], event.lead_story_id)
    article = await documents.get_reader_article(conn, event.lead_story_id, lead_document_id)
    languages = languages_of(event.collection)
    return EventPage(
        event=event,
        lead_document_id=lead_document_id,
        article=article,
        outline=outline,
        publisher_names=await publishers.publisher_names(
            conn, {publisher.publisher_family for publisher in outline} | {event.own_publisher or ""}
        ),
        shown=[ShownDocument(**row) for row in await conn.fetch(SQL["documents_by_id"], part)],
        skip=skip,
        facts=await documents.get_text_facts(conn, [*part, lead_document_id]),
        additions=await events.compare_texts(conn, _compared_documents(outline)),
        related=await events.list_related(conn, event.event_id),
        digests=[DigestOfEvent(**row) for row in await conn.fetch(SQL["digests"], event.event_id, MAX_DIGESTS)],
        topics=[EventTopic(**row) for row in await conn.fetch(SQL["topic_states"], event.event_id)],
        verdicts=await evaluations.list_verdicts(conn, document_ids),
        evidence=await _get_evidence(conn, led, part) if has_evidence else None,
        summary=await summaries.get_for_page(conn, "event", event.event_id, languages=languages),
        translation=await translations.find_current(
            conn, lead_document_id, languages[0], from_language=article.language
        ),
    )


async def _get_outline(conn: Connection, event_id: int) -> list[OutlinedPublisher]:
    """The publishers of an event in order of appearance."""
    rows = await conn.fetch(SQL["outline"], event_id, MAX_OUTLINED)
    publishers_of_event = [OutlinedPublisher(**row) for row in rows]
    return sorted(publishers_of_event, key=lambda publisher: (publisher.seen_at[0], publisher.document_ids[0]))


def _compared_documents(outline: Sequence[OutlinedPublisher]) -> list[int]:
    """The documents to compare, as SQL["compared_documents"] of the events chooses them."""
    if len(outline) < 2:
        return []
    rounds = zip_longest(*(zip(publisher.seen_at, publisher.document_ids, strict=True) for publisher in outline))
    in_order = chain.from_iterable(sorted(filter(None, documents)) for documents in rounds)
    return [document_id for _, document_id in islice(in_order, events.MAX_COMPARED)]


async def _get_evidence(conn: Connection, event: Event, document_ids: Sequence[int]) -> EventEvidence:
    rows = await conn.fetch(SQL["stories_of_documents"], document_ids, event.lead_story_id)
    return EventEvidence(
        lead_story_id=event.lead_story_id,
        stories=[story_from(row) for row in rows],
        decisions=[Decision(**row) for row in await conn.fetch(SQL["decisions"], event.event_id, MAX_DECISIONS)],
        decisions_by_document=await decisions.list_decisions(conn, document_ids),
        rejected_by_document=await decisions.list_rejected(conn, document_ids),
    )
