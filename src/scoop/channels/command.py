"""The command channel: an external program posts the digest."""

import errno
from datetime import timedelta
from typing import Annotated

import msgspec

from scoop.channels import DeliveryRefused, Errand, Mark, NotSent, Unknown, http, whole
from scoop.core.plugin_types import PluginOptions
from scoop.fetch import child_process
from scoop.model import Digest, DigestPart, Post

TRY_LATER = 75  # EX_TEMPFAIL of sysexits.h
MAX_ID = 200
PASSING = (
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EMFILE,
    errno.ENFILE,
    errno.EAGAIN,
    errno.ENOMEM,
)  # temporary


class Command(http.Final):
    """A program of your own, such as OpenClaw: it reads the digest as JSON on standard input and posts it.

    The first line it prints is the id of the message. Its exit code is 0 if the digest was posted, 75 if it was not and
    may be tried again, and any other number if it never will be; the last line on standard error is the reason.
    SCOOP_POST_KEY and SCOOP_POST_MARKER identify the post and are the same in every attempt. The rest of the
    environment is PATH, HOME and LANG. If the program times out or is killed, it is unknown whether the digest was
    posted.
    """

    name = "command"
    access = "cli"
    repeats = False

    class Options(PluginOptions, frozen=True, kw_only=True):
        """The program.

        `command`: the program and its arguments, as a list; it is not run by a shell.
        `timeout`: the number of seconds after which it is ended.
        `repeats`: the program posts each key only once, so that it can be run again if the outcome is unknown.
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

    def parts(self, digest: Digest, mark: Mark) -> list[DigestPart]:
        return [whole.part(digest, mark)]

    async def send(self, post: Post, _errand: Errand) -> str:
        program, variables = self._options.command[0], {"SCOOP_POST_KEY": post.key, "SCOOP_POST_MARKER": post.marker}
        within = timedelta(seconds=self._options.timeout)
        try:
            ended = await child_process.run(
                self._options.command, variables=variables, within=within, stdin=post.payload.encode()
            )
        except TimeoutError as error:
            raise Unknown(f"{program} took longer than {self._options.timeout} seconds and was ended") from error
        except OSError as error:
            refusal = NotSent if error.errno in PASSING else DeliveryRefused
            raise refusal(f"{program} cannot be run: {(error.strerror or str(error)).lower()}") from error
        if ended.exit_code == 0:
            return http.one_line(ended.first_line)[:MAX_ID] or post.marker
        reason = f"{program} ended with {ended.exit_code}: {http.one_line(ended.last_error)}"
        if ended.exit_code == TRY_LATER:
            raise NotSent(reason)
        raise Unknown(reason) if ended.exit_code < 0 else DeliveryRefused(reason)
