"""A visitor who reads the page over HTTP, and what a browser would find in what it gets."""

import json
import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from typing import Any

import aiohttp
from yarl import URL

from builders import an_item
from scoop.asgi import connection_limits, create_app
from scoop.config import Config
from scoop.core.access import Role
from scoop.http import accounts, auth
from scoop.serve import serving
from scoop.store import users
from scoop.store.db import Database

NOW = datetime(2024, 5, 16, 12, 0, tzinfo=UTC)
TODAY = "/days/2024-05-16"


def a_report(number: int = 1, /, *, hours_ago: float = 5, **changes: Any) -> dict[str, Any]:
    """An item that came out some hours before NOW."""
    return an_item(number, published_at=(NOW - timedelta(hours=hours_ago)).isoformat(), **changes)


@dataclass(frozen=True, kw_only=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def page(self) -> "Page":
        page = Page()
        page.feed(self.text)
        page.close()
        return page

    @property
    def json(self) -> Any:
        return json.loads(self.text)


class Page(HTMLParser):
    """The tags and the text that a browser would make of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    def links(self, start: str = "") -> list[str]:
        return [attrs["href"] for tag, attrs in self.tags if tag == "a" and attrs["href"].startswith(start)]

    def attributes(self, tag: str) -> list[dict[str, str]]:
        return [attrs for name, attrs in self.tags if name == tag]


@dataclass(frozen=True, kw_only=True)
class Visitor:
    address: str
    session: aiohttp.ClientSession

    async def post(self, path: str, form: Mapping[str, Any] | None = None, **headers: str) -> Answer:
        """Send a form as a page of Scoop's own would."""
        told = {"Origin": self.address, **headers}
        url = f"{self.address}{path}"
        async with self.session.post(url, data=form or {"": ""}, headers=told, allow_redirects=False) as response:
            return Answer(status=response.status, headers=response.headers, text=await response.text())

    async def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Call the API with a JSON body."""
        url = URL(f"{self.address}{path}", encoded=True)
        told = {"Origin": self.address, **headers}
        async with self.session.request(method, url, json=body, headers=told, allow_redirects=False) as response:
            return Answer(status=response.status, headers=response.headers, text=await response.text())

    async def get(self, path: str, *, method: str = "GET", **headers: str) -> Answer:
        url = URL(f"{self.address}{path}", encoded=True)
        async with self.session.request(method, url, headers=headers, allow_redirects=False) as response:
            return Answer(status=response.status, headers=response.headers, text=await response.text())


@asynccontextmanager
async def visiting(
    database: Database,
    *,
    clock: Callable[[], datetime] = lambda: NOW,
    timezone: str = "UTC",
    newsstand: str | None = None,
    role: Role | None = "admin",
    signed_in_at: datetime = NOW,
    **settings: Any,
) -> AsyncIterator[Visitor]:
    """A visitor who is signed in with this role, or not at all."""
    config = Config(timezone=timezone, **settings)
    app = create_app(config, database, newsstand=newsstand, clock=clock)
    jar = aiohttp.CookieJar(unsafe=True)  # which means: also those of addresses without a name
    cookies = {auth.COOKIE: await signed_in(database, role, now=signed_in_at)} if role else {}
    async with (
        serving(app, limits=connection_limits(config)) as address,
        aiohttp.ClientSession(cookies=cookies, cookie_jar=jar) as session,
    ):
        yield Visitor(address=address, session=session)


async def disconnect(database: Database) -> None:
    """Let the connections of a database end and new ones be refused, as when its server stops."""
    database._pool.set_connect_args("postgresql://127.0.0.1:1/scoop")
    await database._pool.expire_connections()


async def signed_in(database: Database, role: Role, *, now: datetime) -> str:
    """The session of a new person with this role."""
    async with database.transaction() as conn:
        user_id = await users.add(conn, name=f"{role} {secrets.token_hex(4)}", role=role, password_hash="-")
        return await accounts.open_session(conn, user_id, now=now)
