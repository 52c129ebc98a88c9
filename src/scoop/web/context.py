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
    """`notice` is what the page before left to say; `path` is where they are."""

    now: datetime
    timezone: ZoneInfo
    newsstand: str | None
    visitor: Visitor
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
        path=request.url.path,
        notice=unquote(request.cookies.get(NOTICE, ""))[:MAX_NOTICE],
    )


PageContext = Annotated[Context, Depends(current)]
"""The context of the page that a handler renders."""


def day_href(day: date, *, collection: str | None = None, offset: int = 0, month: date | None = None) -> str:
    query = {"collection": collection} if collection else {}
    if offset:
        query["offset"] = str(offset)
    if month:
        query["month"] = f"{month:%Y-%m}"
    return f"/days/{day.isoformat()}{'?' if query else ''}{urlencode(query, quote_via=quote)}"
