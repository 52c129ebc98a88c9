"""Visits: when a person last looked at the events, so that pages can mark what is new since then."""

from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated

from fastapi import Depends, Request

from scoop.core import front_page
from scoop.core.access import Visitor
from scoop.errors import DatabaseUnavailable
from scoop.http.deps import Desk
from scoop.store import users

MAX_CACHED = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderVisit:
    """A visit of a person; `previous_visit_at` is when the one before it ended."""

    last_request_at: datetime
    previous_visit_at: datetime | None


@dataclass(slots=True)
class VisitLog:
    """The current visits by user. A visit is written to the database once, when it begins.

    Every write makes the response cache read again, so later requests of a visit are kept in memory only. After a
    restart the visit counts from its beginning.
    """

    desk: Desk
    _visits: OrderedDict[int, ReaderVisit] = field(default_factory=OrderedDict)

    async def record_request(self, visitor: Visitor) -> datetime | None:
        """Begin or continue a person's visit; returns when the visit before it ended, None if there was none."""
        if visitor.via != "session" or visitor.user_id is None:
            return None
        now, visit = self.desk.clock(), self._visits.get(visitor.user_id)
        if visit and front_page.is_same_visit(visit.last_request_at, now=now):
            previous_visit_at = visit.previous_visit_at
        else:
            ended_at = visit.last_request_at if visit else None
            try:
                previous_visit_at = await self._begin(visitor.user_id, now=now, ended_at=ended_at)
            except DatabaseUnavailable:  # of a full disk, too: the page can still be read
                return None
        self._put(visitor.user_id, ReaderVisit(last_request_at=now, previous_visit_at=previous_visit_at))
        return previous_visit_at

    async def _begin(self, user_id: int, *, now: datetime, ended_at: datetime | None) -> datetime | None:
        async with self.desk.writing() as conn:
            return await users.begin_visit(conn, user_id, now=now, ended_at=ended_at)

    def _put(self, user_id: int, visit: ReaderVisit) -> None:
        self._visits[user_id] = visit
        self._visits.move_to_end(user_id)
        if len(self._visits) > MAX_CACHED:
            self._visits.popitem(last=False)


async def _previous_visit(request: Request) -> datetime | None:
    visits: VisitLog = request.app.state.visits
    return await visits.record_request(request.state.visitor)


PreviousVisit = Annotated[datetime | None, Depends(_previous_visit)]
"""When the visitor's previous visit ended, as an argument of a handler; the request counts for the current visit."""
