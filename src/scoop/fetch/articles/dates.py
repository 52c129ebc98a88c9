"""Parsing of the dates that pages show, in many formats and languages."""

import re
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime

FIRST_YEAR, LAST_YEAR = 1990, 2099  # a year outside is a placeholder or a misprint
_NUMERIC = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)\s?[-/.年]\s?(?P<month>\d{1,2})\s?[-/.月]\s?(?P<day>\d{1,2})(?!\d)日?"
    r"(?:[T\s,(]{1,3}(?:[^\W\d]{1,3}[)\s]{1,2})?(?P<hour>\d{1,2})[:時](?P<minute>\d{2})(?::(?P<second>\d{2}))?分?"
    r"(?:[.,]\d{1,9})?\s?(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?"
)
_COMPACT = re.compile(r"(?P<year>(?:19|20)\d\d)(?P<month>\d\d)(?P<day>\d\d)")
_EPOCH = re.compile(r"(1\d{9})(?:\d{3})?")
# The first three or more letters of a month's name in English, German, French, Spanish, Italian, Portuguese and Dutch.
_MONTHS = (
    "jan gen ene",
    "feb fév fev",
    "mar mär mrt maa",
    "apr avr abr",
    "may mai mei mag",
    "jun juin giu",
    "jul juil lug",
    "aug aoû aou ago",
    "sep set",
    "oct okt ott out",
    "nov",
    "dec dez déc dic",
)
_MONTH_BY_START = {start: number for number, starts in enumerate(_MONTHS, 1) for start in starts.split()}
_NAMED = re.compile(
    r"(?<!\w)(?:(?P<day>\d{1,2})(?:st|nd|rd|th|er|º)?\.?\s(?:de\s)?(?P<month>[^\W\d]{3,10})\.?,?\s(?:de\s)?"
    r"|(?P<month2>[^\W\d]{3,10})\.?\s(?P<day2>\d{1,2})(?:st|nd|rd|th)?,?\s)(?P<year>(?:19|20)\d\d)(?!\d)"
    r"(?:,?\s(?:at\s|um\s|à\s|\||-|–|—|\s){0,3}(?P<hour>\d{1,2})[:.h](?P<minute>\d{2})\s?(?P<half>[ap]\.?m)?)?",
    re.IGNORECASE,
)
_TWELVE_HOURS = {"a": 0, "p": 12}


def moment(text: str) -> datetime | None:
    """The first date and time in a text, or None; without a zone it is taken for UTC."""
    text = text.strip()[:200]
    found = _iso(text) or _numeric(text) or _mail(text) or _named(text) or _bare(text)
    return found if found and FIRST_YEAR <= found.year <= LAST_YEAR else None


def in_path(path: str) -> datetime | None:
    """The day in a path such as /2026/11/15/title; None if the path has no day."""
    match = _NUMERIC.search(path)
    return _made(match) if match else None


def _iso(text: str) -> datetime | None:
    if len(text) < len("2026-11-15"):
        return None
    try:
        return _aware(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return None


def _aware(found: datetime) -> datetime:
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _numeric(text: str) -> datetime | None:
    match = _NUMERIC.search(text)
    return _made(match) if match else None


def _mail(text: str) -> datetime | None:
    try:
        return _aware(parsedate_to_datetime(text))
    except (ValueError, IndexError, TypeError, OverflowError):
        return None


def _named(text: str) -> datetime | None:
    for match in _NAMED.finditer(text):
        name = (match["month"] or match["month2"]).lower()
        month = _MONTH_BY_START.get(name[:4]) or _MONTH_BY_START.get(name[:3])
        if month:
            hour = int(match["hour"] or 0)
            if match["half"]:
                hour = hour % 12 + _TWELVE_HOURS[match["half"][0].lower()]
            return _at(int(match["year"]), month, int(match["day"] or match["day2"]), hour, int(match["minute"] or 0))
    return None


def _bare(text: str) -> datetime | None:
    if match := _COMPACT.fullmatch(text):
        return _at(int(match["year"]), int(match["month"]), int(match["day"]))
    if match := _EPOCH.fullmatch(text):
        return datetime.fromtimestamp(int(match[1]), UTC)
    return None


def _made(match: re.Match[str]) -> datetime | None:
    parts = [int(match[name] or 0) for name in ("year", "month", "day", "hour", "minute", "second")]
    return _at(*parts, zone=_zone(match["zone"] or "Z"))


def _at(*parts: int, zone: timezone = UTC) -> datetime | None:
    try:
        return datetime(*parts, tzinfo=zone)  # type: ignore[misc,arg-type]
    except (ValueError, OverflowError):
        return None


def _zone(name: str) -> timezone:
    if name[0] not in "+-":
        return UTC
    digits = name[1:].replace(":", "")
    offset = timedelta(hours=int(digits[:2]) % 24, minutes=int(digits[2:]) % 60)
    return timezone(-offset if name[0] == "-" else offset)
