"""For whom a page is made: the moment, the timezone, and how links reach what they name."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from urllib.parse import quote, urlencode, urlsplit
from zoneinfo import ZoneInfo

from scoop.web import words

INVENTED = ".example"  # the newsstand's outlets; RFC 2606 keeps the name free of real ones


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    now: datetime
    timezone: ZoneInfo
    newsstand: str | None

    @property
    def today(self) -> date:
        return self.day_of(self.now)

    def day_of(self, moment: datetime) -> date:
        return moment.astimezone(self.timezone).date()

    def window(self, day: date) -> tuple[datetime, datetime]:
        """From the day's first moment to the next day's: 23 to 25 hours."""
        midnight = datetime.combine(day, time(), self.timezone)
        return midnight, datetime.combine(day + timedelta(days=1), time(), self.timezone)

    def age(self, moment: datetime) -> str:
        return words.age(moment.astimezone(self.timezone), now=self.now)

    def exact(self, moment: datetime) -> str:
        local = moment.astimezone(self.timezone)
        return f"{words.written_out(local.date())}, {local:%H:%M} ({self.timezone})"

    def short(self, moment: datetime) -> str:
        local = moment.astimezone(self.timezone)
        return f"{local.day} {local:%b, %H:%M}"

    def href(self, url: str | None) -> str | None:
        """Where a link to an article leads; None where it must not be one."""
        if not url:
            return None
        try:
            parts = urlsplit(url)
        except ValueError:
            return None
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            return None
        if self.newsstand and parts.hostname.endswith(INVENTED):
            return f"{self.newsstand}/{parts.hostname}{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
        return url


def day_href(day: date, *, collection: str | None = None, offset: int = 0) -> str:
    query = {"collection": collection} if collection else {}
    if offset:
        query["offset"] = str(offset)
    return f"/days/{day.isoformat()}{'?' if query else ''}{urlencode(query, quote_via=quote)}"
