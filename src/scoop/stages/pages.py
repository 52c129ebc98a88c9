"""The pages of articles are read where a source brought only a teaser."""

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
from scoop.fetch.robots import RobotsFiles
from scoop.fetch.sandbox import Sandbox, SandboxExceeded
from scoop.model import ArticlePage
from scoop.stage_names import StageName
from scoop.stages.stage import Outcome, Stage
from scoop.store import article_pages, hosts
from scoop.store.article_pages import FetchedPage, PageRequest
from scoop.store.db import Connection
from scoop.store.work import Subject

log = structlog.get_logger()

MAX_PAGE_BYTES = 5 << 20
TRIES = 3  # then the document is made without its page
FETCHED = 200
RETRIED = frozenset({429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True, kw_only=True)
class PageStage:
    """Reads pages through one client."""

    client: Client
    archive: Archive
    sandbox: Sandbox
    clock: Callable[[], datetime]
    robots: RobotsFiles = field(default_factory=RobotsFiles)

    async def load(self, conn: Connection, ids: Sequence[int]) -> dict[int, PageRequest]:
        wanted = await article_pages.list_requests(conn, ids)
        origins = {robots.origin(page.url) for page in wanted.values()}
        self.robots.remember(await hosts.list_robots_files(conn, list(origins)))
        return wanted

    async def work(self, wanted: Mapping[int, PageRequest]) -> Outcome[list[FetchedPage]]:
        found = await asyncio.gather(*(self._read(page) for page in wanted.values()))
        return Outcome(
            output=[page for page in found if isinstance(page, FetchedPage)],
            failures={
                arrival_id: page
                for arrival_id, page in zip(wanted, found, strict=True)
                if isinstance(page, FetchFailed)
            },
        )

    async def _read(self, wanted: PageRequest) -> FetchedPage | FetchFailed:
        """What the page says; a failure only while it is worth another try."""
        now = self.clock()
        try:
            answer = await self._fetched(wanted, now=now)
        except FetchFailed as failed:
            if _may_pass(failed) and wanted.attempts + 1 < TRIES:
                return failed
            return FetchedPage(
                raw_arrival_id=wanted.raw_arrival_id, url=wanted.url, page=ArticlePage(problem=failed.health)
            )
        page = await self._extracted(answer)
        key = await self._archived(wanted, answer, now=now)
        return FetchedPage(raw_arrival_id=wanted.raw_arrival_id, url=answer.url, page=page, archive_key=key)

    async def _fetched(self, wanted: PageRequest, *, now: datetime) -> Response:
        request = Request(
            url=wanted.url,
            connect_to=kinds.shared_options(wanted.options).connect_to,
            typed_url=wanted.source_url,
            max_bytes=MAX_PAGE_BYTES,
            interval=timedelta(milliseconds=wanted.request_interval_ms),
        )
        rules = await self.robots.check(self.client, request, now=now)
        if rules.crawl_delay:
            request = replace(request, interval=max(request.interval, timedelta(seconds=rules.crawl_delay)))
        answer = await self.client.send(request)
        if answer.status != FETCHED:
            raise response_failure(answer, now=now)
        return answer

    async def _extracted(self, answer: Response) -> ArticlePage:
        try:
            return await self.sandbox.run(_extract, answer.body, answer.url, answer.headers.get("Content-Type", ""))
        except SandboxExceeded as error:
            log.warning("page not read", url=answer.url, reason=str(error))
            return ArticlePage(problem="too_complex")

    async def _archived(self, wanted: PageRequest, answer: Response, *, now: datetime) -> str | None:
        article = documents.article_id(urls.canonical_url(wanted.url))
        key = archives.raw_html_key(wanted.source, now.date(), article)
        try:
            await self.archive.put(key, answer.body, source_url=answer.url, content_type="text/html")
        except ScoopError as error:
            log.warning("page not archived", url=answer.url, error=str(error))
            return None
        return key

    async def save(self, conn: Connection, read: Sequence[FetchedPage]) -> Sequence[Subject]:
        await article_pages.put(conn, read)
        await hosts.put_robots_files(conn, self.robots.learned())
        return [Subject(page.raw_arrival_id) for page in read]


def _extract(body: bytes, url: str, content_type: str) -> ArticlePage:
    from scoop.fetch import articles  # heavy, and needed only in the sandbox

    return articles.extract(body, url=url, content_type=content_type)


def _may_pass(failed: FetchFailed) -> bool:
    return failed.health in health.PASSING or (failed.status or 0) in RETRIED


def stage(client: Client, archive: Archive, sandbox: Sandbox, *, then: tuple[StageName, ...]) -> Stage[Any, Any]:
    reader = PageStage(client=client, archive=archive, sandbox=sandbox, clock=lambda: datetime.now(UTC))
    return Stage(
        name=StageName.PAGES, load=reader.load, work=reader.work, save=reader.save, then=then, batch=32, waits=True
    )
