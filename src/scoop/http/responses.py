"""JSON responses with an ETag."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import msgspec
import xxhash
from fastapi import Request, Response

from scoop.http.errors import Stale


def json(
    request: Request, value: Any, *, status: HTTPStatus = HTTPStatus.OK, headers: Mapping[str, str] | None = None
) -> Response:
    """The value as JSON; 304 if the caller has the same version (If-None-Match)."""
    return with_etag(request, msgspec.json.encode(value), "application/json", status=status, headers=headers)


def with_etag(
    request: Request,
    body: bytes,
    media_type: str,
    *,
    status: HTTPStatus = HTTPStatus.OK,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A body with its ETag; 304 without a body if the caller has the same version."""
    if request.method != "GET" or status != HTTPStatus.OK:
        return Response(body, status_code=status, headers=dict(headers or {}), media_type=media_type)
    tag = etag(body)
    all_headers = {"ETag": tag, "Cache-Control": "private, no-cache", **(headers or {})}
    if _is_among(tag, request.headers.get("if-none-match", "")):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=all_headers)
    return Response(body, headers=all_headers, media_type=media_type)


def etag(body: bytes) -> str:
    return f'"{xxhash.xxh3_128_hexdigest(body)}"'


def check_unchanged(request: Request, now: Any) -> None:
    """Stale if the request names a version (If-Match) that is not the current one."""
    expected = request.headers.get("if-match")
    if expected is not None and not _is_among(etag(msgspec.json.encode(now)), expected):
        raise Stale("it has been changed since you read it; read it again")


def _is_among(tag: str, header: str) -> bool:
    return header.strip() == "*" or tag in {listed.strip().removeprefix("W/") for listed in header.split(",")}
