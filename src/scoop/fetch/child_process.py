"""Child processes: run with a time limit and a minimal environment."""

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
MAX_READ = 64 << 10  # bytes of what a program says


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessResult:
    """How a program ended (killed: by a negative signal), its first line, and the last of its complaints."""

    exit_code: int
    said: str
    complaint: str


async def run(
    command: Sequence[str], *, variables: Mapping[str, str], within: timedelta, given: bytes = b""
) -> ProcessResult:
    """Run a program; OSError where it cannot be, TimeoutError when it took too long and was ended, with all its own."""
    environ = {name: os.environ[name] for name in PASSED_ON if name in os.environ} | dict(variables)
    # Files instead of pipes: whatever the program leaves unread or running, nothing here waits for it.
    with TemporaryFile() as asked, TemporaryFile() as said, TemporaryFile() as complaints:
        asked.write(given)
        asked.seek(0)
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asked, stdout=said, stderr=complaints, env=environ, start_new_session=True
        )
        try:
            async with asyncio.timeout(within.total_seconds()):
                code = await process.wait()
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()
        end = os.fstat(complaints.fileno()).st_size - MAX_READ
        return ProcessResult(exit_code=code, said=_lines(said, 0)[0], complaint=_lines(complaints, end)[-1])


def _lines(file: IO[bytes], start: int) -> list[str]:
    """The lines of what was written, from a place on."""
    written = os.pread(file.fileno(), MAX_READ, max(0, start))
    return written.decode("utf-8", "replace").strip().splitlines() or [""]
