"""Pages of a list and the cursors between them."""

import base64
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Generic, TypeVar

import msgspec
from pydantic.dataclasses import dataclass

from scoop.http.errors import invalid

RowT = TypeVar("RowT")
MAX_CURSOR = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed(Generic[RowT]):
    """One page of a list; `next_cursor` starts the next page, and is null on the last."""

    items: list[RowT]
    next_cursor: str | None


def encode_cursor(*position: Any) -> str:
    """The position of a row in its list, as an opaque string."""
    return base64.urlsafe_b64encode(msgspec.json.encode(position)).decode().rstrip("=")


def decode_cursor(cursor: str | None, *types: Any) -> tuple[Any, ...] | None:
    """The position in a cursor; 400 for a string that `encode_cursor` cannot have made."""
    if cursor is None:
        return None
    try:
        decoded = base64.urlsafe_b64decode(cursor[:MAX_CURSOR] + "=" * (-len(cursor) % 4))
        position: tuple[Any, ...] = msgspec.json.decode(decoded, type=tuple[types])  # type: ignore[valid-type]
        _check_storable(position)
    except (ValueError, msgspec.MsgspecError) as error:
        raise invalid("cursor", "must be the next_cursor of an earlier answer") from error
    return position


def _check_storable(position: tuple[Any, ...]) -> None:
    """ValueError for a value that cannot be a parameter of a query."""
    for value in position:
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise ValueError("not a BIGINT")
        if isinstance(value, str) and "\0" in value:
            raise ValueError("not a text")
        if isinstance(value, datetime) and value.tzinfo is None:
            raise ValueError("not a moment")


def paginate(rows: Sequence[RowT], limit: int, position_of: Callable[[RowT], tuple[Any, ...]]) -> Listed[RowT]:
    """The first `limit` rows; callers read one row more, which shows whether the list goes on."""
    shown = list(rows[:limit])
    return Listed(items=shown, next_cursor=encode_cursor(*position_of(shown[-1])) if len(rows) > limit else None)
