import re
from datetime import UTC, datetime

from starlette.routing import Match, Route

from scoop.api import document
from scoop.asgi import create_app
from scoop.config import Config
from scoop.http import routes


def first_match(app, path, method):
    scope = {"type": "http", "path": path, "method": method, "root_path": "", "headers": []}
    return next(route for route in app.routes if route.matches(scope)[0] is Match.FULL)


def test_no_route_is_shadowed_by_an_earlier_one():
    app = create_app(Config(), None, clock=lambda: datetime.now(UTC))
    calls = [(route, method) for route in document.guarded(app) for method in route.methods]
    shadowed = [
        (method, route.path)
        for route, method in calls
        if first_match(app, re.sub(r"\{[^}]*\}", "sample", route.path), method) is not route
    ]
    assert len(calls) > 100
    assert shadowed == []


def test_the_order_of_routes_does_not_depend_on_the_modules_they_are_in():
    paths = ["/{path:path}", "/users/{name}", "/users/{name}.{format}", "/users/all.{format}", "/users/me", "/{x}/me"]
    by_specificity = sorted((Route(path, print) for path in paths), key=routes.specificity)
    assert [route.path for route in by_specificity] == [
        "/users/me", "/users/all.{format}", "/users/{name}.{format}", "/users/{name}", "/{x}/me", "/{path:path}",
    ]  # fmt: skip
