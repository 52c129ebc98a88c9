"""Runs for programs: what was gathered when, what each run did, and what was refused."""

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
    """An item that was refused, the beginning of it as text, and what is wrong with it."""

    refused_item_id: int
    run_id: int
    input: str
    line: int
    problems: list[dict[str, str]]
    item: str
    refused_at: datetime


class WantedRuns(PageParams):
    source: ShortText | None = None
    status: Literal["running", "completed", "partial", "failed"] | None = None


class WantedRefused(PageParams):
    run_id: RecordId | None = None


@router.get("/runs", response_model=Listed[Run])
@needs("read")
async def list_runs(request: Request, conn: ReadConn, wanted: Annotated[WantedRuns, Query()]) -> Response:
    """The latest runs, of all sources and pushes or of one."""
    await filters.check_source(conn, wanted.source)
    (before,) = pagination.decode_cursor(wanted.cursor, int) or (db.LAST_ID,)
    found = await runs.latest(conn, source=wanted.source, status=wanted.status, before=before, limit=wanted.limit + 1)
    shown = [_shown(run) for run in found]
    return responses.json(request, pagination.paginate(shown, wanted.limit, lambda run: (run.run_id,)))


@router.get("/runs/{run_id}", response_model=RunReport)
@needs("read")
async def get_run(request: Request, desk: CurrentDesk, run_id: RecordId) -> Response:
    """One run with its log: its requests, what was refused and why, and how it ended."""
    async with desk.reading() as conn:
        run = await runs.by_id(conn, run_id)
    log, problem = await _log(desk, run)
    return responses.json(request, RunReport(run=_shown(run), log=log, log_problem=problem))


@router.get("/refused", response_model=Listed[RefusedItem])
@needs("read")
async def list_refused(request: Request, conn: ReadConn, wanted: Annotated[WantedRefused, Query()]) -> Response:
    """Items that were refused, with place and reason, the latest first."""
    (before,) = pagination.decode_cursor(wanted.cursor, int) or (db.LAST_ID,)
    found = await arrivals.list_refusals(
        conn, run_id=wanted.run_id, before=before, limit=wanted.limit + 1, most_bytes=SHOWN_BYTES
    )
    shown = [_refused(each) for each in found]
    return responses.json(request, pagination.paginate(shown, wanted.limit, lambda each: (each.refused_item_id,)))


def _shown(run: Run) -> Run:
    return replace(run, error_message=run.error_message and redaction.redact_text(run.error_message))


def _refused(refused: StoredRefusal) -> RefusedItem:
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
    """The lines of a run's log, or why there are none."""
    if run.log_key is None:
        return [], "a run that found nothing changed has no log"
    try:
        kept = await app.open_archive(desk.config).get(run.log_key)
    except ScoopError as error:
        return [], str(error)
    return [_harmless(msgspec.json.decode(line)) for line in kept.data.splitlines()[:SHOWN_LINES]], None


def _harmless(value: Any) -> Any:
    """What a log says, with every address in it without its secrets."""
    match value:
        case str():
            return redaction.redact_text(value)
        case dict():
            return {name: _harmless(each) for name, each in value.items()}
        case list():
            return [_harmless(each) for each in value]
    return value
