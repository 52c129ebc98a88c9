"""HTTP errors: one list of codes, rendered as JSON for programs and as a page for people.

HttpProblem          status, code, message, and details by field
├── Unauthenticated  401: no valid session or key
├── Forbidden        403: the visitor lacks a right
├── TooManyRequests  429: with Retry-After
├── Busy             503: with Retry-After
├── UnsupportedMedia 415: wrong media type of the body
├── PayloadTooLarge  413: body above the limit
└── Stale            412: changed since it was read (If-Match)
"""

import math
from collections.abc import Mapping, Sequence
from datetime import timedelta
from http import HTTPStatus
from typing import Any

from fastapi import HTTPException

from scoop.core.access import Right
from scoop.errors import (
    Conflict,
    DatabaseUnavailable,
    FetchFailed,
    InputError,
    NotFound,
    Reject,
    Retry,
    ScoopError,
    UnknownName,
    UsageError,
)

CODES = {
    HTTPStatus.BAD_REQUEST: "INVALID_ARGUMENT",
    HTTPStatus.UNAUTHORIZED: "UNAUTHENTICATED",
    HTTPStatus.FORBIDDEN: "PERMISSION_DENIED",
    HTTPStatus.NOT_FOUND: "NOT_FOUND",
    HTTPStatus.METHOD_NOT_ALLOWED: "METHOD_NOT_ALLOWED",
    HTTPStatus.CONFLICT: "CONFLICT",
    HTTPStatus.PRECONDITION_FAILED: "PRECONDITION_FAILED",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "TOO_LARGE",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "UNSUPPORTED_MEDIA_TYPE",
    HTTPStatus.TOO_MANY_REQUESTS: "TOO_MANY_REQUESTS",
    HTTPStatus.INTERNAL_SERVER_ERROR: "INTERNAL",
    HTTPStatus.BAD_GATEWAY: "UPSTREAM_FAILURE",
    HTTPStatus.SERVICE_UNAVAILABLE: "UNAVAILABLE",
}
STATUSES: tuple[tuple[type[ScoopError], HTTPStatus], ...] = (
    (NotFound, HTTPStatus.NOT_FOUND),
    (Conflict, HTTPStatus.CONFLICT),
    (DatabaseUnavailable, HTTPStatus.SERVICE_UNAVAILABLE),
    (FetchFailed, HTTPStatus.BAD_GATEWAY),
    (Retry, HTTPStatus.BAD_GATEWAY),
    (UsageError, HTTPStatus.BAD_REQUEST),
    (InputError, HTTPStatus.BAD_REQUEST),
    (Reject, HTTPStatus.BAD_REQUEST),
)
"""The HTTP status of each Scoop error; the first matching class counts."""


class HttpProblem(HTTPException):  # FastAPI passes this on from dependencies too
    def __init__(
        self,
        status: HTTPStatus,
        message: str,
        *,
        details: Sequence[Mapping[str, Any]] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(status, message, dict(headers or {}))
        self.status = status
        self.message = message
        self.details = details

    @property
    def code(self) -> str:
        return CODES.get(self.status, self.status.name)


class Unauthenticated(HttpProblem):
    def __init__(
        self,
        message: str = "sign in, or send a key: Authorization: Bearer KEY",
        *,
        schemes: Sequence[str] = ("Bearer",),
    ) -> None:
        challenges = ", ".join(f'{scheme} realm="Scoop"' for scheme in schemes)
        super().__init__(HTTPStatus.UNAUTHORIZED, message, headers={"WWW-Authenticate": challenges})


class Forbidden(HttpProblem):
    def __init__(self, right: Right) -> None:
        super().__init__(HTTPStatus.FORBIDDEN, f"this needs the right {right}, which you do not have")


class TooManyRequests(HttpProblem):
    def __init__(self, message: str, *, after: timedelta) -> None:
        super().__init__(HTTPStatus.TOO_MANY_REQUESTS, message, headers=_retry_after(after))


class Busy(HttpProblem):
    def __init__(self, message: str, *, after: timedelta) -> None:
        super().__init__(HTTPStatus.SERVICE_UNAVAILABLE, message, headers=_retry_after(after))


class UnsupportedMedia(HttpProblem):
    def __init__(self, expected: str) -> None:
        super().__init__(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"the body must be sent as {expected}")


class PayloadTooLarge(HttpProblem):
    def __init__(self, most: int) -> None:
        super().__init__(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the body is too large: at most {most:,} bytes")


class Stale(HttpProblem):
    def __init__(self, message: str) -> None:
        super().__init__(HTTPStatus.PRECONDITION_FAILED, message)


def _retry_after(wait: timedelta) -> dict[str, str]:
    return {"Retry-After": str(max(1, math.ceil(wait.total_seconds())))}


def invalid(field: str, problem: str) -> HttpProblem:
    """400 for an invalid value, with the name of its field."""
    return HttpProblem(HTTPStatus.BAD_REQUEST, f"{field}: {problem}", details=[{"field": field, "problem": problem}])


def error_for(error: ScoopError) -> HttpProblem:
    """The HTTP error of a Scoop error."""
    status = next((status for kind, status in STATUSES if isinstance(error, kind)), HTTPStatus.INTERNAL_SERVER_ERROR)
    headers = {"Retry-After": "5"} if status is HTTPStatus.SERVICE_UNAVAILABLE else {}
    details = [{"field": error.field, "problem": str(error)}] if isinstance(error, UnknownName) else []
    return HttpProblem(status, str(error), details=details, headers=headers)
