"""How long to wait before a server is asked again: Retry-After, freshness, and backoff after failures."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

NO_TIME = timedelta()
LONGEST_WAIT = timedelta(hours=48)  # a longer Retry-After is cut to this
LONGEST_FRESHNESS = timedelta(hours=24)
FIRST_WAITS = (timedelta(seconds=5), timedelta(seconds=15), timedelta(seconds=45))  # for failures that may pass quickly
FIRST_BACKOFF = timedelta(hours=1)
LONGEST_BACKOFF = timedelta(hours=24)
MOVES_BELIEVED = 3  # consistent permanent redirects before the stored URL follows them

_SECONDS = re.compile(r"\d{1,10}")
_MAX_AGE = re.compile(r'(?:^|[\s,])max-age\s*=\s*"?(\d{1,10})"?', re.IGNORECASE)


def retry_after(value: str | None, *, now: datetime) -> timedelta | None:
    """The wait that `Retry-After` requests; None for an invalid value."""
    text = (value or "").strip()
    if _SECONDS.fullmatch(text):
        return min(timedelta(seconds=int(text)), LONGEST_WAIT)
    moment = http_date(text)
    return min(max(moment - now, NO_TIME), LONGEST_WAIT) if moment else None


def fresh_for(headers: Mapping[str, str], *, now: datetime) -> timedelta:
    """How long a response stays fresh by its `Cache-Control` or `Expires`."""
    cache_control = headers.get("Cache-Control", "")
    if re.search(r"\b(?:no-cache|no-store)\b", cache_control, re.IGNORECASE):
        return NO_TIME
    if age := _MAX_AGE.search(cache_control):
        return min(timedelta(seconds=int(age[1])), LONGEST_FRESHNESS)
    expires = http_date(headers.get("Expires", ""))
    return min(max(expires - now, NO_TIME), LONGEST_FRESHNESS) if expires else NO_TIME


def backoff(*, failures: int, asked: timedelta | None, may_pass: bool, spread: float) -> timedelta:
    """The wait after `failures` earlier failures: at least as the server asked, else growing up to a day.

    Failures that may pass are retried after seconds, then minutes; refusals after hours.
    """
    if may_pass and failures < len(FIRST_WAITS):
        own = FIRST_WAITS[failures]
    elif may_pass:
        own = FIRST_WAITS[-1] * 3 ** min(failures - len(FIRST_WAITS) + 1, 10)
    else:
        own = FIRST_BACKOFF * 2 ** min(failures, 10)
    return max(min(own, LONGEST_BACKOFF) * (1 + spread / 5), asked or NO_TIME)


def http_date(text: str) -> datetime | None:
    """The moment of an HTTP date, in UTC; None for any other text."""
    try:
        moment = parsedate_to_datetime(text.strip())
    except (ValueError, IndexError, OverflowError):
        return None
    try:
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except OverflowError:
        return None
