"""The errors of Scoop.

ScoopError                  told to the user in one sentence, no traceback
├── ConfigError             a setting, a folder or a port is wrong
├── DatabaseUnavailable     the database does not answer or does not fit
├── UsageError              the command line is not as it must be
├── InputError              what was handed in cannot be read at all
├── NotFound                nobody has that id
├── Conflict                what is there already stands against it
├── ArchiveDamaged          an archived object is not what was stored (archive.py)
├── Retry                   a subject failed for now: try it again later
│   └── FetchFailed         an address gave nothing that can be used; `health` says in which way
├── Reject                  a subject can never succeed: quarantine it
└── LostLease               somebody else has taken the work over
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import timedelta

    from scoop.model import Health


class ScoopError(Exception):
    """Told to the user in one sentence; `exit_code` is what the command line ends with."""

    exit_code = 1


class ConfigError(ScoopError):
    exit_code = 3


class DatabaseUnavailable(ScoopError):
    exit_code = 4


class UsageError(ScoopError):
    exit_code = 2


class UnknownName(UsageError):
    """`field` is the option or parameter that holds the name."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(reason)
        self.field = field


class InputError(ScoopError):
    pass


class NotFound(ScoopError):
    pass


class Conflict(ScoopError):
    pass


class Retry(ScoopError):
    def __init__(self, reason: str, *, after: "timedelta | None" = None) -> None:
        super().__init__(reason)
        self.after = after


class FetchFailed(Retry):
    """`status` is what the server answered with, if it did; `is_unsent`: nothing of the request can have arrived."""

    def __init__(
        self,
        reason: str,
        *,
        health: "Health",
        after: "timedelta | None" = None,
        status: int | None = None,
        is_unsent: bool = False,
    ) -> None:
        super().__init__(reason, after=after)
        self.health = health
        self.status = status
        self.is_unsent = is_unsent


class Reject(ScoopError):
    pass


class LostLease(ScoopError):
    pass
