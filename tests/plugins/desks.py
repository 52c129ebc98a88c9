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
from scoop.plugin_settings import PluginSettings
from scoop.serve import serving
from scoop.sources import Harvest, SourcePlugin, Visit

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

    def plugin(
        self, kind: str, options: Mapping[str, Any] | None = None, secrets: Mapping[str, str] | None = None
    ) -> SourcePlugin:
        """A kind of source, made as the program makes it; `secrets` are set by the operator."""
        settings = PluginSettings(tables={"sources": {kind: dict(secrets or {})}})
        made: SourcePlugin = plugins.makers(sources, settings)[kind]({"connect_to": self.address, **(options or {})})
        return made

    def visit(self, plugin: SourcePlugin, *, checkpoint: Mapping[str, Any] | None = None, **source: Any) -> Visit:
        return Visit(
            source=a_source(plugin.name, **source),
            options=plugin.options,
            checkpoint=checkpoint or {},
            now=self.clock(),
            client=self.client,
            robots=RobotsFiles(),
            sandbox=SANDBOX,
        )

    async def fetch(
        self,
        kind: str,
        options: Mapping[str, Any] | None = None,
        *,
        secrets: Mapping[str, str] | None = None,
        **more: Any,
    ) -> Harvest:
        plugin = self.plugin(kind, options, secrets)
        return await plugin.fetch(self.visit(plugin, **more))

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
