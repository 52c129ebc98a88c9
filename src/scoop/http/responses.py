"""Answers to programs: JSON with an ETag, pages of lists that go on after a cursor."""

import base64
from collections.abc import Mapping, Sequence
from datetime import datetime
from http import HTTPStatus
from typing import Any, Generic, TypeVar

import msgspec
import xxhash
from fastapi import Request, Response
from pydantic.dataclasses import dataclass

from scoop.http.errors import Stale, invalid

RowT = TypeVar("RowT")
MAX_CURSOR = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed(Generic[RowT]):
    """A part of a list; `next_cursor` is where the rest of it begins, None at its end."""

    items: list[RowT]
    next_cursor: str | None


def json(
    request: Request, value: Any, *, status: HTTPStatus = HTTPStatus.OK, headers: Mapping[str, str] | None = None
) -> Response:
    """The value as JSON; to a caller that has it already, only that it is unchanged."""
    return with_etag(request, msgspec.json.encode(value), "application/json", status=status, headers=headers)


def with_etag(
    request: Request,
    body: bytes,
    media_type: str,
    *,
    status: HTTPStatus = HTTPStatus.OK,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A body with its ETag, or 304 without it where the caller has the same."""
    if request.method != "GET" or status != HTTPStatus.OK:
        return Response(body, status_code=status, headers=dict(headers or {}), media_type=media_type)
    tag = etag(body)
    told = {"ETag": tag, "Cache-Control": "private, no-cache", **(headers or {})}
    if _is_among(tag, request.headers.get("if-none-match", "")):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=told)
    return Response(body, headers=told, media_type=media_type)


def etag(body: bytes) -> str:
    return f'"{xxhash.xxh3_128_hexdigest(body)}"'


def check_unchanged(request: Request, now: Any) -> None:
    """Stale where the caller says which version it would change (If-Match) and that is not the one there is now."""
    wanted = request.headers.get("if-match")
    if wanted is not None and not _is_among(etag(msgspec.json.encode(now)), wanted):
        raise Stale("it has been changed since you read it; read it again")


def _is_among(tag: str, given: str) -> bool:
    return given.strip() == "*" or tag in {each.strip().removeprefix("W/") for each in given.split(",")}


def encode_cursor(*place: Any) -> str:
    """A place in a list as callers carry it around."""
    return base64.urlsafe_b64encode(msgspec.json.encode(place)).decode().rstrip("=")


def decode_cursor(given: str | None, *types: Any) -> tuple[Any, ...] | None:
    """The place that a cursor names; what no list of ours ever gave out is refused."""
    if given is None:
        return None
    try:
        decoded = base64.urlsafe_b64decode(given[:MAX_CURSOR] + "=" * (-len(given) % 4))
        found: tuple[Any, ...] = msgspec.json.decode(decoded, type=tuple[types])  # type: ignore[valid-type]
        _check_storable(found)
    except (ValueError, msgspec.MsgspecError) as error:
        raise invalid("cursor", "must be the next_cursor of an earlier answer") from error
    return found


def _check_storable(found: tuple[Any, ...]) -> None:
    """ValueError for what the database cannot even be asked for."""
    for value in found:
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise ValueError("no BIGINT")
        if isinstance(value, str) and "\0" in value:
            raise ValueError("no text")
        if isinstance(value, datetime) and value.tzinfo is None:
            raise ValueError("no moment")


def list_response(rows: Sequence[RowT], limit: int, place_of: Any) -> Listed[RowT]:
    """So many rows of one more that were read: the one more says whether the list goes on."""
    shown = list(rows[:limit])
    return Listed(items=shown, next_cursor=encode_cursor(*place_of(shown[-1])) if len(rows) > limit else None)
