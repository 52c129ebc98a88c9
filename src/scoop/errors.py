"""The errors of Scoop.

ScoopError                  shown to the user as one sentence, without a traceback
├── ConfigError             a setting, a folder or a port is wrong
├── DatabaseUnavailable     the database does not answer or is not usable
├── UsageError              a command or request is wrong
│   └── UnknownName         it names a collection or source that does not exist
├── InputError              the input cannot be parsed at all
├── NotFound                there is no such id
├── Conflict                the present state does not allow it
├── ArchiveDamaged          an archived object differs from what was stored (archive/objects.py)
├── Retry                   a subject failed for now: try it again later
│   ├── Deferred            nothing failed: its turn comes later
│   └── FetchFailed         a URL gave no usable response; `health` says why
├── Reject                  a subject can never succeed: quarantine it
└── LostLease               another worker has taken the work over
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import timedelta

    from scoop.model import ErrorClass, Health


class ScoopError(Exception):
    """Shown to the user as one sentence; `exit_code` is that of the command line."""

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
    """`error_class` is that of another service's error: it decides whether the work stops and an alert is raised."""

    def __init__(
        self, reason: str, *, after: "timedelta | None" = None, error_class: "ErrorClass" = "unexpected"
    ) -> None:
        super().__init__(reason)
        self.after = after
        self.error_class = error_class


class Deferred(Retry):
    """It waits for a limit or for its next step: nobody has to be warned."""


class FetchFailed(Retry):
    """`status` is that of the response, if any; `is_unsent`: the server cannot have received the request."""

    def __init__(
        self,
        reason: str,
        *,
        health: "Health",
        after: "timedelta | None" = None,
        status: int | None = None,
        is_unsent: bool = False,
        error_class: "ErrorClass" = "unexpected",
    ) -> None:
        super().__init__(reason, after=after, error_class=error_class)
        self.health = health
        self.status = status
        self.is_unsent = is_unsent


class Reject(ScoopError):
    pass


class LostLease(ScoopError):
    pass
