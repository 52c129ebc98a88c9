"""What every command shares: running the loop, signals, logs, tables and JSON."""

import asyncio
import logging
import signal
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import click
import msgspec
import uvloop

from scoop import faults
from scoop.config import Config
from scoop.errors import ConfigError, DatabaseUnavailable
from scoop.store import db
from scoop.store.db import Connection
from scoop.store.embedded import EmbeddedServer

CommandT = TypeVar("CommandT")

COLUMN_GAP = 3  # what rich puts between two columns
UNLIMITED = 10_000  # columns of what is not a terminal

ID = click.IntRange(1, 2**63 - 1)  # the numbers that a BIGINT can hold

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")


def run(task: Coroutine[Any, Any, CommandT]) -> CommandT:
    """Run the coroutine of a command; a database that goes away is told in one sentence."""
    try:
        return uvloop.run(_quietly(task))
    except db.TROUBLE as error:
        raise DatabaseUnavailable(
            f"the database went away: {db.sentence(error)}; "
            "see that its disk has space, then try again: nothing is lost"
        ) from error


async def _quietly(task: Coroutine[Any, Any, CommandT]) -> CommandT:
    """What the driver's own background work raises when the server goes away is told once, by whoever waited for it."""
    loop = asyncio.get_running_loop()

    def tell(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if not isinstance(context.get("exception"), (*db.TROUBLE, OSError, RuntimeError)):
            loop.default_exception_handler(context)

    loop.set_exception_handler(tell)
    return await task


def work(config: Config, task: Coroutine[Any, Any, CommandT]) -> CommandT:
    """Run the coroutine of a command that works: with logs, and with the faults that a test asked for."""
    set_up_logs(config)
    try:
        _arm_faults(config)
    except ConfigError:
        task.close()
        raise
    return run(task)


@asynccontextmanager
async def reading(config: Config) -> AsyncIterator[Connection]:
    """A connection for a command that shows something."""
    from scoop.app import open_database

    async with open_database(config) as database, database.connection() as conn:
        yield conn


def stop_on_signal() -> asyncio.Event:
    """An event that SIGTERM and SIGINT set; a second SIGINT ends the process at once."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def on_signal(number: signal.Signals) -> None:
        stop.set()
        loop.remove_signal_handler(number)
        signal.signal(number, signal.SIG_DFL)

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, on_signal, number)
    return stop


def set_up_logs(config: Config) -> None:
    """Logs go to standard error: readable on a terminal, one JSON a line otherwise."""
    import structlog  # 0.1 s that commands which only read need not wait for

    is_text = config.log_format == "text" or (config.log_format == "auto" and sys.stderr.isatty())
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.dev.ConsoleRenderer() if is_text else structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[config.log_level.upper()]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )


def print_json(value: Any) -> None:
    click.echo(msgspec.json.format(msgspec.json.encode(value, enc_hook=str), indent=2))


def print_json_lines(values: Iterable[Any]) -> None:
    for value in values:
        click.echo(msgspec.json.encode(value, enc_hook=str))


def print_table(columns: Sequence[str], rows: Sequence[Sequence[Any]], *, empty: str, wide: str = "") -> None:
    """A table for people; the column named `wide` takes the room that is left."""
    if not rows:
        click.echo(empty, err=True)
        return
    from rich import box
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(width=None if sys.stdout.isatty() else UNLIMITED)
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(cell_len(line[index]) for line in (columns, *cells)) for index in range(len(columns))]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for index, column in enumerate(columns):
        is_number = all(isinstance(row[index], int) for row in rows)
        room = console.width - sum(widths) + widths[index] - COLUMN_GAP * (len(columns) - 1) if column == wide else None
        table.add_column(
            column, justify="right" if is_number else "left", no_wrap=True, max_width=room, overflow="ellipsis"
        )
    for line in cells:
        table.add_row(*map(Text, line))
    console.print(table)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%d %H:%M")
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def ago(moment: datetime) -> str:
    """How long something lasts, in one unit."""
    return _in_one_unit(datetime.now(UTC) - moment)


def until(moment: datetime) -> str:
    """How long it is until a moment, in one unit."""
    left = moment - datetime.now(UTC)
    return f"in {_in_one_unit(left)}" if left > timedelta() else "now"


def _in_one_unit(span: timedelta) -> str:
    seconds = max(0, int(span.total_seconds()))
    for unit, length in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= length:
            return f"{seconds // length}{unit}"
    return f"{seconds}s"


def _arm_faults(config: Config) -> None:
    """Tests of crash safety name a point, an action and which hit of the point it is."""
    if config.fault is None:
        return
    try:
        point, action, hit = config.fault.split(":")
        act = {
            "kill": faults.kill_process,
            "kill-db": _killer(config),
            "kill-both": _killer(config, faults.kill_process),
        }[action]
        faults.arm(point, int(hit), act)
    except (ValueError, KeyError) as error:
        raise ConfigError("SCOOP_FAULT must be point:action:hit with the action kill, kill-db or kill-both") from error


def _killer(config: Config, then: Callable[[], None] = lambda: None) -> Callable[[], None]:
    def act() -> None:
        pid = EmbeddedServer(config.home).postmaster_pid()
        if pid is not None:
            faults.kill(pid)
        then()

    return act
