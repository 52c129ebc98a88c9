"""The OpenAPI document of the API."""

from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.openapi.utils import get_openapi

from scoop import __version__
from scoop.core import items
from scoop.http import error_responses, responses, routes
from scoop.http.errors import CODES
from scoop.http.routes import GuardedRoute, needs

router = routes.for_pages()

ABOUT = """The HTTP API of Scoop: read, push and manage everything that the pages show.

Send a key with every request: `Authorization: Bearer KEY` (`scoop keys add`, or Settings, Keys). A key has scopes:
read, push, edit, metrics, admin. Lists are paginated: pass `next_cursor` of one page as `cursor` of the next. Reads
have an ETag: send it as `If-None-Match` to get 304 if nothing changed, and as `If-Match` to change only the version
you have read. Times are ISO 8601 in UTC."""
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
AS_JSON = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
AS_TEXT = {"text/plain": {"schema": {"type": "string"}}}
ALWAYS = {
    "400": "Invalid value",
    "429": "Too many requests",
    "503": "Database unavailable or server busy",
}
WITH_RIGHT = {"401": "Not authenticated", "403": "Permission denied"}

MORE = {
    HTTPStatus.NOT_FOUND: "Not found",
    HTTPStatus.CONFLICT: "Conflict with the current state",
    HTTPStatus.PRECONDITION_FAILED: "Changed since it was read (If-Match)",
    HTTPStatus.BAD_GATEWAY: "No usable response from the remote server",
}
IF_MATCH: dict[str, Any] = {
    "parameters": [
        {
            "name": "If-Match",
            "in": "header",
            "description": "The ETag of the version you have read: if it has changed, the request fails with 412.",
            "schema": {"type": "string"},
        }
    ]
}
"""For operations that can be limited to the version the caller has read."""


def problems(*statuses: HTTPStatus) -> dict[int | str, dict[str, Any]]:
    """Further errors of an operation, for its `responses`."""
    return {int(status): {"description": MORE[status]} for status in statuses}


def example(value: Any) -> dict[int | str, dict[str, Any]]:
    """An example of a response, for the `responses` of an operation."""
    return {200: {"content": {"application/json": {"example": value}}}}


def describe(app: FastAPI) -> None:
    """Make the app's OpenAPI document include rights and errors."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _describe(app)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _describe(app: FastAPI) -> dict[str, Any]:
    schema = get_openapi(title="Scoop", version=__version__, description=ABOUT, routes=app.routes)
    parts = schema.setdefault("components", {})
    parts.setdefault("schemas", {}).update(Error=PROBLEM, Item=items.schema())
    parts["securitySchemes"] = {
        "key": {"type": "http", "scheme": "bearer"},
        "session": {"type": "apiKey", "in": "cookie", "name": "scoop_session"},
    }
    for route in guarded(app):
        for method in (route.methods or ()) if route.include_in_schema else ():
            _complete(schema["paths"][route.path_format][method.lower()], route)
    return schema


def _complete(operation: dict[str, Any], route: GuardedRoute) -> None:
    operation.get("responses", {}).pop("422", None)
    problems = ALWAYS | (WITH_RIGHT if route.right else {})
    if "{" in route.path:
        problems = problems | {"404": MORE[HTTPStatus.NOT_FOUND]}
    if "requestBody" in operation:
        problems = problems | {"413": "Body too large", "415": "Media type of the body not accepted"}
    for status, text in problems.items():
        operation["responses"].setdefault(status, {"description": text})
    is_feed = route.path.startswith(error_responses.FEEDS)
    for status, response in operation["responses"].items():
        if status >= "400":
            response.setdefault("content", AS_TEXT if is_feed else AS_JSON)
    operation["security"] = [{"key": []}, {"session": []}] if route.right else []
    operation["x-right"] = route.right or "none"


def guarded(app: FastAPI) -> list[GuardedRoute]:
    return [route for route in app.routes if isinstance(route, GuardedRoute)]


@router.get("/api/openapi.json")
@needs("read")
async def openapi(request: Request) -> Response:
    return responses.json(request, request.app.openapi())
