"""The work queue over the API: counts, failures, quarantine, retry and release."""

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
from scoop.store import projections, work
from scoop.store.projections import FeedState
from scoop.store.work import Count, Waiting

router = routes.for_programs("Queue", prefix="/api/v1/queue")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedWork:
    """The number of work items that are now due."""

    changed: int


class WorkQuery(PageParams):
    stage: ShortText | None = None


class WorkSelection(RequestModel):
    """All work, that of one stage, or some of its subjects."""

    stage: ShortText | None = None
    subjects: Annotated[list[RecordId], Field(min_length=1, max_length=10_000)] | None = None


@router.get("", response_model=list[Count])
@needs("read")
async def count_work(request: Request, conn: ReadConn) -> Response:
    """The number of work items per stage and state."""
    return responses.json(request, await work.counts(conn))


@router.get("/failed", response_model=Listed[Waiting])
@needs("read")
async def list_failed(request: Request, conn: ReadConn, query: Annotated[WorkQuery, Query()]) -> Response:
    """Failed work items that wait for their retry, the next one first."""
    items = await work.failed(conn, stage=query.stage, after=_cursor(query), limit=query.limit + 1)
    return _list_response(request, items, query.limit)


@router.get("/quarantine", response_model=Listed[Waiting])
@needs("read")
async def list_quarantined(request: Request, conn: ReadConn, query: Annotated[WorkQuery, Query()]) -> Response:
    """Quarantined work items with the reason; they wait until a person releases them."""
    items = await work.quarantined(conn, stage=query.stage, after=_cursor(query), limit=query.limit + 1)
    return _list_response(request, items, query.limit)


@router.get("/projections", response_model=list[FeedState])
@needs("read")
async def list_projections(request: Request, conn: ReadConn) -> Response:
    """The feeds of projections: their lag, the number of their items, and the error of the last attempt."""
    states = await projections.list_states(conn)
    return responses.json(
        request, [replace(state, error=state.error and redaction.redact_text(state.error)) for state in states]
    )


@router.post("/retry", response_model=ChangedWork)
@needs("edit")
async def retry_work(request: Request, conn: WriteConn, selection: WorkSelection | None = None) -> Response:
    """Retry failed work now: all of it, or a selection."""
    selection = selection or WorkSelection()
    changed = await work.retry_now(conn, stage=selection.stage, subjects=selection.subjects)
    return responses.json(request, ChangedWork(changed=changed))


@router.post("/quarantine/release", response_model=ChangedWork)
@needs("edit")
async def release_work(request: Request, conn: WriteConn, selection: WorkSelection | None = None) -> Response:
    """Release quarantined work and retry it from the start: all of it, or a selection."""
    selection = selection or WorkSelection()
    changed = await work.release(conn, stage=selection.stage, subjects=selection.subjects)
    return responses.json(request, ChangedWork(changed=changed))


def _cursor(query: WorkQuery) -> work.WorkCursor | None:
    return pagination.decode_cursor(query.cursor, datetime, str, int)


def _list_response(request: Request, items: list[Waiting], limit: int) -> Response:
    shown = [replace(item, error=item.error and redaction.redact_text(item.error)) for item in items]
    return responses.json(
        request, pagination.paginate(shown, limit, lambda item: (item.due_at, item.stage, item.subject))
    )
