"""The queue for programs: what waits, what failed, what is quarantined; try again."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated

from fastapi import Query, Request, Response
from pydantic import Field

from scoop.core import redaction
from scoop.http import pagination, responses, routes
from scoop.http.deps import ReadConn, WriteConn
from scoop.http.pagination import Listed
from scoop.http.params import PageParams, RecordId, RequestModel, ShortText
from scoop.http.routes import needs
from scoop.store import work
from scoop.store.work import Count, Waiting

router = routes.for_programs("Queue", prefix="/api/v1/queue")


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """How many pieces of work are due now."""

    changed: int


class WorkQuery(PageParams):
    stage: ShortText | None = None


class Chosen(RequestModel):
    """Work of a stage, or these subjects of it; all of it where nothing is said."""

    stage: ShortText | None = None
    subjects: Annotated[list[RecordId], Field(min_length=1, max_length=10_000)] | None = None


@router.get("", response_model=list[Count])
@needs("read")
async def count_work(request: Request, conn: ReadConn) -> Response:
    """How much work there is per stage and state."""
    return responses.json(request, await work.counts(conn))


@router.get("/failed", response_model=Listed[Waiting])
@needs("read")
async def list_failed(request: Request, conn: ReadConn, wanted: Annotated[WorkQuery, Query()]) -> Response:
    """What failed and waits for another try, the next due first."""
    found = await work.failed(conn, stage=wanted.stage, after=_place(wanted), limit=wanted.limit + 1)
    return _listed(request, found, wanted.limit)


@router.get("/quarantine", response_model=Listed[Waiting])
@needs("read")
async def list_quarantined(request: Request, conn: ReadConn, wanted: Annotated[WorkQuery, Query()]) -> Response:
    """What was given up until a person releases it, with the reason."""
    found = await work.quarantined(conn, stage=wanted.stage, after=_place(wanted), limit=wanted.limit + 1)
    return _listed(request, found, wanted.limit)


@router.post("/retry", response_model=Changed)
@needs("edit")
async def retry_work(request: Request, conn: WriteConn, chosen: Chosen | None = None) -> Response:
    """Make work that failed due at once; all of it, or only some."""
    chosen = chosen or Chosen()
    changed = await work.retry_now(conn, stage=chosen.stage, subjects=chosen.subjects)
    return responses.json(request, Changed(changed=changed))


@router.post("/quarantine/release", response_model=Changed)
@needs("edit")
async def release_work(request: Request, conn: WriteConn, chosen: Chosen | None = None) -> Response:
    """Let quarantined work try again from the start; all of it, or only some."""
    chosen = chosen or Chosen()
    changed = await work.release(conn, stage=chosen.stage, subjects=chosen.subjects)
    return responses.json(request, Changed(changed=changed))


def _place(wanted: WorkQuery) -> work.WorkCursor | None:
    return pagination.decode_cursor(wanted.cursor, datetime, str, int)


def _listed(request: Request, found: list[Waiting], limit: int) -> Response:
    shown = [replace(each, error=each.error and redaction.redact_text(each.error)) for each in found]
    return responses.json(
        request, pagination.paginate(shown, limit, lambda each: (each.due_at, each.stage, each.subject))
    )
