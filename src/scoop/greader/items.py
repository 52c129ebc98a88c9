"""An event as an item of the Google Reader API."""

from html import escape
from typing import Any

import nh3

from scoop.core import disclaimers, display_names, summaries, text
from scoop.greader import streams
from scoop.model import Outlet
from scoop.store.reads.streams import StreamItem

SCHEMES = {"http", "https"}


def item(shown: StreamItem, *, address: str) -> dict[str, Any]:
    """An event as apps show it: its summary, the text of its lead, its outlets, and what the person said of it.

    Its time is that of its last development, so that apps show what developed first.
    """
    event = shown.event
    page = f"{address}/events/{event.event_uuid}"
    states = [streams.READING_LIST]
    states += [streams.READ] if shown.is_read else []
    states += [streams.STARRED] if shown.is_starred else []
    states += [f"{streams.LABEL}{label}" for label in shown.labels]
    developed = streams.microseconds(event.developed_at)
    return {
        "id": streams.item_id(event.event_id),
        "crawlTimeMsec": str(developed // 1000),
        "timestampUsec": str(developed),
        "published": int(event.first_seen_at.timestamp()),
        "updated": int(event.last_seen_at.timestamp()),
        "title": text.one_line(event.title),
        "author": _author(shown),
        "canonical": [{"href": event.url or page}],
        "alternate": [{"href": event.url or page, "type": "text/html"}],
        "summary": {"direction": "ltr", "content": content(shown, page)},
        "categories": [*states, "user/-/label/Collections"],
        "origin": {
            "streamId": f"{streams.COLLECTION}{event.collection}",
            "title": display_names.collection_name(event.collection),
            "htmlUrl": address,
        },
    }


def content(shown: StreamItem, page: str) -> str:
    """The summary, the text of the lead and the outlets of the event; escaped, and sanitised as well."""
    paragraphs = _summary(shown)
    paragraphs += [f"<p>{escape(text.one_line(part))}</p>" for part in text.readable(shown.body).split("\n\n") if part]
    outlets = "".join(
        f'<li><a href="{escape(outlet.url)}">{escape(name)}</a></li>' if outlet.url else f"<li>{escape(name)}</li>"
        for outlet, name in _named_outlets(shown)
    )
    sources = f'<p><a href="{escape(page)}">Outlets</a></p><ul>{outlets}</ul>'
    return nh3.clean("".join(paragraphs) + sources, url_schemes=SCHEMES)


def _summary(shown: StreamItem) -> list[str]:
    """The summary in paragraphs, and what kind of text it is."""
    event = shown.event
    if not event.summary:
        return []
    said = [f"<p>{escape(text.one_line(part))}</p>" for part in summaries.paragraphs_of(event.summary)]
    disclaimer = disclaimers.disclaimer(event.summary_disclaimer or "", event.summary_language or "").text
    return [*said, f"<p><em>{escape(disclaimer)}</em></p><hr>"]


def _author(shown: StreamItem) -> str:
    """The publisher of the lead: apps show one author."""
    publishers = {outlet.publisher_family: outlet.publisher_name for outlet in shown.outlets}
    return publishers.get(shown.event.own_publisher or "", "") or next(iter(publishers.values()), "")


def _named_outlets(shown: StreamItem) -> list[tuple[Outlet, str]]:
    outlets = display_names.distinct_outlets(shown.outlets)
    return [(outlet, display_names.outlet_name(outlet.source, outlet.source_name)) for outlet in outlets]
