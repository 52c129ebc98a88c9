"""The newsstand's own pages: the list of outlets, and all articles as canonical items."""

import json
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from scoop.newsstand import items, pages, replies, world
from scoop.newsstand.context import SiteContext


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    context: SiteContext

    def routes(self) -> list[BaseRoute]:
        return [Route("/", self.newsstand), Route("/items.ndjson", self.items)]

    async def newsstand(self, request: Request) -> Response:
        editions = self.context.editions()
        page = pages.render_newsstand(self.context.world.outlets, editions, address=str(request.base_url))
        return replies.conditional(request, page, media_type="text/html", changed_at=world.last_change(editions))

    async def items(self, request: Request) -> Response:
        changed_at = world.last_change(self.context.editions())
        # scraped when the world last changed, so that the response stays the same until it changes again
        scraped = items.items(
            self.context.world, self.context.anchor, changed_at, f"newsstand-{changed_at:%Y%m%dT%H%M%SZ}"
        )
        lines = "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in scraped)
        return replies.conditional(request, lines, media_type="application/x-ndjson", changed_at=changed_at)
