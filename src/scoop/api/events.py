"""Events: the list, and one event with its stories and documents."""

from typing import Annotated, Any
from uuid import UUID

import fastapi
from fastapi import Request, Response
from pydantic import Field

from scoop.actions import filters
from scoop.api import document, moments, summaries
from scoop.api.moments import Since, Until
from scoop.api.summaries import SummaryLanguage
from scoop.core.events import EventStatus
from scoop.http import pagination, routes
from scoop.http.cache import Cached, CachedResponse, cached_response
from scoop.http.deps import CurrentDesk
from scoop.http.pagination import Listed
from scoop.http.params import AnySlug, PageParams, ShortText
from scoop.http.routes import needs
from scoop.store.db import Connection
from scoop.store.reads import event_summaries
from scoop.store.reads.event_summaries import MAX_DOCUMENTS, MAX_OFFSET, EventDetail, EventSummary

router = routes.for_programs("Events")

EXAMPLE: dict[str, Any] = {
    "event_id": 4711,
    "event_uuid": "0d0e7c5e-8f0b-4bd5-9f8e-3f6f2f0f6a10",
    "collection": "world_news",
    "title": "Library of Ostburg burns down overnight",
    "url": "https://harbourpost.example/2026/11/16/library",
    "status": "developing",
    "first_seen_at": "2026-11-16T04:10:00Z",
    "last_seen_at": "2026-11-16T19:32:00Z",
    "developed_at": "2026-11-16T18:05:00Z",
    "story_count": 2,
    "item_count": 3,
    "source_count": 3,
    "outlet_count": 3,
    "publisher_family_count": 2,
    "language_count": 1,
    "sources": ["akari", "harbour_post", "tribune"],
    "publisher_families": ["akari.example", "harbourpost.example"],
    "languages": ["en"],
    "language": "en",
    "lead": "The public library of Ostburg burned down in the night to Monday.",
    "summary": "The public library of Ostburg burned down in the night to Monday. Its archive stayed dry.",
    "summary_language": "en",
    "summary_disclaimer": "extract",
    "image_url": None,
    "lead_story_uuid": "0d0e7c5e-8f0b-4bd5-9f8e-3f6f2f0f6a10",
    "outlets": [
        {
            "source": "harbour_post",
            "source_name": "Harbour Post",
            "url": "https://harbourpost.example/2026/11/16/library",
        }
    ],
    "topics": ["world_news"],
}
LIST_EXAMPLE = document.example({"items": [EXAMPLE], "next_cursor": None})


DocumentLimit = Annotated[int, fastapi.Query(ge=1, le=MAX_DOCUMENTS, description="Maximum number of documents.")]
DocumentOffset = Annotated[int, fastapi.Query(ge=0, le=MAX_OFFSET, description="Number of documents to skip.")]


class EventListParams(PageParams):
    collection: Annotated[ShortText | None, Field(description="Only this collection, as ai_news.")] = None
    q: Annotated[
        ShortText | None, Field(max_length=200, description="Words of the title of one of its stories, exact.")
    ] = None
    topic: Annotated[AnySlug | None, Field(description="Only events with a story of this topic, by its slug.")] = None
    status: Annotated[EventStatus | None, Field(description="Only events that are new, developing or quiet.")] = None
    since: Annotated[Since, Field(alias="from")] = None
    until: Annotated[Until, Field(alias="to")] = None


@router.get("/events", response_model=Listed[EventSummary], responses=LIST_EXAMPLE)
@needs("read")
async def list_events(
    request: Request, cache: Cached, desk: CurrentDesk, query: Annotated[EventListParams, fastapi.Query()]
) -> Response:
    """The events, by the time of their latest document, the latest first.

    An event is everything that was published about one thing that happened: one or more stories, which
    `/api/v1/stories` lists one by one. Its `event_uuid` stays the same while it grows.
    """
    part = moments.slice_of(query.since, query.until, query.cursor, limit=query.limit, zone=desk.timezone)

    async def make(conn: Connection) -> CachedResponse:
        await filters.check_collection(conn, query.collection)
        found = await event_summaries.list_summaries(
            conn,
            part,
            now=desk.clock(),
            collection=query.collection,
            words=query.q,
            topic_id=await filters.find_topic(conn, query.topic),
            status=query.status,
        )
        return cached_response(pagination.paginate(found, query.limit, _position))

    return await cache.give(request, make, minute=desk.minute)


def _position(event: EventSummary) -> tuple[Any, ...]:
    return event.last_seen_at, event.event_id


@router.get("/events/{event_uuid}", response_model=EventDetail)
@needs("read")
async def get_event(
    request: Request,
    cache: Cached,
    desk: CurrentDesk,
    event_uuid: UUID,
    language: SummaryLanguage = None,
    limit: DocumentLimit = MAX_DOCUMENTS,
    offset: DocumentOffset = 0,
) -> Response:
    """One event with its summary, its stories, its documents, what only one publisher has, related events, its digests.

    `limit` and `offset` choose a part of its documents, of which there are `event.item_count`.

    The id of a story leads to the event that it is in, or to the one that it founded while that exists. For a merged
    event the response is the event that it became part of: `event.event_uuid` differs then, and Content-Location is its
    address. A merge can be undone, so there is no
    permanent redirect.
    """

    async def make(conn: Connection) -> CachedResponse:
        detail = await event_summaries.get_detail(
            conn,
            str(event_uuid),
            now=desk.clock(),
            languages_of=lambda collection: summaries.languages(desk, collection, language),
            limit=limit,
            offset=offset,
        )
        return cached_response(detail, **{"Content-Location": f"{router.prefix}/events/{detail.event.event_uuid}"})

    return await cache.give(request, make, minute=desk.minute)
