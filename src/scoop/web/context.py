"""Context of a page: visitor, moment, timezone and links."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated
from urllib.parse import quote, unquote, urlencode
from zoneinfo import ZoneInfo

from fastapi import Depends, Request

from scoop.core import access
from scoop.core.access import Visitor
from scoop.http import links
from scoop.http.deps import Desk
from scoop.web import labels

NOTICE = "scoop_notice"  # the cookie that carries a sentence over from the page before
MAX_NOTICE = 600  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """`notice` is what the page before left to say; `path` is where they are; `is_demo`: the demo is shown."""

    now: datetime
    timezone: ZoneInfo
    newsstand: str | None
    visitor: Visitor
    is_demo: bool = False
    path: str = "/"
    notice: str = ""

    def may(self, right: str) -> bool:
        return right in self.visitor.rights

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
        return labels.age(moment.astimezone(self.timezone), now=self.now)

    def exact(self, moment: datetime) -> str:
        local = moment.astimezone(self.timezone)
        return f"{labels.written_out(local.date())}, {local:%H:%M} ({self.timezone})"

    def short(self, moment: datetime) -> str:
        local = moment.astimezone(self.timezone)
        return f"{local.day} {local:%b, %H:%M}"

    def spoken(self, moment: datetime) -> str:
        """A time in a sentence: "today 18:02", "yesterday 18:02", "Monday 16 November, 18:02"."""
        local = moment.astimezone(self.timezone)
        days = (self.today - local.date()).days
        if days in {0, 1}:
            return f"{'yesterday' if days else 'today'} {local:%H:%M}"
        year = f" {local.year}" if local.year != self.today.year else ""
        return f"{local:%A} {local.day} {local:%B}{year}, {local:%H:%M}"

    def href(self, url: str | None) -> str | None:
        """The target of a link to an article; None for a URL that is not safe to link."""
        return links.href(url, newsstand=self.newsstand)


async def current(request: Request) -> Context:
    """The reader who asks."""
    desk: Desk = request.app.state.desk
    return _context(request, desk, request.state.visitor, desk.clock())


def after_error(request: Request) -> Context:
    """The context of an error page; anonymous if the error came before authentication."""
    desk: Desk = request.app.state.desk
    visitor = getattr(request.state, "visitor", access.anonymous(is_reading_public=False))
    return _context(request, desk, visitor, datetime.now(UTC))


def _context(request: Request, desk: Desk, visitor: Visitor, now: datetime) -> Context:
    return Context(
        now=now,
        timezone=desk.timezone,
        newsstand=desk.newsstand,
        visitor=visitor,
        is_demo=getattr(request.state, "is_demo", False),
        path=request.url.path,
        notice=unquote(request.cookies.get(NOTICE, ""))[:MAX_NOTICE],
    )


PageContext = Annotated[Context, Depends(current)]
"""The context of the page that a handler renders."""


def day_href(
    day: date, *, collection: str | None = None, is_all: bool = False, offset: int = 0, month: date | None = None
) -> str:
    """The page of a day: its front page, one collection, or all collections in one list."""
    query = {"collection": collection} if collection else {}
    if offset:
        query["offset"] = str(offset)
    if month:
        query["month"] = f"{month:%Y-%m}"
    path = f"/days/{day.isoformat()}/all" if is_all else f"/days/{day.isoformat()}"
    return f"{path}{'?' if query else ''}{urlencode(query, quote_via=quote)}"
