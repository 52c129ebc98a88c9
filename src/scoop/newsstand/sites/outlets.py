"""The outlets' web sites: front page, articles, feed, robots.txt and sitemap."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from scoop.newsstand import feeds, links, pages, replies, world
from scoop.newsstand.context import SiteContext
from scoop.newsstand.world import WorldOutlet

RELATED_MAX = 4


def sites(context: SiteContext) -> Mapping[str, Sequence[BaseRoute]]:
    return {outlet.host: OutletSite(context=context, outlet=outlet).routes() for outlet in context.world.outlets}


@dataclass(frozen=True, slots=True, kw_only=True)
class OutletSite:
    context: SiteContext
    outlet: WorldOutlet

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/", self.front_page),
            Route(f"/{feeds.FORMATS[self.outlet.feed].path}", self.feed),
            Route("/robots.txt", self.robots),
            Route("/sitemap.xml", self.sitemap),
            Route("/private/{path:path}", staff_room),
            Route("/{path:path}", self.article),
        ]

    async def front_page(self, request: Request) -> Response:
        editions = self.context.editions_of(self.outlet)
        page = pages.render_front_page(self.outlet, editions, links.as_reached(request))
        return replies.conditional(request, page, media_type="text/html", changed_at=world.last_change(editions))

    async def article(self, request: Request) -> Response:
        url = self.outlet.url + request.path_params["path"]
        editions = self.context.editions_of(self.outlet)
        edition = next((edition for edition in editions if edition.url == url), None)
        if edition is None:
            raise HTTPException(404)
        related = [other for other in editions if other != edition][:RELATED_MAX]
        page = pages.render_article(edition, related, links.as_reached(request))
        changed_at = world.last_change([edition, *related])
        return replies.conditional(request, page, media_type="text/html", changed_at=changed_at)

    async def feed(self, request: Request) -> Response:
        editions = self.context.editions_of(self.outlet)
        feed = feeds.FORMATS[self.outlet.feed]
        text = feed.render(self.outlet, editions)
        return replies.conditional(request, text, media_type=feed.media_type, changed_at=world.last_change(editions))

    async def sitemap(self, request: Request) -> Response:
        editions = self.context.editions_of(self.outlet)
        text = pages.render_sitemap(editions)
        return replies.conditional(request, text, media_type="application/xml", changed_at=world.last_change(editions))

    async def robots(self, request: Request) -> Response:
        text = pages.render_robots(self.outlet)
        return replies.conditional(request, text, media_type="text/plain", changed_at=world.EPOCH)


async def staff_room(_request: Request) -> Response:
    """A path that robots.txt forbids must exist, so that tests see whether a crawler obeys."""
    raise HTTPException(403)
