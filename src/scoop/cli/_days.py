"""Days as options: the moment at which one begins."""

from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo


def start_of(day: datetime | None, timezone: str) -> datetime | None:
    """The start of a day in a timezone; None without one, and for the first day of the calendar, which is no limit."""
    if day is None:
        return None
    try:
        return datetime.combine(day.date(), time(), ZoneInfo(timezone)).astimezone(UTC)
    except OverflowError:
        return None
