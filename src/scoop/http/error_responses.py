"""Error responses: a page for people, `{error: {code, message, details}}` for programs."""

from http import HTTPStatus

import msgspec
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from scoop.http.errors import HttpProblem

WITHOUT_PAGES = ("/api/", "/mcp", "/reader/", "/accounts/", "/feeds/", "/export/", "/podcast/", "/metrics")
"""Prefixes for programs: errors there are never pages, and nothing redirects to the sign-in page."""
FEEDS = "/feeds/"
WRONG_HOST = HttpProblem(
    HTTPStatus.BAD_REQUEST, "unknown host name; use Scoop's own address, or add this name to the setting hostnames"
)
WRONG_METHOD = HttpProblem(
    HTTPStatus.METHOD_NOT_ALLOWED,
    "this method is not allowed",
    headers={"Allow": "GET, HEAD, POST, PUT, PATCH, DELETE"},
)
FOREIGN = HttpProblem(HTTPStatus.FORBIDDEN, "cross-site request refused; use Scoop's own pages or an API key")


def is_for_programs(request: Request) -> bool:
    return request.url.path.startswith(WITHOUT_PAGES)


def error_response(request: Request, problem: HttpProblem) -> Response:
    if request.url.path.startswith(FEEDS):
        return as_text(problem)
    if is_for_programs(request):
        return as_json(request, problem)
    page = request.app.state.error_page(request, problem)
    return HTMLResponse(page, status_code=problem.status, headers=problem.headers)


def as_text(problem: HttpProblem) -> Response:
    """For feed readers, which show the text, and for people who open a feed's address."""
    text = f"{problem.status.value} {problem.status.phrase}: {problem.message}\n"
    return PlainTextResponse(text, status_code=problem.status, headers=problem.headers)


def as_json(request: Request, problem: HttpProblem) -> Response:
    body = {
        "error": {
            "code": problem.code,
            "message": problem.message,
            "details": list(problem.details),
            "request_id": request.state.request_id,
        }
    }
    return Response(
        msgspec.json.encode(body), status_code=problem.status, headers=problem.headers, media_type="application/json"
    )
