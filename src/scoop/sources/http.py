"""Responses of source APIs, parsed: typed JSON, feeds, and items from untrusted text."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from urllib.parse import urljoin

import msgspec

from scoop.core import items, text
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
from scoop.fetch import feeds
from scoop.fetch.client import Response
from scoop.model import Item
from scoop.sources import Visit

ResponseT = TypeVar("ResponseT")

_NOT_IN_A_URI = re.compile(r"%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]")


def parse_json(response: Response, shape: type[ResponseT]) -> ResponseT:
    """The JSON of a response in the expected shape; FetchFailed for anything else."""
    try:
        return msgspec.json.decode(response.body, type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FetchFailed(
            f"{response.url} sent an unexpected response: {str(error) or 'nested too deeply'}",
            health="parse_error",
        ) from error


async def parse_feed(visit: Visit, response: Response) -> ParsedFeed:
    """The feed of a service; FetchFailed for a response that is not a well-formed feed."""
    feed = await feeds.parse_well_formed(response, visit.sandbox)
    if feed is None or not feed.format:
        raise FetchFailed(f"{response.url} did not send a feed", health="parse_error")
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
    """The fields of a v1 item: as readable text, within its limits, without empty ones."""
    fields = {
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
    return {key: value for key, value in fields.items() if value}


def _lines(values: Iterable[str | None], limit: int) -> list[str]:
    lines = (text.one_line(value or "")[:limit] for value in values)
    return list(dict.fromkeys(line for line in lines if line))


def link(url: str | None, base: str = "") -> str | None:
    """The absolute http(s) URL without its fragment, percent-encoded; None for anything else, or if it is too long."""
    try:
        scheme, _, rest = (address(urljoin(base, (url or "").strip())) or "").partition("#")[0].partition("://")
    except ValueError:  # an incomplete IPv6 address
        return None
    host, slash, path = rest.partition("/")
    spelled = f"{scheme}://{host}{slash}{_NOT_IN_A_URI.sub(lambda found: f'%{ord(found[0]):02X}', path)}"
    return spelled if host and len(spelled) <= MAX_URL else None


def moment(seconds: float | None) -> datetime | None:
    """The moment of a Unix time; None if it is out of range."""
    try:
        at = datetime.fromtimestamp(seconds, UTC) if seconds is not None else None
    except (ValueError, OverflowError, OSError):
        return None
    return at if at and items.FIRST_MOMENT < at < items.LAST_MOMENT else None


def digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()


def with_interval(visit: Visit, at_least: timedelta) -> Visit:
    """The visit with at least this interval between requests, unless `connect_to` names a server of one's own."""
    if visit.options.connect_to:
        return visit
    milliseconds = max(visit.source.request_interval_ms, round(at_least / timedelta(milliseconds=1)))
    return replace(visit, source=replace(visit.source, request_interval_ms=milliseconds))
