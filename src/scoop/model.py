"""The nouns of Scoop. Field = column = JSON key."""

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Literal
from uuid import UUID

Item = dict[str, Any]
"""A canonical v1 item as it arrived; its schema is `schemas/item.v1.json`."""


Health = Literal[
    "new", "ok", "not_modified", "empty", "parse_error", "http_error", "timeout", "unreachable", "robots",
    "refused_address", "gone", "stale",
]  # fmt: skip
"""The result of a source's last visit; `stale`: it answers, but has had nothing new for too long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticlePage:
    """The content of an article's own page; `problem` says why the text is missing or not the article's."""

    title: str | None = None
    text: str = ""
    authors: tuple[str, ...] = ()
    published_at: datetime | None = None
    language: str | None = None
    canonical_url: str | None = None
    image_url: str | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsFile:
    """The robots.txt of an origin; `status` is None if the site could not be reached."""

    origin: str
    status: int | None
    text: str
    fetched_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """One row of the append-only ledger."""

    raw_arrival_id: int
    collection: str
    source: str
    source_item_id: str
    fetched_at: datetime
    raw_payload: Item
    source_item_url: str | None = None
    page: ArticlePage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The current version of one source item."""

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
    content_problem: str | None
    headline: int | None
    sketch: list[int]
    tracked_url_hash: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """Documents that report the same, as every interface shows them; `merged_into` is set once it is part of another.

    `language` and `lead` are those of the document that represents it.
    """

    story_id: int
    story_uuid: UUID
    collection: str
    title: str
    url: str | None
    status: str
    first_seen_at: datetime
    last_seen_at: datetime
    item_count: int
    source_count: int
    publisher_family_count: int
    sources: list[str]
    publisher_families: list[str]
    language: str
    lead: str
    merged_into: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlet:
    """A source of a story, and the URL of its first document."""

    source: str
    source_name: str | None
    url: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSettings:
    """The settings of a source."""

    slug: str
    name: str
    kind: str
    collection: str
    category: str = "news"
    base_url: str
    options: dict[str, Any] = field(default_factory=dict)
    schedule: str = "1h"
    crawl_windows: list[dict[str, str]] = field(default_factory=list)
    allowed_paths: list[str] = field(default_factory=list)
    request_interval_ms: int = 200
    timezone: str = "UTC"
    enabled: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Source(SourceSettings):
    """A source of items: its settings, its next visit and its health."""

    source_id: int
    next_visit_at: datetime
    health: Health = "new"
    health_note: str = ""
    health_since: datetime
    failures: int = 0
    last_item_at: datetime | None = None
    moved_to: str | None = None
    moves: int = 0


RuleType = Literal["include", "exclude"]
HandoverMode = Literal["legacy", "shadow", "prod"]
EntryStatus = Literal["new", "seen", "suppressed_duplicate", "suppressed_manual", "possible_duplicate"]
PostState = Literal["waiting", "sending", "sent", "held", "failed", "dropped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRule:
    """A source that a topic includes or excludes."""

    source: str
    rule_type: RuleType = "include"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeywordRule:
    """Words or a pattern by which a topic includes or excludes stories."""

    pattern: str
    rule_type: RuleType = "include"
    is_regex: bool = False
    weight: int = 1
    enabled: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelSettings:
    """A channel of a topic: its name, kind and options."""

    name: str
    kind: str
    options: dict[str, Any] = field(default_factory=dict)
    enabled: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicSettings:
    """The settings of a topic."""

    topic_slug: str
    topic_name: str
    timezone: str = "Europe/Berlin"
    digest_cron: str = "0 9 * * *"
    collections: list[str] = field(default_factory=list)
    max_entries: int = 12
    max_per_family: int = 3
    discord_channel_id: str | None = None
    enabled: bool = True
    mode: HandoverMode | None = None
    publish_v2: bool | None = None
    write_raw_ledger: bool | None = None
    legacy_command: list[str] | None = None
    legacy_deadline: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic(TopicSettings):
    """A topic with its rules and channels."""

    topic_id: int
    source_rules: tuple[SourceRule, ...] = ()
    keyword_rules: tuple[KeywordRule, ...] = ()
    channels: tuple[ChannelSettings, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """One story of a digest as readers see it; `twins` are stories of probably the same event."""

    story_id: int
    story_uuid: str
    title: str
    url: str | None
    summary: str
    publishers: tuple[str, ...]
    language: str = "und"
    change: str = ""
    twins: tuple["Telling", ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """The digest of a topic and a local date, the most important story first."""

    topic_slug: str
    topic_name: str
    run_date: date
    timezone: str
    tellings: tuple[Telling, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestPart:
    """A part of a digest that a channel sends as one message, and its stories."""

    payload: str
    story_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A part of a digest in the outbox."""

    post_id: int
    digest_run_id: int
    topic_slug: str
    run_date: date
    channel: str
    kind: str
    options: dict[str, Any]
    part_no: int
    parts: int
    key: str
    marker: str
    payload: str
    state: PostState
    correction: str | None = None
    sending_at: datetime | None = None
    tried_at: datetime | None = None
    looks: int = 0
    sent_at: datetime | None = None
    message_id: str | None = None
    error: str | None = None


DecisionAction = Literal["merge", "apart", "split"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A decision of a person about two stories; `document_ids` are those that it moved.

    `decided_by` and `undone_by` are the names at that time, empty for the command line.
    """

    decision_id: int
    action: DecisionAction
    collection: str
    story_id: int
    story_uuid: str
    title: str
    other_story_id: int
    other_story_uuid: str
    other_title: str
    document_ids: list[int]
    pointing_ids: list[int]
    note: str
    decided_at: datetime
    decided_by: str
    undone_at: datetime | None
    undone_by: str
