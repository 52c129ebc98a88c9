"""The one way out: every request of Scoop goes through this client."""

import asyncio
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urljoin

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from scoop import __version__
from scoop.errors import Reject, Retry
from scoop.fetch.addresses import is_public

USER_AGENT = f"Scoop/{__version__} (self-hosted news desk)"
MAX_BODY_BYTES = 15 << 20
MAX_REDIRECTS = 5
DEADLINE_SECONDS = 30.0
REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    status: int
    url: str
    headers: Mapping[str, str]
    body: bytes


class GuardedResolver(AbstractResolver):
    """Resolves names to public addresses only; what was checked is what is connected to."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, family=family, type=socket.SOCK_STREAM)
        addresses = [(entry[4][0], entry[0]) for entry in found]
        if not all(is_public(str(address)) for address, _ in addresses):
            raise Reject(f"{host} leads to a private address, which is refused")
        return [_result(host, str(address), port, kind) for address, kind in addresses]

    async def close(self) -> None:
        """Nothing to close."""


def _result(host: str, address: str, port: int, family: int) -> ResolveResult:
    return ResolveResult(hostname=host, host=address, port=port, family=family, proto=0, flags=socket.AI_NUMERICHOST)


class Client:
    """GET with caps on size, time and redirects; never to a private address."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    async def get(
        self, url: str, *, headers: Mapping[str, str] | None = None, connect_to: str | None = None
    ) -> Response:
        """The answer after redirects; Retry for what may pass, Reject for what must not be fetched.

        `connect_to` is an address, as 127.0.0.1:8788, that the operator named for a source: it stands for every host.
        """
        try:
            async with asyncio.timeout(DEADLINE_SECONDS):
                return await self._follow(url, headers or {}, connect_to)
        except TimeoutError as error:
            raise Retry(f"{url} did not answer within {DEADLINE_SECONDS:.0f} seconds") from error
        except aiohttp.ClientError as error:
            if isinstance(refusal := error.__cause__, Reject):
                raise refusal from error
            raise Retry(f"{url} could not be fetched: {error}") from error

    async def _follow(self, url: str, headers: Mapping[str, str], connect_to: str | None) -> Response:
        for _ in range(MAX_REDIRECTS + 1):
            target, host = (_target(url), {}) if connect_to is None else _redirected(url, connect_to)
            async with self._session.get(target, headers={**headers, **host}, allow_redirects=False) as answer:
                if answer.status not in REDIRECTS or "Location" not in answer.headers:
                    return await _read(answer, url)
                url = urljoin(url, answer.headers["Location"])
        raise Retry(f"{url} redirects more than {MAX_REDIRECTS} times")


def _target(url: str) -> URL:
    """The address to ask, unless it is one that must not be asked."""
    parsed = _parsed(url)
    try:
        is_open = is_public(str(parsed.host))
    except ValueError:
        return parsed  # a name: the resolver checks what it leads to
    if not is_open:
        raise Reject(f"{parsed.host} is a private address, which is refused")
    return parsed


def _redirected(url: str, connect_to: str) -> tuple[URL, dict[str, str]]:
    parsed = _parsed(url)
    return URL(f"http://{connect_to}{parsed.raw_path_qs}", encoded=True), {"Host": str(parsed.host)}


def _parsed(url: str) -> URL:
    try:
        parsed = URL(url)
    except ValueError as error:
        raise Reject(f"{url} is not an address: {error}") from error
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise Reject(f"{url} is not an http or https address")
    return parsed


async def _read(answer: aiohttp.ClientResponse, url: str) -> Response:
    body = bytearray()
    async for chunk in answer.content.iter_chunked(1 << 16):
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise Retry(f"{url} is larger than {MAX_BODY_BYTES >> 20} MiB")
    return Response(status=answer.status, url=url, headers=dict(answer.headers), body=bytes(body))


@asynccontextmanager
async def open_client() -> AsyncIterator[Client]:
    connector = aiohttp.TCPConnector(resolver=GuardedResolver(), use_dns_cache=False, limit=64, limit_per_host=2)
    async with aiohttp.ClientSession(
        connector=connector,
        trust_env=False,
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"User-Agent": USER_AGENT, "Accept-Encoding": "gzip, deflate"},
    ) as session:
        yield Client(session)
