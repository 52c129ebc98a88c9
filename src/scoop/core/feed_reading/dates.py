"""Dates in all the forms that feeds write."""

import re
import unicodedata
from datetime import UTC, datetime, timedelta

FIRST_YEAR, LAST_YEAR = 1900, 2200  # a date outside comes from a clock that was never set
PIVOT_YEAR = 69  # POSIX: 69 is 1969, 68 is 2068
MAX_CHARACTERS = 100
MAX_OFFSET = 14 * 60  # minutes; no time zone is further from UTC

_MONTH_NAMES = """
    jan january januar janner jaenner janvier janv enero ene gennaio gen janeiro januari ianuarie ocak oca styczen
        stycznia sty leden ledna tammikuu tammikuuta tammi январь января янв
    feb february februar fevrier fevr fevo febbraio fevereiro februari februarie subat sub luty lutego lut unor
        unora helmikuu helmikuuta helmi февраль февраля фев
    mar march marz maerz mrz mars marzo marco maart mrt martie mart marzec marca brezen brezna maaliskuu maaliskuuta
        maalis март марта мар
    apr april avril avr abril abr aprile aprilie nisan nis kwiecien kwietnia kwi duben dubna huhtikuu huhtikuuta huhti
        апрель апреля апр
    may mai mayo maggio mag maio mei maj mayis kveten kvetna toukokuu toukokuuta touko maja май мая
    jun june juni juin junio giugno giu junho iunie haziran haz czerwiec czerwca cze cerven cervna kesakuu kesakuuta
        kesa июнь июня июн
    jul july juli juillet juil julio luglio lug julho iulie temmuz tem lipiec lipca lip cervenec cervence heinakuu
        heinakuuta heina июль июля июл
    aug august aout agosto ago augustus augusti agustos agu sierpien sierpnia sie srpen srpna elokuu elokuuta elo август
        августа авг
    sep sept september septembre septiembre settembre set setembro septembrie eylul eyl wrzesien wrzesnia wrz zari
        syyskuu syyskuuta syys сентябрь сентября сен сент
    oct october oktober okt octobre octubre ottobre ott outubro out octombrie ekim eki pazdziernik pazdziernika paz
        rijen rijna lokakuu lokakuuta loka октябрь октября окт
    nov november novembre noviembre novembro noiembrie kasim kas listopad listopada lis marraskuu marraskuuta marras
        ноябрь ноября ноя нояб
    dec december dezember dez decembre diciembre dic dicembre dezembro decembrie aralik ara grudzien grudnia gru
        prosinec prosince joulukuu joulukuuta joulu декабрь декабря дек
"""
_MONTHS = re.split(r"\n    (?! )", _MONTH_NAMES.strip("\n")[4:])
_MONTH_BY_NAME = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}

_HOURS_BY_ZONE = {
    "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7, "akst": -9, "akdt": -8,
    "hst": -10, "ast": -4, "adt": -3, "nst": -3.5, "ndt": -2.5, "brt": -3, "art": -3, "clt": -4, "wet": 0, "west": 1,
    "bst": 1, "cet": 1, "cest": 2, "mez": 1, "mesz": 2, "met": 1, "mest": 2, "eet": 2, "eest": 3, "msk": 3, "msd": 4,
    "trt": 3, "sast": 2, "gst": 4, "pkt": 5, "ist": 5.5, "ict": 7, "wib": 7, "hkt": 8, "sgt": 8, "pht": 8, "awst": 8,
    "jst": 9, "kst": 9, "acst": 9.5, "acdt": 10.5, "aest": 10, "aedt": 11, "nzst": 12, "nzdt": 13,
}  # fmt: skip

_UTC_ZONES = frozenset({"gmt", "+0000", "utc", "z", "-0000"})
_RFC_822 = re.compile(
    r"(?:[A-Za-z]{3},\s*)?(\d{1,2})\s+([A-Za-z]{3})\s+(\d{4})\s+(\d{2}:\d{2}:[0-5]\d)\s*([A-Za-z]{1,4}|[+-]\d{4})"
)
_ISO_8601_UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_EPOCH = re.compile(r"-?\d{9,10}(?:\.\d+)?|\d{13}|\d{16}")
_TIME = re.compile(
    r"(?:(?P<before>上午|下午|午前|午後|오전|오후|am|pm)\s*)?(?<!\d)(?P<hour>\d{1,2})\s*(?::|時|时|點|点|시|(?<=\d)h(?=\d))"
    r"\s*(?:(?P<minute>\d{1,2})(?:\s*(?::|分|분)\s*(?:(?P<second>\d{1,2})(?:[.,](?P<fraction>\d{1,9})\d*)?\s*[秒초]?)?)?)?"
    r"\s*(?P<after>[ap]\.?\s?m\b\.?)?"
)
_ZONE = re.compile(
    r"\s*(?:(?:gmt|utc|ut|z)?\s*(?P<sign>[+\-−])(?P<hours>\d{1,2}):?(?P<minutes>\d{2})?|(?P<name>[a-z]+))"
)
_DATE_FORMS = (
    re.compile(r"(?<!\d)(?P<year>\d{4})\s*[年년/.\-]\s*(?P<month>\d{1,2})\s*[月월/.\-]\s*(?P<day>\d{1,2})(?!\d)"),
    re.compile(r"(?<!\d)(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})(?:t?(?P<clock>\d{6}))?(?!\d)"),
    re.compile(
        r"(?<!\d)(?P<day>\d{1,2})(?:\.|º|er|st|nd|rd|th)?[\s\-/,]*(?:de\s+|of\s+)?(?P<name>[^\W\d_]{3,})\.?[\s\-/,]*(?:de\s+|del\s+)?(?P<year>\d{4}|\d{2})(?!\d)"
    ),
    re.compile(r"(?P<name>[^\W\d_]{3,})\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?(?:\s*,\s*|\s+)(?P<year>\d{4})(?!\d)"),
    re.compile(r"(?<!\d)(?P<day>\d{1,2})\.\s*(?P<month>\d{1,2})\.\s*(?P<year>\d{4}|\d{2})(?!\d)"),
    re.compile(r"(?<!\d)(?P<first>\d{1,2})[/\-](?P<second>\d{1,2})[/\-](?P<year>\d{4}|\d{2})(?!\d)"),
    re.compile(r"(?<!\d)(?P<year>\d{4})-(?P<month>\d{2})$"),
)
_YEAR_APART = re.compile(r"(?P<name>[^\W\d_]{3,})\s+(?P<day>\d{1,2})\b.*?\b(?P<year>\d{4})\b")  # as ctime writes it


def moment(written: str) -> datetime | None:
    """The moment in UTC; None for any other text. A date without a zone is UTC, one without a time midnight."""
    written = written.strip()[:MAX_CHARACTERS]
    try:
        parsed = _usual(written) or _unusual(written)
    except (ValueError, OverflowError):
        return None
    return parsed if parsed and FIRST_YEAR <= parsed.year <= LAST_YEAR else None


def rfc_3339(written: str) -> str | None:
    """The moment as text, as 2026-11-15T09:00:00Z."""
    if simple := _simple(written.strip()):
        return simple
    parsed = moment(written)
    return parsed.isoformat().replace("+00:00", "Z") if parsed else None


def _simple(written: str) -> str | None:
    """A date that is in UTC already, in half the time; None for any other, and for one that does not exist."""
    if match := _RFC_822.fullmatch(written):
        day, name, year, clock, zone = match.groups()
        if zone.lower() not in _UTC_ZONES:
            return None
        written = f"{year}-{_MONTH_BY_NAME.get(name.lower(), 0):02}-{day:0>2}T{clock}Z"
    elif not _ISO_8601_UTC.fullmatch(written):
        return None
    try:
        parsed = datetime.fromisoformat(written)
    except ValueError:
        return None
    return written if FIRST_YEAR <= parsed.year <= LAST_YEAR else None


def _usual(written: str) -> datetime | None:
    """RFC 822 and ISO 8601 as most feeds write them."""
    if match := _RFC_822.fullmatch(written):
        day, name, year, clock, zone = match.groups()
        month, offset = _MONTH_BY_NAME.get(name.lower()), _offset(zone.lower())
        if month and clock < "24":
            return datetime.fromisoformat(f"{year}-{month:02}-{day:0>2}T{clock}+00:00") - offset
    if written[4:5] == "-":
        try:
            found = datetime.fromisoformat(written)
        except ValueError:
            return None
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    return None


def _unusual(written: str) -> datetime | None:
    if _EPOCH.fullmatch(written):
        return _since_1970(written)
    folded = _folded(written)
    hour, minute, second, microsecond, rest, offset = _clock(folded)
    date = _date(rest)
    if date is None:
        return None
    year, month, day, digits = date
    if digits:
        hour, minute, second = int(digits[:2]), int(digits[2:4]), int(digits[4:])
    return _utc(year, month, day, hour, minute, second, microsecond, offset=offset)


def _since_1970(digits: str) -> datetime:
    seconds = float(digits)
    while seconds > 1e11:  # milliseconds or microseconds
        seconds /= 1000
    return datetime.fromtimestamp(seconds, UTC)


def _folded(written: str) -> str:
    """Lower case, full-width digits as digits, Latin letters without their accents."""
    letters = unicodedata.normalize("NFKD", written.lower().replace("ı", "i").replace("ł", "l"))
    stripped = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return " ".join(unicodedata.normalize("NFC", stripped).split())


def _clock(folded: str) -> tuple[int, int, int, int, str, timedelta]:
    """Hour, minute, second, microsecond, the text around them, and the offset of the zone from UTC."""
    match = _TIME.search(folded)
    if match is None:
        return 0, 0, 0, 0, folded, timedelta()
    half = (match["before"] or match["after"] or "")[:2].replace(".", "")
    hour = int(match["hour"])
    if half in {"下午", "午後", "오후", "pm", "p"} and hour < 12:
        hour += 12
    elif half in {"上午", "午前", "오전", "am", "a"} and hour == 12:
        hour = 0
    after = folded[match.end() :]
    zone = _ZONE.match(after)
    rest = f"{folded[: match.start()]} {after[zone.end() :] if zone and zone['sign'] else after}"
    fraction = int((match["fraction"] or "0").ljust(6, "0")[:6])
    return hour, int(match["minute"] or 0), int(match["second"] or 0), fraction, rest, _offset(after)


def _offset(zone: str) -> timedelta:
    """The offset of a zone from UTC; an unknown zone counts as UTC."""
    if zone in _UTC_ZONES:
        return timedelta()
    match = _ZONE.match(zone)
    if match is None:
        return timedelta()
    if match["sign"]:
        minutes = int(match["hours"]) * 60 + int(match["minutes"] or 0)
        return (
            timedelta(minutes=minutes if match["sign"] == "+" else -minutes) if minutes <= MAX_OFFSET else timedelta()
        )
    return timedelta(hours=_HOURS_BY_ZONE.get(match["name"], 0))


def _date(rest: str) -> tuple[int, int, int, str | None] | None:
    """Year, month, day, and the digits of the time if they follow without a break."""
    for form in (*_DATE_FORMS, _YEAR_APART):
        for match in form.finditer(rest):
            parts = match.groupdict()
            month = _month(parts)
            if month is not None:
                day = parts.get("day") or (
                    parts["second"] if month == int(parts.get("first") or 0) else parts.get("first")
                )
                return _year(parts["year"]), month, int(day or 1), parts.get("clock")
    return None


def _month(parts: dict[str, str | None]) -> int | None:
    if name := parts.get("name"):
        return _MONTH_BY_NAME.get(name) or _MONTH_BY_NAME.get(name[:3])
    if month := parts.get("month"):
        return int(month)
    first, second = int(parts["first"] or 0), int(parts["second"] or 0)
    return second if first > 12 else first  # 3/4 is in March, as in America; 13/4 can only be in April


def _year(digits: str | None) -> int:
    year = int(digits or 0)
    if year > 99:
        return year
    return year + (1900 if year >= PIVOT_YEAR else 2000)


def _utc(
    year: int, month: int, day: int, hour: int, minute: int, second: int, microsecond: int, *, offset: timedelta
) -> datetime:
    """Midnight may be written as 24:00, and a leap second counts as the second before it."""
    start = datetime(year, month, day, hour % 24, minute, min(second, 59), microsecond, tzinfo=UTC)
    return start + timedelta(days=hour // 24) - offset
