"""Small worlds, and a visitor who walks through them over HTTP."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import aiohttp
from starlette.applications import Starlette

from scoop.newsstand import server
from scoop.newsstand.world import World, WorldArticle, WorldOutlet
from scoop.serve import serving

ANCHOR = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)


def an_outlet(key: str = "tribune", **given: Any) -> WorldOutlet:
    defaults = {
        "name": key.title(),
        "host": f"{key}.example",
        "language": "en",
        "collection": "world_news",
        "category": "news",
        "feed": "rss",
        "about": "A daily.",
    }
    return WorldOutlet(key=key, **(defaults | given))


def an_article(article_id: str = "flood", **given: Any) -> WorldArticle:
    defaults = {
        "outlet": "tribune",
        "hours_ago": 5.0,
        "title": "River rises",
        "tags": ("weather",),
        "kind": "news",
        "summary": "The river rose.",
        "body": "It rained.\n\nThe river rose.",
        "language": "en",
    }
    return WorldArticle(id=article_id, **(defaults | given))


def a_world(*articles: WorldArticle, outlets: tuple[WorldOutlet, ...] = (an_outlet(),)) -> World:
    return World(outlets=outlets, articles=articles)


@dataclass(kw_only=True)
class Clock:
    """A clock that stands still until it is turned."""

    now: datetime = ANCHOR

    def __call__(self) -> datetime:
        return self.now

    def turn(self, *, hours: float) -> None:
        self.now += timedelta(hours=hours)


@dataclass(frozen=True, kw_only=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    text: str


@dataclass(frozen=True, kw_only=True)
class Visitor:
    app: Starlette
    session: aiohttp.ClientSession

    async def get(self, path: str, *, method: str = "GET", **headers: str) -> Answer:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        async with self.session.request(method, path, headers=named) as response:
            return Answer(status=response.status, headers=response.headers, text=await response.text())


@asynccontextmanager
async def visiting(world: World, clock: Callable[[], datetime] = lambda: ANCHOR) -> AsyncIterator[Visitor]:
    app = server.create_app(world, ANCHOR, clock)
    async with serving(app) as address, aiohttp.ClientSession(address) as session:
        yield Visitor(app=app, session=session)
