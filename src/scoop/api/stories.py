"""Stories: the list, one story, and the days that have stories."""

from datetime import date
from typing import Annotated, Any
from uuid import UUID

import fastapi
from fastapi import Request, Response
from pydantic import Field, model_validator

from scoop.actions import filters
from scoop.api import moments
from scoop.api.moments import Since, Until
from scoop.http import pagination, responses, routes
from scoop.http.cache import Cached, CachedResponse, cached_response
from scoop.http.deps import CurrentDesk, ReadConn
from scoop.http.pagination import MAX_CURSOR, Listed
from scoop.http.params import PageLimit, PageParams, RequestModel, ShortText
from scoop.http.routes import needs
from scoop.model import Story
from scoop.store.db import Connection
from scoop.store.reads import days as day_reads
from scoop.store.reads import stories as story_reads
from scoop.store.reads.days import StoryDay
from scoop.store.reads.stories import StoryDetail

router = routes.for_programs("Stories")

ROWS = 50
MAX_PAGE = 1000  # an offset reads all rows before it; a cursor does not


class StoryListParams(RequestModel):
    collection: Annotated[ShortText | None, Field(description="Only this collection, as ai_news.")] = None
    q: Annotated[ShortText | None, Field(max_length=200, description="Words of the title, exact.")] = None
    since: Annotated[Since, Field(alias="from")] = None
    until: Annotated[Until, Field(alias="to")] = None
    limit: Annotated[PageLimit | None, Field(description=f"Maximum number of stories; default {ROWS}.")] = None
    cursor: Annotated[
        str | None, Field(max_length=MAX_CURSOR, description="The next_cursor of an earlier response.")
    ] = None
    page: Annotated[int | None, Field(ge=1, le=MAX_PAGE, description="Page number from 1; a cursor is faster.")] = None
    page_size: Annotated[PageLimit | None, Field(description="Another name of limit.")] = None

    @model_validator(mode="after")
    def check(self) -> "StoryListParams":
        if self.page is not None and self.cursor is not None:
            raise ValueError("give either page or cursor")
        if self.limit is not None and self.page_size is not None:
            raise ValueError("give either limit or page_size")
        return self

    @property
    def rows(self) -> int:
        return self.limit or self.page_size or ROWS


class DayListParams(PageParams):
    collection: Annotated[ShortText | None, Field(description="Only this collection, as ai_news.")] = None
    since: Annotated[date | None, Field(alias="from", description="This day and later.")] = None
    until: Annotated[date | None, Field(alias="to", description="This day and earlier.")] = None
    limit: Annotated[int, Field(ge=1, le=100, description="Maximum number of days.")] = 31


@router.get("/stories", response_model=Listed[Story])
@needs("read")
async def list_stories(
    request: Request, cache: Cached, desk: CurrentDesk, query: Annotated[StoryListParams, fastapi.Query()]
) -> Response:
    """The active stories, by the time of their latest document, the latest first."""
    part = moments.slice_of(query.since, query.until, query.cursor, limit=query.rows, zone=desk.timezone)

    async def make(conn: Connection) -> CachedResponse:
        await filters.check_collection(conn, query.collection)
        offset = ((query.page or 1) - 1) * query.rows
        stories = await story_reads.list_stories(conn, part, collection=query.collection, words=query.q, offset=offset)
        return cached_response(pagination.paginate(stories, query.rows, _position))

    return await cache.give(request, make)


def _position(story: Story) -> tuple[Any, ...]:
    return story.last_seen_at, story.story_id


@router.get("/stories/{story_uuid}", response_model=StoryDetail)
@needs("read")
async def get_story(request: Request, cache: Cached, story_uuid: UUID) -> Response:
    """One story with its documents (`members`) and the stories of probably the same event (`company`).

    For a merged story the response is the story that it became part of: `story.story_uuid` differs then, and
    Content-Location is its address. A merge can be undone, so there is no permanent redirect.
    """

    async def make(conn: Connection) -> CachedResponse:
        detail = await story_reads.get_story(conn, str(story_uuid))
        return cached_response(detail, **{"Content-Location": f"{router.prefix}/stories/{detail.story.story_uuid}"})

    return await cache.give(request, make)


@router.get("/story-days", response_model=Listed[StoryDay])
@needs("read")
async def list_days(
    request: Request, conn: ReadConn, desk: CurrentDesk, query: Annotated[DayListParams, fastapi.Query()]
) -> Response:
    """The latest days that have stories, with the number of stories in total and by collection.

    Days are those of the desk's timezone.
    """
    await filters.check_collection(conn, query.collection)
    until = moments.end(query.until, desk.timezone)
    if position := pagination.decode_cursor(query.cursor, date):
        until = min(until, moments.start(position[0], desk.timezone))
    days = await day_reads.list_days(
        conn,
        timezone=desk.timezone.key,
        since=moments.start(query.since, desk.timezone),
        until=until,
        collection=query.collection,
        limit=query.limit + 1,
    )
    return responses.json(request, pagination.paginate(days, query.limit, lambda day: (day.day,)))
