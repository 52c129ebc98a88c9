"""The robots.txt of every site: fetched before the first page, and cached for a day."""

import asyncio
from collections.abc import Iterable
from datetime import datetime, timedelta

import can_ada

from scoop.core import robots
from scoop.core.robots import Robots
from scoop.errors import FetchFailed
from scoop.fetch.client import PRODUCT, Client, Request
from scoop.model import RobotsFile

KEPT_FOR = timedelta(hours=24)
KEPT_WHEN_UNREACHABLE = timedelta(hours=1)
MAX_REMEMBERED = 5_000


class RobotsFiles:
    """Cached robots.txt files; `learned` gives the ones that were fetched since the last call, to be stored."""

    def __init__(self) -> None:
        self._file_by_origin: dict[str, RobotsFile] = {}
        self._rules_by_origin: dict[str, Robots] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._learned: dict[str, RobotsFile] = {}

    def remember(self, files: Iterable[RobotsFile]) -> None:
        """Add files that were stored earlier."""
        for file in files:
            cached = self._file_by_origin.get(file.origin)
            if cached is None or cached.fetched_at < file.fetched_at:
                self._keep(file)

    def learned(self) -> list[RobotsFile]:
        """The files that were fetched since the last call."""
        files, self._learned = list(self._learned.values()), {}
        return files

    async def check(self, client: Client, request: Request, *, now: datetime) -> Robots:
        """The rules of the site; FetchFailed if they forbid this request."""
        parsed = can_ada.parse(request.url)
        rules = await self.rules(client, request, now=now)
        if not rules.allows(f"{parsed.pathname}{parsed.search}"):
            file = self._file_by_origin[origin(request.url)]
            why = "cannot be reached" if rules is robots.NOTHING else "forbids it"
            wait = KEPT_WHEN_UNREACHABLE if rules is robots.NOTHING else KEPT_FOR
            raise FetchFailed(f"{request.url}: {file.origin}/robots.txt {why}", health="robots", after=wait)
        return rules

    async def rules(self, client: Client, request: Request, *, now: datetime) -> Robots:
        site = origin(request.url)
        async with self._locks.setdefault(site, asyncio.Lock()):
            cached = self._file_by_origin.get(site)
            if cached is None or not _is_fresh(cached, now=now):
                self._keep(file := await _fetch(client, request, site, now=now))
                self._learned[site] = file
        return self._rules_by_origin[site]

    def _keep(self, file: RobotsFile) -> None:
        if len(self._file_by_origin) >= MAX_REMEMBERED:
            self._file_by_origin.clear()
            self._rules_by_origin.clear()
            self._locks.clear()
        self._file_by_origin[file.origin] = file
        self._rules_by_origin[file.origin] = _rules(file)


def _rules(file: RobotsFile) -> Robots:
    """RFC 9309: a missing file allows everything, a server error forbids everything."""
    if file.status is None or file.status >= 500:
        return robots.NOTHING
    return robots.parse(file.text, crawler=PRODUCT) if file.status < 300 else robots.EVERYTHING


def _is_fresh(file: RobotsFile, *, now: datetime) -> bool:
    is_reached = file.status is not None and file.status < 500
    return now - file.fetched_at < (KEPT_FOR if is_reached else KEPT_WHEN_UNREACHABLE)


async def _fetch(client: Client, request: Request, site: str, *, now: datetime) -> RobotsFile:
    robots_request = Request(
        url=f"{site}/robots.txt",
        connect_to=request.connect_to,
        private_host=request.private_host,
        typed_url=request.typed_url,
        interval=request.interval,
        max_bytes=robots.MAX_BYTES,
        cut=True,
    )
    try:
        response = await client.send(robots_request)
    except FetchFailed as failed:
        if failed.health != "http_error":
            raise  # the site is unreachable or refused: that is the error to report, not the missing file
        return RobotsFile(origin=site, status=None, text="", fetched_at=now)
    text = response.body.decode("utf-8", "replace").replace("\0", "")
    return RobotsFile(origin=site, status=response.status, text=text, fetched_at=now)


def origin(url: str) -> str:
    """The scheme, host and port whose robots.txt applies to a URL."""
    return str(can_ada.parse(url).origin)
