"""JSON Feed 1.0 and 1.1."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from scoop.core import text
from scoop.core.feed_reading import dates, markup
from scoop.core.feed_reading.feed import (
    MAX_ATTACHED,
    MAX_AUTHOR,
    MAX_AUTHORS,
    MAX_BODY,
    MAX_SUMMARY,
    MAX_TAG,
    MAX_TAGS,
    MAX_TITLE,
    MAX_WORD,
    ParsedEntry,
    ParsedFeed,
    address,
    attached,
    items,
    object_list,
    tag_of_language,
    text_value,
)

MAX_PARTS = 1_000_000  # quotes, commas and brackets; decoded, each takes up to 58 bytes
VERSION = "jsonfeed.org/version/"


class _FeedDefaults(NamedTuple):
    """Values that the entries inherit, computed once: a hostile feed has a million authors."""

    base: str
    language: str
    authors: list[str]


def read(document: bytes, *, url: str) -> ParsedFeed:
    """The feed; one without a format for JSON of another kind."""
    if sum(document.count(sign) for sign in (b'"', b",", b"{", b"[")) > MAX_PARTS:
        return ParsedFeed(problems=["this JSON has too many parts to be a feed"])
    try:
        feed = msgspec.json.decode(document)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return ParsedFeed(problems=[f"this begins like JSON, but is invalid: {error}"])
    version = text_value(feed, "version")
    if not isinstance(feed, dict) or not (VERSION in version or isinstance(feed.get("items"), list)):
        return ParsedFeed(problems=["this is JSON, but not a JSON Feed"])
    return _feed(feed, version.rpartition(VERSION)[2], url)


def _feed(feed: dict[str, Any], version: str, url: str) -> ParsedFeed:
    link = address(text_value(feed, "home_page_url"), url)
    language = tag_of_language(text_value(feed, "language")[:MAX_WORD])
    defaults = _FeedDefaults(base=link or url, language=language, authors=_authors(feed))
    entries, problems = items(_entry(entry, defaults) for entry in object_list(feed, "items"))
    return ParsedFeed(
        title=markup.headline(text_value(feed, "title"), MAX_TITLE),
        link=link or "",
        description=markup.body(text_value(feed, "description"), MAX_SUMMARY),
        language=language,
        format=f"json feed {version[:8]}".strip(),
        items=entries,
        problems=problems,
    )


def _entry(entry: dict[str, Any], defaults: _FeedDefaults) -> ParsedEntry:
    base = defaults.base
    page, external = address(text_value(entry, "url"), base), address(text_value(entry, "external_url"), base)
    html, plain = text_value(entry, "content_html"), text_value(entry, "content_text")
    return ParsedEntry(
        guid=text.one_line(text_value(entry, "id")),
        url=page or external,
        title=markup.headline(text_value(entry, "title"), MAX_TITLE),
        body=markup.body(html, MAX_BODY) or markup.plain_text(plain, MAX_BODY),
        summary=markup.plain_text(text_value(entry, "summary"), MAX_BODY),
        published_at=dates.rfc_3339(text_value(entry, "date_published")),
        updated_at=dates.rfc_3339(text_value(entry, "date_modified")),
        image_url=address(text_value(entry, "image"), base) or address(text_value(entry, "banner_image"), base),
        language=tag_of_language(text_value(entry, "language")[:MAX_WORD]) or defaults.language,
        authors=_authors(entry) or defaults.authors,
        tags=_tags(entry),
        metadata={"external_url": external if page else None, "enclosures": list(_attachments(entry, base))},
    )


def _authors(holder: dict[str, Any]) -> list[str]:
    """The authors; version 1.1 has a list of them, 1.0 has one."""
    people = [*object_list(holder, "authors")[:MAX_AUTHORS], holder.get("author")]
    return [name for person in people if (name := markup.headline(text_value(person, "name"), MAX_AUTHOR))]


def _attachments(entry: dict[str, Any], base: str) -> Iterator[dict[str, Any]]:
    for file in object_list(entry, "attachments")[:MAX_ATTACHED]:
        if url := address(text_value(file, "url"), base):
            yield attached(url, type=text_value(file, "mime_type"), length=text_value(file, "size_in_bytes"))


def _tags(entry: dict[str, Any]) -> list[str]:
    tags = entry.get("tags")
    named = [tag for tag in tags[: 2 * MAX_TAGS] if isinstance(tag, str)] if isinstance(tags, list) else []
    return [markup.headline(tag, MAX_TAG) for tag in named]
