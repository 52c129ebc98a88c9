"""Exports over HTTP: events, stories and documents as NDJSON, CSV or Parquet, streamed page by page."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated, Any

from fastapi import Query, Response
from pydantic import BaseModel, ConfigDict, Field, field_validator
from starlette.responses import StreamingResponse

from scoop.actions import exports
from scoop.actions.exports import MEDIA, Chunk, ExportFormat, What
from scoop.http import routes
from scoop.http.deps import CurrentDesk, Desk
from scoop.http.routes import needs
from scoop.store.reads.exports import ExportFilter, Lines

router = routes.for_programs("Exports", prefix="/export")

YEARS = range(1900, 3000)  # beyond these, a timezone can move a time out of the calendar
CONTENT: dict[str, Any] = {media.partition(";")[0]: {} for media in MEDIA.values()}
RESPONSES: dict[int | str, dict[str, Any]] = {200: {"description": "The export", "content": CONTENT}}


class ExportQuery(BaseModel):
    """Filters of an export; a time without an offset is in the desk's timezone."""

    model_config = ConfigDict(extra="forbid")

    collection: str | None = Field(None, max_length=200, pattern=r"^[^\x00]*$")
    since: datetime | None = Field(None, description="Only rows seen at this time or later.")
    until: datetime | None = Field(None, description="Only rows seen before this time.")
    key: str | None = Field(
        None, max_length=200, description="A key with the only scope read; for programs without headers."
    )

    @field_validator("since", "until")
    @classmethod
    def _in_calendar(cls, moment: datetime | None) -> datetime | None:
        if moment is not None and moment.year not in YEARS:
            raise ValueError(f"must be a time of the years {YEARS.start} to {YEARS.stop - 1}")
        return moment


@router.get("/events.{format}", responses=RESPONSES, response_class=Response)
@needs("read")
async def events(desk: CurrentDesk, format: ExportFormat, query: Annotated[ExportQuery, Query()]) -> Response:  # noqa: A002
    """Every event with the ids of its stories and documents, the oldest first."""
    return await _stream(desk, "events", format, query)


@router.get("/stories.{format}", responses=RESPONSES, response_class=Response)
@needs("read")
async def stories(desk: CurrentDesk, format: ExportFormat, query: Annotated[ExportQuery, Query()]) -> Response:  # noqa: A002
    """Every story with its members, the oldest first."""
    return await _stream(desk, "stories", format, query)


@router.get("/documents.{format}", responses=RESPONSES, response_class=Response)
@needs("read")
async def documents(desk: CurrentDesk, format: ExportFormat, query: Annotated[ExportQuery, Query()]) -> Response:  # noqa: A002
    """Every document with its text and its story, the oldest first."""
    return await _stream(desk, "documents", format, query)


async def _stream(desk: Desk, what: What, form: ExportFormat, query: ExportQuery) -> Response:
    """Stream the export; it holds no connection between pages, and the first page is read before the response."""
    choice = ExportFilter(collection=query.collection, since=_aware(desk, query.since), until=_aware(desk, query.until))

    async def read(after: int) -> Lines:
        async with desk.reading() as conn:
            return await exports.read_page(conn, what, choice, after)

    async def page(after: int) -> Lines:
        # Shielded: a client that disconnects would otherwise cancel the transaction and its rollback.
        return await asyncio.shield(asyncio.create_task(read(after)))

    chunks = exports.encode(page, what, form)
    first = [await anext(chunks), await anext(chunks)]  # the header, and the first rows or the end
    return StreamingResponse(
        _contents(first, chunks),
        media_type=MEDIA[form],
        headers={"Content-Disposition": f'attachment; filename="scoop-{what}.{form}"', "Cache-Control": "no-store"},
    )


async def _contents(first: list[Chunk], rest: AsyncIterator[Chunk]) -> AsyncIterator[bytes]:
    for chunk in first:
        yield chunk.content
    async for chunk in rest:
        yield chunk.content


def _aware(desk: Desk, moment: datetime | None) -> datetime | None:
    return moment.replace(tzinfo=desk.timezone) if moment is not None and moment.tzinfo is None else moment
