"""HTML pages, robots.txt and sitemaps of the newsstand."""

import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import jinja2

from scoop.newsstand import feeds, links, translations
from scoop.newsstand.links import Href
from scoop.newsstand.world import Edition, WorldOutlet

CRAWL_DELAY_SECONDS = 1  # as link blogs request; short, so that a demo stays quick


@dataclass(frozen=True, slots=True, kw_only=True)
class OutletShelf:
    """An outlet in the newsstand's list."""

    outlet: WorldOutlet
    feed_url: str
    articles: int


_templates = jinja2.Environment(
    loader=jinja2.PackageLoader("scoop.newsstand"),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)


def render_article(edition: Edition, related: Sequence[Edition], href: Href) -> str:
    language = edition.article.language
    context = {"edition": edition, "related": related, "json_ld": _json_ld(edition), "language": language}
    return _render_site("article.html", edition.outlet, href, context)


def render_front_page(outlet: WorldOutlet, editions: Sequence[Edition], href: Href) -> str:
    context = {"editions": editions, "language": outlet.language}
    return _render_site("front_page.html", outlet, href, context)


def render_newsstand(outlets: Sequence[WorldOutlet], editions: Sequence[Edition], *, address: str) -> str:
    """The list of all outlets, at the newsstand's own address."""
    articles_by_outlet = Counter(edition.outlet for edition in editions)
    shelves = [
        OutletShelf(outlet=outlet, feed_url=feeds.url(outlet), articles=articles_by_outlet[outlet])
        for outlet in outlets
    ]
    return _render("newsstand.html", shelves=shelves, address=address, href=links.by_path, home="/")


def render_error(status: HTTPStatus, *, home: str) -> str:
    return _render("error.html", status=status, home=home)


def render_robots(outlet: WorldOutlet) -> str:
    crawl_delay = CRAWL_DELAY_SECONDS if outlet.is_link_blog else None
    return _render("robots.txt", outlet=outlet, crawl_delay=crawl_delay)


def render_sitemap(editions: Sequence[Edition]) -> str:
    return _render("sitemap.xml", editions=editions)


def _render(template: str, **context: Any) -> str:
    return _templates.get_template(template).render(context)


def _render_site(template: str, outlet: WorldOutlet, href: Href, context: dict[str, Any]) -> str:
    return _render(
        template,
        outlet=outlet,
        hue=zlib.crc32(outlet.host.encode()) % 360,
        feed_type=feeds.FORMATS[outlet.feed].media_type,
        feed_url=feeds.url(outlet),
        labels=translations.of(context["language"]),
        href=href,
        **context,
    )


def _json_ld(edition: Edition) -> dict[str, Any]:
    """The schema.org description of an article, without its body: readers extract that."""
    author = edition.article.author
    return {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": edition.title,
        "description": edition.article.summary,
        "datePublished": edition.published_at.isoformat(),
        "dateModified": edition.updated_at.isoformat(),
        "author": [{"@type": "Person", "name": author}] if author else [],
        "publisher": {"@type": "NewsMediaOrganization", "name": edition.outlet.name, "url": edition.outlet.url},
        "inLanguage": edition.article.language,
        "keywords": list(edition.article.tags),
        "mainEntityOfPage": edition.url,
    }
