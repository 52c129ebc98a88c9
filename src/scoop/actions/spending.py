"""Spending on model servers: sums, and what is left of the budgets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from scoop.actions.summaries import LOCAL_WRITER
from scoop.core import budgets
from scoop.store import model_calls
from scoop.store.db import Connection
from scoop.store.model_calls import Spending, SpendingBy
from scoop.task_settings import NO_WRITER, TaskSettings

MAX_ROWS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetLine:
    """One limit of a task today; `limit` 0 is no limit."""

    name: str
    limit: Decimal
    used: Decimal

    def __str__(self) -> str:
        if self.name == "money":
            return f"cost of {self.limit.normalize():,f}" if self.limit else "no limit of costs"
        return f"{self.limit.normalize():,f} {self.name}" if self.limit else f"no limit of {self.name}"

    @property
    def left(self) -> Decimal | None:
        """What may still be used; None without a limit."""
        return max(Decimal(0), self.limit - self.used) if self.limit else None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskBudget:
    """The writer of a task and its limits a day, with what was used since midnight."""

    task: str
    writer: str
    lines: tuple[BudgetLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendReport:
    """What was spent between two moments, and the budgets of today."""

    since: datetime
    until: datetime
    by: SpendingBy
    rows: list[Spending]
    totals: list[Spending]
    budgets: list[TaskBudget]


async def report(
    conn: Connection,
    tasks: Mapping[str, TaskSettings],
    *,
    since: datetime,
    now: datetime,
    by: SpendingBy,
    timezone: str,
) -> SpendReport:
    """What was spent since a moment, and what is left of today's budgets."""
    rows = await model_calls.list_spending(conn, since=since, until=now, by=by, timezone=timezone, limit=MAX_ROWS)
    by_task = await model_calls.list_spending(
        conn, since=since, until=now, by="task", timezone=timezone, limit=MAX_ROWS
    )
    return SpendReport(
        since=since,
        until=now,
        by=by,
        rows=rows,
        totals=_totals(by_task),
        budgets=await list_budgets(conn, tasks, now=now, timezone=timezone),
    )


def _totals(rows: Sequence[Spending]) -> list[Spending]:
    """One sum for each currency."""
    return [_total([row for row in rows if row.currency == currency]) for currency in {row.currency: 0 for row in rows}]


def _total(rows: Sequence[Spending]) -> Spending:
    return Spending(
        label="total",
        currency=rows[0].currency,
        requests=sum(row.requests for row in rows),
        accepted=sum(row.accepted for row in rows),
        failed=sum(row.failed for row in rows),
        input_tokens=sum(row.input_tokens for row in rows),
        output_tokens=sum(row.output_tokens for row in rows),
        cost=sum((row.cost for row in rows), Decimal(0)),
    )


async def list_budgets(
    conn: Connection, tasks: Mapping[str, TaskSettings], *, now: datetime, timezone: str
) -> list[TaskBudget]:
    """The budgets of the tasks whose writer sends requests, with what they used since midnight."""
    since = budgets.day_start(now, timezone)
    return [
        await _budget(conn, task, settings, since=since)
        for task, settings in tasks.items()
        if settings.writer not in {NO_WRITER, LOCAL_WRITER}
    ]


async def _budget(conn: Connection, task: str, settings: TaskSettings, *, since: datetime) -> TaskBudget:
    used = await model_calls.get_usage(conn, task, since=since)
    lines = (
        ("requests", settings.requests_per_day, used.requests),
        ("tokens", settings.tokens_per_day, used.tokens),
        ("money", settings.money_per_day, used.money),
    )
    return TaskBudget(
        task=task,
        writer=settings.writer,
        lines=tuple(
            BudgetLine(name=name, limit=Decimal(str(limit)), used=Decimal(value)) for name, limit, value in lines
        ),
    )
