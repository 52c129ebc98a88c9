"""Change feeds of projections: changed rows, their facts, and the items that a store was sent."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from scoop.core import summaries as core_summaries
from scoop.core import text
from scoop.core.listening import UpdateState
from scoop.core.projection_plans import Facts, ProjectedKind, ProjectedRow, ProjectionPlan, SentItem
from scoop.core.sentiment_cache import CacheMetadata, SentimentCacheEntry
from scoop.core.shapes import summanow
from scoop.core.shapes.curator_memory import EvaluationFacts
from scoop.core.shapes.listening import GeneratedTextFacts, LearnerFacts, ListeningArticleFacts
from scoop.core.shapes.summanow import ArticleFacts, CrawlRunFacts, RetryFacts, SiteFacts, SummaryFacts
from scoop.errors import LostLease
from scoop.stage_names import StageName
from scoop.store import db, sentiment_cache, summaries, work
from scoop.store.db import Connection
from scoop.store.reads.lessons import MAX_SUMMARY
from scoop.store.work import Subject

SQL = db.blocks(__name__)
EPOCH = datetime.fromtimestamp(0, UTC)
KEYS_AT_ONCE = 5000
FETCH_STAGES = (StageName.PAGES,)  # their failures are about one article
SUMMARY_STAGES = (StageName.WRITE,)  # those of document summaries too


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedKind:
    """How a kind of subject is read: its SQL blocks, its facts from columns, and parameters of its own.

    `changed` lists changed rows, `blocks` gives their facts, and `gone_` with `blocks` the items without a subject.
    """

    changed: str
    blocks: str
    facts: Callable[..., Facts]
    row_params: tuple[Any, ...] = ()
    fact_params: tuple[Any, ...] = ()
    restarts: bool = False  # each pass reads all rows, since they have no time of change
    sweep_every: timedelta = timedelta(0)  # how often items without a subject are looked for


def _article_facts(
    *, content_problem: str | None, characters: int, has_failed: bool, summary_id: UUID | None, **columns: Any
) -> ArticleFacts:
    status = core_summaries.summary_state(
        is_summarized=summary_id is not None,
        has_failed=has_failed,
        has_text=core_summaries.has_text(content_problem=content_problem, characters=characters),
    )
    return ArticleFacts(status=status, summary_id=summary_id, **columns)


def _listening_facts(*, source: str, source_name: str | None, **columns: Any) -> ListeningArticleFacts:
    return ListeningArticleFacts(source=text.one_line(source_name or source), **columns)


def _summary_facts(*, article_id: str, **columns: Any) -> SummaryFacts:
    return summanow.summary_facts(summaries.to_summary(columns), article_id)


def _sentiment_entry(**columns: Any) -> SentimentCacheEntry:
    return sentiment_cache.entry_of(columns)


def _sentiment_metadata(**columns: Any) -> CacheMetadata:
    return sentiment_cache.metadata_of(columns)


KINDS: Mapping[ProjectedKind, FeedKind] = {
    "site": FeedKind(changed="changed_sites", blocks="sites", facts=SiteFacts),
    "article": FeedKind(
        changed="changed_documents",
        blocks="articles",
        facts=_article_facts,
        fact_params=(summanow.MAX_BODY,),
        sweep_every=timedelta(days=1),
    ),
    "summary": FeedKind(
        changed="changed_documents", blocks="summaries", facts=_summary_facts, sweep_every=timedelta(days=1)
    ),
    "crawl_run": FeedKind(
        changed="changed_crawl_runs", blocks="crawl_runs", facts=CrawlRunFacts, sweep_every=timedelta(days=1)
    ),
    "retry": FeedKind(
        changed="changed_retries",
        blocks="retries",
        facts=RetryFacts,
        row_params=(FETCH_STAGES, SUMMARY_STAGES),
        fact_params=(FETCH_STAGES, SUMMARY_STAGES),
        restarts=True,
    ),
    "evaluation": FeedKind(
        changed="changed_evaluations",
        blocks="evaluations",
        facts=EvaluationFacts,
        sweep_every=timedelta(minutes=10),
    ),
    "learner": FeedKind(changed="changed_learners", blocks="learners", facts=LearnerFacts),
    "listening_article": FeedKind(
        changed="changed_listening_articles",
        blocks="listening_articles",
        facts=_listening_facts,
        fact_params=(MAX_SUMMARY,),
        sweep_every=timedelta(days=1),
    ),
    "lesson": FeedKind(
        changed="changed_lessons", blocks="lessons", facts=GeneratedTextFacts, sweep_every=timedelta(days=1)
    ),
    "news_update": FeedKind(changed="changed_news_update", blocks="news_update", facts=UpdateState, restarts=True),
    "sentiment_entry": FeedKind(
        changed="changed_sentiment_entries", blocks="sentiment_entries", facts=_sentiment_entry, restarts=True
    ),
    "sentiment_metadata": FeedKind(
        changed="changed_sentiment_metadata", blocks="sentiment_metadata", facts=_sentiment_metadata, restarts=True
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """The changes of one kind of subject on their way to one projection; the cursor is the last row that was read."""

    feed_id: int
    projection: str
    kind: ProjectedKind
    cursor_at: datetime
    cursor_id: int
    scope: str
    generation: int
    swept_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedState:
    """A feed as people see it: `lag` is None before the first pass has ended; `error` is that of the last attempt."""

    feed_id: int
    projection: str
    subject_kind: str
    complete_until: datetime | None
    lag: timedelta | None
    items: int
    problems: int
    items_written: int
    items_deleted: int
    error: str | None
    next_attempt_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    """The time of the database, and the time before which no open transaction can still change a row."""

    now: datetime
    horizon: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a feed has got; the times are None where they stay as they are."""

    cursor_at: datetime
    cursor_id: int
    scope: str
    complete_until: datetime | None
    swept_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedRow:
    row_id: int
    changed_at: datetime


async def schedule(conn: Connection, kinds_by_projection: Mapping[str, Sequence[ProjectedKind]]) -> None:
    """Enqueue the feeds of these projections; new ones are added, with the indexes that they need."""
    async with conn.transaction():
        for projection, kinds in kinds_by_projection.items():
            if await conn.fetch(SQL["put_feeds"], projection, kinds):
                await conn.execute(SQL["index_changes"])
        ids = [row["feed_id"] for row in await conn.fetch(SQL["feed_ids"], list(kinds_by_projection))]
        await work.enqueue_missing(conn, StageName.PROJECT, ids)


async def find(conn: Connection, feed_id: int) -> Feed | None:
    row = await conn.fetchrow(SQL["feed"], feed_id)
    return Feed(**row) if row else None


async def get_moments(conn: Connection) -> Moments:
    return Moments(**await conn.fetchrow(SQL["moments"]))


async def get_hidden_scope(conn: Connection) -> str:
    scope: str = await conn.fetchval(SQL["hidden_scope"])
    return scope


async def list_changed(conn: Connection, feed: Feed, *, before: datetime, limit: int) -> list[ChangedRow]:
    """The rows that changed after the cursor of a feed, in order."""
    kind = KINDS[feed.kind]
    rows = await conn.fetch(SQL[kind.changed], feed.cursor_at, feed.cursor_id, before, limit, *kind.row_params)
    return [ChangedRow(**row) for row in rows]


async def load_rows(
    conn: Connection, kind: ProjectedKind, ids: Sequence[int], subjects: Iterable[str]
) -> dict[str, ProjectedRow]:
    """The facts of these rows and of these subjects, by subject; the subjects that should not be shown are left out."""
    reading = KINDS[kind]
    rows = [dict(row) for row in await conn.fetch(SQL[reading.blocks], ids, list(subjects), *reading.fact_params)]
    loaded = [
        ProjectedRow(subject=row.pop("subject"), row_id=row.pop("row_id"), facts=reading.facts(**row)) for row in rows
    ]
    return {row.subject: row for row in loaded}


async def list_gone(conn: Connection, feed: Feed, *, limit: int) -> dict[str, SentItem]:
    """Sent items that have expired, or whose row is gone."""
    kind = KINDS[feed.kind]
    return _items(await conn.fetch(SQL[f"gone_{kind.blocks}"], feed.feed_id, limit, *kind.row_params))


async def list_sent_of_rows(conn: Connection, feed: Feed, ids: Sequence[int]) -> dict[str, SentItem]:
    return _items(await conn.fetch(SQL["sent_of_rows"], feed.feed_id, ids))


async def list_sent(conn: Connection, feed: Feed, subjects: Iterable[str]) -> dict[str, SentItem]:
    return _items(await conn.fetch(SQL["sent_of_subjects"], feed.feed_id, list(subjects)))


def _items(rows: Iterable[Any]) -> dict[str, SentItem]:
    return {row["subject"]: SentItem(**row) for row in rows}


async def begin(conn: Connection, feed: Feed, plan: ProjectionPlan) -> None:
    """Note what is about to be written and deleted, so that a crash leaves no unknown key behind."""
    upserts, deletions = plan.upserts, plan.deletions
    if upserts:
        await conn.execute(
            SQL["begin_upserts"],
            feed.feed_id,
            [upsert.subject for upsert in upserts],
            [upsert.row_id for upsert in upserts],
            [upsert.record.key for upsert in upserts],
        )
    if deletions:
        await conn.execute(SQL["begin_deletions"], feed.feed_id, [item.subject for item in deletions])


async def end(conn: Connection, feed: Feed, plan: ProjectionPlan, progress: Progress) -> None:
    """Note what was written and deleted, and move the cursor; LostLease if the projection is being rebuilt."""
    moved = await conn.fetchval(
        SQL["advance"],
        feed.feed_id,
        feed.generation,
        progress.cursor_at,
        progress.cursor_id,
        progress.scope,
        progress.complete_until,
        progress.swept_at,
        len(plan.upserts),
        len(plan.deletions),
    )
    if moved is None:
        raise LostLease(f"{feed.projection} is being rebuilt")
    if plan.upserts:
        await conn.execute(
            SQL["end_upserts"],
            feed.feed_id,
            [upsert.subject for upsert in plan.upserts],
            [upsert.record.key for upsert in plan.upserts],
            [upsert.fingerprint for upsert in plan.upserts],
            [upsert.record.expires_at for upsert in plan.upserts],
        )
    if plan.deletions:
        await conn.execute(SQL["end_deletions"], feed.feed_id, [item.subject for item in plan.deletions])


async def put_problems(conn: Connection, feed: Feed, problems: Sequence[tuple[ProjectedRow, str]]) -> None:
    """Note the subjects that the store cannot hold."""
    if problems:
        values = [(row.subject, row.row_id, problem) for row, problem in problems]
        await conn.execute(SQL["put_problems"], feed.feed_id, *map(list, zip(*values, strict=True)))


async def reset(conn: Connection, projection: str) -> None:
    """Let a projection read all rows and write all items again."""
    async with conn.transaction():
        await conn.execute(SQL["reset"], projection)
        ids = [row["feed_id"] for row in await conn.fetch(SQL["feed_ids"], [projection])]
        await work.enqueue(conn, StageName.PROJECT, [Subject(feed_id) for feed_id in ids])


async def is_complete(conn: Connection, projection: str) -> bool:
    return bool(await conn.fetchval(SQL["is_complete"], projection))


async def iterate_keys(conn: Connection, projection: str) -> AsyncIterator[str]:
    """All keys of the items of a projection."""
    async with conn.transaction():
        async for row in conn.cursor(SQL["keys"], projection, prefetch=KEYS_AT_ONCE):
            yield row["key"]


async def list_known_keys(conn: Connection, projection: str, keys: Sequence[str]) -> set[str]:
    """Those of these keys that an item of the projection has."""
    return {row["key"] for row in await conn.fetch(SQL["known_keys"], projection, keys)}


async def list_states(conn: Connection) -> list[FeedState]:
    return [FeedState(**row) for row in await conn.fetch(SQL["states"], StageName.PROJECT)]
