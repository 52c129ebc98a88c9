"""The newsstand over HTTP: every site under its host name and, for a plain browser, under its path."""

import importlib
import pkgutil
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from http import HTTPStatus
from typing import cast

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Host, Mount, Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scoop.newsstand import pages
from scoop.newsstand import sites as site_modules
from scoop.newsstand.context import SiteContext
from scoop.newsstand.discord.limits import DiscordLimits
from scoop.newsstand.discord.state import Discord
from scoop.newsstand.index import Front
from scoop.newsstand.model_replies import ModelCalls
from scoop.newsstand.world import World

VISITS_MAX = 10_000
MARK = "x-newsstand"  # header that identifies this server, should another one listen on its port


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestLogLine:
    """One line of the request log."""

    path: str
    host: str
    status: int


def create_app(world: World, anchor: datetime, clock: Callable[[], datetime]) -> Starlette:
    """The newsstand as an ASGI app.

    `app.state.requests` has the latest requests, `app.state.discord` the messages, `app.state.models` the completions.
    """
    discord = Discord(clock=clock, limits=DiscordLimits(clock=clock))
    context = SiteContext(world=world, anchor=anchor, clock=clock, discord=discord, models=ModelCalls())
    sites = _sites(context)
    visits: deque[RequestLogLine] = deque(maxlen=VISITS_MAX)
    app = Starlette(
        routes=[
            *(Host(host, site) for host, site in sites.items()),
            *(Mount(f"/{host}", site) for host, site in sites.items()),
            *Front(context=context).routes(),
        ],
        middleware=[Middleware(VisitorsBook, visits=visits)],
        exception_handlers={
            status: partial(_error_page, status) for status in (HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND)
        },
    )
    app.state.requests = visits
    app.state.discord = discord
    app.state.models = context.models
    return app


class VisitorsBook:
    """Logs every answered request."""

    def __init__(self, app: ASGIApp, visits: deque[RequestLogLine]) -> None:
        self.app = app
        self.visits = visits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def note(message: Message) -> None:
            if message["type"] == "http.response.start":
                host = Headers(scope=scope).get("host", "")
                self.visits.append(RequestLogLine(path=scope["path"], host=host, status=message["status"]))
                message["headers"] = [*message["headers"], (MARK.encode(), b"scoop")]
            await send(message)

        await self.app(scope, receive, note)


def _sites(context: SiteContext) -> Mapping[str, Router]:
    names = (module.name for module in pkgutil.iter_modules(site_modules.__path__, f"{site_modules.__name__}."))
    modules = (cast(site_modules.SiteModule, importlib.import_module(name)) for name in names)
    return {host: Router(routes) for module in modules for host, routes in module.sites(context).items()}


async def _error_page(status: HTTPStatus, request: Request, _error: Exception) -> Response:
    page = pages.render_error(status, home=request.scope["root_path"] + "/")
    return HTMLResponse(page, status_code=status)
