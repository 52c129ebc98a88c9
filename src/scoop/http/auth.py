"""Authentication and rate limits: the visitor of a request, by its session cookie or API key."""

import asyncio
import base64
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from http import HTTPStatus

from fastapi import Request

from scoop.core import access
from scoop.core.access import Visitor
from scoop.http import passwords
from scoop.http.deps import Desk
from scoop.http.errors import HttpProblem, TooManyRequests, Unauthenticated
from scoop.http.rate_limits import RateLimiter
from scoop.store import users

COOKIE = "scoop_session"
CACHED_SECONDS = 3.0  # a change by another process, such as the command line, takes effect after this long
MAX_CACHED = 10_000
LOOKUPS = 8  # at once; fewer than MAX_WRONG_KEYS, so that valid keys in flight never use up an address's guesses
MAX_WRONG_KEYS = 30  # from one network within WRONG_KEYS_WINDOW
WRONG_KEYS_WINDOW = timedelta(minutes=15)
GOOGLE_LOGIN = "GoogleLogin auth="  # clients of the Google Reader API send a key like this
FOR_READERS = ("/feeds/", "/export/", "/podcast/")  # their clients can send a key only as a password or in the URL


def check_rate_limit(request: Request, visitor: Visitor) -> None:
    """Count a request of a user, or of an anonymous network; TooManyRequests beyond the setting."""
    desk: Desk = request.app.state.desk
    limiter: RateLimiter = request.app.state.rate_limiter
    caller = f"user {visitor.user_id}" if visitor.is_known else f"address {client_network(request)}"
    limit = desk.config.requests_per_minute
    if limit and (wait := limiter.take(caller, limit=limit, window=timedelta(minutes=1))):
        raise TooManyRequests(f"more than {limit:,} requests a minute; try again later", after=wait)


async def authenticate(request: Request) -> Visitor:
    """The visitor of a request; an invalid key is refused, an expired session is anonymous."""
    if key := _key(request):
        return await _program(request, key)
    session = request.cookies.get(COOKIE, "")
    if session and (visitor := await _cache(request).get(session, lambda: _find_session(request, session))):
        return visitor
    desk: Desk = request.app.state.desk
    return access.anonymous(is_reading_public=desk.config.public_reading)


async def find_key(request: Request, key: str) -> Visitor | None:
    """The owner of an API key; TooManyRequests after too many wrong keys from one network."""
    return await _cache(request).get(key, lambda: _find_key(request, key))


def clear_cache(request: Request) -> None:
    """Make changes of people, sessions and keys take effect at once."""
    _cache(request).expire()


def unauthenticated(request: Request) -> Unauthenticated:
    return Unauthenticated(schemes=_schemes(request))


def client_address(request: Request) -> str:
    return request.client.host if request.client else ""


def client_network(request: Request) -> str:
    return access.network(client_address(request))


async def _program(request: Request, key: str) -> Visitor:
    visitor = await find_key(request, key)
    if visitor is None:
        raise Unauthenticated("invalid API key: it was revoked or has expired", schemes=_schemes(request))
    if "authorization" not in request.headers and visitor.rights != {"read"}:
        message = "a key in a URL is easily seen: create one whose only scope is read, or send it in a header"
        raise HttpProblem(HTTPStatus.FORBIDDEN, message)
    return visitor


def _schemes(request: Request) -> tuple[str, ...]:
    return ("Bearer", "Basic") if _is_for_readers(request) else ("Bearer",)


def _is_for_readers(request: Request) -> bool:
    # Basic is accepted only where nothing can be changed: browsers send a remembered password from any site's page.
    return request.url.path.startswith(FOR_READERS)


def _key(request: Request) -> str | None:
    header = request.headers.get("authorization", "")
    scheme, _, value = header.partition(" ")
    if header.startswith(GOOGLE_LOGIN):
        return header.removeprefix(GOOGLE_LOGIN).strip()
    if scheme.lower() == "bearer":
        return value.strip()
    if not _is_for_readers(request):
        return None
    if scheme.lower() == "basic":
        return _password(value)
    return None if header else request.query_params.get("key")


def _password(credentials: str) -> str:
    """The password of HTTP Basic under any user name; empty if malformed."""
    try:
        return base64.b64decode(credentials.strip(), validate=True).decode().partition(":")[2]
    except ValueError:
        return ""


async def _find_key(request: Request, key: str) -> Visitor | None:
    desk: Desk = request.app.state.desk
    limiter: RateLimiter = request.app.state.rate_limiter
    caller = f"wrong keys from {client_network(request)}"
    is_counted = not _cache(request).has_seen(key)  # or guesses from a shared address would lock out its valid keys
    if is_counted and (wait := limiter.take(caller, limit=MAX_WRONG_KEYS, window=WRONG_KEYS_WINDOW)):
        raise TooManyRequests("too many invalid API keys from this address; try again later", after=wait)
    is_wrong = False
    try:
        async with desk.writing() as conn:
            visitor = await users.find_by_key(conn, passwords.hashed(key), now=desk.clock())
        is_wrong = visitor is None
    finally:
        if is_counted and not is_wrong:
            limiter.give_back(caller)
    return visitor


async def _find_session(request: Request, session: str) -> Visitor | None:
    desk: Desk = request.app.state.desk
    async with desk.reading() as conn:
        return await users.find_by_session(conn, passwords.hashed(session), now=desk.clock())


def _cache(request: Request) -> "SessionCache":
    cache: SessionCache = request.app.state.sessions
    return cache


@dataclass(slots=True, kw_only=True)
class SessionCache:
    """Visitors by session or key, for some seconds, so that not every request queries the database."""

    clock: Callable[[], float] = time.monotonic
    _visitors: OrderedDict[bytes, tuple[float, Visitor]] = field(default_factory=OrderedDict)
    _generation: int = 0
    _lookups: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(LOOKUPS))

    async def get(self, secret: str, look_up: Callable[[], Awaitable[Visitor | None]]) -> Visitor | None:
        """The visitor of a session or key; concurrent requests with the same one share a lookup."""
        if visitor := self._find(secret):
            return visitor
        async with self._lookups:
            return self._find(secret) or await self._fill(secret, look_up)

    def has_seen(self, secret: str) -> bool:
        """Whether it was valid when last looked up."""
        return passwords.hashed(secret) in self._visitors

    def expire(self) -> None:
        self._generation += 1
        self._visitors = OrderedDict((secret, (0.0, visitor)) for secret, (_, visitor) in self._visitors.items())

    def _find(self, secret: str) -> Visitor | None:
        until, visitor = self._visitors.get(passwords.hashed(secret), (0.0, None))
        return visitor if until > self.clock() else None

    async def _fill(self, secret: str, look_up: Callable[[], Awaitable[Visitor | None]]) -> Visitor | None:
        generation, visitor = self._generation, await look_up()
        self._visitors.pop(passwords.hashed(secret), None)
        if visitor is not None:
            # What was looked up before a change must not outlive it.
            until = self.clock() + CACHED_SECONDS if generation == self._generation else 0.0
            self._visitors[passwords.hashed(secret)] = (until, visitor)
        if len(self._visitors) > MAX_CACHED:
            self._visitors.popitem(last=False)
        return visitor
