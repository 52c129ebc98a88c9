"""Parser for broken feeds: malformed markup, unknown entities, truncated documents."""

import html
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import islice
from typing import Any
from xml.sax import SAXException

import feedparser

from scoop.core import text
from scoop.core.feed_reading import dates, markup, wellformed
from scoop.core.feed_reading.feed import (
    MAX_ATTACHED,
    MAX_BODY,
    MAX_SUMMARY,
    MAX_TAG,
    MAX_TITLE,
    MAX_TTL_MINUTES,
    MAX_WORD,
    ParsedEntry,
    ParsedFeed,
    address,
    attached,
    author,
    is_picture,
    items,
    number,
    object_list,
    tag_of_language,
    text_value,
)

MAX_BYTES = 5 << 20  # of a feed that is repaired
MAX_BROKEN_BYTES = 2 << 20  # of one that cannot be repaired; feedparser reads some 300 KiB a second
MAX_BROKEN_TAGS = 50_000  # and attributes; feedparser takes 0.5 KiB for each that is not closed
# Raised by feedparser for values that it does not expect.
PARSER_ERRORS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
    SAXException,
)

_DOCTYPE = re.compile(rb"<!DOCTYPE[^>\[]*(?:\[.*?(?:\]\s*>|\Z)|>|\Z)", re.DOTALL | re.IGNORECASE)
_ENTITY = re.compile(rb"<!ENTITY[^>]*(?:>|\Z)", re.IGNORECASE)
_TAG = re.compile(rb"<|=[\"']")
_WRONG = re.compile(
    rb"<!\[CDATA\[.*?(?:\]\]>|\Z)|&(?:#(?P<digits>x[0-9a-f]{1,6}|[0-9]{1,7});|(?P<name>[a-z][a-z0-9]{1,30});)?"
    rb"|<(?![a-z_/!?])",
    re.DOTALL | re.IGNORECASE,
)
_XML_ENTITIES = frozenset({b"amp", b"lt", b"gt", b"quot", b"apos"})


def read(document: bytes, *, url: str) -> ParsedFeed:
    """The whole feed if escaping repairs it, else the parts that feedparser can read."""
    repaired = _repaired(document[:MAX_BYTES])
    try:
        feed = wellformed.read(repaired, url=url)
    except wellformed.Unfit as error:
        return _salvaged(repaired, url, f"this is broken: {error}")
    return replace(feed, problems=["this is not well-formed; characters and entities were corrected", *feed.problems])


def _repaired(document: bytes) -> bytes:
    """Without entity declarations, and with every stray `&` and `<` escaped."""
    document = _ENTITY.sub(b"", _DOCTYPE.sub(b"", document, count=1))
    repaired, end = bytearray(), 0
    for wrong in _WRONG.finditer(document):
        repaired += document[end : wrong.start()]
        repaired += _escaped(wrong)
        end = wrong.end()
    return bytes(repaired + document[end:])


def _escaped(wrong: re.Match[bytes]) -> bytes:
    whole = wrong[0]
    if whole == b"<":
        return b"&lt;"
    if whole[:1] == b"<" or wrong["name"] in _XML_ENTITIES:
        return whole
    characters = html.unescape(whole.decode()) if len(whole) > 1 else "&"
    if characters == whole.decode():  # an unknown entity
        return b"&amp;" + whole[1:]
    return b"".join(b"&#%d;" % ord(character) for character in characters)


def _salvaged(document: bytes, url: str, problem: str) -> ParsedFeed:
    beginning = _beginning(document)
    cut = [] if len(beginning) == len(document) else [f"only its first {len(beginning):,} bytes were read"]
    parsed = _parsed(beginning)
    if not any(parsed.entries):
        return replace(wellformed.recovered(beginning, url=url), problems=[problem, *cut])
    head = parsed.feed
    link = address(text_value(head, "link"), url)
    entries, problems = items(filter(_has_content, (_entry(entry, head, link or url) for entry in parsed.entries)))
    return ParsedFeed(
        title=markup.headline(text_value(head, "title"), MAX_TITLE),
        link=link or "",
        description=markup.body(text_value(head, "subtitle"), MAX_SUMMARY),
        language=tag_of_language(text_value(head, "language")),
        format=_format(parsed.version, bool(entries)),
        items=entries,
        problems=[problem, *cut, *problems],
        ttl=timedelta(minutes=min(number(text_value(head, "ttl")) or 0, MAX_TTL_MINUTES)) or None,
    )


def _parsed(document: bytes) -> Any:
    """The result of feedparser; an empty one if it raises, as it does for some empty values."""
    try:
        return feedparser.parse(
            document,
            response_headers={"content-type": "application/xml; charset=utf-8"},
            sanitize_html=False,
            resolve_relative_uris=False,
        )
    except PARSER_ERRORS:
        return feedparser.FeedParserDict(entries=[])


def _beginning(document: bytes) -> bytes:
    tags = islice(_TAG.finditer(document, 0, MAX_BROKEN_BYTES), MAX_BROKEN_TAGS, None)
    return document[: next((tag.start() for tag in tags), MAX_BROKEN_BYTES)]


def _entry(entry: Any, head: Any, base: str) -> ParsedEntry:
    files = list(_files([link for link in object_list(entry, "links") if text_value(link, "rel") == "enclosure"], base))
    media = list(_files(object_list(entry, "media_content"), base))
    return ParsedEntry(
        guid=text.one_line(text_value(entry, "id")),
        url=address(text_value(entry, "link"), base),
        title=markup.headline(text_value(entry, "title"), MAX_TITLE),
        body=max(map(_text, object_list(entry, "content")), key=len, default=""),
        summary=_text(entry.get("summary_detail")),
        published_at=dates.rfc_3339(text_value(entry, "published")) or dates.rfc_3339(text_value(entry, "created")),
        updated_at=dates.rfc_3339(text_value(entry, "updated")),
        image_url=_image(entry, [*media, *files], base),
        language=tag_of_language(text_value(entry, "language") or text_value(head, "language")),
        authors=[author(text_value(person, "name")) for person in object_list(entry, "authors")],
        tags=[
            markup.headline(text_value(tag, "label") or text_value(tag, "term"), MAX_TAG)
            for tag in object_list(entry, "tags")
        ],
        metadata={
            "enclosures": files,
            "media": media,
            "original_url": address(text_value(entry, "feedburner_origlink")),
            "comments_url": address(text_value(entry, "comments"), base),
            "duration": text.one_line(text_value(entry, "itunes_duration"))[:MAX_WORD],
        },
    )


def _has_content(entry: ParsedEntry) -> bool:
    """Whether an entry is not empty; the last one of a truncated feed often is."""
    return bool(entry.title or entry.url or entry.guid or entry.body or entry.summary)


def _text(detail: Any) -> str:
    value = text_value(detail, "value")
    if text_value(detail, "type") == "text/plain" and not markup.is_markup(value):
        return markup.plain_text(value, MAX_BODY)
    return markup.body(value, MAX_BODY)


def _files(values: list[dict[str, Any]], base: str) -> Iterator[dict[str, Any]]:
    for value in values[:MAX_ATTACHED]:
        if url := address(text_value(value, "href") or text_value(value, "url"), base):
            length = text_value(value, "length") or text_value(value, "filesize")
            yield attached(url, type=text_value(value, "type"), length=length, medium=text_value(value, "medium"))


def _image(entry: Any, attachments: list[dict[str, Any]], base: str) -> str | None:
    pictures = [file["url"] for file in attachments if is_picture(file)]
    thumbnails = [text_value(thumbnail, "url") for thumbnail in object_list(entry, "media_thumbnail")]
    own = text_value(entry.get("image"), "href")
    candidates = (address(url, base) for url in [*pictures, *thumbnails, own])
    return next(filter(None, candidates), None)


def _format(version: str, has_items: bool) -> str:
    """`rss20` is RSS 2.0."""
    match = re.fullmatch(r"(rss|atom)(\d)?(\d+)?\w*", version)
    if match is None:
        return "rss" if has_items else ""
    return f"{match[1]} {match[2]}.{match[3]}" if match[3] else match[1]
