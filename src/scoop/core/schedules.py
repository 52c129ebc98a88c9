"""When a source is visited next."""

import re
from datetime import datetime, timedelta

MIN_INTERVAL = timedelta(minutes=1)
UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}


def interval(schedule: str) -> timedelta:
    """An interval such as 30m, 1h or 2d; ValueError with the fix for anything else."""
    match = re.fullmatch(r"(\d{1,5})([mhd])", schedule.strip())
    if not match or (found := int(match[1]) * UNITS[match[2]]) < MIN_INTERVAL:
        raise ValueError(f"{schedule!r} is not an interval; write 30m, 1h or 2d (at least 1m)")
    return found


def next_visit(schedule: str, *, now: datetime, spread: float) -> datetime:
    """One interval on, later by up to a twentieth (`spread` from 0 to 1) so that visits do not bunch."""
    step = interval(schedule)
    return now + step + step * (spread / 20)
