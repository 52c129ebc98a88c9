"""A desk from which kinds of sources visit the newsstand, through the real client."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from newsstand_builders import ANCHOR, Clock
from starlette.applications import Starlette
from starlette.responses import Response

from scoop import plugins, sources
from scoop.fetch.chamber import Chamber
from scoop.fetch.client import Client, open_client
from scoop.fetch.robots import RobotsFiles
from scoop.model import Source
from scoop.newsstand import server, world
from scoop.serving import serving
from scoop.sources import Harvest, Visit


def a_source(kind: str, **given: Any) -> Source:
    defaults = {
        "source_id": 1, "slug": "tried", "name": "Tried", "collection": "ai_news",
        "base_url": plugins.discover(sources)[kind].base_url or "http://nowhere.example/",
        "request_interval_ms": 0, "next_visit_at": ANCHOR, "health_since": ANCHOR,
    }  # fmt: skip
    return Source(kind=kind, **(defaults | given))


@dataclass(frozen=True, kw_only=True)
class Desk:
    """Visits by kind; `address` is who is asked, whatever the host."""

    address: str
    client: Client
    clock: Clock = field(default_factory=Clock)
    app: Starlette | None = None

    def visit(
        self, kind: str, options: Mapping[str, Any] | None = None, *, checkpoint: Mapping[str, Any] | None = None,
        secrets: Mapping[str, str] | None = None, **source: Any,
    ) -> Visit:  # fmt: skip
        return Visit(
            source=a_source(kind, options={"connect_to": self.address, **(options or {})}, **source),
            checkpoint=checkpoint or {}, now=self.clock(), client=self.client, robots=RobotsFiles(),
            chamber=Chamber(), secrets=secrets or {},
        )  # fmt: skip

    async def fetch(self, kind: str, options: Mapping[str, Any] | None = None, **more: Any) -> Harvest:
        return await plugins.discover(sources)[kind]().fetch(self.visit(kind, options, **more))

    def asked(self, host: str = "") -> list[str]:
        """The paths that the newsstand was asked for, at this host."""
        return [visit.path for visit in self.app.state.requests if host in visit.host]


@pytest.fixture(scope="session")
def shipped() -> world.World:
    return world.load(world.SHIPPED)


@pytest.fixture
async def desk(shipped) -> AsyncIterator[Desk]:
    """A desk at the newsstand, on which it is always noon until the clock is turned."""
    clock = Clock()
    app = server.create_app(shipped, ANCHOR, clock)
    async with serving(app) as url, open_client() as client:
        yield Desk(address=url.removeprefix("http://"), client=client, clock=clock, app=app)


Script = Callable[[str], tuple[int, bytes]]
"""What a server answers for a path: the status and the body."""


@pytest.fixture
def answering() -> Callable[[Script], AbstractAsyncContextManager[Desk]]:
    """A desk at a server that answers by script, whatever it is asked."""

    @asynccontextmanager
    async def at(script: Script) -> AsyncIterator[Desk]:
        async def answer(scope: Any, receive: Any, send: Any) -> None:
            path = scope["path"] + ("?" + scope["query_string"].decode() if scope["query_string"] else "")
            status, body = script(path)
            await Response(body, status)(scope, receive, send)

        async with serving(answer) as url, open_client() as client:
            yield Desk(address=url.removeprefix("http://"), client=client)

    return at
