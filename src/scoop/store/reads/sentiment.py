"""Reads of sentiment: series, passages, hot and trending tools."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from scoop.core import mention_texts, sentiment_trends
from scoop.core.mention_scores import LABEL_NUMBERS, LABELS
from scoop.core.sentiment import SentimentLabel
from scoop.core.sentiment_cache import Aggregate
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)

Interval = Literal["hour", "day", "week"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Mentions after `since` and until `until`."""

    since: datetime
    until: datetime

    @classmethod
    def of(cls, until: datetime, *, hours: int = 0, days: int = 0) -> "Window":
        """The hours or days before a moment."""
        return cls(since=until - timedelta(days=days, hours=hours), until=until)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesPoint:
    """The mentions of an hour, day or week."""

    starts_at: datetime
    positive_count: int
    negative_count: int
    neutral_count: int
    story_count: int
    publisher_family_count: int
    total_mentions: int
    average_sentiment: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DayPoint:
    day: date
    mentions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSentiment:
    """The score of an article or comment as a whole."""

    compound: float
    confidence: float
    label: SentimentLabel
    method: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A mention with its words: `before`, the `mention` itself and `after` are the passage that was scored.

    `text_sentiment` is null if the text was not scored as a whole yet.
    """

    mention_id: int
    article_id: str
    title: str
    url: str | None
    source: str
    source_name: str | None
    collection: str
    publisher_family: str
    story_uuid: UUID | None
    language: str
    event_at: datetime
    before: str
    mention: str
    after: str
    compound: float
    confidence: float
    label: SentimentLabel
    alias: str
    method: str
    version: str
    is_comment: bool
    text_sentiment: TextSentiment | None

    @property
    def cursor(self) -> tuple[datetime, int]:
        return self.event_at, self.mention_id


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageFilter:
    """The mentions to list; None does not narrow."""

    window: Window
    label: SentimentLabel | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MentioningStory:
    story_uuid: UUID
    title: str
    first_seen_at: datetime
    mentions: int
    publisher_family_count: int
    is_release: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HotTool:
    """A tool with its heat: 10 for each mention, 2 for each comment, 1 for each point."""

    tool_id: UUID
    slug: str
    name: str
    mentions: int
    comments: int
    upvotes: int
    heat: int
    average_sentiment: float
    posts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HotPost:
    """A post that mentions a tool: the average is of its mentions of the tool, `text_sentiment` of its text."""

    document_id: int
    article_id: str
    title: str
    url: str | None
    source: str
    event_at: datetime
    mentions: int
    comments: int
    upvotes: int
    heat: int
    average_sentiment: float
    text_sentiment: TextSentiment | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolTrend:
    """The mentions of a tool in a window and in the one before."""

    tool_id: UUID
    slug: str
    name: str
    mentions: int
    previous_mentions: int
    average_sentiment: float
    previous_average: float


async def list_members(conn: Connection, root_number: int) -> list[int]:
    """The numbers of a tool and of those merged into it."""
    return [row["tool_number"] for row in await conn.fetch(SQL["members"], root_number)]


async def get_series(
    conn: Connection, numbers: Sequence[int], window: Window, *, interval: Interval, timezone: str
) -> list[SeriesPoint]:
    """The mentions of tools per interval, without gaps."""
    rows = await conn.fetch(SQL["series"], numbers, window.since, window.until, interval, timezone)
    return [_point(row) for row in rows]


def _point(row: Mapping[str, Any]) -> SeriesPoint:
    values = {name: value for name, value in row.items() if name not in {"starts_at", "compound_sum"}}
    aggregate = Aggregate(**values, compound_sum=row["compound_sum"])
    return SeriesPoint(
        starts_at=row["starts_at"],
        **values,
        total_mentions=aggregate.total,
        average_sentiment=round(aggregate.compound_sum / aggregate.total, 4) if aggregate.total else 0.0,
    )


async def get_sparklines(conn: Connection, window: Window, *, timezone: str) -> dict[int, list[DayPoint]]:
    """The mentions of all tools per day, by number; days without any are left out."""
    found: dict[int, list[DayPoint]] = {}
    for row in await conn.fetch(SQL["sparklines"], window.since, window.until, timezone):
        point = DayPoint(day=row["day"], mentions=row["mentions"])
        found.setdefault(row["root_number"], []).append(point)
    return found


async def list_passages(
    conn: Connection, numbers: Sequence[int], wanted: PassageFilter, *, after: tuple[datetime, int] | None, limit: int
) -> list[Passage]:
    """Mentions with their passages, the newest first."""
    number = None if wanted.label is None else LABEL_NUMBERS[wanted.label]
    position = after or (wanted.window.until, db.LAST_ID)
    rows = await conn.fetch(
        SQL["passages"], numbers, wanted.window.since, wanted.window.until, number, wanted.source, *position, limit
    )
    return [_passage(row) for row in rows]


def _passage(row: Mapping[str, Any]) -> Passage:
    values = _with_text_sentiment(row)
    text = mention_texts.text_of(values["title"], values.pop("body_text"), is_comment=values["is_comment"])
    first, start, end, last = [
        values.pop(name) for name in ("passage_start", "start_offset", "end_offset", "passage_end")
    ]
    story_uuid = values.pop("story_uuid")
    return Passage(
        **values | {"label": LABELS[values["label"]]},
        story_uuid=None if story_uuid is None else UUID(int=story_uuid.int),
        before=text[first:start],
        mention=text[start:end],
        after=text[end:last],
    )


def _with_text_sentiment(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row whose columns `text_...` are one value, None if its text has no score."""
    values = dict(row)
    score = {name: values.pop(f"text_{name}") for name in TextSentiment.__slots__}
    is_scored = score["label"] is not None
    return values | {
        "text_sentiment": TextSentiment(**score | {"label": LABELS[score["label"]]}) if is_scored else None
    }


async def list_stories(
    conn: Connection, numbers: Sequence[int], window: Window, *, limit: int
) -> list[MentioningStory]:
    """The stories that mention a tool most, in order of time."""
    rows = await conn.fetch(SQL["stories"], numbers, window.since, window.until, limit)
    return [
        MentioningStory(
            **{**row, "story_uuid": UUID(int=row["story_uuid"].int)},
            is_release=sentiment_trends.is_release(row["title"]),
        )
        for row in rows
    ]


async def list_hot(conn: Connection, window: Window, *, limit: int) -> list[HotTool]:
    """The tools that are talked about most."""
    rows = await conn.fetch(SQL["hot"], window.since, window.until, limit)
    return [HotTool(**{**row, "tool_id": UUID(int=row["tool_id"].int)}) for row in rows]


async def list_hot_posts(conn: Connection, numbers: Sequence[int], window: Window, *, limit: int) -> list[HotPost]:
    rows = await conn.fetch(SQL["hot_posts"], numbers, window.since, window.until, limit)
    return [HotPost(**_with_text_sentiment(row)) for row in rows]


async def list_trends(conn: Connection, window: Window) -> list[ToolTrend]:
    """The tools with mentions in a window or in the one of the same length before it."""
    before = window.since - (window.until - window.since)
    rows = await conn.fetch(SQL["trending"], before, window.since, window.until)
    return [ToolTrend(**{**row, "tool_id": UUID(int=row["tool_id"].int)}) for row in rows]


async def count_hourly(conn: Connection, window: Window) -> dict[int, dict[datetime, int]]:
    """The mentions of each tool per hour; hours without any are left out."""
    found: dict[int, dict[datetime, int]] = {}
    for row in await conn.fetch(SQL["hourly"], window.since, window.until):
        found.setdefault(row["root_number"], {})[row["hour"]] = row["mentions"]
    return found
