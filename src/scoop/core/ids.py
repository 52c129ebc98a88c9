"""Ids as people type them: the number or the public id of a story or document."""

import re
from uuid import UUID


def parse_number(name: str) -> int | None:
    """The number that a text names, with or without separators of thousands: `5294`, `5,294`."""
    if re.fullmatch(r"[0-9]{1,18}|[0-9]{1,3}(,[0-9]{3}){1,5}", name) is None:
        return None
    return int(name.replace(",", ""))


def parse_uuid(name: str) -> UUID | None:
    try:
        return UUID(name)
    except ValueError:
        return None
