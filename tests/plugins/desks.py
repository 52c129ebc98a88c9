"""A desk from which kinds of sources visit a server on the loopback address, through the real client."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from newsstand_builders import ANCHOR, Clock
from starlette.applications import Starlette
from starlette.responses import Response

from scoop import plugins, sources
from scoop.fetch.client import Client, open_client
from scoop.fetch.robots import RobotsFiles
from scoop.fetch.sandbox import Sandbox
from scoop.model import Source
from scoop.serve import serving
from scoop.sources import Harvest, Visit

SANDBOX = Sandbox()  # one for all tests: to start it takes a second


def a_source(kind: str, **given: Any) -> Source:
    defaults = {
        "source_id": 1,
        "slug": "tried",
        "name": "Tried",
        "collection": "ai_news",
        "base_url": plugins.discover(sources)[kind].base_url or "http://nowhere.example/",
        "request_interval_ms": 0,
        "next_visit_at": ANCHOR,
        "health_since": ANCHOR,
    }
    return Source(kind=kind, **(defaults | given))


@dataclass(frozen=True, kw_only=True)
class Desk:
    """Visits by kind; `address` is who is asked, whatever the host."""

    address: str
    client: Client
    clock: Clock = field(default_factory=Clock)
    app: Starlette | None = None

    def visit(
        self,
        kind: str,
        options: Mapping[str, Any] | None = None,
        *,
        checkpoint: Mapping[str, Any] | None = None,
        secrets: Mapping[str, str] | None = None,
        **source: Any,
    ) -> Visit:
        return Visit(
            source=a_source(kind, options={"connect_to": self.address, **(options or {})}, **source),
            checkpoint=checkpoint or {},
            now=self.clock(),
            client=self.client,
            robots=RobotsFiles(),
            sandbox=SANDBOX,
            secrets=secrets or {},
        )

    async def fetch(self, kind: str, options: Mapping[str, Any] | None = None, **more: Any) -> Harvest:
        return await plugins.discover(sources)[kind]().fetch(self.visit(kind, options, **more))

    def asked(self, host: str = "") -> list[str]:
        """The paths that the newsstand was asked for, at this host."""
        return [visit.path for visit in self.app.state.requests if host in visit.host]


Script = Callable[[str], tuple[int, bytes]]
"""What a server answers for a path: the status and the body."""


@asynccontextmanager
async def answering(script: Script) -> AsyncIterator[Desk]:
    """A desk at a server that answers by script, whatever it is asked."""

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        path = scope["path"] + ("?" + scope["query_string"].decode() if scope["query_string"] else "")
        status, body = script(path)
        await Response(body, status)(scope, receive, send)

    async with serving(answer) as url, open_client() as client:
        yield Desk(address=url.removeprefix("http://"), client=client)
