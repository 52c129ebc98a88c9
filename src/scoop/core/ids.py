"""Ids as people type them: the number or the public id of a story or document."""

from uuid import UUID

MAX_DIGITS = 18  # more may not fit a BIGINT


def parse_number(name: str) -> int | None:
    return int(name) if name.isascii() and name.isdigit() and len(name) <= MAX_DIGITS else None


def parse_uuid(name: str) -> UUID | None:
    try:
        return UUID(name)
    except ValueError:
        return None
