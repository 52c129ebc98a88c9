"""Runs programs of the operator, with a timeout and a minimal environment."""

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from tempfile import TemporaryFile
from typing import IO

PASSED_ON = ("PATH", "HOME", "LANG")
MAX_READ = 64 << 10  # bytes of the output of a program


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessResult:
    """The result of a program; a negative exit code is the signal that killed it."""

    exit_code: int
    first_line: str
    last_error: str


async def run(
    command: Sequence[str], *, variables: Mapping[str, str], within: timedelta, stdin: bytes = b""
) -> ProcessResult:
    """Run a program; OSError if it cannot start, TimeoutError if it was killed with its children after `within`."""
    environ = {name: os.environ[name] for name in PASSED_ON if name in os.environ} | dict(variables)
    # Files instead of pipes: input that stays unread and children that keep running block nothing here.
    with TemporaryFile() as source, TemporaryFile() as output, TemporaryFile() as errors:
        source.write(stdin)
        source.seek(0)
        process = await asyncio.create_subprocess_exec(
            *command, stdin=source, stdout=output, stderr=errors, env=environ, start_new_session=True
        )
        try:
            async with asyncio.timeout(within.total_seconds()):
                code = await process.wait()
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()
        tail = os.fstat(errors.fileno()).st_size - MAX_READ
        return ProcessResult(exit_code=code, first_line=_lines(output, 0)[0], last_error=_lines(errors, tail)[-1])


def _lines(file: IO[bytes], start: int) -> list[str]:
    """The lines of a file, from an offset on."""
    content = os.pread(file.fileno(), MAX_READ, max(0, start))
    return content.decode("utf-8", "replace").strip().splitlines() or [""]
