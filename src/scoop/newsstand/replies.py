"""Responses that several sites send: conditional ones (RFC 9110, section 13), and one without end."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse


def conditional(request: Request, text: str, *, media_type: str, changed_at: datetime) -> Response:
    """The text with a strong ETag and Last-Modified, or 304 if the client has it already."""
    body = text.encode()
    etag = f'"{hashlib.sha256(body).hexdigest()}"'
    changed_at = changed_at.replace(microsecond=0)  # HTTP dates have whole seconds
    validators = {"etag": etag, "last-modified": format_datetime(changed_at, usegmt=True)}
    if _has_it(request.headers, etag, changed_at):
        return Response(status_code=304, headers=validators)
    return Response(body, media_type=media_type, headers=validators)


def _has_it(headers: Mapping[str, str], etag: str, changed_at: datetime) -> bool:
    if "if-none-match" in headers:
        held = [tag.strip().removeprefix("W/") for tag in headers["if-none-match"].split(",")]
        return etag in held or held == ["*"]
    since = _http_date(headers.get("if-modified-since", ""))
    return since is not None and changed_at <= since


def _http_date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None  # RFC 9110: an invalid date is ignored
    return date if date.tzinfo else date.replace(tzinfo=UTC)


def drip(media_type: str, drop: bytes = b" ") -> Response:
    """One byte a second, without end."""

    async def drops() -> AsyncIterator[bytes]:
        while True:
            yield drop
            await asyncio.sleep(1)

    return StreamingResponse(drops(), media_type=media_type)
