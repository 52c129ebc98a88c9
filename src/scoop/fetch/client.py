"""The one way out: every request of Scoop goes through this client."""

import asyncio
import socket
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
from aiohttp.abc import AbstractResolver, ResolveResult
from multidict import CIMultiDict
from yarl import URL

from scoop import __version__
from scoop.core import retry_after, urls
from scoop.errors import FetchFailed
from scoop.fetch import decoding
from scoop.fetch.addresses import is_public
from scoop.fetch.rate_limits import MAX_AT_ONCE, RateLimits

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
SHORT_REST = timedelta(minutes=1)  # for a host that is overloaded and does not say for how long
PRIVATE_HEADERS = frozenset({"authorization", "cookie", "proxy-authorization"})  # for the host they were made for


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """An answer, decoded; `url` is where the redirects led, `moved_to` where they say it is for good."""

    status: int
    url: str
    headers: Mapping[str, str]
    body: bytes
    moved_to: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked; `content` is sent as it is, once: no redirect of it is followed.

    `secret_path` and `secret_query` are added to the address at the last moment.
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
    max_bytes: int = MAX_BODY_BYTES
    cut: bool = False
    interval: timedelta = timedelta()
    deadline: timedelta = field(default_factory=lambda: timedelta(seconds=DEADLINE_SECONDS))


class GuardedResolver(AbstractResolver):
    """Resolves names to public addresses only; what was checked is what is connected to."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, family=family, type=socket.SOCK_STREAM)
        addresses = [(str(entry[4][0]), entry[0]) for entry in found]
        if not all(is_public(address) for address, _ in addresses):
            raise FetchFailed(f"{host} leads to a private address, which is refused", health="refused_address")
        return [_result(host, address, port, kind) for address, kind in addresses]

    async def close(self) -> None:
        """Nothing to close."""


def _result(host: str, address: str, port: int, family: int) -> ResolveResult:
    return ResolveResult(hostname=host, host=address, port=port, family=family, proto=0, flags=socket.AI_NUMERICHOST)


class Client:
    """Requests with caps on size, time and redirects; politely, and never to a private address unless it was named."""

    def __init__(
        self, public: aiohttp.ClientSession, private: aiohttp.ClientSession, *, allowed: Iterable[str] = ()
    ) -> None:
        self._public = public
        self._private = private
        self._allowed = frozenset(name.lower() for name in allowed)
        self.rate_limits = RateLimits(time.monotonic)

    async def get(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        secret_query: str = "",
        connect_to: str | None = None,
        private_host: str | None = None,
        max_bytes: int = MAX_BODY_BYTES,
        cut: bool = False,
        interval: timedelta = timedelta(),
    ) -> Response:
        """The answer after redirects; FetchFailed for what cannot or must not be fetched.

        `secret_query` is added to the address at the last moment, so that it shows in no error and no log.
        `connect_to`, as 127.0.0.1:8788, is an address that the operator named for a source: it stands for every host.
        `private_host`, as 10.0.0.5:80, may be private. `cut` takes the first `max_bytes` instead of failing.
        """
        return await self.send(
            Request(
                url=url,
                headers=headers or {},
                secret_query=secret_query,
                connect_to=connect_to,
                private_host=private_host,
                max_bytes=max_bytes,
                cut=cut,
                interval=interval,
            )
        )

    async def send(self, request: Request) -> Response:
        """The answer after redirects; FetchFailed, `is_unsent` where not a byte of the request can have left."""
        trail = SimpleNamespace(is_written=False)
        try:
            return await self._follow(request, trail)
        except FetchFailed as error:
            error.is_unsent = not trail.is_written
            raise
        except (aiohttp.ClientError, OSError, ValueError) as error:
            failed = _failed(request, error)
            failed.is_unsent = not trail.is_written
            raise failed from (None if _is_secret(request) else error)  # which tells the whole address

    async def _follow(self, request: Request, trail: SimpleNamespace) -> Response:
        """The answer at the end of the redirects; the deadline is for all of them, without the waits for a turn."""
        url, headers = request.url, dict(request.headers)
        moved_to, is_permanent, left = None, True, request.deadline.total_seconds()
        for _ in range(MAX_REDIRECTS + 1):
            target = _parsed(url)
            async with self.rate_limits.slot(target.host, interval=request.interval.total_seconds()):
                began = time.monotonic()
                async with asyncio.timeout(left), self._asked(request, target, headers, trail) as answer:
                    if answer.status in OVERLOADED:
                        self.rate_limits.pause(target.host, _rest(answer))
                    location = answer.headers.get("Location")
                    if answer.status not in REDIRECTS or not location or request.content is not None:
                        return await _read(answer, url, request, moved_to)
                left -= time.monotonic() - began
            following = _without(_joined(url, location), request.secret_query)
            is_permanent = is_permanent and answer.status in PERMANENT
            moved_to = following if is_permanent else moved_to
            if _parsed(following).host != target.host:
                headers = {name: value for name, value in headers.items() if name.lower() not in PRIVATE_HEADERS}
            url = following
        raise FetchFailed(f"{request.url} redirects more than {MAX_REDIRECTS} times", health="http_error")

    def _asked(self, request: Request, target: can_ada.URL, headers: Mapping[str, str], trail: SimpleNamespace) -> Any:
        """The request for one hop; secrets go to the first host only."""
        path = f"{target.pathname}{target.search}"
        if target.href == _parsed(request.url).href:
            path = f"{target.pathname}{request.secret_path}{_query(target.search, request.secret_query)}"
        more: dict[str, str] = {}
        if request.connect_to is not None:
            session, base = self._private, f"http://{request.connect_to}"
            more = {"Host": target.host}
        elif self._may_be_private(target, request.private_host):
            session, base = self._private, f"{target.protocol}//{target.host}"
        else:
            _refuse_private(target)
            session, base = self._public, f"{target.protocol}//{target.host}"
        return session.request(
            request.method,
            URL(f"{base}{path}", encoded=True),
            headers={**headers, **more},
            json=request.json,
            data=request.form if request.content is None else request.content,
            allow_redirects=False,
            trace_request_ctx=trail,
        )

    def _may_be_private(self, target: can_ada.URL, private_host: str | None) -> bool:
        names = {target.host.lower(), target.hostname.lower()}
        return bool(names & self._allowed) or private_host == urls.host_and_port(target.href)


def _is_secret(request: Request) -> bool:
    return bool(request.secret_path or request.secret_query)


def _failed(request: Request, error: Exception) -> FetchFailed:
    if isinstance(error.__cause__, FetchFailed):
        return error.__cause__
    if isinstance(error, TimeoutError):
        seconds = request.deadline.total_seconds()
        return FetchFailed(f"{request.url} did not answer within {seconds:.0f} seconds", health="timeout")
    told = _told(error, is_secret=_is_secret(request))
    return FetchFailed(f"{request.url} could not be fetched: {told}", health="unreachable")


def _told(error: Exception, *, is_secret: bool) -> str:
    """What went wrong with a connection, for people; of a secret address nothing that may repeat it."""
    match error:
        case aiohttp.ClientConnectorDNSError():
            return f"nobody knows the name {error.host}"
        case aiohttp.ClientSSLError() | ssl.SSLError():
            return f"its certificate or encryption is not in order ({str(error)[:200]})"
        case aiohttp.ClientConnectorError():
            return f"nobody answers at {error.host}:{error.port}"
        case aiohttp.ServerDisconnectedError() | ConnectionError():
            return "it hung up"
        case aiohttp.ClientPayloadError():
            return "it hung up in the middle of its answer"
    said = "" if is_secret else f" ({(str(error) or type(error).__name__)[:200]})"
    return f"it does not speak HTTP{said}"


def _query(search: str, secret: str) -> str:
    if not secret:
        return search
    return f"{search}&{secret}" if search else f"?{secret}"


def _without(url: str, secret: str) -> str:
    """The address without the secret, which a redirect may repeat."""
    return url.replace(f"&{secret}", "").replace(secret, "") if secret else url


def _parsed(url: str) -> can_ada.URL:
    try:
        parsed = can_ada.parse(url)
    except (ValueError, TypeError) as error:
        raise FetchFailed(f"{url[:200]!r} is not an address", health="refused_address") from error
    if parsed.protocol not in {"http:", "https:"} or not parsed.hostname:
        raise FetchFailed(f"{url[:200]!r} is not an http or https address", health="refused_address")
    return parsed


def _joined(url: str, location: str) -> str:
    try:
        joined = can_ada.parse(urljoin(url, location))
    except (ValueError, TypeError) as error:
        raise FetchFailed(f"{url} redirects to {location[:200]!r}, which is no address", health="http_error") from error
    return str(joined.href)


def _refuse_private(target: can_ada.URL) -> None:
    """An address in place of a name never meets the resolver, so it is looked at here."""
    try:
        is_open = is_public(target.hostname.strip("[]"))
    except ValueError:
        return  # a name: the resolver checks what it leads to
    if not is_open:
        raise FetchFailed(f"{target.hostname} is a private address, which is refused", health="refused_address")


def _rest(answer: aiohttp.ClientResponse) -> timedelta:
    asked = retry_after.retry_after(answer.headers.get("Retry-After"), now=datetime.now(UTC))
    return SHORT_REST if asked is None else asked


def response_failure(answer: Response, *, now: datetime) -> FetchFailed:
    """What an answer that brings nothing means for the next try."""
    is_too_much = answer.status == TOO_MANY
    asked = answer.headers.get("Retry-After") or (answer.headers.get("X-RateLimit-Reset") if is_too_much else None)
    after = retry_after.retry_after(asked, now=now)
    return FetchFailed(
        f"{answer.url} answered {answer.status}",
        health="gone" if answer.status == GONE else "http_error",
        status=answer.status,
        after=after,
    )


async def _read(answer: aiohttp.ClientResponse, url: str, request: Request, moved_to: str | None) -> Response:
    try:
        body = decoding.DecodedBody(answer.headers.get("Content-Encoding", ""), max_bytes=request.max_bytes)
        async for chunk in answer.content.iter_any():
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
    headers = CIMultiDict(answer.headers)
    return Response(status=answer.status, url=url, headers=headers, body=content, moved_to=moved_to)


@asynccontextmanager
async def open_client(allowed: Iterable[str] = (), *, contact: str = "") -> AsyncIterator[Client]:
    """The client; `allowed` names private hosts (host or host:port) that may be asked, `contact` says who asks."""
    agent = f"{USER_AGENT}; {contact})" if contact else f"{USER_AGENT})"
    async with _session(agent, GuardedResolver()) as public, _session(agent, ThreadedResolver()) as private:
        yield Client(public, private, allowed=allowed)


async def _note_written(_session: aiohttp.ClientSession, context: SimpleNamespace, _params: Any) -> None:
    context.trace_request_ctx.is_written = True


def _session(agent: str, resolver: AbstractResolver) -> aiohttp.ClientSession:
    tracing = aiohttp.TraceConfig()
    tracing.on_request_headers_sent.append(_note_written)  # comes when there is a connection, before the first byte
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(resolver=resolver, use_dns_cache=False, limit=MAX_AT_ONCE),
        trust_env=False,
        auto_decompress=False,
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"User-Agent": agent, "Accept-Encoding": decoding.OFFERED},
        timeout=aiohttp.ClientTimeout(total=None),  # the deadline is set around all hops
        max_line_size=MAX_HEADER_BYTES,
        max_field_size=MAX_HEADER_BYTES,
        trace_configs=[tracing],
    )
