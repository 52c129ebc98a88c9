"""Days and moments as callers write them, and the part of a list that lies between two of them."""

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from pydantic import BeforeValidator, Field

from scoop.core import items
from scoop.http import pagination
from scoop.store.reads import slices
from scoop.store.reads.slices import Cursor, ListSlice

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_OFFSET = re.compile(r"([Zz]|[+-]\d{2}:\d{2})$")


def _read(given: Any) -> Any:
    if not isinstance(given, str):
        return given
    try:
        return date.fromisoformat(given) if _DAY.fullmatch(given) else _with_offset(given)
    except ValueError as error:
        raise ValueError("must be a day, as 2026-11-15, or a moment, as 2026-11-15T09:00:00Z") from error


def _with_offset(given: str) -> datetime:
    spelled = given.replace(" ", "+")  # which is what an address makes of a plus that was not written as %2B
    if not _OFFSET.search(spelled):
        raise ValueError("without an offset")
    return items.parse_moment(spelled)


Moment = Annotated[date | datetime, BeforeValidator(_read)]
"""A day in the desk's timezone, or a moment."""
Since = Annotated[Moment | None, Field(description="Seen on this day or later, or at this moment or later.")]
Until = Annotated[Moment | None, Field(description="Seen on this day or earlier, or before this moment.")]


def start(moment: date | datetime | None, zone: ZoneInfo) -> datetime:
    """From when on: the beginning of a day, or the moment itself."""
    return items.FIRST_MOMENT if moment is None else _start(moment, zone)


def end(moment: date | datetime | None, zone: ZoneInfo) -> datetime:
    """Until before when: the beginning of the next day, or the moment itself."""
    if moment is None or moment == date.max:
        return items.LAST_MOMENT
    return _start(moment if isinstance(moment, datetime) else moment + timedelta(days=1), zone)


def _start(moment: date | datetime, zone: ZoneInfo) -> datetime:
    if isinstance(moment, datetime):
        return _within(moment)
    return _within(datetime.combine(moment, time(), zone if date.min < moment < date.max else UTC))


def _within(moment: datetime) -> datetime:
    """The moment, as far as the database's calendar goes."""
    return max(items.FIRST_MOMENT, min(items.LAST_MOMENT, moment)).astimezone(UTC)


def part(
    since: date | datetime | None, until: date | datetime | None, cursor: str | None, *, limit: int, zone: ZoneInfo
) -> ListSlice:
    """The part of a list that is asked for, and one row more, which tells whether the list goes on."""
    before: Cursor = (end(until, zone), 0) if until is not None else slices.END
    if place := pagination.decode_cursor(cursor, datetime, int):
        before = min(before, (_within(place[0]), place[1]))
    return ListSlice(since=start(since, zone), before=before, limit=limit + 1)
