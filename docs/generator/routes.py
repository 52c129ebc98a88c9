"""The page of the routes, from the web application."""

from datetime import UTC, datetime

from generator.markdown import code, page_head, table
from scoop import asgi
from scoop.api import document
from scoop.config import Config
from scoop.core import access


def routes_page() -> str:
    about = (
        "Every address that the server answers, the right that its callers need, and which roles have it. A key has "
        "at most the rights of its owner, and of those only the scopes it was made with. Requests and responses "
        "are described at `/api` of a running server."
    )
    rows = table(("route", "right", *access.ROLES), _routes())
    return "\n\n".join([page_head("Routes and roles", about), rows]) + "\n"


def _routes() -> list[tuple[str, ...]]:
    app = asgi.create_app(Config(), None, clock=lambda: datetime.now(UTC))  # type: ignore[arg-type]  # not used
    routes = document.guarded(app)
    calls = sorted((route.path, method, route.right) for route in routes for method in route.methods or ())
    return [
        (code(f"{method} {path}"), right or "none", *("yes" if _may(role, right) else "" for role in access.ROLES))
        for path, method, right in calls
    ]


def _may(role: access.Role, right: access.Right | None) -> bool:
    return right is None or right in access.RIGHTS_BY_ROLE[role]
