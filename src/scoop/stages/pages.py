"""The pages stage: fetches the article pages of arrivals that have only a teaser."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import structlog

from scoop import sources as kinds
from scoop.archive import objects as archives
from scoop.archive.objects import Archive
from scoop.core import documents, health, urls
from scoop.errors import FetchFailed, ScoopError
from scoop.fetch import robots
from scoop.fetch.client import Client, Request, Response, response_failure
from scoop.fetch.rate_limits import MAX_AT_ONCE_PER_HOST
from scoop.fetch.robots import RobotsFiles
from scoop.fetch.sandbox import Sandbox, SandboxExceeded
from scoop.model import ArticlePage, RobotsFile
from scoop.stage_names import StageName
from scoop.stages.stage import Outcome, Stage
from scoop.store import article_pages, hosts
from scoop.store.article_pages import FetchedPage, PageRequest
from scoop.store.db import Connection
from scoop.store.work import Subject

log = structlog.get_logger()

MAX_PAGE_BYTES = 5 << 20
MAX_TRIES = 3  # then the document keeps its teaser
OK = 200
PARALLEL = 48  # pages that a process reads at once; the client has 64 slots, and feeds need some of them
RETRIED = frozenset({429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True, kw_only=True)
class PageBatch:
    """The pages to fetch, by arrival, and the stored robots.txt of their sites."""

    request_by_arrival: Mapping[int, PageRequest]
    robots_files: Sequence[RobotsFile]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageResult:
    """The pages, and the robots.txt files that were fetched for them."""

    pages: Sequence[FetchedPage]
    robots_files: Sequence[RobotsFile]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageStage:
    """Fetches pages through one client and extracts their articles in the sandbox."""

    client: Client
    archive: Archive
    sandbox: Sandbox
    clock: Callable[[], datetime]
    robots: RobotsFiles = field(default_factory=RobotsFiles)

    async def load(self, conn: Connection, ids: Sequence[int]) -> PageBatch:
        requests = await article_pages.list_requests(conn, ids)
        origins = {robots.origin(request.url) for request in requests.values()}
        robots_files = await hosts.list_robots_files(conn, list(origins))
        return PageBatch(request_by_arrival=requests, robots_files=robots_files)

    async def work(self, batch: PageBatch) -> Outcome[PageResult]:
        self.robots.remember(batch.robots_files)
        results = await asyncio.gather(*(self._read(request) for request in batch.request_by_arrival.values()))
        by_arrival = dict(zip(batch.request_by_arrival, results, strict=True))
        return Outcome(
            output=PageResult(
                pages=[result for result in results if isinstance(result, FetchedPage)],
                robots_files=self.robots.learned(),
            ),
            failures={
                arrival_id: result for arrival_id, result in by_arrival.items() if isinstance(result, FetchFailed)
            },
        )

    async def _read(self, request: PageRequest) -> FetchedPage | FetchFailed:
        """The page; a failure only if another try is worthwhile."""
        now = self.clock()
        try:
            response = await self._fetch(request, now=now)
        except FetchFailed as failed:
            if _may_pass(failed) and request.attempts + 1 < MAX_TRIES:
                return failed
            problem = ArticlePage(problem=failed.health)
            return FetchedPage(raw_arrival_id=request.raw_arrival_id, url=request.url, page=problem)
        page = await self._extract(response)
        key = await self._archive(request, response, now=now)
        return FetchedPage(raw_arrival_id=request.raw_arrival_id, url=response.url, page=page, archive_key=key)

    async def _fetch(self, page: PageRequest, *, now: datetime) -> Response:
        request = Request(
            url=page.url,
            connect_to=kinds.shared_options(page.options).connect_to,
            typed_url=page.source_url,
            max_bytes=MAX_PAGE_BYTES,
            interval=timedelta(milliseconds=page.request_interval_ms),
        )
        rules = await self.robots.check(self.client, request, now=now)
        if rules.crawl_delay:
            request = replace(request, interval=max(request.interval, timedelta(seconds=rules.crawl_delay)))
        response = await self.client.send(request)
        if response.status != OK:
            raise response_failure(response, now=now)
        return response

    async def _extract(self, response: Response) -> ArticlePage:
        content_type = response.headers.get("Content-Type", "")
        try:
            return await self.sandbox.run(_extracted, response.body, response.url, content_type)
        except SandboxExceeded as error:
            log.warning("page not read", url=response.url, reason=str(error))
            return ArticlePage(problem="too_complex")

    async def _archive(self, request: PageRequest, response: Response, *, now: datetime) -> str | None:
        article = documents.article_id(urls.canonical_url(request.url))
        key = archives.raw_html_key(request.source, now.date(), article)
        try:
            await self.archive.put(key, response.body, source_url=response.url, content_type="text/html")
        except ScoopError as error:
            log.warning("page not archived", url=response.url, error=str(error))
            return None
        return key

    async def save(self, conn: Connection, result: PageResult) -> Sequence[Subject]:
        await article_pages.put(conn, result.pages)
        await hosts.put_robots_files(conn, result.robots_files)
        return [Subject(page.raw_arrival_id) for page in result.pages]


def _extracted(body: bytes, url: str, content_type: str) -> ArticlePage:
    from scoop.fetch import articles  # slow to import, and needed only in the sandbox

    return articles.extract(body, url=url, content_type=content_type)


def _may_pass(failed: FetchFailed) -> bool:
    return failed.health in health.PASSING or (failed.status or 0) in RETRIED


def stage(client: Client, archive: Archive, sandbox: Sandbox, *, then: tuple[StageName, ...]) -> Stage[Any, Any]:
    reader = PageStage(client=client, archive=archive, sandbox=sandbox, clock=lambda: datetime.now(UTC))
    return Stage(
        name=StageName.PAGES,
        load=reader.load,
        work=reader.work,
        save=reader.save,
        then=then,
        batch=1,
        waits=True,
        parallel=PARALLEL,
        parallel_per_lane=MAX_AT_ONCE_PER_HOST,
    )
