"""An outlet's articles as RSS 2.0, Atom 1.0 and JSON Feed 1.1."""

import html
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from email.utils import format_datetime
from typing import Any
from xml.etree import ElementTree as ET

from scoop.newsstand import world
from scoop.newsstand.world import Edition, WorldOutlet

ITEMS_MAX = 60

RSS_NAMESPACES = {
    "xmlns:atom": "http://www.w3.org/2005/Atom",
    "xmlns:content": "http://purl.org/rss/1.0/modules/content/",
    "xmlns:dc": "http://purl.org/dc/elements/1.1/",
    "xmlns:slash": "http://purl.org/rss/1.0/modules/slash/",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedWriter:
    """A feed format, and the path where an outlet of this format serves its feed."""

    path: str
    media_type: str
    render: Callable[[WorldOutlet, Sequence[Edition]], str]


def url(outlet: WorldOutlet) -> str:
    return outlet.url + FORMATS[outlet.feed].path


def render_rss(outlet: WorldOutlet, editions: Sequence[Edition]) -> str:
    rss = ET.Element("rss", {"version": "2.0", **RSS_NAMESPACES})
    channel = ET.SubElement(rss, "channel")
    _add(channel, "title", outlet.name)
    _add(channel, "link", outlet.url)
    _add(channel, "description", outlet.about)
    _add(channel, "language", outlet.language)
    _add(channel, "lastBuildDate", format_datetime(world.last_change(editions)))
    _add(channel, "atom:link", rel="self", type="application/rss+xml", href=url(outlet))
    channel.extend(_rss_item(edition) for edition in editions[:ITEMS_MAX])
    return _xml(rss)


def render_atom(outlet: WorldOutlet, editions: Sequence[Edition]) -> str:
    feed = ET.Element("feed", {"xmlns": "http://www.w3.org/2005/Atom", "xml:lang": outlet.language})
    _add(feed, "id", outlet.url)
    _add(feed, "title", outlet.name)
    _add(feed, "subtitle", outlet.about)
    _add(feed, "updated", world.last_change(editions).isoformat())
    _add(_add(feed, "author"), "name", outlet.name)
    _add(feed, "link", rel="self", type="application/atom+xml", href=url(outlet))
    _add(feed, "link", rel="alternate", type="text/html", href=outlet.url)
    feed.extend(_atom_entry(edition) for edition in editions[:ITEMS_MAX])
    return _xml(feed)


def render_json(outlet: WorldOutlet, editions: Sequence[Edition]) -> str:
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": outlet.name,
        "description": outlet.about,
        "home_page_url": outlet.url,
        "feed_url": url(outlet),
        "language": outlet.language,
        "items": [_json_item(edition) for edition in editions[:ITEMS_MAX]],
    }
    return json.dumps(feed, ensure_ascii=False, indent=1)


FORMATS = {
    "rss": FeedWriter(path="feed.xml", media_type="application/rss+xml", render=render_rss),
    "atom": FeedWriter(path="feed.xml", media_type="application/atom+xml", render=render_atom),
    "json": FeedWriter(path="feed.json", media_type="application/feed+json", render=render_json),
}


def _rss_item(edition: Edition) -> ET.Element:
    article = edition.article
    item = ET.Element("item")
    _add(item, "title", edition.title)
    _add(item, "link", edition.link)
    _add(item, "guid", edition.guid, isPermaLink="false")
    _add(item, "pubDate", format_datetime(edition.published_at))
    if article.author:
        _add(item, "dc:creator", article.author)
    for tag in article.tags:
        _add(item, "category", tag)
    _add(item, "description", article.summary)
    _add(item, "content:encoded", _body_html(edition))
    if edition.outlet.is_link_blog:
        _add(item, "comments", f"{edition.url}#comments")
        _add(item, "slash:comments", str(len(edition.replies)))
    return item


def _atom_entry(edition: Edition) -> ET.Element:
    article = edition.article
    entry = ET.Element("entry", {"xml:lang": article.language})
    _add(entry, "id", edition.guid)
    _add(entry, "title", edition.title, type="text")
    _add(entry, "link", rel="alternate", type="text/html", href=edition.link)
    _add(entry, "published", edition.published_at.isoformat())
    _add(entry, "updated", edition.updated_at.isoformat())
    if article.author:
        _add(_add(entry, "author"), "name", article.author)
    for tag in article.tags:
        _add(entry, "category", term=tag)
    _add(entry, "summary", article.summary, type="text")
    _add(entry, "content", _body_html(edition), type="html")
    return entry


def _json_item(edition: Edition) -> dict[str, Any]:
    article = edition.article
    item = {
        "id": edition.guid,
        "url": edition.url,
        "title": edition.title,
        "summary": article.summary,
        "content_html": _body_html(edition),
        "date_published": edition.published_at.isoformat(),
        "date_modified": edition.updated_at.isoformat(),
        "authors": [{"name": article.author}] if article.author else [],
        "tags": list(article.tags),
        "language": article.language,
    }
    return item | ({"external_url": edition.links_to_url} if edition.links_to_url else {})


def _add(parent: ET.Element, tag: str, text: str | None = None, **attributes: str) -> ET.Element:
    element = ET.SubElement(parent, tag, attributes)
    element.text = text
    return element


def _body_html(edition: Edition) -> str:
    return "\n".join(f"<p>{html.escape(paragraph, quote=False)}</p>" for paragraph in edition.paragraphs)


def _xml(root: ET.Element) -> str:
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode")
