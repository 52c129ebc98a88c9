"""The HTTP client: every request that Scoop sends goes through it."""

import asyncio
import ssl
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from urllib.parse import urljoin

import aiohttp
import can_ada
from aiohttp import ThreadedResolver
from aiohttp.abc import AbstractResolver
from multidict import CIMultiDict
from yarl import URL

from scoop import __version__
from scoop.core import redirects, retry_after, urls
from scoop.errors import FetchFailed
from scoop.fetch import decoding
from scoop.fetch.rate_limits import MAX_AT_ONCE, RateLimits
from scoop.fetch.resolver import GuardedResolver, refuse_private_literal

PRODUCT = "Scoop"
USER_AGENT = f"{PRODUCT}/{__version__} (self-hosted news desk"
MAX_BODY_BYTES = 15 << 20
MAX_HEADER_BYTES = 16 << 10  # of one line or field
MAX_REDIRECTS = 5
DEADLINE_SECONDS = 30.0
REDIRECTS = frozenset({301, 302, 303, 307, 308})
PERMANENT = frozenset({301, 308})
GONE = 410
TOO_MANY = 429
OVERLOADED = frozenset({TOO_MANY, 503})
SHORT_PAUSE = timedelta(minutes=1)  # for an overloaded host that sends no Retry-After


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """A decoded response; `url` is the last hop, `moved_to` the last permanent redirect."""

    status: int
    url: str
    headers: Mapping[str, str]
    body: bytes
    moved_to: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request.

    `content` is a body that is sent once: no redirect of it is followed. `json` and `form` follow redirects within
    their origin. `secret_path` and `secret_query` are added to the URL when it is sent, so that no error and no log
    shows them; they and all headers but a few harmless ones are for the origin of `url` only.
    `connect_to`, as 127.0.0.1:8788, is the address that an operator named for a source: it serves every host.
    `private_host`, as 10.0.0.5:80, may have a private address. `typed_url` is the URL that an operator typed: the
    setting `allow_private` applies to its host and port, and to no other that a link or a redirect names.
    `cut` keeps the first `max_bytes` of a body that is larger, instead of failing. `outage_pause` is how long the host
    gets no requests after 503 without a Retry-After.
    """

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    json: Any = None
    form: Mapping[str, str] | None = None
    content: bytes | None = None
    secret_path: str = field(default="", repr=False)
    secret_query: str = field(default="", repr=False)
    connect_to: str | None = None
    private_host: str | None = None
    typed_url: str | None = None
    max_bytes: int = MAX_BODY_BYTES
    cut: bool = False
    interval: timedelta = timedelta()
    outage_pause: timedelta = SHORT_PAUSE
    deadline: timedelta = field(default_factory=lambda: timedelta(seconds=DEADLINE_SECONDS))


class Client:
    """Sends requests within limits on size, time, redirects and rate; refuses private addresses.

    `allowed` are the private hosts (host or host:port) of the setting `allow_private`.
    """

    def __init__(
        self, public: aiohttp.ClientSession, private: aiohttp.ClientSession, *, allowed: Iterable[str] = ()
    ) -> None:
        self._public = public
        self._private = private
        self._allowed = frozenset(name.lower() for name in allowed)
        self.rate_limits = RateLimits(time.monotonic)

    async def get(self, url: str, **fields: Any) -> Response:
        """Send a GET; `fields` are those of Request."""
        return await self.send(Request(url=url, **fields))

    async def send(self, request: Request) -> Response:
        """The response after redirects; FetchFailed, `is_unsent` if no byte of the request can have left."""
        trail = SimpleNamespace(is_written=False)
        try:
            return await self._follow(request, trail)
        except FetchFailed as error:
            error.is_unsent = not trail.is_written
            raise
        except (aiohttp.ClientError, OSError, ValueError) as error:
            failed = _failure(request, error)
            failed.is_unsent = not trail.is_written
            raise failed from (None if _is_secret(request) else error)  # its text may repeat the whole URL

    async def _follow(self, request: Request, trail: SimpleNamespace) -> Response:
        """The response at the end of the redirects; the deadline covers all hops, without the waits for a slot."""
        url, headers = request.url, dict(request.headers)
        moved_to, is_permanent, left = None, True, request.deadline.total_seconds()
        for _ in range(MAX_REDIRECTS + 1):
            target = _parsed(url)
            async with self.rate_limits.slot(target.host, interval=request.interval.total_seconds()):
                began = time.monotonic()
                async with asyncio.timeout(left), self._hop(request, target, headers, trail) as response:
                    if response.status in OVERLOADED:
                        self.rate_limits.pause(target.host, _requested_pause(response, request))
                    location = response.headers.get("Location")
                    if response.status not in REDIRECTS or not location or _is_sent_once(request):
                        return await _read(response, url, request, moved_to)
                left -= time.monotonic() - began
            following = _without(_joined(url, location), request.secret_query)
            _check_redirect(request, response.status, url, following)
            is_permanent = is_permanent and response.status in PERMANENT
            moved_to = following if is_permanent else moved_to
            headers = redirects.headers_after(headers, here=url, there=following)
            url = following
        raise FetchFailed(f"{request.url} redirects more than {MAX_REDIRECTS} times", health="http_error")

    def _hop(self, request: Request, target: can_ada.URL, headers: Mapping[str, str], trail: SimpleNamespace) -> Any:
        """The request to one hop; the secrets are sent to the first URL only."""
        path = f"{target.pathname}{target.search}"
        if target.href == _parsed(request.url).href:
            path = f"{target.pathname}{request.secret_path}{_query(target.search, request.secret_query)}"
        host: dict[str, str] = {}
        if request.connect_to is not None:
            session, base = self._private, f"http://{request.connect_to}"
            host = {"Host": target.host}
        elif self._may_be_private(request, target):
            session, base = self._private, f"{target.protocol}//{target.host}"
        else:
            refuse_private_literal(target)
            session, base = self._public, f"{target.protocol}//{target.host}"
        return session.request(
            request.method,
            URL(f"{base}{path}", encoded=True),
            headers={**headers, **host},
            json=request.json,
            data=request.form if request.content is None else request.content,
            allow_redirects=False,
            trace_request_ctx=trail,
        )

    def _may_be_private(self, request: Request, target: can_ada.URL) -> bool:
        """Whether an operator allows a private address for this hop: neither a link in a feed nor a redirect can."""
        # `host` has no port if it is the scheme's own: a step from http to https stays at the host.
        if target.host != _parsed(request.url).host:
            return False
        if request.private_host == urls.host_and_port(target.href):
            return True
        is_allowed = target.host in self._allowed or target.hostname in self._allowed
        return is_allowed and request.typed_url is not None and target.host == _parsed(request.typed_url).host


def _is_secret(request: Request) -> bool:
    return bool(request.secret_path or request.secret_query)


def _is_sent_once(request: Request) -> bool:
    """Whether no redirect is followed: a redirect may repeat a secret path, in a form that cannot be recognised."""
    return request.content is not None or bool(request.secret_path)


def _check_redirect(request: Request, status: int, url: str, following: str) -> None:
    """FetchFailed for a redirect that would take a body to another origin."""
    if not redirects.may_follow(request.method, status, here=url, there=_parsed(following).href):
        raise FetchFailed(
            f"{url} redirects this {request.method} with HTTP {status} to {following}, where it was not sent: "
            "only a GET may follow; set the final address",
            health="http_error",
            status=status,
        )


def _failure(request: Request, error: Exception) -> FetchFailed:
    if isinstance(error.__cause__, FetchFailed):
        return error.__cause__
    if isinstance(error, TimeoutError):
        seconds = request.deadline.total_seconds()
        message = f"{request.url} did not answer within {seconds:.0f} seconds"
        return FetchFailed(message, health="timeout", error_class="unavailable")
    message = f"{request.url} could not be fetched: {_reason(error, is_secret=_is_secret(request))}"
    return FetchFailed(message, health="unreachable", error_class="unavailable")


def _reason(error: Exception, *, is_secret: bool) -> str:
    """What went wrong with a connection; for a secret URL, without the library's text, which may repeat it."""
    match error:
        case aiohttp.ClientConnectorDNSError():
            return f"the name {error.host} cannot be resolved"
        case aiohttp.ClientSSLError() | ssl.SSLError():
            return f"its certificate or encryption is invalid ({str(error)[:200]})"
        case aiohttp.ClientConnectorError():
            return f"no connection to {error.host}:{error.port}"
        case aiohttp.ServerDisconnectedError() | ConnectionError():
            return "the server closed the connection"
        case aiohttp.ClientPayloadError():
            return "the server closed the connection in the middle of its response"
    detail = "" if is_secret else f" ({(str(error) or type(error).__name__)[:200]})"
    return f"the response is not valid HTTP{detail}"


def _query(search: str, secret: str) -> str:
    if not secret:
        return search
    return f"{search}&{secret}" if search else f"?{secret}"


def _without(url: str, secret: str) -> str:
    """The URL without the secret, which a redirect may repeat."""
    return url.replace(f"&{secret}", "").replace(secret, "") if secret else url


def _parsed(url: str) -> can_ada.URL:
    try:
        parsed = can_ada.parse(url)
    except (ValueError, TypeError) as error:
        raise FetchFailed(f"{url[:200]!r} is not a URL", health="refused_address") from error
    if parsed.protocol not in {"http:", "https:"} or not parsed.hostname:
        raise FetchFailed(f"{url[:200]!r} is not an http or https URL", health="refused_address")
    return parsed


def _joined(url: str, location: str) -> str:
    try:
        joined = can_ada.parse(urljoin(url, location))
    except (ValueError, TypeError) as error:
        raise FetchFailed(f"{url} redirects to {location[:200]!r}, which is not a URL", health="http_error") from error
    return str(joined.href)


def _requested_pause(response: aiohttp.ClientResponse, request: Request) -> timedelta:
    requested = retry_after.retry_after(response.headers.get("Retry-After"), now=datetime.now(UTC))
    if requested is not None:
        return requested
    return SHORT_PAUSE if response.status == TOO_MANY else request.outage_pause


def response_failure(response: Response, *, now: datetime) -> FetchFailed:
    """The error for a response with a status that is not usable, and when to try again."""
    is_limited = response.status == TOO_MANY
    requested = response.headers.get("Retry-After") or (
        response.headers.get("X-RateLimit-Reset") if is_limited else None
    )
    return FetchFailed(
        f"{response.url} answered {response.status}",
        health="gone" if response.status == GONE else "http_error",
        status=response.status,
        after=retry_after.retry_after(requested, now=now),
    )


async def _read(response: aiohttp.ClientResponse, url: str, request: Request, moved_to: str | None) -> Response:
    try:
        body = decoding.DecodedBody(response.headers.get("Content-Encoding", ""), max_bytes=request.max_bytes)
        async for chunk in response.content.iter_any():
            body.feed(chunk)
        content = body.whole()
    except decoding.BodyTooLarge as error:
        if not request.cut:
            raise FetchFailed(
                f"{url} is larger than {request.max_bytes / (1 << 20):g} MiB", health="http_error"
            ) from error
        content = body.beginning()
    except decoding.Undecodable as error:
        raise FetchFailed(f"{url} cannot be decoded: {error}", health="http_error") from error
    headers = CIMultiDict(response.headers)
    return Response(status=response.status, url=url, headers=headers, body=content, moved_to=moved_to)


@asynccontextmanager
async def open_client(allowed: Iterable[str] = (), *, contact: str = "") -> AsyncIterator[Client]:
    """The client; `allowed` are the hosts of the setting `allow_private`, `contact` goes into the User-Agent."""
    agent = f"{USER_AGENT}; {contact})" if contact else f"{USER_AGENT})"
    async with _session(agent, GuardedResolver()) as public, _session(agent, ThreadedResolver()) as private:
        yield Client(public, private, allowed=allowed)


async def _note_written(_session: aiohttp.ClientSession, context: SimpleNamespace, _params: Any) -> None:
    context.trace_request_ctx.is_written = True


def _session(agent: str, resolver: AbstractResolver) -> aiohttp.ClientSession:
    tracing = aiohttp.TraceConfig()
    tracing.on_request_headers_sent.append(_note_written)  # called when connected, before the first byte
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(resolver=resolver, use_dns_cache=False, limit=MAX_AT_ONCE),
        trust_env=False,
        auto_decompress=False,
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"User-Agent": agent, "Accept-Encoding": decoding.OFFERED},
        timeout=aiohttp.ClientTimeout(total=None),  # _follow sets one deadline for all hops
        max_line_size=MAX_HEADER_BYTES,
        max_field_size=MAX_HEADER_BYTES,
        trace_configs=[tracing],
    )
