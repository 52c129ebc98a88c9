"""Articles for learners and their lessons, as every interface shows them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from scoop.core import listening, text
from scoop.core.listening import JAPAN, SHOWN_DAYS
from scoop.errors import NotFound
from scoop.model import Event, Lesson, Level
from scoop.stage_names import StageName
from scoop.store import db, lessons
from scoop.store.db import Connection
from scoop.store.lessons import LessonState, LessonSubject
from scoop.store.reads import events

SQL = db.blocks(__name__)
MAX_SUMMARY = 400  # characters of the text, for an article that has no summary
MAX_ARTICLES = 200
CHOSEN_WITHIN = timedelta(days=60)  # an article's date is seldom corrected by more than this after it was chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class ListeningArticle:
    """An article for learners; `chosen_on` is None if no update chose it, `levels` are those that have a lesson.

    `summary` is that of the article, else how its text begins. `fetched_at` is that of its first version, which its day
    depends on, `last_fetched_at` that of the newest.
    """

    document_id: int
    article_id: str
    title: str
    source: str
    source_name: str | None
    url: str | None
    published_at: datetime | None
    fetched_at: datetime
    last_fetched_at: datetime
    summary: str
    chosen_on: date | None
    event_uuid: UUID | None
    created_at: datetime
    updated_at: datetime
    content_hash: bytes
    language: str
    word_count: int
    levels: Sequence[Level]

    def day_key(self, timezone: ZoneInfo = JAPAN) -> date:
        return listening.day_key(self.published_at, self.fetched_at, timezone)

    @property
    def publisher(self) -> str:
        """The name of its source."""
        return text.one_line(self.source_name or self.source)


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonMaterial:
    """What lessons are made of: an article, or an event with all its articles.

    `public_id` is that of the article or the event, `language` the one to make lessons from, `title_language` that of
    the title; `url` is None for an event.
    """

    kind: LessonSubject
    subject_id: int
    public_id: str
    title: str
    title_language: str
    language: str
    publisher: str
    url: str | None
    appeared_at: datetime

    def day_key(self, timezone: ZoneInfo = JAPAN) -> date:
        return listening.day_key(self.appeared_at, self.appeared_at, timezone)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListeningDay:
    """The articles of one date, the newest first."""

    day: date
    articles: Sequence[ListeningArticle]


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonRow:
    """A lesson that was asked for, its state, and what was made of it."""

    brief_id: int
    subject_kind: LessonSubject
    subject_id: int
    level: Level
    asked_at: datetime
    article_id: str | None
    title: str
    state: LessonState
    problem: str | None
    next_try_at: datetime | None
    lesson_id: int | None
    measured_level: Level | None
    score: float | None
    word_count: int | None
    finding_count: int | None
    provider: str | None
    model: str | None
    prompt_version: str | None
    created_at: datetime | None


async def list_articles(
    conn: Connection, *, today: date, days: int = SHOWN_DAYS, timezone: ZoneInfo = JAPAN
) -> list[ListeningArticle]:
    """The chosen articles of the last days by date in a timezone, today among them, the newest first."""
    first = listening.first_day(today, days)
    since = datetime.combine(first, time(), tzinfo=timezone)
    rows = await conn.fetch(SQL["articles"], since, first - CHOSEN_WITHIN, MAX_ARTICLES, MAX_SUMMARY)
    return [ListeningArticle(**row) for row in rows]


async def list_days(
    conn: Connection, *, today: date, days: int = SHOWN_DAYS, timezone: ZoneInfo = JAPAN
) -> list[ListeningDay]:
    """The same by date, the latest date first; a date without articles is left out."""
    by_day: dict[date, list[ListeningArticle]] = {}
    for article in await list_articles(conn, today=today, days=days, timezone=timezone):
        by_day.setdefault(article.day_key(timezone), []).append(article)
    return [ListeningDay(day=day, articles=articles) for day, articles in sorted(by_day.items(), reverse=True)]


async def get_article(conn: Connection, article_id: str) -> ListeningArticle:
    """An article by its public id, whether it was chosen or not."""
    row = await conn.fetchrow(SQL["article"], article_id, MAX_SUMMARY)
    if row is None:
        raise NotFound(f"there is no article {article_id!r}")
    return ListeningArticle(**row)


async def get_material(conn: Connection, public_id: str) -> LessonMaterial:
    """The article or the event of a public id, or the event that it was merged into."""
    if public_id.startswith("art_"):
        return _of_article(await get_article(conn, public_id))
    return _of_event(await events.get_event(conn, public_id))


def _of_article(article: ListeningArticle) -> LessonMaterial:
    return LessonMaterial(
        kind="document",
        subject_id=article.document_id,
        public_id=article.article_id,
        title=article.title,
        title_language=article.language,
        language=article.language,
        publisher=article.publisher,
        url=article.url,
        appeared_at=article.published_at or article.fetched_at,
    )


def _of_event(event: Event) -> LessonMaterial:
    count = event.publisher_family_count
    return LessonMaterial(
        kind="event",
        subject_id=event.event_id,
        public_id=str(event.event_uuid),
        title=event.title,
        title_language=event.language,
        language="en" if "en" in event.languages else event.language,
        publisher="1 publisher" if count == 1 else f"{count} publishers",
        url=None,
        appeared_at=event.first_seen_at,
    )


async def find_lesson(conn: Connection, article_id: str, level: Level) -> Lesson | None:
    """The lesson of an article at a level; NotFound if there is no such article."""
    article = await get_article(conn, article_id)
    return await lessons.find(conn, "document", article.document_id, level)


async def list_rows(conn: Connection, *, state: LessonState | None, level: Level | None, limit: int) -> list[LessonRow]:
    """The lessons that were asked for, the latest first."""
    return [LessonRow(**row) for row in await conn.fetch(SQL["rows"], state, level, limit, StageName.WRITE)]
