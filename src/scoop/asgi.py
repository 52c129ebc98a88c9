"""The server: every door in one application."""

import gc
import pkgutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import datetime
from http import HTTPStatus
from importlib import import_module
from ipaddress import ip_network
from types import ModuleType
from urllib.parse import quote

import structlog
from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect
from starlette.responses import RedirectResponse
from starlette.staticfiles import StaticFiles

from scoop import api, feeds, greader, mcp, web
from scoop.api import document
from scoop.config import Config
from scoop.errors import ScoopError
from scoop.http import auth, error_responses, errors, middleware
from scoop.http.admission import Admission
from scoop.http.auth import SessionCache
from scoop.http.cache import ResponseCache
from scoop.http.deps import Desk
from scoop.http.errors import HttpProblem
from scoop.http.oidc import Oidc
from scoop.http.rate_limits import RateLimiter
from scoop.mcp import tools
from scoop.serve import ServerLimits
from scoop.store import users
from scoop.store.db import Database
from scoop.web import pages

log = structlog.get_logger()

COMPRESSED_FROM = 1000  # bytes
LOOPBACK = (ip_network("127.0.0.0/8"), ip_network("::1/128"))
NOTHING_HERE = HttpProblem(HTTPStatus.NOT_FOUND, "there is nothing at this address")


def create_app(
    config: Config, database: Database, *, clock: Callable[[], datetime], newsstand: str | None = None
) -> FastAPI:
    """All doors as one ASGI app; it answers under the host names of the settings and those of the loopback address."""
    hosts = frozenset({config.host, *config.hostnames.replace(",", " ").split()})
    app = FastAPI(
        title="Scoop",
        lifespan=_running,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        middleware=[
            Middleware(middleware.Guard, hosts=hosts, proxies=config.trusted_proxies),
            Middleware(Admission),
            Middleware(GZipMiddleware, minimum_size=COMPRESSED_FROM, compresslevel=5),
        ],
        exception_handlers={
            ScoopError: _scoop_error,
            HTTPException: _http_error,
            RequestValidationError: _invalid,
            ClientDisconnect: _client_gone,
            Exception: _broken,
        },
    )
    app.state.desk = Desk(config=config, database=database, clock=clock, newsstand=newsstand)
    app.state.sessions = SessionCache()
    app.state.rate_limiter = RateLimiter()
    app.state.response_cache = ResponseCache(app.state.desk)
    app.state.oidc = Oidc(config=config, clock=clock)
    app.state.error_page = pages.error_page
    app.state.mcp = _mcp(app.state.desk)
    for package in (web, api, feeds, mcp, greader):
        for router in routers(package):
            app.router.routes.extend(router.routes)  # as they are: include_router would build each again
    app.mount("/static", StaticFiles(directory=pages.STATIC))
    document.describe(app)
    return app


def connection_limits(config: Config) -> ServerLimits:
    """Limits of connections, with no number per network for trusted proxies and for this machine."""
    return ServerLimits(exempt=[*LOOPBACK, *middleware.networks(config.trusted_proxies)])


def prepare() -> None:
    """What is there when the server begins stays; the garbage collector need not walk through it while it answers."""
    gc.collect()
    gc.freeze()


@asynccontextmanager
async def _running(app: FastAPI) -> AsyncIterator[None]:
    async with app.state.mcp.run():
        yield


def _mcp(desk: Desk) -> StreamableHTTPSessionManager:
    """The MCP application; authentication and host checks are in the middleware and the route."""
    asked = tools.server(tools.Tools(desk=desk))
    unguarded = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    asked.streamable_http_app(stateless_http=True, json_response=True, transport_security=unguarded)
    return asked.session_manager


def routers(package: ModuleType) -> Iterator[APIRouter]:
    """The routers of a package: one module per noun, each with its own."""
    for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        router = getattr(import_module(found.name), "router", None)
        if isinstance(router, APIRouter):
            yield router


async def _scoop_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ScoopError)  # noqa: S101
    problem = errors.error_for(error)
    if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        log.warning("not served", path=request.url.path, error=str(error.__cause__ or error))
    return error_responses.error_response(request, problem)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101
    problem = error if isinstance(error, HttpProblem) else _problem(error)
    if (
        problem.status == HTTPStatus.UNAUTHORIZED
        and not error_responses.is_for_programs(request)
        and request.method == "GET"
    ):
        return await _sign_in_first(request)
    if problem is NOTHING_HERE and not error_responses.is_for_programs(request):
        await _identify(request)
    return error_responses.error_response(request, problem)


async def _identify(request: Request) -> None:
    """Authenticate a request that no route matched, so that its 404 page has the visitor's menu."""
    try:
        request.state.visitor = await auth.authenticate(request)
    except (HTTPException, ScoopError):
        return


def _problem(error: HTTPException) -> HttpProblem:
    status = HTTPStatus(error.status_code)
    if status == HTTPStatus.NOT_FOUND:
        return NOTHING_HERE
    text = "this address does not know that method" if status == HTTPStatus.METHOD_NOT_ALLOWED else error.detail
    return HttpProblem(status, text, headers=error.headers)


async def _sign_in_first(request: Request) -> Response:
    """Send a reader to the door, and back afterwards."""
    desk: Desk = request.app.state.desk
    async with desk.reading() as conn:
        if await users.is_empty(conn):
            return RedirectResponse("/welcome", status_code=HTTPStatus.SEE_OTHER)
    here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    next_page = "" if here == "/" else f"?next={quote(here, safe='')}"
    return RedirectResponse(f"/sign-in{next_page}", status_code=HTTPStatus.SEE_OTHER)


async def _invalid(request: Request, error: Exception) -> Response:
    """What does not fit, field by field, without repeating what was sent."""
    assert isinstance(error, RequestValidationError)  # noqa: S101
    wrong = error.errors()
    if wrong[0]["loc"][0] == "path" and not error_responses.is_for_programs(request):
        return error_responses.error_response(request, NOTHING_HERE)
    details = [{"field": ".".join(map(str, each["loc"])), "problem": each["msg"]} for each in wrong]
    first = details[0]
    message = f"{first['field']}: {first['problem']}"
    return error_responses.error_response(request, HttpProblem(HTTPStatus.BAD_REQUEST, message, details=details))


async def _client_gone(_request: Request, _error: Exception) -> Response:
    """The client closed its connection, or was too slow: nobody reads this, and nothing is wrong here."""
    return Response(status_code=HTTPStatus.BAD_REQUEST)


async def _broken(request: Request, error: Exception) -> Response:
    log.error("broken", path=request.url.path, request_id=request.state.request_id, exc_info=error)
    problem = HttpProblem(HTTPStatus.INTERNAL_SERVER_ERROR, "this could not be answered; the cause is in Scoop's log")
    # Starlette sends this one from outside the guard.
    response = error_responses.error_response(request, problem)
    response.headers.update(middleware.HEADERS | {"X-Request-Id": request.state.request_id})
    return response
