"""Render pages: one template each, in a shared layout."""

from collections.abc import Callable, Hashable, Sequence
from functools import cache
from hashlib import sha256
from http import HTTPStatus
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jinja2
from fastapi import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from scoop.http.cache import ResponseCache
from scoop.http.errors import HttpProblem
from scoop.model import PAGE_PENDING
from scoop.web import context as page_context
from scoop.web import labels, navigation
from scoop.web.context import PageContext

STATIC = Path(__file__).parent / "static"
HEADINGS = {
    HTTPStatus.BAD_REQUEST: "Invalid request",
    HTTPStatus.UNAUTHORIZED: "Sign-in required",
    HTTPStatus.FORBIDDEN: "Not allowed",
    HTTPStatus.NOT_FOUND: "Not found",
    HTTPStatus.METHOD_NOT_ALLOWED: "Method not allowed",
    HTTPStatus.CONFLICT: "Conflict",
    HTTPStatus.PRECONDITION_FAILED: "Changed in the meantime",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "Too large",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "Format not accepted",
    HTTPStatus.TOO_MANY_REQUESTS: "Too many requests",
    HTTPStatus.BAD_GATEWAY: "No response from the remote server",
    HTTPStatus.INTERNAL_SERVER_ERROR: "Internal error",
    HTTPStatus.SERVICE_UNAVAILABLE: "Temporarily unavailable",
}
SAFE = "Stored data is safe."


def page(template: str, context: PageContext, *, status: HTTPStatus = HTTPStatus.OK, **values: Any) -> HTMLResponse:
    """Render a page; a notice of the previous page is shown once."""
    response = HTMLResponse(_render(template, context=context, **values), status_code=status)
    if context.notice:
        response.delete_cookie(page_context.NOTICE)
    return response


def cached_page(
    cache: ResponseCache,
    context: PageContext,
    key: Hashable,
    inputs: Sequence[Any],
    make: Callable[[], HTMLResponse],
) -> HTMLResponse:
    """A page as it was rendered for this visitor in this minute, if its inputs are the same objects of the cache."""
    if context.notice:
        return make()
    minute = context.now.replace(second=0, microsecond=0)  # pages say how long ago something was
    whole_key = (context.path, context.visitor, context.is_demo, minute, key)
    return HTMLResponse(cache.render(whole_key, inputs, lambda: bytes(make().body)))


def redirect_with_notice(path: str, *, notice: str = "") -> Response:
    """Redirect after a change to the page that shows it, with a sentence about what was done."""
    response = RedirectResponse(path, status_code=HTTPStatus.SEE_OTHER)
    if notice:
        value = quote(notice[: page_context.MAX_NOTICE])
        response.set_cookie(page_context.NOTICE, value, max_age=60, httponly=True, samesite="lax")
    return response


def error_page(request: Request, problem: HttpProblem) -> str:
    """Render an error: what happened, what is safe, what to do."""
    text = f"{labels.capitalise(problem.message)}."
    if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        text = f"{text} {SAFE}"
    return _render(
        "problem.html",
        context=page_context.after_error(request),
        title=HEADINGS.get(problem.status, problem.status.phrase),
        text=text,
        is_temporary=problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR,
    )


def _render(template: str, **values: Any) -> str:
    return _templates().get_template(template).render(values)


@cache
def _templates() -> jinja2.Environment:
    templates = jinja2.Environment(
        loader=jinja2.PackageLoader("scoop.web"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.globals |= {
        "labels": labels,
        "page_pending": PAGE_PENDING,
        "navigation": navigation,
        "day_href": page_context.day_href,
        "static": static_href,
    }
    return templates


@cache
def static_href(name: str) -> str:
    """The address of a static file, with a hash of its content so that browsers can cache it."""
    content = files("scoop.web").joinpath("static", name).read_bytes()
    return f"/static/{name}?v={sha256(content).hexdigest()[:12]}"
