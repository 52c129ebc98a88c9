"""Parts of a body, as players ask for them (RFC 9110, section 14)."""

import re
from collections.abc import Mapping
from http import HTTPStatus

from fastapi import Request, Response

from scoop.http import responses

_RANGE = re.compile(r"bytes=(?:(?P<first>\d{1,18})-(?P<last>\d{1,18})?|-(?P<suffix>\d{1,18}))")


def respond(request: Request, body: bytes, media_type: str, *, headers: Mapping[str, str] | None = None) -> Response:
    """The body, or the part of it that the request asks for: 206, and 416 if it begins beyond the end.

    Several ranges, other units and ranges of another version are answered with the whole, as the standard allows.
    """
    all_headers = {"Accept-Ranges": "bytes", **(headers or {})}
    match = _RANGE.fullmatch(request.headers.get("range", "").replace(" ", ""))
    if match is None or request.headers.get("if-range", responses.etag(body)) != responses.etag(body):
        return responses.with_etag(request, body, media_type, headers=all_headers)
    first, last = _bounds(match, len(body))
    if first > last:
        beyond = {**all_headers, "Content-Range": f"bytes */{len(body)}"}
        return Response(status_code=HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, headers=beyond)
    part = {**all_headers, "Content-Range": f"bytes {first}-{last}/{len(body)}", "ETag": responses.etag(body)}
    return Response(body[first : last + 1], status_code=HTTPStatus.PARTIAL_CONTENT, headers=part, media_type=media_type)


def _bounds(match: re.Match[str], length: int) -> tuple[int, int]:
    """The first and last byte; the first is after the last if there is no such byte."""
    if match["suffix"] is not None:
        wanted = int(match["suffix"])
        return (max(0, length - wanted), length - 1) if wanted else (length, length - 1)
    first = int(match["first"])
    last = length - 1 if match["last"] is None else min(int(match["last"]), length - 1)
    return (first, last) if first <= last else (length, length - 1)
