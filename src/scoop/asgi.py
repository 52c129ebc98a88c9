"""The ASGI application: pages, API, feeds, MCP and the Google Reader API in one app, with their error responses."""

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
from starlette.routing import BaseRoute

from scoop import api, feeds, greader, mcp, web
from scoop.api import document
from scoop.app import open_listening_documents, open_sentiment_documents
from scoop.config import Config
from scoop.errors import ScoopError
from scoop.http import auth, error_responses, errors, middleware, routes
from scoop.http.admission import Admission
from scoop.http.auth import SessionCache
from scoop.http.cache import ResponseCache
from scoop.http.deps import Desk
from scoop.http.errors import HttpProblem
from scoop.http.lessons import LessonWaits
from scoop.http.listening import ListeningReads
from scoop.http.oidc import Oidc
from scoop.http.rate_limits import RateLimiter
from scoop.http.sentiment import SentimentReads
from scoop.http.visits import VisitLog
from scoop.mcp import tools
from scoop.serve import ServerLimits
from scoop.store import users
from scoop.store.db import Database
from scoop.web import pages
from scoop.web.site_files import HashedFiles

log = structlog.get_logger()

COMPRESSED_FROM = 1000  # bytes
LOOPBACK = (ip_network("127.0.0.0/8"), ip_network("::1/128"))
OWN_PROBLEM = "Value error, "  # which pydantic puts before the message of a check of ours
NOTHING_HERE = HttpProblem(HTTPStatus.NOT_FOUND, "there is nothing at this address")


def create_app(
    config: Config, database: Database, *, clock: Callable[[], datetime], newsstand: str | None = None
) -> FastAPI:
    """The app for a desk; it accepts requests for the host names of the settings and for the loopback names."""
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
    app.state.sentiment = SentimentReads(app.state.desk, open_sentiment_documents(config))
    app.state.listening = ListeningReads(open_listening_documents(config))
    app.state.lesson_waits = LessonWaits(app.state.desk)
    app.state.visits = VisitLog(app.state.desk)
    app.state.oidc = Oidc(config=config, clock=clock)
    app.state.error_page = pages.error_page
    app.state.mcp = _mcp(app.state.desk)
    collected = [route for package in (web, api, feeds, mcp, greader) for route in _routes(package)]
    app.router.routes.extend(sorted(collected, key=routes.specificity))  # include_router would build each one again
    app.mount("/static", HashedFiles(directory=pages.STATIC))
    document.describe(app)
    return app


def connection_limits(config: Config) -> ServerLimits:
    """Connection limits; trusted proxies and this machine are exempt from the limit per network."""
    return ServerLimits(exempt=[*LOOPBACK, *middleware.networks(config.trusted_proxies)])


def prepare() -> None:
    """Exclude the objects that exist at start from garbage collection: they stay, and scanning them delays requests."""
    gc.collect()
    gc.freeze()


@asynccontextmanager
async def _running(app: FastAPI) -> AsyncIterator[None]:
    async with app.state.mcp.run(), app.state.sentiment.running():
        yield


def _mcp(desk: Desk) -> StreamableHTTPSessionManager:
    """The MCP application; authentication and host checks are in the middleware and the route."""
    server = tools.server(tools.Tools(desk=desk))
    unguarded = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    server.streamable_http_app(stateless_http=True, json_response=True, transport_security=unguarded)
    return server.session_manager


def _routes(package: ModuleType) -> Iterator[BaseRoute]:
    """The routes of all modules of a package that have a `router`."""
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        router = getattr(import_module(module.name), "router", None)
        if isinstance(router, APIRouter):
            yield from router.routes


async def _scoop_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ScoopError)  # noqa: S101
    problem = errors.error_for(error)
    if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        log.warning("request failed", path=request.url.path, error=repr(error.__cause__ or error))
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
    text = "this method is not allowed here" if status == HTTPStatus.METHOD_NOT_ALLOWED else error.detail
    return HttpProblem(status, text, headers=error.headers)


async def _sign_in_first(request: Request) -> Response:
    """Redirect to the sign-in page, which redirects back afterwards; to the first account's page if there is none."""
    desk: Desk = request.app.state.desk
    async with desk.reading() as conn:
        if await users.is_empty(conn):
            return RedirectResponse("/welcome", status_code=HTTPStatus.SEE_OTHER)
    here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    next_page = "" if here == "/" else f"?next={quote(here, safe='')}"
    return RedirectResponse(f"/sign-in{next_page}", status_code=HTTPStatus.SEE_OTHER)


async def _invalid(request: Request, error: Exception) -> Response:
    """400 with the problem of each field; the values are left out, since they may be secret."""
    assert isinstance(error, RequestValidationError)  # noqa: S101
    problems = error.errors()
    if problems[0]["loc"][0] == "path" and not error_responses.is_for_programs(request):
        return error_responses.error_response(request, NOTHING_HERE)
    details = [
        {"field": ".".join(map(str, problem["loc"])), "problem": problem["msg"].removeprefix(OWN_PROBLEM)}
        for problem in problems
    ]
    first = details[0]
    message = f"{first['field']}: {first['problem']}"
    return error_responses.error_response(request, HttpProblem(HTTPStatus.BAD_REQUEST, message, details=details))


async def _client_gone(_request: Request, _error: Exception) -> Response:
    """The client disconnected or was too slow; nobody reads this response, so nothing is logged."""
    return Response(status_code=HTTPStatus.BAD_REQUEST)


async def _broken(request: Request, error: Exception) -> Response:
    log.error("unexpected error", path=request.url.path, request_id=request.state.request_id, exc_info=error)
    problem = HttpProblem(HTTPStatus.INTERNAL_SERVER_ERROR, "internal error; the cause is in Scoop's log")
    # Starlette sends this response from outside the middleware that adds the headers.
    response = error_responses.error_response(request, problem)
    response.headers.update(middleware.HEADERS | {"X-Request-Id": request.state.request_id})
    return response
