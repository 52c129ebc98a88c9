"""The nouns of Scoop. Field = column = JSON key."""

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, Literal, get_args
from uuid import UUID

Item = dict[str, Any]
"""A canonical v1 item as it arrived; its schema is `schemas/item.v1.json`."""


Health = Literal[
    "new", "ok", "not_modified", "empty", "parse_error", "http_error", "timeout", "unreachable", "robots",
    "refused_address", "gone", "stale",
]  # fmt: skip
"""The result of a source's last visit; `stale`: it answers, but has had nothing new for too long."""
ErrorClass = Literal["not_found", "denied", "unavailable", "exhausted", "unexpected"]
"""What an error of another service means; `exhausted`: the quota of the day is used up. See core/service_errors.py."""


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
    """One row of the append-only ledger; `awaits_page` if its article page is still to be read."""

    raw_arrival_id: int
    collection: str
    source: str
    source_item_id: str
    fetched_at: datetime
    raw_payload: Item
    source_item_url: str | None = None
    keeps_fragment: bool = False
    page: ArticlePage | None = None
    awaits_page: bool = False


PAGE_PENDING = "page_pending"
"""The content problem of a document that was made of a teaser and whose page is still to be read."""


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
    fragment_url_hash: bytes | None = None
    body_hash: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """Documents that report the same, as every interface shows them; `merged_into` is set once it is part of another.

    `language` and `lead` are those of the document that represents it; `event_uuid` is the event that it is part of.
    """

    story_id: int
    story_uuid: UUID
    event_uuid: UUID
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
class Event:
    """The stories that report one event, as every interface shows them; a single story is an event too.

    `title`, `url`, `language`, `lead`, `image_url` and `own_publisher` are those of the story that leads it.
    `summary` is the current summary in the language of the desk or of the reader, None if there is none.
    `outlet_count` counts sources of one publisher and name once, as pages do.
    `developed_at` is when readers who knew it should have looked again; `merged_into` is set if it is part of another.
    """

    event_id: int
    event_uuid: UUID
    collection: str
    title: str
    url: str | None
    status: str
    first_seen_at: datetime
    last_seen_at: datetime
    developed_at: datetime
    created_at: datetime
    story_count: int
    item_count: int
    source_count: int
    outlet_count: int
    publisher_family_count: int
    language_count: int
    sources: list[str]
    publisher_families: list[str]
    languages: list[str]
    language: str
    lead: str
    summary: str | None
    summary_language: str | None
    summary_disclaimer: str | None
    image_url: str | None
    own_publisher: str | None
    lead_story_id: int
    lead_story_uuid: UUID
    merged_into: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlet:
    """A source of a story or an event, and the URL of its first document."""

    source: str
    source_name: str | None
    url: str | None
    publisher_family: str
    publisher_name: str


NameOrigin = Literal["address", "title", "person"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSettings:
    """The settings of a source; `name_from` is where its name is from: a person's is never replaced."""

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
    name_from: NameOrigin = "person"


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
    timezone: str = "UTC"
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
    """A topic with its rules and channels; a curator chooses by interests."""

    topic_id: int
    source_rules: tuple[SourceRule, ...] = ()
    keyword_rules: tuple[KeywordRule, ...] = ()
    channels: tuple[ChannelSettings, ...] = ()
    is_curator: bool = False


AlertLevel = Literal["critical", "warning", "info"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Relevance:
    """How well an article fits the interests of a curator: 0 to 100 points, the topics that it matches, and why."""

    score: int
    topics: tuple[str, ...]
    reasoning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """One story of a digest as readers see it; `twins` are stories of probably the same event.

    `publishers` are families, `publisher_names` their names in the same order. `relevance` is that of a curator's
    article.
    """

    story_id: int
    story_uuid: str
    title: str
    url: str | None
    summary: str
    publishers: tuple[str, ...]
    publisher_names: tuple[str, ...] = ()
    language: str = "und"
    change: str = ""
    twins: tuple["Telling", ...] = ()
    relevance: Relevance | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertTelling(Telling):
    """An alert in the form of a story, so that every channel can announce it; `level` is None if it ended."""

    level: AlertLevel | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """The digest of a topic and a local date, the most important story first; `introduction` is that of a curator.

    `language` is that of its phrases; empty: English. `tally` counts its entries in words; empty: as new and developed
    stories.
    """

    topic_slug: str
    topic_name: str
    run_date: date
    timezone: str
    tellings: tuple[Telling, ...]
    introduction: str = ""
    language: str = ""
    tally: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestPart:
    """A part of a digest that a channel sends as one message, and its stories."""

    payload: str
    story_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A part of a digest in the outbox; a message about alerts has no `digest_run_id`."""

    post_id: int
    digest_run_id: int | None
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


DecisionAction = Literal["merge", "together", "apart", "split", "move", "lead", "suppress"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A decision of a person about one or two stories, or an event; `document_ids` are those that it moved.

    `event_id` is the event of a lead or a suppression, and the one that a moved story left.
    `decided_by` and `undone_by` are the names at that time, empty for the command line.
    """

    decision_id: int
    action: DecisionAction
    collection: str
    story_id: int
    story_uuid: str
    title: str
    other_story_id: int | None
    other_story_uuid: str | None
    other_title: str | None
    event_id: int | None
    document_ids: list[int]
    pointing_ids: list[int]
    note: str
    decided_at: datetime
    decided_by: str
    undone_at: datetime | None
    undone_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """The characters of a document's text that a sentence rests on."""

    document_id: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SummarySentence:
    """One sentence of a summary, its paragraph (from 0), and the passages that support it."""

    text: str
    paragraph: int
    citations: tuple[Citation, ...]


DocumentsAhead = Literal["auto", "sites", "all", "none"]
"""The new documents that are summarised before anybody asks; auto: all if that costs nothing, else those of sites."""
SummaryState = Literal["pending_summary", "summarized", "summary_failed"]


FindingKind = Literal[
    "number", "date", "name", "quotation", "link", "negation", "speaker", "wording", "passage", "language", "markup",
    "order", "length",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutSentence:
    """The beginning of a sentence that is not part of a summary, and why; `kind` is that of the first reason."""

    text: str
    kind: FindingKind
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A summary of a document or an event, in one or two paragraphs; `document_ids` are its sources.

    `language` is the one that it is written in, `asked_language` the one that was asked for (empty: that of the
    sources). `confidence` is defined in docs/design/summaries.md.
    """

    summary_id: int
    summary_uuid: UUID
    subject_kind: Literal["document", "event"]
    subject_id: int
    language: str
    asked_language: str
    version: int
    summary_text: str
    sentences: tuple[SummarySentence, ...]
    left_out: tuple[LeftOutSentence, ...]
    document_ids: list[int]
    confidence: float
    provider: str
    model: str
    prompt_id: str
    prompt_version: str
    disclaimer_id: str
    input_tokens: int
    output_tokens: int
    cost: Decimal
    currency: str
    prompt_key: str | None
    response_key: str | None
    generated_at: datetime


Level = Literal["A1", "A2", "B1", "B2", "C1", "C2"]
"""A level of the Common European Framework of Reference, from beginner to proficient."""
LEVELS: tuple[Level, ...] = get_args(Level)


LessonsAhead = Literal["auto", "readers", "all", "none"]
"""The levels at which lessons are made before anybody asks; auto: all if that costs nothing, else those of readers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonSentence:
    """One sentence of a lesson, and the passages that it rests on."""

    text: str
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonFinding:
    """A kind of rule that a lesson breaks, and what breaks it, for people."""

    kind: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """An article or an event in English of one level; `public_id` is `{article id}#{level}`.

    `article_id` is the UUID of an event. `measured_level` is another one than `level` if no better text could be made;
    `findings` are the rules of its level that it breaks. `score` rises with difficulty.
    """

    lesson_id: int
    article_id: str
    subject_kind: Literal["document", "event"]
    subject_id: int
    level: Level
    language: str
    lesson_text: str
    sentences: tuple[LessonSentence, ...]
    word_count: int
    measured_level: Level
    score: float
    findings: tuple[LessonFinding, ...]
    provider: str
    model: str
    prompt_id: str
    prompt_version: str
    disclaimer_id: str
    created_at: datetime
    updated_at: datetime

    @property
    def public_id(self) -> str:
        return f"{self.article_id}#{self.level}"

    @property
    def is_at_level(self) -> bool:
        """Whether it meets all rules of its level."""
        return not self.findings and self.measured_level == self.level
