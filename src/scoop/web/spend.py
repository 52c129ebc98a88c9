"""The spending page: what texts by writers cost by day, task, source and subject, and what is left of the budgets."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from fastapi import Response

from scoop.actions import spending
from scoop.http import errors, routes
from scoop.http.deps import CurrentDesk, ReadConn
from scoop.http.routes import needs
from scoop.store import model_calls
from scoop.store.model_calls import Spending, SpendingBy
from scoop.web import pages
from scoop.web.context import PageContext

router = routes.for_pages()

RANGES = (7, 30, 90)  # days
TABLES: Sequence[tuple[str, SpendingBy]] = (("Task", "task"), ("Source", "source"), ("Subject", "subject"))
MAX_ROWS = 20  # of each table: those that cost most
SUBJECT_PAGES = {"event": "/events/", "document": "/articles/", "evaluation": "/articles/"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendTable:
    """Sums with the length of each one's bar, from 0 to 1."""

    heading: str
    rows: list[tuple[Spending, float]]


@router.get("/spend")
@needs("edit")
async def spend_page(conn: ReadConn, desk: CurrentDesk, context: PageContext, days: str = str(RANGES[0])) -> Response:
    """The spending of the last days including today."""
    if days not in map(str, RANGES):
        raise errors.invalid("days", f"must be one of {', '.join(map(str, RANGES))}")
    since = context.window(context.today - timedelta(days=int(days) - 1))[0]
    zone = desk.config.timezone
    report = await spending.report(conn, desk.config.tasks, since=since, now=context.now, by="day", timezone=zone)
    sums = {
        heading: await model_calls.list_spending(
            conn, since=since, until=context.now, by=by, timezone=zone, limit=MAX_ROWS
        )
        for heading, by in TABLES
    }
    return pages.page(
        "spend.html",
        context,
        report=report,
        tables=[_table("Day", report.rows), *(_table(heading, rows) for heading, rows in sums.items())],
        subject_href=_subject_href,
        chosen=int(days),
        RANGES=RANGES,
    )


def _subject_href(label: str) -> str:
    """The page of an event or article that a text is about; empty for anything else."""
    kind, _, name = label.partition(" ")
    return f"{SUBJECT_PAGES[kind]}{name}" if kind in SUBJECT_PAGES and not name.isdigit() else ""


def _table(heading: str, rows: list[Spending]) -> SpendTable:
    """Bars show costs, or tokens where every model is free."""
    has_cost = any(row.cost for row in rows)
    sizes = [row.cost if has_cost else Decimal(row.input_tokens + row.output_tokens) for row in rows]
    most = max(sizes, default=Decimal(0)) or Decimal(1)
    return SpendTable(heading=heading, rows=[(row, float(size / most)) for row, size in zip(rows, sizes, strict=True)])
