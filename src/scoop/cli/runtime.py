"""The event loop, signals, logs and database connection of a command."""

import asyncio
import logging
import signal
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import uvloop

from scoop import faults
from scoop.config import Config
from scoop.errors import ConfigError, DatabaseUnavailable
from scoop.store import db
from scoop.store.db import Connection
from scoop.store.embedded import EmbeddedServer

CommandT = TypeVar("CommandT")


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


def run_logged(config: Config, task: Coroutine[Any, Any, CommandT]) -> CommandT:
    """Run the coroutine of a command with logs, and with the fault that a test configured."""
    set_up_logs(config)
    try:
        _arm_faults(config)
    except ConfigError:
        task.close()
        raise
    return run(task)


@asynccontextmanager
async def open_connection(config: Config) -> AsyncIterator[Connection]:
    """A connection to the database, which is started and migrated first where that is needed."""
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
