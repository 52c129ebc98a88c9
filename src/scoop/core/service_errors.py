"""What errors of other services mean for the work that meets them: go on, try again soon, stop for the day, or stop."""

from datetime import datetime, timedelta

from scoop.core import budgets
from scoop.model import ErrorClass

RECHECK_DENIED = timedelta(minutes=15)  # a person must act first; until then, a hundred requests a day are refused
QUOTA_TIMEZONE = "America/Los_Angeles"  # Google's daily quotas begin at midnight there; by then others have begun too

CLASS_BY_GRPC_CODE: dict[str, ErrorClass] = {
    "NotFound": "not_found",
    "PermissionDenied": "denied",
    "Unauthenticated": "denied",
    "Unavailable": "unavailable",
    "DeadlineExceeded": "unavailable",
    "ResourceExhausted": "exhausted",
}
CLASS_BY_HTTP_STATUS: dict[int, ErrorClass] = {
    401: "denied",
    402: "exhausted",  # the account has no money left
    403: "denied",
    404: "not_found",
    408: "unavailable",
    500: "unavailable",
    502: "unavailable",
    503: "unavailable",
    504: "unavailable",
}


def of_grpc(code: str) -> ErrorClass:
    """The class of a status code of gRPC, as PermissionDenied."""
    return CLASS_BY_GRPC_CODE.get(code, "unexpected")


def of_http(status: int | None, *, is_quota: bool = False) -> ErrorClass:
    """The class of a status of HTTP, None for no response; `is_quota`: the body says that a quota is used up.

    Too many requests (429) alone are none: they are sent again when the server asks for it.
    """
    if status is None:
        return "unavailable"
    return "exhausted" if is_quota else CLASS_BY_HTTP_STATUS.get(status, "unexpected")


def wait(error_class: ErrorClass, *, now: datetime) -> timedelta | None:
    """How long the work rests after an error of this class; None: 5, 15 and 45 seconds, then longer."""
    if error_class == "denied":
        return RECHECK_DENIED
    return budgets.until_tomorrow(now, QUOTA_TIMEZONE) if error_class == "exhausted" else None


def code_name(grpc_code: str) -> str:
    """The name of a code as gRPC's documentation has it: PERMISSION_DENIED is PermissionDenied."""
    return "".join(word.capitalize() for word in grpc_code.split("_"))
