"""Who asks, found once a request by the cookie or the key it carries; and how often they do."""

import base64
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from http import HTTPStatus

from fastapi import Request

from scoop.core import access
from scoop.core.access import Visitor
from scoop.http import passwords
from scoop.http.deps import Desk
from scoop.http.errors import HttpProblem, TooManyRequests, Unauthenticated
from scoop.store import users

COOKIE = "scoop_session"
REMEMBERED_SECONDS = 3.0  # for which a change made elsewhere, as by the command line, may go unnoticed
MOST_REMEMBERED = 10_000
GOOGLE_LOGIN = "GoogleLogin auth="  # how readers of the Google Reader API send a key
FOR_READERS = ("/feeds/", "/export/")  # whose programs can send a key as a password, or in the address


async def authenticate(request: Request) -> Visitor:
    """Who asks; a key that opens nothing is refused, a session that ended is nobody's."""
    desk: Desk = request.app.state.desk
    book: SessionCache = request.app.state.guest_book
    if key := _key(request):
        return await _program(request, desk, book, key)
    if session := request.cookies.get(COOKIE):
        found = book.find(session) or await _by_session(desk, book, session)
        if found is not None:
            return found
    return access.nobody(is_reading_public=desk.config.public_reading)


async def _program(request: Request, desk: Desk, book: "SessionCache", key: str) -> Visitor:
    found = book.find(key) or await _by_key(desk, book, key)
    if found is None:
        raise Unauthenticated("this key opens nothing: it was taken back, or has expired", schemes=_schemes(request))
    if "authorization" not in request.headers and found.rights != {"read"}:
        raise HttpProblem(HTTPStatus.FORBIDDEN, "a key in an address is easily seen: make one whose only scope is read")
    return found


def unauthenticated(request: Request) -> Unauthenticated:
    """What is told to somebody whom nobody knows."""
    return Unauthenticated(schemes=_schemes(request))


def _schemes(request: Request) -> tuple[str, ...]:
    return ("Bearer", "Basic") if _is_for_readers(request) else ("Bearer",)


def _is_for_readers(request: Request) -> bool:
    # Nothing can be changed there: a browser sends a password that it remembers wherever a stranger's page leads it.
    return request.url.path.startswith(FOR_READERS)


def _key(request: Request) -> str | None:
    given = request.headers.get("authorization", "")
    scheme, _, value = given.partition(" ")
    if given.startswith(GOOGLE_LOGIN):
        return given.removeprefix(GOOGLE_LOGIN).strip()
    if scheme.lower() == "bearer":
        return value.strip()
    if not _is_for_readers(request):
        return None
    if scheme.lower() == "basic":
        return _password(value)
    return None if given else request.query_params.get("key")


def _password(credentials: str) -> str:
    """The password of HTTP Basic, whoever it is said to be of; what is none opens nothing."""
    try:
        return base64.b64decode(credentials.strip(), validate=True).decode().partition(":")[2]
    except ValueError:
        return ""


async def _by_key(desk: Desk, book: "SessionCache", key: str) -> Visitor | None:
    async with desk.writing() as conn:
        found = await users.find_by_key(conn, passwords.hashed(key), now=desk.clock())
    return book.remember(key, found)


async def _by_session(desk: Desk, book: "SessionCache", session: str) -> Visitor | None:
    async with desk.reading() as conn:
        found = await users.find_by_session(conn, passwords.hashed(session), now=desk.clock())
    return book.remember(session, found)


def check_rate_limit(request: Request, visitor: Visitor) -> None:
    """TooManyRequests for a caller that asks faster than the setting allows."""
    desk: Desk = request.app.state.desk
    book: SessionCache = request.app.state.guest_book
    caller = f"user {visitor.user_id}" if visitor.is_known else f"address {client_address(request)}"
    book.count(caller, per_minute=desk.config.requests_per_minute)


def client_address(request: Request) -> str:
    return request.client.host if request.client else ""


@dataclass(slots=True, kw_only=True)
class _Allowance:
    """How many requests a caller has left, and when that was so."""

    left: float
    at: float


@dataclass(slots=True, kw_only=True)
class SessionCache:
    """Who came lately: for some seconds, so that not every request asks the database; and how fast they ask."""

    clock: Callable[[], float] = time.monotonic
    _visitors: OrderedDict[bytes, tuple[float, Visitor]] = field(default_factory=OrderedDict)
    _allowances: OrderedDict[str, _Allowance] = field(default_factory=OrderedDict)

    def find(self, secret: str) -> Visitor | None:
        until, visitor = self._visitors.get(passwords.hashed(secret), (0.0, None))
        return visitor if until > self.clock() else None

    def remember(self, secret: str, visitor: Visitor | None) -> Visitor | None:
        if visitor is not None:
            self._visitors[passwords.hashed(secret)] = (self.clock() + REMEMBERED_SECONDS, visitor)
            self._visitors.move_to_end(passwords.hashed(secret))
            if len(self._visitors) > MOST_REMEMBERED:
                self._visitors.popitem(last=False)
        return visitor

    def forget(self) -> None:
        """After people, sessions or keys have changed."""
        self._visitors.clear()

    def count(self, caller: str, *, per_minute: int) -> None:
        if not per_minute:
            return
        now = self.clock()
        known = self._allowances.setdefault(caller, _Allowance(left=per_minute, at=now))
        known.left = min(per_minute, known.left + (now - known.at) * per_minute / 60)
        known.at = now
        self._allowances.move_to_end(caller)
        if len(self._allowances) > MOST_REMEMBERED:
            self._allowances.popitem(last=False)
        if known.left < 1:
            wait = timedelta(seconds=(1 - known.left) * 60 / per_minute)
            raise TooManyRequests(f"more than {per_minute:,} requests a minute; come again in a moment", after=wait)
        known.left -= 1
