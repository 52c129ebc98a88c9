"""Hacker News' API: the link blog's posts as its stories, its collection's other articles as links."""

import html
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from scoop.newsstand.context import SiteContext
from scoop.newsstand.world import Edition, EditionReply

HOST = "hacker-news.firebaseio.com"
COLLECTION = "ai_news"
FIRST_ID = 40_000_000
DELETED_ID, DEAD_ID, MISSING_ID = FIRST_ID + 1, FIRST_ID + 2, FIRST_ID + 3  # every list has such entries
POINTS_PER_HOUR = 3


def sites(context: SiteContext) -> Mapping[str, Sequence[BaseRoute]]:
    return {HOST: HackerNewsSite(context=context).routes()}


@dataclass(frozen=True, slots=True, kw_only=True)
class HackerNewsSite:
    context: SiteContext

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/v0/{name}stories.json", self.stories),
            Route("/v0/item/{id:int}.json", self.item),
            Route("/v0/maxitem.json", self.newest),
        ]

    async def stories(self, request: Request) -> Response:
        order = "time" if request.path_params["name"] == "new" else "score"
        stories = [item for item in self._items().values() if item["type"] == "story" and "time" in item]
        stories.sort(key=lambda story: -story[order])
        return JSONResponse([*(story["id"] for story in stories), DELETED_ID, DEAD_ID, MISSING_ID])

    async def item(self, request: Request) -> Response:
        return JSONResponse(self._items().get(request.path_params["id"]))

    async def newest(self, _request: Request) -> Response:
        return JSONResponse(max(self._items()))

    def _items(self) -> dict[int, dict[str, Any]]:
        editions = [edition for edition in self.context.editions() if edition.outlet.collection == COLLECTION]
        posted = {edition.link for edition in editions if edition.outlet.is_link_blog}
        items: dict[int, dict[str, Any]] = {
            DELETED_ID: {"id": DELETED_ID, "type": "story", "deleted": True},
            DEAD_ID: {"id": DEAD_ID, "type": "story", "dead": True, "by": "spam", "title": "[dead]", "score": 1},
        }
        for edition in editions:
            if edition.outlet.is_link_blog or edition.url not in posted:
                replies = [self._comment(edition, number, reply) for number, reply in enumerate(edition.replies)]
                story = self._story(edition, [reply["id"] for reply in replies])
                items |= {item["id"]: item for item in (story, *replies)}
        return items

    def _story(self, edition: Edition, kids: list[int]) -> dict[str, Any]:
        age_hours = (self.context.clock() - edition.published_at).total_seconds() / 3600
        story = {
            "by": edition.article.author or "newsbot",
            "descendants": len(kids),
            "id": _id(edition.article.id),
            "kids": kids,
            "score": 1 + len(kids) * 20 + int(min(age_hours, 24) * POINTS_PER_HOUR),
            "time": int(edition.published_at.timestamp()),
            "title": edition.title,
            "type": "story",
        }
        is_question = edition.outlet.is_link_blog and not edition.links_to_url
        return story | ({"text": _markup(edition.body)} if is_question else {"url": edition.link})

    def _comment(self, edition: Edition, number: int, reply: EditionReply) -> dict[str, Any]:
        return {
            "by": reply.author,
            "id": _id(f"{edition.article.id}#{number}"),
            "parent": _id(edition.article.id),
            "text": _markup(reply.text),
            "time": int(reply.posted_at.timestamp()),
            "type": "comment",
        }


def _id(name: str) -> int:
    return FIRST_ID + 1_000 + zlib.crc32(name.encode()) % 10_000_000


def _markup(body: str) -> str:
    """Hacker News' format: the first paragraph bare, each further one after a <p>."""
    return "<p>".join(html.escape(paragraph) for paragraph in body.split("\n\n"))
