"""The nouns of Scoop. Field = column = JSON key."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

Item = dict[str, Any]
"""A canonical v1 item as it was handed in; its shape is `schemas/item.v1.json`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """One row of the append-only ledger."""

    raw_arrival_id: int
    collection: str
    source: str
    source_item_id: str
    fetched_at: datetime
    raw_payload: Item


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The current reading of one source item."""

    raw_arrival_id: int
    collection: str
    source: str
    source_item_id: str
    article_id: str
    canonical_url: str | None
    canonical_url_hash: bytes | None
    title: str
    normalized_title: str
    body_text: str
    normalized_text: str
    normalized_language: str
    published_at: datetime | None
    fetched_at: datetime
    seen_at: datetime
    source_domain: str | None
    publisher_family: str
    native_ids: tuple[str, ...]
    title_simhash: int | None
    text_simhash: int | None
    title_hash: bytes
    content_hash: bytes
    token_count: int
    authors: tuple[str, ...]
    tags: tuple[str, ...]
    image_url: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where items are gathered from."""

    source_id: int
    slug: str
    name: str
    kind: str
    collection: str
    category: str
    base_url: str | None
    options: dict[str, Any]
    schedule: str
    timezone: str
    enabled: bool
    next_visit_at: datetime
