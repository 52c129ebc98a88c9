"""A story as an item of the Google Reader API."""

from html import escape
from typing import Any

import nh3

from scoop.core import display_names, text
from scoop.greader import streams
from scoop.store.reads.streams import StreamItem

SCHEMES = {"http", "https"}


def item(shown: StreamItem, *, address: str) -> dict[str, Any]:
    """A story as apps show it: its text, its outlets, and whether the person has read or starred it."""
    story = shown.story
    page = f"{address}/stories/{story.story_uuid}"
    states = [streams.READING_LIST]
    states += [streams.READ] if shown.is_read else []
    states += [streams.STARRED] if shown.is_starred else []
    made = int(shown.created_at.timestamp() * 1_000_000)
    return {
        "id": streams.item_id(story.story_id),
        "crawlTimeMsec": str(made // 1000),
        "timestampUsec": str(made),
        "published": int(story.first_seen_at.timestamp()),
        "updated": int(story.last_seen_at.timestamp()),
        "title": text.one_line(story.title),
        "author": ", ".join(_names(shown)),
        "canonical": [{"href": story.url or page}],
        "alternate": [{"href": story.url or page, "type": "text/html"}],
        "summary": {"direction": "ltr", "content": content(shown, page)},
        "categories": [*states, "user/-/label/Collections"],
        "origin": {
            "streamId": f"{streams.COLLECTION}{story.collection}",
            "title": display_names.collection_name(story.collection),
            "htmlUrl": address,
        },
    }


def content(shown: StreamItem, page: str) -> str:
    """The text of a story in paragraphs with its outlets; escaped, and sanitised as well."""
    paragraphs = [f"<p>{escape(text.one_line(part))}</p>" for part in text.readable(shown.body).split("\n\n") if part]
    outlets = "".join(
        f'<li><a href="{escape(outlet.url)}">{escape(name)}</a></li>' if outlet.url else f"<li>{escape(name)}</li>"
        for outlet, name in zip(shown.outlets, _names(shown), strict=True)
    )
    sources = f'<p><a href="{escape(page)}">Outlets</a></p><ul>{outlets}</ul>'
    return nh3.clean("".join(paragraphs) + sources, url_schemes=SCHEMES)


def _names(shown: StreamItem) -> list[str]:
    return [display_names.outlet_name(outlet.source, outlet.source_name) for outlet in shown.outlets]
