"""Days and moments as parameters, and the slice of a list between two of them."""

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from pydantic import AwareDatetime, BeforeValidator, Field

from scoop.core import items
from scoop.http import pagination
from scoop.store.reads import slices
from scoop.store.reads.slices import Cursor, ListSlice

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_OFFSET = re.compile(r"([Zz]|[+-]\d{2}:\d{2})$")


def _parse(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return date.fromisoformat(value) if _DAY.fullmatch(value) else _parse_moment(value)
    except ValueError as error:
        raise ValueError("must be a day, as 2026-11-15, or a moment, as 2026-11-15T09:00:00Z") from error


def _parse_moment(value: str) -> datetime:
    moment = value.replace(" ", "+")  # a plus that the caller did not write as %2B arrives as a space
    if not _OFFSET.search(moment):
        raise ValueError("without an offset")
    return items.parse_moment(moment)


def _as_written(value: Any) -> Any:
    if value is None or isinstance(value, str):
        return value
    raise ValueError("must be a moment, as 2026-11-15T09:00:00Z")


WrittenMoment = Annotated[AwareDatetime, BeforeValidator(_as_written)]
"""A moment of a JSON body: a number is not taken for seconds since 1970."""
Moment = Annotated[date | datetime, BeforeValidator(_parse)]
"""A day in the desk's timezone, or a moment."""
Since = Annotated[Moment | None, Field(description="Seen on this day or later, or at this moment or later.")]
Until = Annotated[Moment | None, Field(description="Seen on this day or earlier, or before this moment.")]


def start(moment: date | datetime | None, zone: ZoneInfo) -> datetime:
    """The start of a day, or the moment itself."""
    return items.FIRST_MOMENT if moment is None else _start(moment, zone)


def end(moment: date | datetime | None, zone: ZoneInfo) -> datetime:
    """The start of the next day, or the moment itself; exclusive."""
    if moment is None or moment == date.max:
        return items.LAST_MOMENT
    return _start(moment if isinstance(moment, datetime) else moment + timedelta(days=1), zone)


def _start(moment: date | datetime, zone: ZoneInfo) -> datetime:
    if isinstance(moment, datetime):
        return within(moment)
    return within(datetime.combine(moment, time(), zone if date.min < moment < date.max else UTC))


def within(moment: datetime) -> datetime:
    """The moment, in UTC, within the range of the database's timestamps."""
    return max(items.FIRST_MOMENT, min(items.LAST_MOMENT, moment)).astimezone(UTC)


def slice_of(
    since: date | datetime | None, until: date | datetime | None, cursor: str | None, *, limit: int, zone: ZoneInfo
) -> ListSlice:
    """The requested rows, and one more, which shows whether there is a next page."""
    before: Cursor = (end(until, zone), 0) if until is not None else slices.END
    if position := pagination.decode_cursor(cursor, datetime, int):
        before = min(before, (within(position[0]), position[1]))
    return ListSlice(since=start(since, zone), before=before, limit=limit + 1)
