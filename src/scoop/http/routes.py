"""Deny by default: a route cannot be made without saying what right it needs, and is served to nobody else."""

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute
from starlette.routing import Match
from starlette.types import Scope

from scoop.core import access
from scoop.core.access import Right
from scoop.http import auth
from scoop.http.errors import Forbidden, UnsupportedMedia

Handler = TypeVar("Handler", bound=Callable[..., Any])
FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


def needs(right: Right | None) -> Callable[[Handler], Handler]:
    """Marks a handler with the right that its callers need; None is for everybody."""

    def mark(handler: Handler) -> Handler:
        handler.right = right  # type: ignore[attr-defined]
        return handler

    return mark


class GuardedRoute(APIRoute):
    """A route that finds out who asks and lets only those in who may."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **arguments: Any) -> None:
        self.right: Right | None = endpoint.right  # type: ignore[attr-defined]  # one without it is no route
        super().__init__(path, endpoint, **arguments)
        self.beginning = self.path.partition("{")[0]

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        # Most of some hundred routes are told by their first letters, which is faster than by their pattern.
        if not scope["path"].startswith(self.beginning):
            return Match.NONE, {}
        return super().matches(scope)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        answer = super().get_route_handler()

        async def guarded(request: Request) -> Response:
            request.state.visitor = access.nobody(is_reading_public=False)
            if self.right is not None:
                await self._let_in(request, self.right)
            self._check_media(request)
            return await answer(request)

        return guarded

    async def _let_in(self, request: Request, right: Right) -> None:
        visitor = request.state.visitor = await auth.authenticate(request)
        if right not in visitor.rights:
            raise Forbidden(right) if visitor.is_known else auth.unauthenticated(request)
        if self.include_in_schema:
            auth.check_rate_limit(request, visitor)

    def _check_media(self, request: Request) -> None:
        if self.body_field is None or not (_has_body(request) or self.body_field.field_info.is_required()):
            return
        given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        wanted = (self.body_field.field_info.media_type,)  # type: ignore[attr-defined]
        if given not in (FORMS if wanted[0] in FORMS else wanted):
            raise UnsupportedMedia(wanted[0])


def _has_body(request: Request) -> bool:
    return request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers


def for_pages() -> APIRouter:
    return APIRouter(route_class=GuardedRoute, include_in_schema=False)


def for_programs(tag: str, *, prefix: str = "/api/v1", **settings: Any) -> APIRouter:
    """A noun of the API; its tag is the heading it is documented under."""
    return APIRouter(route_class=GuardedRoute, prefix=prefix, tags=[tag], **settings)
