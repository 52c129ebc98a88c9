"""How many days in a row a learner has listened."""

from collections.abc import Iterable
from datetime import date, timedelta

DAY = timedelta(days=1)


def streak(days: Iterable[date], today: date) -> int:
    """The days in a row until today; a day that is not over yet breaks none."""
    listened = set(days)
    day = today if today in listened else today - DAY
    length = 0
    while day in listened:
        length += 1
        day -= DAY
    return length
