"""When a digest is due on a local date, and which period it covers."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache

from cronsim import CronSim

from scoop.core import schedules

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestWindow:
    """The period of a digest: from when the one before was due until it is due; the end is excluded."""

    start: datetime
    end: datetime

    def holds(self, moment: datetime) -> bool:
        return self.start <= moment < self.end


def check_cron(expression: str) -> None:
    """ValueError for a cron that no digest can have: one that never fires, or fires twice on a date."""
    if len(expression.split()) < 2:
        raise ValueError(f"{expression!r} is not a cron; a digest needs one, e.g. 0 9 * * * for every day at 09:00")
    schedules.parse(expression)
    cron = _from(expression, datetime(2000, 1, 1))  # noqa: DTZ001 - of the calendar alone
    if len(cron.minutes) != 1 or len(cron.hours) != 1:
        raise ValueError(
            f"{expression!r} fires several times on one date; name one minute and one hour, e.g. 0 9 * * 1-5"
        )


@lru_cache(maxsize=4096)
def due_at(cron: str, timezone: str, day: date) -> datetime | None:
    """The moment at which the digest of a local date is due; None on a date without a digest.

    A time that clocks skip is moved to the first moment after it; a time that occurs twice counts the first time.
    """
    midnight = datetime.combine(day, time())
    firing = next(_from(cron, midnight - timedelta(minutes=1)))
    return schedules.instant(firing, schedules.zone(timezone)) if firing.date() == day else None


def window(cron: str, timezone: str, day: date) -> DigestWindow | None:
    """The window of the digest of a local date; None on a date without a digest."""
    end = due_at(cron, timezone, day)
    if end is None:
        return None
    start = due_at(cron, timezone, _date_before(cron, day))
    assert start is not None  # noqa: S101 - the cron itself named the date
    return DigestWindow(start=start, end=end)


def latest(cron: str, timezone: str, now: datetime) -> date:
    """The last local date whose digest is already due."""
    day = now.astimezone(schedules.zone(timezone)).date() + _DAY
    while (due := due_at(cron, timezone, day)) is None or due > now:
        day = _date_before(cron, day)
    return day


def last_due(cron: str, timezone: str, now: datetime) -> datetime:
    """The last moment by now at which a digest was due."""
    due = due_at(cron, timezone, latest(cron, timezone, now))
    assert due is not None  # noqa: S101 - the cron itself named the date
    return due


def following(cron: str, day: date) -> date:
    """The next date after this one that has a digest."""
    return next(_from(cron, datetime.combine(day, time(23, 59)))).date()


def coming(cron: str, timezone: str, now: datetime) -> date:
    """The next local date whose digest is not due yet: its window has begun."""
    return following(cron, latest(cron, timezone, now))


def upcoming(cron: str, timezone: str, now: datetime) -> datetime:
    """The next moment at which a digest is due."""
    due = due_at(cron, timezone, coming(cron, timezone, now))
    assert due is not None  # noqa: S101 - the cron itself named the date
    return due


def _date_before(cron: str, day: date) -> date:
    return next(_from(cron, datetime.combine(day, time()), reverse=True)).date()


def _from(cron: str, moment: datetime, *, reverse: bool = False) -> CronSim:
    return CronSim(" ".join(cron.split()), moment, reverse=reverse)
