"""`scoop spend`: what texts by writers cost."""

import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from scoop.cli import _spans, console, runtime
from scoop.config import Config

if TYPE_CHECKING:
    from scoop.actions.spend_verification import SpendVerification
    from scoop.actions.spending import SpendReport, TaskBudget
    from scoop.store.model_calls import Spending, SpendingBy

COLUMNS = ("requests", "accepted", "failed", "input", "output", "cost", "currency")
COUNTS = ("requests", "accepted", "failed", "input", "output")


@click.command()
@click.option("--since", type=_spans.SPAN, default="7d", show_default=True, help="How far back, as 7d, 24h or 30m.")
@click.option(
    "--by",
    type=click.Choice(["day", "task", "source", "model", "subject"]),
    default="day",
    show_default=True,
    help="What to add up by.",
)
@click.option("--verify", is_flag=True, help="Compare with the archived responses; exit code 1 if a sum differs.")
@console.as_json
@click.pass_obj
def command(config: Config, since: timedelta, by: "SpendingBy", verify: bool, as_json: bool) -> None:
    """Show what texts by writers cost, and what is left of today's budgets.

    Every request to a model server counts, also one whose reply could not be used. The costs follow from the tokens
    that the server reports and the prices of the writer's section. `--verify` adds up the archived responses and
    compares each with the database.

    \b
    Examples:
      scoop spend
      scoop spend --since 30d --by model
      scoop spend --by subject --json
      scoop spend --since 30d --verify
    """
    now = datetime.now(UTC)
    if verify:
        _print_verification(runtime.run(_verify(config, now - since, now)), as_json=as_json)
        return
    report = runtime.run(_report(config, now - since, now, by))
    if as_json:
        console.print_json(report)
    else:
        _print_report(report)


async def _report(config: Config, since: datetime, now: datetime, by: "SpendingBy") -> "SpendReport":
    from scoop.actions import spending

    async with runtime.open_connection(config) as conn:
        return await spending.report(conn, config.tasks, since=since, now=now, by=by, timezone=config.timezone)


async def _verify(config: Config, since: datetime, now: datetime) -> "SpendVerification":
    from scoop.actions import spend_verification
    from scoop.app import open_archive

    async with runtime.open_connection(config) as conn:
        return await spend_verification.verify(conn, open_archive(config), since=since, until=now)


def _print_report(report: "SpendReport") -> None:
    totals = report.totals if len(report.rows) > 1 else []
    has_titles = report.by == "subject"
    console.print_table(
        (report.by, *COLUMNS, *(["title"] if has_titles else [])),
        [(*_row(each), *([each.title] if has_titles else [])) for each in (*report.rows, *totals)],
        empty="nothing was spent; `scoop config show` lists the writers of the tasks",
        counts=COUNTS,
    )
    console.print_table(
        ("task", "writer", "limit a day", "used", "left"),
        list(_budget_rows(report.budgets)),
        empty="no task has a writer with a model: nothing is paid for",
    )


def _row(spent: "Spending") -> tuple[object, ...]:
    return (
        spent.label or "-",
        spent.requests,
        spent.accepted,
        spent.failed,
        spent.input_tokens,
        spent.output_tokens,
        f"{spent.cost:,.4f}",
        spent.currency,
    )


def _budget_rows(budgets: Iterable["TaskBudget"]) -> Iterable[Sequence[object]]:
    for budget in budgets:
        for line in budget.lines:
            left = "-" if line.left is None else f"{line.left.normalize():,f}"
            yield budget.task, budget.writer, line, f"{line.used.normalize():,f}", left


def _print_verification(found: "SpendVerification", *, as_json: bool) -> None:
    if as_json:
        console.print_json(found)
    else:
        click.echo(f"database  {found.stored}")
        click.echo(f"archive   {found.archived}")
        click.echo(f"{found.calls:,} requests, {found.unanswered:,} without a response")
        for difference in found.differences:
            click.echo(f"request {difference.call_id}: {difference.problem}")
        agree = "the sums agree" if not found.difference_count else f"{found.difference_count:,} requests differ"
        click.echo(agree)
    sys.exit(1 if found.difference_count else 0)
