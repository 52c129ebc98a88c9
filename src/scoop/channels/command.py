"""A program of one's own."""

import asyncio
import os
import signal
from contextlib import suppress
from tempfile import TemporaryFile
from typing import IO, Annotated

import msgspec

from scoop.channels import Errand, Mark, NotSent, Refused, Unknown, answers, whole
from scoop.model import Digest, Part, Post

TRY_LATER = 75  # EX_TEMPFAIL of sysexits.h
PASSED_ON = ("PATH", "HOME", "LANG")
MAX_ID = 200
MAX_READ = 64 << 10  # of what the program says


class Command(answers.Final):
    """A program of your own, such as OpenClaw: it gets the digest as JSON on its standard input and posts it.

    The first line that it prints is the message's id. It ends with 0 when the digest was posted, with 75 when it
    certainly was not and may be tried again, with any other number when it never will be; the last line on its
    standard error is the reason. SCOOP_POST_KEY and SCOOP_POST_MARKER tell it which post this is, the same at every
    try; of the environment it gets only PATH, HOME and LANG. A program that takes too long, or is killed, leaves it
    unknown whether the digest was posted.
    """

    name = "command"
    repeats = False

    class Options(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
        """What is run.

        `command`: the program and its arguments, a list; no shell reads it.
        `timeout`: how many seconds it may take, 1 to 600; 60 by default.
        `repeats`: true: the program knows posts by their key and posts each once, so an unknown one is run again.
        """

        command: tuple[str, ...] = ()
        timeout: Annotated[int, msgspec.Meta(ge=1, le=600)] = 60
        repeats: bool = False

        def __post_init__(self) -> None:
            if not self.command or not self.command[0] or any("\0" in word for word in self.command):
                raise ValueError("give the option command: a program and its arguments, as a list")

    def __init__(self, options: Options) -> None:
        self._options = options
        self.repeats = options.repeats

    def parts(self, digest: Digest, mark: Mark) -> list[Part]:
        return [whole.part(digest, mark)]

    async def send(self, post: Post, _errand: Errand) -> str:
        # Files instead of pipes: whatever the program leaves unread or running, nothing here waits for it.
        with _file(post.payload.encode()) as given, _file() as said, _file() as complained:
            code = await self._run(post, given, said, complained)
            if code == 0:
                return answers.line(_lines(said, 0)[0])[:MAX_ID] or post.marker
            last = _lines(complained, os.fstat(complained.fileno()).st_size - MAX_READ)[-1]
        reason = f"{self._options.command[0]} ended with {code}: {answers.line(last)}"
        if code == TRY_LATER:
            raise NotSent(reason)
        if code < 0:
            raise Unknown(reason)
        raise Refused(reason)

    async def _run(self, post: Post, given: IO[bytes], said: IO[bytes], complained: IO[bytes]) -> int:
        """The program's exit code; of a program that was killed the signal, negative."""
        program = self._options.command[0]
        try:
            process = await asyncio.create_subprocess_exec(
                *self._options.command, stdin=given, stdout=said, stderr=complained, env=_environment(post),
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise Refused(f"{program} cannot be run: {(error.strerror or str(error)).lower()}") from error
        try:
            async with asyncio.timeout(self._options.timeout):
                return await process.wait()
        except TimeoutError as error:
            raise Unknown(f"{program} took longer than {self._options.timeout} seconds and was ended") from error
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)  # with all that it started
                await process.wait()


def _environment(post: Post) -> dict[str, str]:
    passed_on = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return {**passed_on, "SCOOP_POST_KEY": post.key, "SCOOP_POST_MARKER": post.marker}


def _file(content: bytes = b"") -> IO[bytes]:
    try:
        file = TemporaryFile()  # noqa: SIM115  # the caller's
        file.write(content)
        file.seek(0)
    except OSError as error:
        raise NotSent(f"there is no room for what a program reads and writes: {error}") from error
    return file


def _lines(file: IO[bytes], start: int) -> list[str]:
    """The lines of what was written, from a place on."""
    written = os.pread(file.fileno(), MAX_READ, max(0, start))
    return written.decode("utf-8", "replace").strip().splitlines() or [""]
