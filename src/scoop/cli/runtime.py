"""The event loop, signals, logs and database connection of a command.

Every command imports this module, also one that only prints its help: what is slow to import is imported when used.
"""

import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from scoop.cli import console
from scoop.config import Config
from scoop.errors import ConfigError, DatabaseUnavailable

if TYPE_CHECKING:
    import asyncio
    import signal

    from scoop.store.db import Connection

CommandT = TypeVar("CommandT")


def run(task: Coroutine[Any, Any, CommandT]) -> CommandT:
    """Run the coroutine of a command; a database that goes away becomes one error with what to do."""
    import uvloop

    from scoop.store import db

    try:
        return uvloop.run(_without_driver_noise(task))
    except db.TROUBLE as error:
        raise DatabaseUnavailable(
            f"the database went away: {db.describe_error(error)}; "
            "nothing is lost: check that its disk has space, try again"
        ) from error


async def _without_driver_noise(task: Coroutine[Any, Any, CommandT]) -> CommandT:
    """Hide what the driver's background tasks raise when the server goes away: the command raises the same error."""
    import asyncio

    from scoop.store import db

    def report(loop: "asyncio.AbstractEventLoop", context: dict[str, Any]) -> None:
        if not isinstance(context.get("exception"), (*db.TROUBLE, OSError, RuntimeError)):
            loop.default_exception_handler(context)

    asyncio.get_running_loop().set_exception_handler(report)
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
async def open_connection(config: Config) -> "AsyncIterator[Connection]":
    """A connection to the database, which is started and migrated first where that is needed."""
    from scoop.app import open_database

    if is_first_start(config):
        console.notice(f"{describe_opening(config)} ...")
    began = time.monotonic()
    async with open_database(config) as database, database.connection() as conn:
        log_debug(config, "connected", database=_database(config), seconds=round(time.monotonic() - began, 3))
        yield conn


def is_first_start(config: Config) -> bool:
    """Whether the embedded database has to be created first, which takes some seconds."""
    from scoop.store.embedded import EmbeddedServer

    return not config.database_url and not EmbeddedServer(config.home).data.exists()


def describe_opening(config: Config) -> str:
    if is_first_start(config):
        return f"setting up the database in {config.home}, once"
    return "connecting to the database" if config.database_url else "starting the database"


def _database(config: Config) -> str:
    """Where the database is, without user and password."""
    return config.database_url.rpartition("@")[2] if config.database_url else f"embedded in {config.home}"


def log_debug(config: Config, event: str, **values: Any) -> None:
    """Log what a command does where -v or SCOOP_LOG_LEVEL=debug asks for it."""
    if config.log_level == "debug":
        import structlog

        set_up_logs(config)
        structlog.get_logger().debug(event, **values)


def stop_on_signal() -> "asyncio.Event":
    """An event that SIGTERM and SIGINT set; a second SIGINT ends the process at once."""
    import asyncio
    import signal

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def on_signal(number: "signal.Signals") -> None:
        stop.set()
        loop.remove_signal_handler(number)
        signal.signal(number, signal.SIG_DFL)

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, on_signal, number)
    return stop


def set_up_logs(config: Config) -> None:
    """Logs go to standard error: readable on a terminal, one JSON a line otherwise; those of libraries too."""
    import logging

    import structlog

    is_text = config.log_format == "text" or (config.log_format == "auto" and sys.stderr.isatty())
    level = logging.getLevelNamesMapping()[config.log_level.upper()]
    enrich: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    render = structlog.dev.ConsoleRenderer() if is_text else structlog.processors.JSONRenderer()
    structlog.configure(
        processors=[*enrich, render],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processor=render, foreign_pre_chain=enrich))
    logging.basicConfig(handlers=[handler], level=max(level, logging.WARNING), force=True)
    logging.getLogger("asyncpg").setLevel(logging.ERROR)  # a database that is away is reported by Scoop, once


def _arm_faults(config: Config) -> None:
    """Fail as a test of crash safety configures it: at a point, by an action, at the n-th time it is reached."""
    if config.fault is None:
        return
    from scoop import faults

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
        from scoop import faults
        from scoop.store.embedded import EmbeddedServer

        pid = EmbeddedServer(config.home).postmaster_pid()
        if pid is not None:
            faults.kill(pid)
        then()

    return act
