"""Lists of feeds as feed readers exchange them: OPML 1.0, 1.1 and 2.0."""

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from itertools import groupby

from lxml import etree

from scoop.core import text, urls

MAX_BYTES = 5 << 20
MAX_DEPTH = 32
MAX_OUTLINES = 20_000
MAX_ATTRIBUTES = 100  # of one outline; reading them takes the square of their number
MAX_PROBLEMS = 100
MAX_URL_CHARACTERS = 4096  # as the canonical item
MAX_TITLE_CHARACTERS = 500
MAX_COLLECTION_CHARACTERS = 128

_DECLARATION = re.compile(rb"<!\s*(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_FEED_BEFORE_URL = re.compile(r"^feed:(?://)?(?=https?:)", re.IGNORECASE)
_FEED_AS_SCHEME = re.compile(r"^feed:(?=//)", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|[\ufffe\uffff]")  # the two last are no characters of XML


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """A feed in a list; its collection is made from the folders around it."""

    url: str
    title: str
    html_url: str | None = None
    collection: str | None = None
    category: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlines:
    """The feeds of a list, and its problems."""

    feeds: tuple[Outline, ...] = ()
    problems: tuple[str, ...] = ()


def read(body: bytes) -> Outlines:
    """The feeds of a list, each address once; never raises, whatever the bytes: problems are part of the result."""
    if len(body) > MAX_BYTES:
        return Outlines(problems=(f"the list is larger than {MAX_BYTES >> 20} MiB; split it",))
    if _DECLARATION.search(body.replace(b"\0", b"")):  # without the zeros UTF-16 reads as ASCII does
        return Outlines(problems=("the list has a DOCTYPE or declares entities, which is refused; remove that line",))
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError, LookupError):
        root = None
    if root is None or root.getroottree().docinfo.internalDTD is not None:
        return Outlines(problems=("this is not OPML; export the list again from your feed reader",))
    return _collect(root, [f"line {e.line}: {text.one_line(e.message)}" for e in parser.error_log][:1])


def write(outlines: Iterable[Outline], *, title: str, now: datetime) -> bytes:
    """OPML 2.0 with a folder for each collection; the caller redacts the URLs (`redaction.redact_url`)."""
    root = etree.Element("opml", version="2.0")
    head, body = etree.SubElement(root, "head"), etree.SubElement(root, "body")
    etree.SubElement(head, "title").text = _plain(title)
    etree.SubElement(head, "dateCreated").text = format_datetime(now.astimezone(UTC), usegmt=True)
    for collection, feeds in groupby(outlines, key=lambda outline: outline.collection):
        folder = body if collection is None else etree.SubElement(body, "outline", text=_plain(collection))
        for feed in feeds:
            etree.SubElement(folder, "outline", _attributes(feed))
    return bytes(etree.tostring(root, xml_declaration=True, encoding="utf-8", pretty_print=True))


def _collect(root: etree._Element, problems: list[str]) -> Outlines:
    feeds: dict[str, Outline] = {}
    for count, outline in enumerate(_walk(root, collection=None, depth=0)):
        if count == MAX_OUTLINES:
            problems.append(f"the list has more than {MAX_OUTLINES:,} outlines; the rest is left out")
            break
        if isinstance(outline, str):
            problems.append(outline)
        elif outline:
            feeds.setdefault(outline.url, outline)
    if not feeds:
        problems.append("there is no feed in the list: no outline has an xmlUrl")
    return Outlines(feeds=tuple(feeds.values()), problems=tuple(problems[:MAX_PROBLEMS]))


def _walk(element: etree._Element, *, collection: str | None, depth: int) -> Iterator[Outline | str | None]:
    """For each outline a feed, a problem, or nothing (a folder)."""
    if depth > MAX_DEPTH:
        if len(element):
            yield f"line {element.sourceline}: outlines nested deeper than {MAX_DEPTH} levels are left out"
        return
    for child in element.iterchildren(tag=etree.Element):
        inner = collection
        if etree.QName(child).localname.lower() == "outline":
            attributes = _read_attributes(child)
            address = attributes.get("xmlurl") or (
                attributes.get("url") if attributes.get("type", "").lower() == "rss" else None
            )
            yield _outline(address, attributes, collection, child.sourceline) if address else None
            if not address:
                inner = _slug(f"{collection or ''} {attributes.get('text') or attributes.get('title') or ''}")
        yield from _walk(child, collection=inner, depth=depth + 1)


def _read_attributes(outline: etree._Element) -> dict[str, str]:
    if len(outline.attrib) > MAX_ATTRIBUTES:
        return {}
    return {name.lower(): value for name, value in outline.attrib.items()}


def _outline(address: str, attributes: dict[str, str], collection: str | None, line: int) -> Outline | str:
    url = _http_url(address)
    if url is None:
        return f"line {line}: {address[: urls.QUOTED_CHARACTERS]!r} is not the http(s) URL of a feed"
    return Outline(
        url=url,
        title=_plain(attributes.get("title", "")) or _plain(attributes.get("text", "")) or urls.host(url),
        html_url=_http_url(attributes.get("htmlurl", "")),
        collection=collection,
        category=_slug(attributes.get("category", "").partition(",")[0]),
    )


def _http_url(address: str) -> str | None:
    spelled = _FEED_AS_SCHEME.sub("http:", _FEED_BEFORE_URL.sub("", address.strip()))
    try:
        url = urls.percent_encoded(spelled)
    except ValueError:
        return None
    return url if len(url) <= MAX_URL_CHARACTERS else None


def _plain(markup: str) -> str:
    """A title as plain text; text that was escaped twice is unescaped twice."""
    title = markup[:MAX_TITLE_CHARACTERS]
    while (plain := text.one_line(_TAG.sub("", html.unescape(title)))) != title:
        title = plain
    return title


def _slug(name: str) -> str | None:
    """A name as a slug, in any script; nothing where no letter or digit is left."""
    signs = (sign if unicodedata.category(sign)[0] in "LMN" else " " for sign in text.normalized(_plain(name)))
    return "_".join("".join(signs).split())[:MAX_COLLECTION_CHARACTERS].rstrip("_") or None


def _attributes(feed: Outline) -> dict[str, str]:
    attributes = {
        "type": "rss",
        "text": _plain(feed.title),
        "title": _plain(feed.title),
        "xmlUrl": feed.url,
        "htmlUrl": feed.html_url,
        "category": _plain(feed.category or ""),
    }
    return {name: value for name, value in attributes.items() if value}
