"""A scripted web: any host and path, with what it answers and a record of who asked when."""

from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from builders import BODY
from scoop import pipeline, worker
from scoop.app import App
from scoop.archive.objects import Archive
from scoop.cli.progress import Silent
from scoop.config import Config
from scoop.core.handover_modes import Modes
from scoop.fetch.client import open_client
from scoop.fetch.sandbox import open_sandbox
from scoop.model import SourceSettings
from scoop.plugin_settings import NO_SETTINGS, PluginSettings
from scoop.serve import serving
from scoop.stages import stage as stage_loop
from scoop.stages.stage import Worker
from scoop.store import sources, work
from scoop.store.db import Database

Answer = Response | Callable[[Request], Response]
ARTICLE = f"<html><head><title>Bridge closed</title></head><body><article><h1>Bridge closed</h1><p>{'</p><p>'.join([BODY] * 6)}</p></article></body></html>"  # noqa: E501


@dataclass
class Web:
    """Answers by URL; what is not there is a 404. `asked` are the requests of each URL, in order."""

    answers: dict[str, Answer] = field(default_factory=dict)
    asked: dict[str, list[Request]] = field(default_factory=lambda: defaultdict(list))
    address: str = ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        url = f"http://{request.headers['host']}{scope['path']}"
        self.asked[url].append(request)
        answer = self.answers.get(url, Response(status_code=404))
        response = answer(request) if callable(answer) and not isinstance(answer, Response) else answer
        await response(scope, receive, send)

    def source(self, url: str = "http://tribune.example/feed", **changes: Any) -> SourceSettings:
        options = {"connect_to": self.address} | changes.pop("options", {})
        given = {
            "slug": "tribune",
            "name": "Tribune",
            "kind": "rss",
            "collection": "world_news",
            "base_url": url,
            "options": options,
            "request_interval_ms": 0,
        }
        return SourceSettings(**(given | changes))


@asynccontextmanager
async def open_web(**answers: Answer) -> AsyncIterator[Web]:
    web = Web()
    async with serving(web) as url:
        web.address = url.removeprefix("http://")
        yield web


def a_feed(*titles: str, body: str = BODY * 8, **headers: str) -> Response:
    """An RSS feed of items with these titles; `body` is long enough to be the whole article."""
    items = "".join(
        f"<item><title>{title}</title><link>http://tribune.example/{title.replace(' ', '-')}</link>"
        f"<guid>{title}</guid><description>{body}</description></item>"
        for title in titles
    )
    text = f'<rss version="2.0"><channel><title>Tribune</title>{items}</channel></rss>'
    return Response(text, media_type="application/rss+xml", headers=headers)


@dataclass
class Desk:
    """The stages at work on one database; `archive` keeps what they archive."""

    database: Database
    app: App
    archive: Archive

    async def add(self, *settings: SourceSettings) -> None:
        async with self.database.connection() as conn:
            for each in settings:
                await sources.put(conn, each)

    async def visit(self, *slugs: str, force: bool = False) -> None:
        """Visit sources now, whether they are due or not."""
        async with self.database.connection() as conn:
            await sources.enqueue_now(conn, await sources.list_ids(conn, slugs or None), force=force)
            member = Worker(await work.register_worker(conn), conn)
            while await stage_loop.run_batch(self.app.stages[0], member):
                pass

    async def run(self) -> None:
        """All that is due, through all stages."""
        import asyncio

        await worker.run(self.app, stop=asyncio.Event(), until_idle=True, report=Silent())

    async def rows(self, query: str, *values: Any) -> list[dict[str, Any]]:
        async with self.database.connection() as conn:
            return [dict(row) for row in await conn.fetch(query, *values)]

    async def state(self, slug: str = "tribune") -> dict[str, Any]:
        return (await self.rows("SELECT * FROM sources WHERE slug = $1", slug))[0]


@asynccontextmanager
async def open_desk(
    database: Database,
    folder: Any,
    *,
    force: bool = False,
    settings: PluginSettings = NO_SETTINGS,
    allowed: Iterable[str] = (),
) -> AsyncIterator[Desk]:
    """The stages; `allowed` is the setting allow_private."""
    async with open_client(allowed) as client, open_sandbox() as sandbox:
        archive = Archive.open(str(folder), credentials={})
        stages = pipeline.stages(client, archive, sandbox, secrets={}, settings=settings, force=force)
        app = App(
            config=Config(),
            database=database,
            archive=archive,
            stages=stages,
            jobs=pipeline.periodic_jobs(stages, archive, modes=Modes(), timezone="UTC"),
            modes=Modes(),
            channels={},
        )
        yield Desk(database=database, app=app, archive=archive)
