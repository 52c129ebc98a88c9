"""A visitor who reads the page over HTTP, and what a browser would find in what it gets."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from typing import Any

import aiohttp
from yarl import URL

from builders import an_item
from scoop.serving import serving
from scoop.store.db import Database
from scoop.web.app import create_app

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
    hosts: frozenset[str] = frozenset(),
) -> AsyncIterator[Visitor]:
    app = create_app(database, timezone=timezone, newsstand=newsstand, clock=clock, hosts=hosts)
    async with serving(app) as address, aiohttp.ClientSession() as session:
        yield Visitor(address=address, session=session)
