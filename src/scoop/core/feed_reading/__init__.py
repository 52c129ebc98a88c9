"""Feeds: RSS 0.90 to 2.0, Atom 0.3 and 1.0, JSON Feed. Any bytes give a ParsedFeed, never an exception."""

import re

from scoop.core.feed_reading import encodings, jsonfeed, pages, wellformed
from scoop.core.feed_reading.feed import ParsedFeed

BEGINNING = 1 << 14  # bytes within which the root element begins

_ASIDE = re.compile(rb"<!--.*?(?:-->|\Z)|<[?!][^>]*(?:>|\Z)", re.DOTALL)
_ROOT = re.compile(rb"<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)")
_FEED_ROOTS = frozenset({"rss", "rdf", "feed", "channel", "item", "entry"})


def parse(body: bytes, *, content_type: str = "", url: str = "") -> ParsedFeed:
    """The feed, by the fast parser, else by the lenient one."""
    feed = parse_fast(body, content_type=content_type, url=url)
    return parse_lenient(body, content_type=content_type, url=url) if feed is None else feed


def parse_fast(body: bytes, *, content_type: str = "", url: str = "") -> ParsedFeed | None:
    """A well-formed feed, or the reason why the document is not a feed; None if it needs the lenient parser."""
    document = encodings.utf_8(body, content_type)
    root = _root(document)
    if document[:1] == b"{":
        return jsonfeed.read(document, url=url)
    if root == "html":
        return pages.read(document, url=url)
    if root not in _FEED_ROOTS and not wellformed.has_entries(document):
        return ParsedFeed(problems=[_refusal(document, root)])
    feed = _well_formed(document, url)
    clean = encodings.without_controls(document) if feed is None else document
    return _well_formed(clean, url) if len(clean) < len(document) else feed


def parse_lenient(body: bytes, *, content_type: str = "", url: str = "") -> ParsedFeed:
    """The readable parts of a broken feed."""
    from scoop.core.feed_reading import lenient  # slow to import, and seldom needed

    return lenient.read(encodings.without_controls(encodings.utf_8(body, content_type)), url=url)


def _well_formed(document: bytes, url: str) -> ParsedFeed | None:
    try:
        return wellformed.read(document, url=url)
    except wellformed.Unfit:
        return None


def _root(document: bytes) -> str:
    """The name of the outermost element, without its prefix; empty if there is none.

    The element decides, not the document type: some feeds begin with `<!DOCTYPE html>`, and a page may omit `<html>`.
    """
    beginning = document[:BEGINNING]
    match = _ROOT.search(_ASIDE.sub(b"", beginning))
    root = match[1].decode().lower() if match else ""
    is_page = root not in _FEED_ROOTS and b"<!doctype html" in beginning[:1024].lower()
    return "html" if is_page else root


def _refusal(document: bytes, root: str) -> str:
    if not document:
        return "this is empty"
    return f"this is not a feed: neither RSS, Atom nor JSON Feed, but {f'<{root[:40]}>' if root else 'not XML'}"
