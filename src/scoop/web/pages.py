"""The pages as text: one template each, in the layout that all share."""

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

from scoop.http.errors import HttpProblem
from scoop.web import context as page_context
from scoop.web import labels, navigation
from scoop.web.context import PageContext

STATIC = Path(__file__).parent / "static"
HEADINGS = {
    HTTPStatus.BAD_REQUEST: "This could not be understood",
    HTTPStatus.UNAUTHORIZED: "Sign in first",
    HTTPStatus.FORBIDDEN: "This is not yours to do",
    HTTPStatus.NOT_FOUND: "There is nothing at this address",
    HTTPStatus.METHOD_NOT_ALLOWED: "This cannot be done here",
    HTTPStatus.CONFLICT: "Something stands against it",
    HTTPStatus.PRECONDITION_FAILED: "It has changed in the meantime",
    HTTPStatus.TOO_MANY_REQUESTS: "Too fast",
    HTTPStatus.BAD_GATEWAY: "The other side gave nothing",
    HTTPStatus.INTERNAL_SERVER_ERROR: "This page could not be made",
    HTTPStatus.SERVICE_UNAVAILABLE: "The database does not answer",
}
SAFE = "What Scoop has gathered is safe."


def page(template: str, context: PageContext, *, status: HTTPStatus = HTTPStatus.OK, **values: Any) -> HTMLResponse:
    """A page; a sentence that the one before left is shown once."""
    response = HTMLResponse(_render(template, context=context, **values), status_code=status)
    if context.notice:
        response.delete_cookie(page_context.NOTICE)
    return response


def redirect_with_notice(path: str, *, notice: str = "") -> Response:
    """After a change: to the page that shows it, with a sentence of what was done."""
    response = RedirectResponse(path, status_code=HTTPStatus.SEE_OTHER)
    if notice:
        carried = quote(notice[: page_context.MAX_NOTICE])
        response.set_cookie(page_context.NOTICE, carried, max_age=60, httponly=True, samesite="lax")
    return response


def problem(request: Request, problem: HttpProblem) -> str:
    """What went wrong, as a reader is told: what happened, what is safe, what to do."""
    text = problem.message[:1].upper() + problem.message[1:]
    if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        text = f"{text}. {SAFE}"
    return _render(
        "problem.html",
        context=page_context.anonymous(request),
        title=HEADINGS.get(problem.status, problem.status.phrase),
        text=text,
        may_pass=problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR,
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
        "navigation": navigation,
        "day_href": page_context.day_href,
        "static": static_href,
    }
    return templates


@cache
def static_href(name: str) -> str:
    """The address of a static file, another one whenever its content is."""
    content = files("scoop.web").joinpath("static", name).read_bytes()
    return f"/static/{name}?v={sha256(content).hexdigest()[:12]}"
