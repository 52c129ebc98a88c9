"""The newsstand's own pages: the list of its outlets, and all their articles as canonical items."""

import json
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from scoop.newsstand import items, pages, replies, world
from scoop.newsstand.context import Stand


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    stand: Stand

    def routes(self) -> list[BaseRoute]:
        return [Route("/", self.newsstand), Route("/items.ndjson", self.items)]

    async def newsstand(self, request: Request) -> Response:
        editions = self.stand.editions()
        page = pages.render_newsstand(self.stand.world.outlets, editions, address=str(request.base_url))
        return replies.conditional(request, page, media_type="text/html", changed_at=world.last_change(editions))

    async def items(self, request: Request) -> Response:
        changed_at = world.last_change(self.stand.editions())
        # scraped when the world last changed, so that the answer stays the same until it changes again
        scraped = items.items(self.stand.world, self.stand.anchor, changed_at, f"newsstand-{changed_at:%Y%m%dT%H%M%SZ}")
        lines = "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in scraped)
        return replies.conditional(request, lines, media_type="application/x-ndjson", changed_at=changed_at)
