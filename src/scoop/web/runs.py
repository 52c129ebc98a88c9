"""Pages of runs: the latest runs, and one run with its log and refused items."""

from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlencode

import msgspec
from fastapi import Path, Query, Response

from scoop.app import open_archive
from scoop.core import redaction, text
from scoop.errors import ScoopError
from scoop.http import errors, routes
from scoop.http.deps import CurrentDesk, Desk, ReadConn
from scoop.http.routes import needs
from scoop.store import arrivals, db, runs
from scoop.store.runs import Run
from scoop.web import pages
from scoop.web.context import PageContext

router = routes.for_pages()

PAGE = 50
SHOWN_LINES = 500
SHOWN_REFUSED = 100
SHOWN_BYTES = 2000  # of a refused item
COLOURS = {"running": "", "completed": "good", "partial": "watch", "failed": "bad"}
MINUTE, HOUR = 60, 3600

RunId = Annotated[int, Path(ge=1, le=db.LAST_ID)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFilter:
    """Filters of the list of runs."""

    source: str = ""
    status: str = ""

    def href(self, *, before: int | None = None, **changes: str) -> str:
        chosen = {"source": self.source, "status": self.status, **changes, "before": str(before or "")}
        query = urlencode({name: value for name, value in chosen.items() if value})
        return f"/runs?{query}" if query else "/runs"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """A line of a run's log: the event and its fields."""

    event: str
    facts: dict[str, str]


@router.get("/runs")
@needs("read")
async def runs_page(
    conn: ReadConn,
    context: PageContext,
    source: str = "",
    status: str = "",
    before: Annotated[int | None, Query(ge=1, le=db.LAST_ID)] = None,
) -> Response:
    """The latest runs, of one source or in one state, before a run."""
    if status and status not in runs.STATUSES:
        raise errors.invalid("status", f"must be one of {', '.join(runs.STATUSES)}")
    if not source.isprintable():
        raise errors.invalid("source", "must be the slug of a source")
    choice = RunFilter(source=source.strip(), status=status)
    latest = await runs.latest(
        conn, source=choice.source or None, status=status or None, before=before or db.LAST_ID, limit=PAGE + 1
    )
    older = choice.href(before=latest[PAGE - 1].run_id) if len(latest) > PAGE else ""
    return pages.page(
        "runs.html",
        context,
        runs=latest[:PAGE],
        choice=choice,
        older=older,
        is_first=before is None,
        COLOURS=COLOURS,
        states=[(status, status) for status in runs.STATUSES],
        duration=duration,
        plain=_plain,
    )


@router.get("/runs/{run_id}")
@needs("read")
async def run_page(desk: CurrentDesk, context: PageContext, run_id: RunId) -> Response:
    async with desk.reading() as conn:
        run = await runs.by_id(conn, run_id)
        refused = await arrivals.list_refusals(conn, run_id=run_id, limit=SHOWN_REFUSED, most_bytes=SHOWN_BYTES)
    lines, problem = await _log(desk, run)
    return pages.page(
        "run.html",
        context,
        run=run,
        refused=refused,
        lines=lines[:SHOWN_LINES],
        line_count=len(lines),
        log_problem=problem,
        SHOWN_REFUSED=SHOWN_REFUSED,
        COLOURS=COLOURS,
        duration=duration,
        plain=_plain,
        readable=_readable,
    )


async def _log(desk: Desk, run: Run) -> tuple[list[LogLine], str]:
    """The lines of a run's log, or the reason why there are none."""
    if run.log_key is None:
        return [], "No log: this run was a push, or its source had not changed."
    try:
        log = await open_archive(desk.config).get(run.log_key)
    except ScoopError as error:  # it has expired, or the archive is unavailable: show the rest of the page
        return [], f"The log has expired or cannot be read: {error}."
    return [_line(line) for line in log.data.splitlines()], ""


def _line(line: bytes) -> LogLine:
    try:
        facts = msgspec.json.decode(line, type=dict[str, Any])
    except msgspec.MsgspecError:
        return LogLine(event="", facts={"line": _readable(line)})
    return LogLine(event=str(facts.pop("event", "")), facts={name: _fact(value) for name, value in facts.items()})


def _plain(message: str) -> str:
    return redaction.redact_text(text.one_line(message))


def _readable(raw_item: bytes) -> str:
    return text.readable(raw_item.decode("utf-8", "replace"))


def _fact(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(map(_fact, value))
    return "-" if value is None else _plain(str(value))


def duration(run: Run) -> str:
    """The duration of a run in a fitting unit."""
    if run.finished_at is None:
        return "-"
    seconds = (run.finished_at - run.started_at).total_seconds()
    if seconds < MINUTE:
        return f"{seconds:.1f} s"
    return f"{seconds / MINUTE:.0f} min" if seconds < HOUR else f"{seconds / HOUR:.1f} h"
