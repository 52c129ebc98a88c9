"""Write RSS 2.0."""

import re
from datetime import UTC, datetime
from email.utils import format_datetime
from html import escape

from lxml import etree

from scoop.core.feed_writing import GENERATOR, UNKNOWN_LANGUAGE, FeedEntry, OutputFeed

ATOM = "http://www.w3.org/2005/Atom"
CONTENT = "http://purl.org/rss/1.0/modules/content/"
DC = "http://purl.org/dc/elements/1.1/"

# RSS does not say whether a title is text or HTML: escape what some readers would parse as markup.
_MARKUP = re.compile(r"<(?=[A-Za-z/!?])|&(?=#?\w+;)")


def write(feed: OutputFeed) -> bytes:
    root = etree.Element("rss", version="2.0", nsmap={"atom": ATOM, "content": CONTENT, "dc": DC})
    channel = etree.SubElement(root, "channel")
    _add(channel, "title", _title(feed.title))
    _add(channel, "link", feed.url)
    _add(channel, "description", escape(feed.description, quote=False))
    _add(channel, "lastBuildDate", _date(feed.updated_at))
    _add(channel, "generator", GENERATOR)
    own = {"rel": "self", "type": "application/rss+xml", "href": feed.self_url}
    etree.SubElement(channel, f"{{{ATOM}}}link", own)
    for entry in feed.entries:
        _add_item(channel, entry)
    return bytes(etree.tostring(root, xml_declaration=True, encoding="utf-8"))


def _add_item(channel: etree._Element, entry: FeedEntry) -> None:
    item = etree.SubElement(channel, "item")
    _add(item, "title", _title(entry.title))
    _add(item, "link", entry.url)
    _add(item, "guid", entry.id, isPermaLink="false")
    _add(item, "pubDate", _date(entry.published_at))
    _add(item, f"{{{ATOM}}}updated", entry.updated_at.astimezone(UTC).isoformat())
    if entry.language != UNKNOWN_LANGUAGE:
        _add(item, f"{{{DC}}}language", entry.language)
    if entry.authors:  # one: of several, readers show the last; the content lists all outlets
        _add(item, f"{{{DC}}}creator", entry.authors[0])
    for category in entry.categories:
        _add(item, "category", category)
    _add(item, "description", escape(entry.summary, quote=False))
    _add(item, f"{{{CONTENT}}}encoded", entry.html)


def _add(parent: etree._Element, name: str, content: str, **attributes: str) -> None:
    etree.SubElement(parent, name, attributes).text = content


def _title(title: str) -> str:
    return _MARKUP.sub(lambda match: escape(match[0]), title)


def _date(moment: datetime) -> str:
    return format_datetime(moment.astimezone(UTC), usegmt=True)
