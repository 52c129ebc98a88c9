"""Who may do what: every route there is, asked by everybody; and no other site's page can have anything changed."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_args
from uuid import UUID

import pytest
from yarl import URL

from scoop.api import document
from scoop.asgi import create_app
from scoop.config import Config
from scoop.core import access
from scoop.core.access import Right
from scoop.http import accounts, auth
from scoop.http.middleware import SAFE
from scoop.http.routes import GuardedRoute
from scoop.store import users
from scoop.store.db import Database
from web.visitor import NOW, Visitor, signed_in, visiting

ROUTES = Path(__file__).parents[2] / "docs" / "reference" / "routes.md"
ROLES = (*access.ROLES, "a key that reads")
OPEN = {
    "GET /podcast-cover.png", "GET /listen/app.webmanifest", "GET /listen/worker.js",
    "POST /api/admin/news/update",  # it takes a secret of the settings, or an admin
    "GET /healthz", "GET /readyz", "GET /api/v1/health", "GET /welcome", "POST /welcome", "GET /sign-in",
    "POST /sign-in", "POST /sign-out", "GET /sign-in/oidc", "GET /sign-in/oidc/callback",
    "GET /accounts/ClientLogin", "POST /accounts/ClientLogin", "GET /reader/icon.svg", "GET /favicon.ico",
    "GET /robots.txt",
    "GET /manifest.webmanifest",
}  # fmt: skip
"""What everybody may ask for: whoever opens another door says so here."""
PERSONAL = ("/settings/account", "/settings/keys")
"""What people do for themselves when they are signed in, and none of their keys does."""
REFUSED = {401, 403}


@dataclass(frozen=True, kw_only=True)
class Call:
    """One method of one route, with an address of it under which there is nothing."""

    method: str
    route: GuardedRoute
    path: str

    @property
    def name(self) -> str:
        return f"{self.method} {self.route.path}"

    @property
    def right(self) -> Right | None:
        return self.route.right


@cache
def calls() -> list[Call]:
    app = create_app(Config(), None, clock=lambda: NOW)
    found = [
        Call(method=method, route=route, path=_path(route))
        for route in document.guarded(app)
        for method in sorted(route.methods or ())
    ]
    return sorted(found, key=lambda call: (call.route.path, call.method))


def _path(route: GuardedRoute) -> str:
    values = {param.name: _value(param.field_info.annotation) for param in route.dependant.path_params}
    return route.path_format.format(**values)


def _value(annotation: Any) -> str:
    """Something of the kind that nobody has."""
    if choices := get_args(annotation):
        return str(choices[0])
    return {int: "987654321", UUID: "00000000-0000-0000-0000-000000000000"}.get(annotation, "nobody")


async def asked(visitor: Visitor, call: Call, **headers: str) -> tuple[int, str]:
    """The status of a call, and where it leads; of an answer that goes on nothing is read."""
    body: Mapping[str, Any] = {}
    if call.route.body_field is not None:
        is_form = call.route.body_field.field_info.media_type != "application/json"
        body = {"data": {"": ""}} if is_form else {"json": {}}
    url = URL(f"{visitor.address}{call.path}", encoded=True)
    async with visitor.session.request(call.method, url, headers=headers, allow_redirects=False, **body) as response:
        return response.status, response.headers.get("Location", "")


async def credentials(database: Database, who: str) -> dict[str, str]:
    """What somebody new sends along: some of the calls sign whoever makes them out."""
    if who in access.ROLES:
        return {"Cookie": f"{auth.COOKIE}={await signed_in(database, who, now=NOW)}"}
    async with database.transaction() as conn:
        owner = await users.add(conn, name=f"owner {secrets.token_hex(4)}", role="admin", password_hash="-")
        key = await accounts.new_key(conn, owner, "admin", name="Reads", scopes=["read"], now=NOW, lasts=None)
    return {"Authorization": f"Bearer {key.key}"}


def may(who: str, call: Call) -> bool:
    if who in access.ROLES:
        return call.right in access.RIGHTS_BY_ROLE[who]
    return call.right == "read" and not call.path.startswith(PERSONAL)


def test_only_these_doors_stand_open_to_everybody():
    assert {call.name for call in calls() if call.right is None} == OPEN


def test_the_printed_table_names_every_route_once_with_those_who_may():
    rows = [line for line in ROUTES.read_text("utf-8").splitlines() if line.startswith("| `")]
    assert len(rows) == len(set(rows)) == len(calls()) > 150
    assert "| `DELETE /api/v1/users/{user_id}` | admin |  |  | yes |" in rows
    assert "| `GET /api/v1/stories` | read | yes | yes | yes |" in rows


async def test_nobody_gets_in_where_a_right_is_needed(database):
    await signed_in(database, "admin", now=NOW)  # or all would be sent to make the first account
    wrong = []
    async with visiting(database, role=None, requests_per_minute=0) as visitor:
        for call in calls():
            if call.right is None:
                continue
            status, location = await asked(visitor, call, Origin=visitor.address)
            is_sent_to_sign_in = status == 303 and location.startswith("/sign-in")
            if status != 401 and not (is_sent_to_sign_in and call.method == "GET"):
                wrong.append(f"{call.name}: {status} {location}")
    assert wrong == []


@pytest.mark.parametrize("who", ROLES)
async def test_everybody_gets_in_exactly_where_the_right_is_theirs(database, who):
    wrong = []
    async with visiting(database, role=None, requests_per_minute=0) as visitor:
        for call in calls():
            if call.right is None:
                continue
            status, _ = await asked(visitor, call, Origin=visitor.address, **await credentials(database, who))
            if (status not in REFUSED) != may(who, call) or status >= 500:
                wrong.append(f"{call.name} needs {call.right}: {status}")
    assert wrong == []


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Host": "evil.example"}, 400),
    ],
)
async def test_no_other_sites_page_can_have_anything_changed(database, headers, status):
    wrong = []
    async with visiting(database, role=None, requests_per_minute=0) as visitor:
        session = await credentials(database, "admin")
        for call in calls():
            if call.method in SAFE:
                continue
            given, _ = await asked(visitor, call, **headers, **session)
            if given != status:
                wrong.append(f"{call.name}: {given}")
    assert wrong == []


async def test_a_key_does_not_open_the_door_to_another_sites_page(database):
    wrong = []
    async with visiting(database, role=None, requests_per_minute=0) as visitor:
        key = await credentials(database, "a key that reads")
        for call in calls():
            if call.method not in SAFE:
                given, _ = await asked(visitor, call, Origin="https://evil.example", **key)
                wrong += [f"{call.name}: {given}"] if given != 403 else []
    assert wrong == []


async def test_nothing_is_changed_by_looking(database):
    """A GET of an address that only takes changes is no change."""
    reads = {call.path for call in calls() if call.method == "GET"}
    session = await credentials(database, "admin")
    async with visiting(database, role=None, requests_per_minute=0) as visitor:
        for call in calls():
            if call.method not in SAFE and call.path not in reads:
                async with visitor.session.get(f"{visitor.address}{call.path}", headers=session) as response:
                    assert response.status in {404, 405}, call.name
