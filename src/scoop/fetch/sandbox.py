"""The sandbox: a process with limits on memory and time that parses untrusted documents."""

import asyncio
import multiprocessing
import resource
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from pebble import ProcessExpired, ProcessPool

ParamsP = ParamSpec("ParamsP")
ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one task may take, and after how many the process is renewed."""

    memory_bytes: int = 320 << 20  # of data; an idle article extractor has 110
    seconds: float = 20.0
    tasks_before_renewal: int = 250  # parsers leak and fragment memory


FOR_PARSERS = Limits()


class SandboxExceeded(Exception):
    """A document took more time or memory than any honest one does."""


class Sandbox:
    """Runs functions in a limited process, which starts on first use and again after it dies."""

    def __init__(self, limits: Limits = FOR_PARSERS) -> None:
        self._limits = limits
        self._pool: ProcessPool | None = None

    async def run(self, function: Callable[ParamsP, ResultT], *args: ParamsP.args, **kwargs: ParamsP.kwargs) -> ResultT:
        if self._pool is None:
            self._pool = ProcessPool(
                max_workers=1,
                max_tasks=self._limits.tasks_before_renewal,
                initializer=_limit,
                initargs=(self._limits.memory_bytes,),
                context=multiprocessing.get_context("spawn"),
            )
        limits = self._limits
        try:
            return await asyncio.wrap_future(
                self._pool.schedule(function, args=args, kwargs=kwargs, timeout=limits.seconds)
            )
        except TimeoutError as error:
            raise SandboxExceeded(f"it took more than {limits.seconds:.0f} seconds") from error
        except MemoryError as error:
            raise SandboxExceeded(f"it took more than {limits.memory_bytes >> 20} MiB of memory") from error
        except ProcessExpired as error:
            raise SandboxExceeded("it crashed") from error

    def close(self) -> None:
        if self._pool is not None:
            self._pool.stop()  # type: ignore[no-untyped-call]
            self._pool.join()
            self._pool = None


@asynccontextmanager
async def open_sandbox(limits: Limits = FOR_PARSERS) -> AsyncIterator[Sandbox]:
    sandbox = Sandbox(limits)
    try:
        yield sandbox
    finally:
        sandbox.close()


def _limit(memory_bytes: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent process
    if sys.platform == "linux":  # elsewhere the limit has no effect, or the wrong one
        resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
