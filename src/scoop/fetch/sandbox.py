"""The sandbox: a process with limits on memory and time that parses untrusted documents."""

import asyncio
import multiprocessing
import resource
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import ParamSpec, TypeVar

from pebble import ProcessExpired, ProcessPool

MEMORY_BYTES = 320 << 20  # of data; an idle article extractor has 110
SECONDS = 20.0
TASKS_BEFORE_RENEWAL = 250  # parsers leak and fragment memory

ParamsP = ParamSpec("ParamsP")
ResultT = TypeVar("ResultT")


class SandboxExceeded(Exception):
    """A document took more time or memory than any honest one does."""


class Sandbox:
    """Runs functions in a limited process, which starts on first use and again after it dies."""

    def __init__(self) -> None:
        self._pool: ProcessPool | None = None

    async def run(self, function: Callable[ParamsP, ResultT], *args: ParamsP.args, **kwargs: ParamsP.kwargs) -> ResultT:
        if self._pool is None:
            self._pool = ProcessPool(
                max_workers=1,
                max_tasks=TASKS_BEFORE_RENEWAL,
                initializer=_limit,
                context=multiprocessing.get_context("spawn"),
            )
        try:
            return await asyncio.wrap_future(self._pool.schedule(function, args=args, kwargs=kwargs, timeout=SECONDS))
        except TimeoutError as error:
            raise SandboxExceeded(f"it took more than {SECONDS:.0f} seconds") from error
        except MemoryError as error:
            raise SandboxExceeded(f"it took more than {MEMORY_BYTES >> 20} MiB of memory") from error
        except ProcessExpired as error:
            raise SandboxExceeded("it crashed the parser") from error

    def close(self) -> None:
        if self._pool is not None:
            self._pool.stop()  # type: ignore[no-untyped-call]
            self._pool.join()
            self._pool = None


@asynccontextmanager
async def open_sandbox() -> AsyncIterator[Sandbox]:
    sandbox = Sandbox()
    try:
        yield sandbox
    finally:
        sandbox.close()


def _limit() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent process
    if sys.platform == "linux":  # elsewhere the limit has no effect, or the wrong one
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
