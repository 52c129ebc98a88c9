"""The API as it describes itself: an OpenAPI document."""

from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.openapi.utils import get_openapi

from scoop import __version__
from scoop.core import items
from scoop.http import responses, routes
from scoop.http.errors import CODES
from scoop.http.routes import GuardedRoute, needs

router = routes.for_pages()

ABOUT = """Everything Scoop knows and does, for programs.

Send a key with every request: `Authorization: Bearer KEY` (`scoop keys add`, or the page Settings). A key has scopes:
read, push, edit, admin. Lists come in parts: `next_cursor` of one is the `cursor` of the next. Reads carry an ETag;
send it as `If-None-Match` to be told when nothing changed, and as `If-Match` to change only what you have read.
Moments are ISO 8601 in UTC."""
PROBLEM = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "details", "request_id"],
            "properties": {
                "code": {"type": "string", "enum": sorted(CODES.values())},
                "message": {"type": "string"},
                "details": {"type": "array", "items": {"type": "object"}},
                "request_id": {"type": "string"},
            },
        }
    },
}
TOLD = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
ALWAYS = {"400": "A value cannot be", "429": "Too many requests", "503": "The database does not answer"}
KEPT_OUT = {"401": "Nobody that is known", "403": "Not for this key or person"}

MORE = {
    HTTPStatus.NOT_FOUND: "There is no such thing",
    HTTPStatus.NOT_FOUND: "There is no such thing",
    HTTPStatus.CONFLICT: "What is there stands against it",
    HTTPStatus.PRECONDITION_FAILED: "It has changed since it was read",
    HTTPStatus.BAD_GATEWAY: "Another server gave nothing",
}
IF_MATCH: dict[str, Any] = {
    "parameters": [
        {
            "name": "If-Match",
            "in": "header",
            "description": "The ETag of what you have read: change it only if it still is that.",
            "schema": {"type": "string"},
        }
    ]
}
"""For operations that change only what the caller has read."""


def problems(*statuses: HTTPStatus) -> dict[int | str, dict[str, Any]]:
    """What else can go wrong with an operation, for its `responses`."""
    return {int(status): {"description": MORE[status]} for status in statuses}


def describe(app: FastAPI) -> None:
    """Let the app describe itself as it is, with rights and problems."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _described(app)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _described(app: FastAPI) -> dict[str, Any]:
    found = get_openapi(title="Scoop", version=__version__, description=ABOUT, routes=app.routes)
    parts = found.setdefault("components", {})
    parts.setdefault("schemas", {}).update(Error=PROBLEM, Item=items.schema())
    parts["securitySchemes"] = {
        "key": {"type": "http", "scheme": "bearer"},
        "session": {"type": "apiKey", "in": "cookie", "name": "scoop_session"},
    }
    for route in guarded(app):
        for method in (route.methods or ()) if route.include_in_schema else ():
            _complete(found["paths"][route.path_format][method.lower()], route)
    return found


def _complete(operation: dict[str, Any], route: GuardedRoute) -> None:
    operation.get("responses", {}).pop("422", None)
    problems = ALWAYS | (KEPT_OUT if route.right else {})
    if "{" in route.path:
        problems = problems | {"404": "There is no such thing"}
    if "requestBody" in operation:
        problems = problems | {"413": "The body is too large", "415": "A body of another kind"}
    for status, text in problems.items():
        operation["responses"].setdefault(status, {"description": text})
    for status, answer in operation["responses"].items():
        if status >= "400":
            answer.setdefault("content", TOLD)
    operation["security"] = [{"key": []}, {"session": []}] if route.right else []
    operation["x-right"] = route.right or "none"


def guarded(app: FastAPI) -> list[GuardedRoute]:
    return [route for route in app.routes if isinstance(route, GuardedRoute)]


@router.get("/api/openapi.json")
@needs("read")
async def openapi(request: Request) -> Response:
    return responses.json(request, request.app.openapi())
