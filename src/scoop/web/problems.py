"""What went wrong, as a reader is told: what happened, what is safe, what to do."""

from collections.abc import Mapping
from http import HTTPStatus

from starlette.responses import HTMLResponse

from scoop.web import pages

TEXTS = {
    HTTPStatus.BAD_REQUEST: (
        "Scoop does not go by this name",
        "It answers as localhost and under its own host, so that no other site can pose as it. Open it there.",
    ),
    HTTPStatus.NOT_FOUND: (
        "There is nothing at this address",
        "The story, day or page it names does not exist. All that Scoop has gathered is found from the front page.",
    ),
    HTTPStatus.METHOD_NOT_ALLOWED: (
        "This page can only be read",
        "Nothing was changed.",
    ),
    HTTPStatus.INTERNAL_SERVER_ERROR: (
        "This page could not be made",
        "What Scoop has gathered is safe. The cause is in Scoop's log; the front page may still work.",
    ),
    HTTPStatus.SERVICE_UNAVAILABLE: (
        "The database does not answer",
        "What Scoop has gathered is safe, and this page comes back with the database. Try again in a moment.",
    ),
}


def response(status: HTTPStatus, *, headers: Mapping[str, str] | None = None) -> HTMLResponse:
    """The page of a problem; never says more than its status does."""
    title, text = TEXTS[status]
    page = pages.render_problem(title=title, text=text, may_pass=status >= HTTPStatus.INTERNAL_SERVER_ERROR)
    return HTMLResponse(page, status_code=status, headers=headers)
