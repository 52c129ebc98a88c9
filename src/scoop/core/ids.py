"""Ids as people type them: the number or the public id of a story or document; and ids that hold a time."""

from datetime import UTC, datetime
from uuid import UUID

MAX_DIGITS = 18  # more may not fit a BIGINT
RANDOM_BYTES = 10  # of a timed UUID
_VERSION, _VARIANT = 7 << 76, 2 << 62
_FIXED_BITS = 15 << 76 | 3 << 62
_TIME_SHIFT = 80


def parse_number(name: str) -> int | None:
    return int(name) if name.isascii() and name.isdigit() and len(name) <= MAX_DIGITS else None


def parse_uuid(name: str) -> UUID | None:
    try:
        return UUID(name)
    except ValueError:
        return None


def timed_uuid(moment: datetime, random_bytes: bytes) -> UUID:
    """A UUID of version 7, which sorts by its time; Python has one since 3.14."""
    milliseconds, noise = int(moment.timestamp() * 1000), int.from_bytes(random_bytes)
    return UUID(int=milliseconds << _TIME_SHIFT | noise & ~_FIXED_BITS | _VERSION | _VARIANT)


def time_of_uuid(uuid: UUID) -> datetime | None:
    """The time in a UUID of version 7; None if it has another version."""
    if uuid.int & _FIXED_BITS != _VERSION | _VARIANT:
        return None
    return datetime.fromtimestamp((uuid.int >> _TIME_SHIFT) / 1000, UTC)
