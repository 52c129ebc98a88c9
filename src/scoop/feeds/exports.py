"""Everything to take away: stories and documents as NDJSON, CSV or Parquet, streamed as they are read."""

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

YEARS = range(1900, 3000)  # beyond, a timezone can push a moment out of the calendar
CONTENT: dict[str, Any] = {media.partition(";")[0]: {} for media in MEDIA.values()}
GIVEN: dict[int | str, dict[str, Any]] = {200: {"description": "The export", "content": CONTENT}}


class ExportQuery(BaseModel):
    """What is wanted; a moment without a timezone is one of the desk's."""

    model_config = ConfigDict(extra="forbid")

    collection: str | None = Field(None, max_length=200, pattern=r"^[^\x00]*$")
    since: datetime | None = Field(None, description="Only what was seen then or later.")
    until: datetime | None = Field(None, description="Only what was seen before.")
    key: str | None = Field(None, max_length=200, description="A key whose only scope is read, where no header can be.")

    @field_validator("since", "until")
    @classmethod
    def _in_calendar(cls, moment: datetime | None) -> datetime | None:
        if moment is not None and moment.year not in YEARS:
            raise ValueError(f"must be a moment of the years {YEARS.start} to {YEARS.stop - 1}")
        return moment


@router.get("/stories.{format}", responses=GIVEN, response_class=Response)
@needs("read")
async def stories(desk: CurrentDesk, format: ExportFormat, wanted: Annotated[ExportQuery, Query()]) -> Response:  # noqa: A002
    """Every story with its members, the oldest first."""
    return await _streamed(desk, "stories", format, wanted)


@router.get("/documents.{format}", responses=GIVEN, response_class=Response)
@needs("read")
async def documents(desk: CurrentDesk, format: ExportFormat, wanted: Annotated[ExportQuery, Query()]) -> Response:  # noqa: A002
    """Every document with its text and the story that it is in, the oldest first."""
    return await _streamed(desk, "documents", format, wanted)


async def _streamed(desk: Desk, what: What, form: ExportFormat, wanted: ExportQuery) -> Response:
    """The export as a stream that holds no connection between its pages; its first page is read before it begins."""
    choice = ExportFilter(
        collection=wanted.collection, since=_aware(desk, wanted.since), until=_aware(desk, wanted.until)
    )

    async def page(after: int) -> Lines:
        async with desk.reading() as conn:
            return await exports.page(conn, what, choice, after)

    chunks = exports.written(page, what, form)
    first = [await anext(chunks), await anext(chunks)]  # the head, and the first rows or the end
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
