"""The page of an event: its lead, who reported it and when, what each publisher adds, and related events."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from itertools import chain, groupby
from typing import Annotated
from uuid import UUID

from fastapi import Query, Response
from starlette.responses import HTMLResponse, RedirectResponse

from scoop.actions.lessons import why_none
from scoop.core import text
from scoop.core.briefs import translation
from scoop.http import routes
from scoop.http.cache import Cached
from scoop.http.deps import CurrentDesk, Desk
from scoop.http.routes import needs
from scoop.store import db
from scoop.store.db import Connection
from scoop.store.reads import event_page as reads
from scoop.store.reads.documents import TextFacts
from scoop.store.reads.event_page import EventPage, ShownDocument
from scoop.web import event_summary, explain, labels, pages, timeline, translation_offer
from scoop.web.article import passage_href
from scoop.web.context import Context, PageContext
from scoop.web.translation_offer import TranslationOffer

router = routes.for_pages()

SHOWN_DOCUMENTS = 100  # of one page
LEAD_CHARACTERS = 900  # of the lead's text; the rest unfolds
MAX_ADDRESS = 300
DocumentOffset = Annotated[int, Query(ge=0, lt=reads.MAX_OUTLINED)]
Number = Annotated[int, Query(ge=1, le=db.LAST_ID)]


@dataclass(frozen=True, slots=True, kw_only=True)
class CoveringArticle:
    """An article of an event: the document to read, and those of other outlets with the same address."""

    document: ShownDocument
    first_seen_at: datetime
    others: list[ShownDocument]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublisherCoverage:
    """A publisher of an event: its articles on this page, and the number of all its documents.

    `lane` is the number of its colour.
    """

    family: str
    name: str
    lane: int
    is_first: bool
    articles: list[CoveringArticle]
    total: int
    additions: list[str]


@router.get("/events/{event_uuid}")
@needs("read")
async def event_page(
    cache: Cached,
    desk: CurrentDesk,
    context: PageContext,
    event_uuid: UUID,
    skip: DocumentOffset = 0,
    story: Number | None = None,
    decided: Number | None = None,
    language: str = "",
) -> Response:
    """The page of an event; a merged event redirects to the one that it became part of."""
    key = (skip, story, language)
    page = await cache.find(
        ("event", event_uuid, context.visitor.language, context.may("edit"), *key),
        lambda conn: read(conn, desk, context, event_uuid, skip=skip, story_id=story, language=language),
    )
    if page.event.event_uuid != event_uuid:
        opened = f"?story={story}#story-{story}" if story else ""
        return RedirectResponse(f"/events/{page.event.event_uuid}{opened}", status_code=HTTPStatus.FOUND)
    return pages.cached_page(
        cache,
        context,
        (*key, decided),
        (page,),
        lambda: render(desk, context, page, story_id=story, decided=decided, language=language),
    )


async def read(
    conn: Connection,
    desk: Desk,
    context: Context,
    event_uuid: UUID,
    *,
    skip: int = 0,
    story_id: int | None = None,
    language: str = "",
) -> EventPage:
    """`language` is the one that the reader chose for the summary, empty for that of their settings."""
    return await reads.get_event_page(
        conn,
        str(event_uuid),
        skip=skip,
        limit=SHOWN_DOCUMENTS,
        story_id=story_id,
        has_evidence=context.may("edit"),
        languages_of=lambda collection: event_summary.languages(desk, context, collection, language),
    )


def render(
    desk: Desk,
    context: Context,
    page: EventPage,
    *,
    language: str = "",
    story_id: int | None = None,
    decided: int | None = None,
    error: str = "",
    reason: str | None = None,
    status: HTTPStatus = HTTPStatus.OK,
) -> HTMLResponse:
    """`decided` is the decision that was just made about the event, `error` why an action was refused."""
    end = page.skip + len(page.shown)
    beginning, rest = split_text(page.article.body_text)
    decisions = page.evidence.decisions if page.evidence else []
    return pages.page(
        "event.html",
        context,
        status=status,
        page=page,
        event=page.event,
        publishers=publishers(page),
        lead_publisher=_publisher_name(page, page.event.own_publisher or ""),
        strip=timeline.strip(page.outline, page.publisher_names),
        beginning=beginning,
        rest=rest,
        more_from=end if end < page.document_count else None,
        story_id=story_id,
        story_ids=frozenset(chain.from_iterable(publisher.story_ids for publisher in page.outline)),
        first_of_story={document.document_id: document.story_id for document in _first_of_each_story(page.shown)},
        document_by_id={document.document_id: document for document in page.shown},
        documents_by_story=_by_story(page.shown),
        just_decided=next((decision for decision in decisions if decision.decision_id == decided), None),
        has_chosen_lead=any(decision.action == "lead" for decision in decisions),
        topic_options=[(topic.topic_slug, topic.topic_name) for topic in page.topics if not topic.suppressed],
        verdict_by_slug={verdict.topic_slug: verdict for verdict in reversed(page.verdicts)},
        explain=explain,
        summary=event_summary.view(desk, context, page, language),
        has_lessons=any(not why_none(desk.lesson_writer, each) for each in page.event.languages),
        translation=_translation(desk, context, page, language),
        passage_href=passage_href,
        error=error,
        reason=reason,
        MAX_ADDRESS=MAX_ADDRESS,
        SHOWN_DOCUMENTS=SHOWN_DOCUMENTS,
    )


def _translation(desk: Desk, context: Context, page: EventPage, language: str) -> TranslationOffer | None:
    """The translation of the lead that is offered to a reader of another language."""
    return translation_offer.offer(
        desk,
        story_uuid=page.event.lead_story_uuid,
        document_id=page.lead_document_id,
        language=page.article.language,
        preferred=event_summary.languages(desk, context, page.event.collection, language)[0],
        made=page.translation,
        text_hash=translation.text_hash(page.article.title, page.article.body_text).hex(),
    )


def publishers(page: EventPage) -> list[PublisherCoverage]:
    """The publishers of the shown documents, in order of appearance."""
    lane = timeline.lane_by_family(page.outline)
    total = {publisher.publisher_family: len(publisher.document_ids) for publisher in page.outline}
    first = page.outline[0].publisher_family if len(total) > 1 else None
    found = []
    for family, group in groupby(page.shown, key=lambda document: document.publisher_family):
        name = _publisher_name(page, family)
        found.append(
            PublisherCoverage(
                family=family,
                name=name,
                lane=lane[family],
                is_first=family == first,
                articles=articles(list(group), page.facts, publisher=name),
                total=total[family],
                additions=page.additions.get(family, []),
            )
        )
    return found


def _publisher_name(page: EventPage, family: str) -> str:
    return text.one_line(page.publisher_names[family])


def articles(
    documents: Sequence[ShownDocument], facts: Mapping[int, TextFacts], *, publisher: str
) -> list[CoveringArticle]:
    """The articles of a publisher: what several outlets bring under one address is one article.

    The document to read is that of the publisher's own outlet, else the one with the longest text.
    """
    by_address: dict[object, list[ShownDocument]] = {}
    for document in documents:
        address = (document.url, document.language, document.story_id) if document.url else document.document_id
        by_address.setdefault(address, []).append(document)

    def worth(document: ShownDocument) -> tuple[bool, int]:
        is_own = labels.outlet_name(document.source, document.source_name) == publisher
        return is_own, facts[document.document_id].token_count

    best = {address: max(alike, key=worth) for address, alike in by_address.items()}
    return [
        CoveringArticle(
            document=best[address],
            first_seen_at=alike[0].seen_at,
            others=[document for document in alike if document is not best[address]],
        )
        for address, alike in by_address.items()
    ]


def split_text(body: str) -> tuple[list[str], list[str]]:
    """The paragraphs of a text that are shown at once, and the rest."""
    paragraphs = [paragraph for paragraph in body.split("\n\n") if paragraph.strip()]
    length = 0
    for place, paragraph in enumerate(paragraphs):
        if length and length + len(paragraph) > LEAD_CHARACTERS:
            return paragraphs[:place], paragraphs[place:]
        length += len(paragraph)
    return paragraphs, []


def _first_of_each_story(shown: Iterable[ShownDocument]) -> list[ShownDocument]:
    first: dict[int, ShownDocument] = {}
    for document in shown:
        first.setdefault(document.story_id, document)
    return list(first.values())


def _by_story(shown: Iterable[ShownDocument]) -> Mapping[int, list[ShownDocument]]:
    by_story: dict[int, list[ShownDocument]] = {}
    for document in shown:
        by_story.setdefault(document.story_id, []).append(document)
    return by_story
