"""Write JSON Feed 1.1."""

from datetime import UTC, datetime
from typing import Any

import msgspec

from scoop.core.feed_writing import UNKNOWN_LANGUAGE, FeedEntry, OutputFeed

VERSION = "https://jsonfeed.org/version/1.1"


def write(feed: OutputFeed) -> bytes:
    return msgspec.json.encode(
        {
            "version": VERSION,
            "title": feed.title,
            "description": feed.description,
            "home_page_url": feed.url,
            "feed_url": feed.self_url,
            "items": [_item(entry) for entry in feed.entries],
        }
    )


def _item(entry: FeedEntry) -> dict[str, Any]:
    item = {
        "id": entry.id,
        "url": entry.url,
        "external_url": entry.external_url,
        "title": entry.title,
        "summary": entry.summary,
        "content_html": entry.html,
        "date_published": _date(entry.published_at),
        "date_modified": _date(entry.updated_at),
        "authors": [{"name": author} for author in entry.authors],
        "tags": list(entry.categories),
        "language": entry.language if entry.language != UNKNOWN_LANGUAGE else None,
    }
    return {name: value for name, value in item.items() if value}


def _date(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()
