"""Feeds that are not what they should be: broken markup, unknown entities, ends in the middle."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import feedparser

from scoop.core import text
from scoop.core.feeds import dates, markup
from scoop.core.feeds.feed import (
    MAX_ATTACHED, MAX_AUTHOR, MAX_BODY, MAX_ITEMS, MAX_SUMMARY, MAX_TAG, MAX_TITLE, Entry, Feed, address, items,
    tag_of_language,
)  # fmt: skip

MAX_BYTES = 5 << 20  # of a broken feed; what follows is cut off

_DOCTYPE = re.compile(rb"<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>", re.DOTALL | re.IGNORECASE)
_ENTITY = re.compile(rb"<!ENTITY[^>]*>", re.IGNORECASE)


def read(document: bytes, *, url: str) -> Feed:
    problems = ["this is not well-formed; what could be read of it was"]
    if len(document) > MAX_BYTES:
        problems.append(f"this is broken and longer than {MAX_BYTES >> 20} MiB; only the beginning was read")
    clean = _ENTITY.sub(b"", _DOCTYPE.sub(b"", document[:MAX_BYTES], count=1))
    found = feedparser.parse(
        clean, response_headers={"content-type": "application/xml; charset=utf-8"}, sanitize_html=False,
        resolve_relative_uris=False,
    )  # fmt: skip
    head = found.feed
    link = address(head.get("link"), url)
    entries, told = items(_entry(entry, found, link or url) for entry in found.entries)
    return Feed(
        title=markup.headline(head.get("title", ""), MAX_TITLE),
        link=link or "",
        description=markup.body(head.get("subtitle", ""), MAX_SUMMARY),
        language=tag_of_language(head.get("language")),
        format=_format(found.version, bool(entries)),
        items=entries,
        problems=[*problems, *told],
        ttl=_ttl(head.get("ttl")),
    )


def _entry(entry: Any, found: Any, base: str) -> Entry:
    contents = [_text(content) for content in entry.get("content", ())]
    summary = _text(entry.get("summary_detail", {}))
    enclosures = list(_attached(entry.get("enclosures", ()), base, length="length"))
    media = list(_attached(entry.get("media_content", ()), base, length="filesize"))
    return Entry(
        guid=text.one_line(entry.get("id", "")),
        url=address(entry.get("link"), base),
        title=markup.headline(entry.get("title", ""), MAX_TITLE),
        body=max(contents, key=len, default=""),
        summary=summary,
        published_at=_date(entry, "published", "created"),
        updated_at=_date(entry, "updated"),
        image_url=_image(entry, media, enclosures, base),
        language=tag_of_language(entry.get("language") or found.feed.get("language")),
        authors=[markup.headline(author.get("name", ""), MAX_AUTHOR) for author in entry.get("authors", ())],
        tags=[markup.headline(tag.get("label") or tag.get("term") or "", MAX_TAG) for tag in entry.get("tags", ())],
        metadata={
            "enclosures": enclosures,
            "media": media,
            "original_url": address(entry.get("feedburner_origlink")),
            "comments_url": address(entry.get("comments"), base),
            "duration": text.one_line(entry.get("itunes_duration", "")),
        },
    )


def _text(detail: Any) -> str:
    """feedparser's word for a kind of text is its media type."""
    value = detail.get("value") or ""
    if detail.get("type") == "text/plain" and not markup.is_markup(value):
        return markup.written(value, MAX_BODY)
    return markup.body(value, MAX_BODY)


def _date(entry: Any, *names: str) -> str | None:
    return next((date for name in names if (date := dates.rfc_3339(entry.get(name) or ""))), None)


def _attached(values: Any, base: str, *, length: str) -> Iterator[dict[str, Any]]:
    for value in values[:MAX_ATTACHED]:
        if url := address(value.get("href") or value.get("url"), base):
            size = str(value.get(length, ""))
            more = {"type": value.get("type"), "length": int(size) if size.isdecimal() and len(size) < 16 else None}
            yield {"url": url} | {key: known for key, known in more.items() if known}


def _image(entry: Any, media: list[dict[str, Any]], enclosures: list[dict[str, Any]], base: str) -> str | None:
    thumbnails = [thumbnail.get("url") for thumbnail in entry.get("media_thumbnail", ())]
    pictures = [found["url"] for found in [*media, *enclosures] if found.get("type", "").startswith("image/")]
    own = entry.get("image", {}).get("href")
    return next((found for url in [*pictures, *thumbnails, own] if (found := address(url, base))), None)


def _ttl(minutes: str | None) -> timedelta | None:
    return timedelta(minutes=int(minutes)) if minutes and minutes.isdecimal() and len(minutes) < 6 else None


def _format(version: str, has_items: bool) -> str:
    """`rss20` is RSS 2.0."""
    match = re.fullmatch(r"(rss|atom)(\d)?(\d+)?\w*", version)
    if match is None:
        return "rss" if has_items else ""
    return f"{match[1]} {match[2]}.{match[3]}" if match[3] else match[1]
