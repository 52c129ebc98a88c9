"""The articles of curators as pages show them: those of a day, and what was decided on an article."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from scoop.core.curation import EvaluationState, RejectReason
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)

ScoreCursor = tuple[int, int]
BEST: ScoreCursor = (101, db.LAST_ID)  # before all scores, as the best come first


@dataclass(frozen=True, slots=True, kw_only=True)
class DayBounds:
    """A day of a curator: articles that were posted or rejected from `since` until `until`.

    Relevant ones belong to it from `relevant_since`: on the current day those of earlier days may still be posted.
    Waiting ones belong to the current day.
    """

    topic_id: int
    since: datetime
    until: datetime
    relevant_since: datetime
    has_waiting: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DayArticle:
    """An article that a curator met, with its score and what became of it; `is_wanted` is the label of a person.

    `problem` is why the last attempt to evaluate a waiting article failed.
    """

    evaluation_id: int
    document_id: int | None
    article_id: str | None
    url: str | None
    article_title: str
    state: EvaluationState
    reason: RejectReason | None
    relevance_score: int | None
    score_parts: Mapping[str, int]
    matching_topics: list[str]
    summary: str
    reasoning: str
    is_ai_generated: bool
    provider: str | None
    found_at: datetime
    evaluated_at: datetime | None
    notified_at: datetime | None
    language: str
    seen_at: datetime | None
    publisher_name: str | None
    is_wanted: bool | None
    problem: str | None

    @property
    def cursor(self) -> ScoreCursor:
        """Its position in the list."""
        return (-1 if self.relevance_score is None else self.relevance_score), self.evaluation_id


@dataclass(frozen=True, slots=True, kw_only=True)
class StateCount:
    """The number of a curator's articles in a state, and for a reason."""

    topic_id: int
    state: EvaluationState
    reason: RejectReason | None
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CuratorVerdict:
    """What a curator decided on a document."""

    document_id: int
    topic_slug: str
    topic_name: str
    state: EvaluationState
    reason: RejectReason | None
    relevance_score: int | None
    matching_topics: list[str]


async def list_day(
    conn: Connection,
    bounds: DayBounds,
    *,
    state: EvaluationState | None = None,
    reason: RejectReason | None = None,
    after: ScoreCursor = BEST,
    limit: int,
) -> list[DayArticle]:
    """The articles of a curator's day, the best score first."""
    times = (bounds.since, bounds.until, bounds.relevant_since, bounds.has_waiting)
    rows = await conn.fetch(SQL["day"], bounds.topic_id, *times, state, reason, *after, limit)
    return [DayArticle(**row) for row in rows]


async def count_days(conn: Connection, bounds: Sequence[DayBounds]) -> list[StateCount]:
    """How many articles of each curator its day has, by state and reason."""
    rows = await conn.fetch(
        SQL["counts"],
        [each.topic_id for each in bounds],
        [each.since for each in bounds],
        [each.until for each in bounds],
        [each.relevant_since for each in bounds],
        [each.has_waiting for each in bounds],
    )
    return [StateCount(**row) for row in rows]


async def list_verdicts(conn: Connection, document_ids: Sequence[int]) -> list[CuratorVerdict]:
    """What curators decided on documents, the best score first."""
    return [CuratorVerdict(**row) for row in await conn.fetch(SQL["verdicts"], document_ids)]
