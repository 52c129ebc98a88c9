"""HTML pages in place of feeds: the feeds that they name."""

import html
import re

from scoop.core.feed_reading.feed import ParsedFeed, address

HEAD_BYTES = 1 << 19  # within which a page names its feeds
MAX_ALTERNATES = 32

_LINK = re.compile(r"<link\s([^<>]*)>", re.IGNORECASE)
_BASE = re.compile(r"<base\s([^<>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(?<![\w-])([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_FEED_TYPES = ("application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml")


def read(document: bytes, *, url: str) -> ParsedFeed:
    """A ParsedFeed without a format, with the feeds that the page names as alternates."""
    head = document[:HEAD_BYTES].decode("utf-8", "replace")
    bases = [address(attributes.get("href"), url) for attributes in map(_attributes, _BASE.findall(head))]
    base = next(filter(None, bases), None) or url
    links = [attributes for attributes in map(_attributes, _LINK.findall(head)) if _is_feed(attributes)]
    feeds = dict.fromkeys(filter(None, (address(attributes.get("href"), base) for attributes in links)))
    alternates = list(feeds)[:MAX_ALTERNATES]
    named = f"; it names {len(alternates)} {'feed' if len(alternates) == 1 else 'feeds'}" if alternates else ""
    return ParsedFeed(problems=[f"this is an HTML page, not a feed{named}"], alternates=alternates)


def _attributes(tag: str) -> dict[str, str]:
    return {name.lower(): html.unescape(a or b or c) for name, a, b, c in _ATTRIBUTE.findall(tag)}


def _is_feed(attributes: dict[str, str]) -> bool:
    kind = attributes.get("type", "").lower().strip()
    return "alternate" in attributes.get("rel", "").lower().split() and (
        kind in _FEED_TYPES or (kind == "application/json" and "oembed" not in attributes.get("href", ""))
    )
