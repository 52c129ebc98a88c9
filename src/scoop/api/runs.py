"""Runs, their logs, and refused items over the API."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from fastapi import Query, Request, Response

from scoop import app
from scoop.actions import filters
from scoop.core import redaction
from scoop.errors import ScoopError
from scoop.http import pagination, responses, routes
from scoop.http.deps import CurrentDesk, Desk, ReadConn
from scoop.http.pagination import Listed
from scoop.http.params import PageParams, RecordId, ShortText
from scoop.http.routes import needs
from scoop.store import arrivals, db, runs
from scoop.store.arrivals import StoredRefusal
from scoop.store.runs import Run

router = routes.for_programs("Runs")

SHOWN_LINES = 1000
SHOWN_BYTES = 2000  # of a refused item


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """A run with the lines of its log; `log_problem` says why there are none."""

    run: Run
    log: list[dict[str, Any]]
    log_problem: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedItem:
    """A refused item: its beginning as text, and its problems."""

    refused_item_id: int
    run_id: int
    input: str
    line: int
    problems: list[dict[str, str]]
    item: str
    refused_at: datetime


class RunQuery(PageParams):
    source: ShortText | None = None
    status: Literal["running", "completed", "partial", "failed"] | None = None


class RefusedQuery(PageParams):
    run_id: RecordId | None = None


@router.get("/runs", response_model=Listed[Run])
@needs("read")
async def list_runs(request: Request, conn: ReadConn, query: Annotated[RunQuery, Query()]) -> Response:
    """The latest runs of all sources and pushes, or of one source."""
    await filters.check_source(conn, query.source)
    (before,) = pagination.decode_cursor(query.cursor, int) or (db.LAST_ID,)
    latest = await runs.latest(conn, source=query.source, status=query.status, before=before, limit=query.limit + 1)
    shown = [_redact(run) for run in latest]
    return responses.json(request, pagination.paginate(shown, query.limit, lambda run: (run.run_id,)))


@router.get("/runs/{run_id}", response_model=RunReport)
@needs("read")
async def get_run(request: Request, desk: CurrentDesk, run_id: RecordId) -> Response:
    """One run with its log: requests, refusals with reasons, and the result."""
    async with desk.reading() as conn:
        run = await runs.by_id(conn, run_id)
    log, problem = await _log(desk, run)
    return responses.json(request, RunReport(run=_redact(run), log=log, log_problem=problem))


@router.get("/refused", response_model=Listed[RefusedItem])
@needs("read")
async def list_refused(request: Request, conn: ReadConn, query: Annotated[RefusedQuery, Query()]) -> Response:
    """Refused items with line and problems, the latest first."""
    (before,) = pagination.decode_cursor(query.cursor, int) or (db.LAST_ID,)
    refusals = await arrivals.list_refusals(
        conn, run_id=query.run_id, before=before, limit=query.limit + 1, most_bytes=SHOWN_BYTES
    )
    shown = [_describe(refusal) for refusal in refusals]
    return responses.json(request, pagination.paginate(shown, query.limit, lambda item: (item.refused_item_id,)))


def _redact(run: Run) -> Run:
    return replace(run, error_message=run.error_message and redaction.redact_text(run.error_message))


def _describe(refused: StoredRefusal) -> RefusedItem:
    return RefusedItem(
        refused_item_id=refused.refused_item_id,
        run_id=refused.run_id,
        input=refused.input,
        line=refused.line,
        problems=refused.problems,
        item=refused.raw_item.decode("utf-8", "replace"),
        refused_at=refused.refused_at,
    )


async def _log(desk: Desk, run: Run) -> tuple[list[dict[str, Any]], str | None]:
    """The lines of a run's log, or the reason why there are none."""
    if run.log_key is None:
        return [], "no log: this run was a push, or its source had not changed"
    try:
        log = await app.open_archive(desk.config).get(run.log_key)
    except ScoopError as error:
        return [], str(error)
    return [_redact_values(msgspec.json.decode(line)) for line in log.data.splitlines()[:SHOWN_LINES]], None


def _redact_values(value: Any) -> Any:
    """A logged value with the secrets in its addresses removed."""
    match value:
        case str():
            return redaction.redact_text(value)
        case dict():
            return {name: _redact_values(inner) for name, inner in value.items()}
        case list():
            return [_redact_values(inner) for inner in value]
    return value
