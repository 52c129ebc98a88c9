"""What strangers answer, understood: JSON of a shape, a feed, and items made of words that may be anything."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from urllib.parse import urljoin

import msgspec

from scoop.core import feed_reading, items, text
from scoop.core.feed_reading.feed import (
    MAX_AUTHOR,
    MAX_AUTHORS,
    MAX_BODY,
    MAX_ID,
    MAX_TAG,
    MAX_TAGS,
    MAX_TITLE,
    MAX_URL,
    ParsedFeed,
    address,
)
from scoop.errors import FetchFailed
from scoop.fetch.client import Response
from scoop.model import Item
from scoop.sources import Visit

ResponseT = TypeVar("ResponseT")

_NOT_IN_A_URI = re.compile(r"%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]")


def json_of(answer: Response, shape: type[ResponseT]) -> ResponseT:
    """The answer's JSON in the shape that was promised; FetchFailed for anything else."""
    try:
        return msgspec.json.decode(answer.body, type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FetchFailed(
            f"{answer.url} answered what cannot be understood: {str(error) or 'nested too deeply'}",
            health="parse_error",
        ) from error


def feed_of(answer: Response) -> ParsedFeed:
    """The feed that a service has made; FetchFailed for what is none, or is not even well-formed."""
    feed = feed_reading.parse_fast(answer.body, content_type=answer.headers.get("Content-Type", ""), url=answer.url)
    if feed is None or not feed.format:
        raise FetchFailed(f"{answer.url} answered what is not a feed", health="parse_error")
    return feed


def item(
    source_item_id: str,
    title: str,
    *,
    canonical_url: str | None = None,
    published_at: datetime | None = None,
    body_text: str = "",
    authors: Iterable[str | None] = (),
    tags: Iterable[str | None] = (),
    metadata: dict[str, Any],
) -> Item:
    """What a source knew, as the parts of a v1 item: readable, within its limits, without what is empty."""
    found = {
        "source_item_id": source_item_id if len(source_item_id) <= MAX_ID else f"sha256:{digest(source_item_id)}",
        "title": text.truncated(text.one_line(title), MAX_TITLE),
        "canonical_url": link(canonical_url),
        "published_at": published_at.isoformat() if published_at else None,
        "body_text": text.truncated(text.readable(body_text), MAX_BODY),
        "authors": _lines(authors, MAX_AUTHOR)[:MAX_AUTHORS],
        "tags": _lines(tags, MAX_TAG)[:MAX_TAGS],
        "source_metadata": {
            key: text.one_line(value) if isinstance(value, str) else value
            for key, value in metadata.items()
            if value is not None
        },
    }
    return {key: value for key, value in found.items() if value}


def _lines(values: Iterable[str | None], limit: int) -> list[str]:
    lines = (text.one_line(value or "")[:limit] for value in values)
    return list(dict.fromkeys(line for line in lines if line))


def link(url: str | None, base: str = "") -> str | None:
    """The absolute http(s) URL without its fragment, percent-encoded; nothing for what is none or too long."""
    try:
        scheme, _, rest = (address(urljoin(base, (url or "").strip())) or "").partition("#")[0].partition("://")
    except ValueError:  # half an IPv6 address
        return None
    host, slash, path = rest.partition("/")
    spelled = f"{scheme}://{host}{slash}{_NOT_IN_A_URI.sub(lambda found: f'%{ord(found[0]):02X}', path)}"
    return spelled if host and len(spelled) <= MAX_URL else None


def moment(seconds: float | None) -> datetime | None:
    """The moment of a Unix time; nothing for one that no calendar holds."""
    try:
        found = datetime.fromtimestamp(seconds, UTC) if seconds is not None else None
    except (ValueError, OverflowError, OSError):
        return None
    return found if found and items.FIRST_MOMENT < found < items.LAST_MOMENT else None


def digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()


def slowed(visit: Visit, at_least: timedelta) -> Visit:
    """The same visit, with at least so much time between requests; a server that the operator named needs none."""
    if visit.options.connect_to:
        return visit
    milliseconds = max(visit.source.request_interval_ms, round(at_least / timedelta(milliseconds=1)))
    return replace(visit, source=replace(visit.source, request_interval_ms=milliseconds))
