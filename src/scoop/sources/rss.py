"""Feeds: RSS, Atom and JSON Feed."""

import html
import re
from calendar import timegm
from datetime import UTC, datetime
from typing import Any

import feedparser
import msgspec
import nh3

from scoop.core import urls
from scoop.errors import Retry
from scoop.fetch.client import Client, Response
from scoop.model import Item, Source
from scoop.sources import Harvest

KEPT_HEADERS = ("Content-Type", "ETag", "Last-Modified", "Date", "Cache-Control")
BLOCK_END = re.compile(r"(?i)</(?:p|div|li|h[1-6]|blockquote|tr)>|<br\s*/?>")


class Rss:
    """A feed: RSS 0.9x to 2.0, Atom 0.3 and 1.0, or JSON Feed. The source's URL is the feed's."""

    name = "rss"

    class Options(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
        """`connect_to`: ask this address, as 127.0.0.1:8788, instead of the host's; for feeds of one's own network."""

        connect_to: str | None = None

    async def fetch(self, client: Client, source: Source, checkpoint: dict[str, Any]) -> Harvest:
        options = msgspec.convert(source.options, self.Options)
        answer = await client.get(str(source.base_url), headers=_conditions(checkpoint), connect_to=options.connect_to)
        if answer.status == 304:
            return Harvest(checkpoint=checkpoint)
        if answer.status != 200:
            raise Retry(f"{source.base_url} answered {answer.status}")
        return Harvest(
            items=parse(answer.body, answer.headers.get("Content-Type", "")),
            checkpoint=_validators(answer),
            response_headers={name: answer.headers[name] for name in KEPT_HEADERS if name in answer.headers},
        )


def parse(body: bytes, content_type: str) -> list[Item]:
    """The entries of a feed as the parts of v1 items that the feed knows."""
    if body.lstrip()[:1] == b"{":
        return _parse_json_feed(body)
    feed = feedparser.parse(body, response_headers={"content-type": content_type}, sanitize_html=False)
    if not feed.version and not feed.entries:
        raise Retry("this is not a feed: neither RSS, Atom nor JSON Feed")
    language = feed.feed.get("language")
    return [_compact(_entry(entry, language)) for entry in feed.entries if entry.get("title") or entry.get("summary")]


def _entry(entry: Any, language: str | None) -> Item:
    contents = [content.value for content in entry.get("content", ()) if content.get("value")]
    body = max([*contents, entry.get("summary", "")], key=len)
    moment = entry.get("published_parsed") or entry.get("updated_parsed")
    return {
        "source_item_id": entry.get("id") or entry.get("link") or entry.get("title"),
        "title": plain(entry.get("title", "")) or plain(body)[:120],
        "canonical_url": _link(entry.get("link")),
        "published_at": datetime.fromtimestamp(timegm(moment), UTC).isoformat() if moment else None,
        "body_text": plain(body),
        "language": entry.get("language") or language,
        "authors": [author["name"] for author in entry.get("authors", ()) if author.get("name")],
        "tags": [tag["term"] for tag in entry.get("tags", ()) if tag.get("term")],
    }


def _parse_json_feed(body: bytes) -> list[Item]:
    try:
        feed = msgspec.json.decode(body)
        entries = [entry for entry in feed["items"] if isinstance(entry, dict)]
    except (msgspec.DecodeError, RecursionError, KeyError, TypeError) as error:
        raise Retry(f"this is not a JSON Feed: {error}") from error
    return [_compact(_json_entry(entry, feed.get("language"))) for entry in entries]


def _json_entry(entry: dict[str, Any], language: str | None) -> Item:
    body = plain(entry.get("content_html") or "") or entry.get("content_text") or entry.get("summary") or ""
    return {
        "source_item_id": str(entry.get("id") or entry.get("url") or ""),
        "title": plain(str(entry.get("title") or "")) or body[:120],
        "canonical_url": _link(entry.get("external_url") or entry.get("url")),
        "published_at": entry.get("date_published") or entry.get("date_modified"),
        "body_text": body,
        "language": entry.get("language") or language,
        "authors": [author["name"] for author in entry.get("authors") or () if author.get("name")],
        "tags": entry.get("tags") or [],
    }


def _link(url: Any) -> str | None:
    """An http(s) URL, percent-encoded; nothing for what is none."""
    try:
        return urls.encoded(str(url))
    except ValueError:
        return None


def _compact(item: Item) -> Item:
    return {key: value for key, value in item.items() if value}


def plain(markup: str) -> str:
    """The text of a piece of HTML, paragraphs kept apart."""
    apart = BLOCK_END.sub("\n\n", markup)
    return html.unescape(nh3.clean(apart, tags=set())).strip()


def _conditions(checkpoint: dict[str, Any]) -> dict[str, str]:
    names = {"etag": "If-None-Match", "last_modified": "If-Modified-Since"}
    return {header: checkpoint[key] for key, header in names.items() if key in checkpoint}


def _validators(answer: Response) -> dict[str, Any]:
    names = {"etag": "ETag", "last_modified": "Last-Modified"}
    return {key: answer.headers[header] for key, header in names.items() if header in answer.headers}
