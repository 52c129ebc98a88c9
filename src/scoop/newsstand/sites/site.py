"""The Fennmoor Gazette: an outlet without a feed, with sections, a news sitemap and a crawl delay in robots.txt."""

import gzip
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import jinja2
import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from scoop.newsstand import world
from scoop.newsstand.context import SiteContext

HOST = "fennmoorgazette.example"
NAME = "Fennmoor Gazette"
URL = f"http://{HOST}"
CRAWL_DELAY_SECONDS = 0.2  # short, so that a demo stays quick
ROBOTS = f"User-agent: *\nDisallow: /intern/\nCrawl-delay: {CRAWL_DELAY_SECONDS}\n\nSitemap: {URL}/sitemap.xml\n"
INDEX = (
    '<?xml version="1.0" encoding="utf-8"?>\n<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    f"<sitemap><loc>{URL}/sitemap-news.xml.gz</loc></sitemap></sitemapindex>\n"
)

_templates = jinja2.Environment(
    loader=jinja2.PackageLoader("scoop.newsstand"), autoescape=True, undefined=jinja2.StrictUndefined
)


class SiteFileArticle(msgspec.Struct, forbid_unknown_fields=True):
    """An article of the world's file."""

    slug: str
    section: str
    hours_ago: float
    title: str
    author: str
    summary: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteArticle:
    file: SiteFileArticle
    published_at: datetime

    @property
    def path(self) -> str:
        return f"/{self.published_at:%Y/%m/%d}/{self.file.slug}.html"

    @property
    def url(self) -> str:
        return URL + self.path

    @property
    def paragraphs(self) -> list[str]:
        return self.file.body.strip().split("\n\n")


def sites(context: SiteContext) -> Mapping[str, Sequence[BaseRoute]]:
    return {HOST: FeedlessSite(context=context).routes()}


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedlessSite:
    context: SiteContext

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/", self.front_page),
            Route("/robots.txt", robots),
            Route("/sitemap.xml", sitemap_index),
            Route("/sitemap-news.xml.gz", self.sitemap),
            Route("/imprint", imprint),
            Route("/intern/{path:path}", staff_room),
            Route("/{section}/", self.section),
            Route("/{path:path}", self.article),
        ]

    async def front_page(self, _request: Request) -> Response:
        return _front(NAME, self._articles()[:4])

    async def section(self, request: Request) -> Response:
        section = request.path_params["section"]
        articles = [article for article in self._articles() if article.file.section == section]
        if not articles:
            raise HTTPException(404)
        return _front(f"{NAME}: {section}", articles)

    async def article(self, request: Request) -> Response:
        for article in self._articles():
            if article.path == f"/{request.path_params['path']}":
                return HTMLResponse(_render("feedless_article.html", article=article, name=NAME))
        raise HTTPException(404)

    async def sitemap(self, _request: Request) -> Response:
        text = _render("feedless_sitemap.xml", articles=self._articles(), name=NAME)
        return Response(gzip.compress(text.encode(), mtime=0), media_type="application/gzip")

    def _articles(self) -> list[SiteArticle]:
        """Published articles, newest first."""
        articles = [
            SiteArticle(file=file, published_at=self.context.anchor - timedelta(hours=file.hours_ago))
            for file in _articles_of_file()
        ]
        out = [article for article in articles if article.published_at <= self.context.clock()]
        return sorted(out, key=lambda article: article.published_at, reverse=True)


async def robots(_request: Request) -> Response:
    return PlainTextResponse(ROBOTS)


async def sitemap_index(_request: Request) -> Response:
    return Response(INDEX, media_type="application/xml")


async def imprint(_request: Request) -> Response:
    return HTMLResponse(f"<!doctype html><title>Imprint</title><h1>{NAME}</h1><p>It is invented.</p>")


async def staff_room(_request: Request) -> Response:
    """A path that robots.txt forbids must exist, so that tests see whether a crawler obeys."""
    raise HTTPException(403)


def _front(heading: str, articles: Sequence[SiteArticle]) -> Response:
    sections = sorted({file.section for file in _articles_of_file()})
    return HTMLResponse(_render("feedless_front.html", heading=heading, articles=articles, sections=sections))


def _render(template: str, **context: Any) -> str:
    return _templates.get_template(template).render(context)


@cache
def _articles_of_file() -> list[SiteFileArticle]:
    tables = tomllib.loads((world.SHIPPED / "sites" / "fennmoor.toml").read_text("utf-8"))
    return msgspec.convert(tables["article"], list[SiteFileArticle])
