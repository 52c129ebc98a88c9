"""Routes that deny by default: each declares the right that it needs; authentication and rate limit come with it."""

import re
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from fastapi import APIRouter, Depends, Request, Response
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute, Match
from starlette.types import Scope

from scoop.core import access
from scoop.core.access import Right, Visitor
from scoop.http import auth
from scoop.http.cache import ResponseCache
from scoop.http.deps import Desk
from scoop.http.errors import Forbidden, UnsupportedMedia
from scoop.store import hidden

PARAMETER = re.compile(r"\{[^}]*\}")
Handler = TypeVar("Handler", bound=Callable[..., Any])
PROBES = frozenset({"/healthz", "/readyz"})  # not limited: a flood must not make the server look dead
FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


def needs(right: Right | None) -> Callable[[Handler], Handler]:
    """Declare the right that callers of a handler need; None for public handlers."""

    def mark(handler: Handler) -> Handler:
        handler.right = right  # type: ignore[attr-defined]
        return handler

    return mark


class GuardedRoute(APIRoute):
    """A route that authenticates the caller, counts the request and checks the right."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **arguments: Any) -> None:
        self.right: Right | None = endpoint.right  # type: ignore[attr-defined]
        super().__init__(path, endpoint, **arguments)
        self.prefix = self.path.partition("{")[0]

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        # Of some hundred routes, most differ in the fixed start of their path: cheaper to compare than the pattern.
        if not scope["path"].startswith(self.prefix):
            return Match.NONE, {}
        return super().matches(scope)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        answer = super().get_route_handler()

        async def guarded(request: Request) -> Response:
            request.state.visitor = await self._admit(request)
            self._check_media(request)
            return await answer(request)

        return guarded

    async def _admit(self, request: Request) -> Visitor:
        """The caller, once counted and allowed: the only place where rights and rate limits are checked."""
        is_open = self.right is None
        visitor = access.anonymous(is_reading_public=False) if is_open else await auth.authenticate(request)
        if self.path not in PROBES:
            auth.check_rate_limit(request, visitor)
        if self.right is not None and self.right not in visitor.rights:
            raise Forbidden(self.right) if visitor.is_known else auth.unauthenticated(request)
        return visitor

    def _check_media(self, request: Request) -> None:
        if self.body_field is None or not (_has_body(request) or self.body_field.field_info.is_required()):
            return
        sent = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        expected: str = self.body_field.field_info.media_type  # type: ignore[attr-defined]
        if sent not in (FORMS if expected in FORMS else (expected,)):
            raise UnsupportedMedia(expected)


def specificity(route: BaseRoute) -> tuple[tuple[int, int, str], ...]:
    """A sort key for routes: the first match wins, so a literal segment must come before a parameter."""
    path: str = getattr(route, "path", "")
    return tuple(_segment_rank(segment) for segment in path.split("/"))


def _segment_rank(segment: str) -> tuple[int, int, str]:
    """Literal segments first, then parameters with more literal text around them, then whole paths."""
    literal = PARAMETER.sub("", segment)
    kind = 2 if ":path}" in segment else int(literal != segment)
    # The name of a parameter does not count: /lessons/{lesson_id}/audio comes before /lessons/{article_id}/{level}.
    return kind, -len(literal) if kind else 0, PARAMETER.sub("{}", segment)


def _has_body(request: Request) -> bool:
    return request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers


async def _find_demo(request: Request) -> None:
    """Note whether the demo is shown; before the handler takes a connection, because the cache takes one of its own."""
    desk: Desk = request.app.state.desk
    cache: ResponseCache = request.app.state.response_cache
    may_be = bool(desk.newsstand and request.state.visitor.rights)  # probes and sign-in must not need the database
    request.state.is_demo = may_be and not await cache.find("is_demo_removed", hidden.is_demo_removed)


def for_pages() -> APIRouter:
    return APIRouter(route_class=GuardedRoute, include_in_schema=False, dependencies=[Depends(_find_demo)])


def for_programs(tag: str, *, prefix: str = "/api/v1", **settings: Any) -> APIRouter:
    """A router of the API; its tag is its heading in the documentation."""
    return APIRouter(route_class=GuardedRoute, prefix=prefix, tags=[tag], **settings)
