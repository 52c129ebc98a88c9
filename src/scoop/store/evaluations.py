"""Evaluations: the articles that curators have met, how they scored, and what became of them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

import msgspec

from scoop.core.curation import MIN_TEXT, EvaluationState, RejectReason, RelevantArticle, StoredOutcome
from scoop.core.failure_rates import EvaluationCounts
from scoop.core.interests import Interests
from scoop.errors import NotFound
from scoop.model import PAGE_PENDING
from scoop.stage_names import StageName
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateArticle:
    """The article of a story that a curator has not met; `url_hash` identifies it."""

    story_id: int
    document_id: int
    article_title: str
    url: str | None
    url_hash: bytes
    content_problem: str | None
    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundArticle:
    """An article that a curator meets for the first time; `reason` if it is rejected without an evaluation."""

    article: CandidateArticle
    reason: RejectReason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationContext:
    """What an article is evaluated for."""

    topic_id: int
    interests: Interests
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledEvaluation:
    """The outcome of an evaluation, and what gave it."""

    evaluation_id: int
    state: EvaluationState
    reason: RejectReason | None
    relevance_score: int
    score_parts: Mapping[str, int]
    matching_topics: tuple[str, ...]
    summary: str
    reasoning: str
    is_ai_generated: bool
    provider: str
    model: str
    prompt_id: str
    prompt_version: str
    input_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevantRow:
    """A relevant article, and what a post shows of it."""

    article: RelevantArticle
    story_uuid: str
    url: str | None
    summary: str
    language: str
    publisher: str
    publisher_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """An article that a curator met, as interfaces show it; `is_wanted` is the label that a person gave it."""

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
    model: str | None
    prompt_id: str | None
    prompt_version: str | None
    found_at: datetime
    evaluated_at: datetime | None
    notified_at: datetime | None
    discord_message_id: str | None
    publisher: str | None
    publisher_name: str | None
    event_id: int | None
    is_wanted: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetArticle:
    """What a curator knows of an article; `is_same_url` is false if it met it under another address.

    `is_same_story` is false if it posted another article about the same event. `problem` is why the last attempt to
    evaluate a waiting article failed. `outlook` is what the next post would do with a relevant one.
    """

    topic_slug: str
    evaluation_id: int
    document_id: int | None
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
    model: str | None
    evaluated_at: datetime | None
    notified_at: datetime | None
    discord_message_id: str | None
    is_same_url: bool
    is_same_story: bool
    seen_at: datetime | None
    problem: str | None
    outlook: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeetingObstacle:
    """Why a curator has not met a document; it will at its next look if nothing keeps it.

    `posted_at` is when its story was posted, also if the curator has forgotten the article. `suppression_reason` is
    None unless its story is suppressed.
    """

    topic_slug: str
    is_pending: bool
    has_story: bool
    is_assigned: bool
    suppression_reason: str | None
    posted_at: datetime | None
    is_fresh: bool

    def __str__(self) -> str:
        slug = self.topic_slug
        if self.posted_at is not None:
            return f"{slug} posted its story on {self.posted_at:%Y-%m-%d} and does not remember its score any more"
        if self.suppression_reason is not None:
            reason = f" ({self.suppression_reason})" if self.suppression_reason else ""
            return f"{slug} does not look at it: its story is suppressed{reason}"
        if self.is_pending:
            return f"{slug} waits for its text"
        if not self.has_story:
            return f"{slug} has not met it: it is queued for dedup"
        if not self.is_assigned:
            return f"{slug} does not read it: it is not of its collections and sources"
        return f"{slug} has not looked yet" if self.is_fresh else f"{slug} has not met it: it is not fresh any more"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleText:
    """An article to be scored; `vector` is None where the model has none of it."""

    story_id: int
    event_id: int
    document_id: int
    article_id: str
    title: str
    body_text: str
    language: str
    url: str | None
    seen_at: datetime
    publisher_name: str
    vector: list[float] | None


SCORED_CHARACTERS = 20_000  # of a text; what follows changes no score
RELEVANT_COLUMNS = ("story_uuid", "url", "summary", "language", "publisher", "publisher_name")
ARTICLE_COLUMNS = (
    "evaluation_id",
    "story_id",
    "event_id",
    "title",
    "score",
    "parts",
    "reasoning",
    "seen_at",
    "suppression_reason",
)


async def list_candidates(conn: Connection, topic_id: int, *, since: datetime, limit: int) -> list[CandidateArticle]:
    """The articles of the stories since a moment that a curator has not met, the newest first."""
    rows = await conn.fetch(SQL["candidates"], topic_id, since, PAGE_PENDING, limit, MIN_TEXT)
    return [CandidateArticle(**row) for row in rows]


async def list_known(conn: Connection, topic_id: int, articles: Sequence[CandidateArticle]) -> set[bytes]:
    """Which of these articles a curator has met, under this address or another, in one look-up."""
    hashes, stories = [each.url_hash for each in articles], [each.story_id for each in articles]
    return {row["url_hash"] for row in await conn.fetch(SQL["known"], topic_id, hashes, stories)}


async def add(conn: Connection, topic_id: int, interests_id: int, found: Sequence[FoundArticle]) -> list[int]:
    """Add articles, inside the caller's transaction; gives the evaluations that are to be made."""
    rows = await conn.fetch(
        SQL["add"],
        topic_id,
        interests_id,
        [each.article.document_id for each in found],
        [each.article.url for each in found],
        [each.article.url_hash for each in found],
        [each.article.article_title for each in found],
        ["rejected" if each.reason else "waiting" for each in found],
        [each.reason for each in found],
    )
    return [row["evaluation_id"] for row in rows if row["state"] == "waiting"]


async def load_contexts(conn: Connection, evaluation_ids: Sequence[int]) -> dict[int, EvaluationContext]:
    """What articles are evaluated for, by evaluation; without those that are settled."""
    rows = await conn.fetch(SQL["contexts"], evaluation_ids)
    return {
        row["evaluation_id"]: EvaluationContext(
            topic_id=row["topic_id"], interests=msgspec.convert(row["interests"], Interests), language=row["language"]
        )
        for row in rows
    }


async def settle(conn: Connection, settled: Sequence[SettledEvaluation]) -> None:
    """Store the outcome of evaluations; one that is settled already stays as it is."""
    if settled:
        await conn.execute(SQL["settle"], [asdict(each) for each in settled])


async def list_known_inputs(conn: Connection, brief_ids: Sequence[int]) -> set[bytes]:
    """The input hashes of the evaluations that briefs gave."""
    return {row["input_hash"] for row in await conn.fetch(SQL["known_inputs"], brief_ids)}


async def is_looking(conn: Connection, topic_id: int) -> bool:
    """Whether a curator is about to look for articles."""
    return bool(await conn.fetchval(SQL["is_looking"], topic_id, StageName.CURATE))


async def count_waiting(conn: Connection, topic_id: int, *, by: datetime) -> int:
    """How many articles of a curator wait for an evaluation that is tried by a moment."""
    count: int = await conn.fetchval(SQL["waiting"], topic_id, StageName.WRITE, by)
    return count


async def list_waiting_briefs(conn: Connection, topic_id: int) -> list[int]:
    """The briefs of a curator's articles that wait for their evaluation."""
    return [row["brief_id"] for row in await conn.fetch(SQL["waiting_briefs"], topic_id)]


async def list_waiting_documents(conn: Connection, topic_id: int, *, limit: int) -> list[int]:
    """The documents of a curator's articles that wait for their evaluation, the latest first."""
    return [row["document_id"] for row in await conn.fetch(SQL["waiting_documents"], topic_id, limit)]


async def drop_stale(conn: Connection, topic_id: int, *, before: datetime) -> None:
    """Drop the articles that became too old while they waited for their evaluation."""
    await conn.execute(SQL["drop_stale"], topic_id, before)


async def judge_again(conn: Connection, topic_id: int, interests: Interests, *, have_topics_changed: bool) -> list[int]:
    """Decide again on evaluated articles, by other interests; gives those that the local scorer scores again."""
    names = [interest.topic for interest in interests.topics]
    rows = await conn.fetch(SQL["judge_again"], topic_id, names, interests.min_relevance_score, have_topics_changed)
    return [row["evaluation_id"] for row in rows]


async def list_relevant(conn: Connection, topic_id: int, *, since: datetime, until: datetime) -> list[RelevantRow]:
    """The relevant articles of this time that may be posted: nothing of their event was."""
    rows = await conn.fetch(SQL["relevant"], topic_id, since, until)
    posted = await list_posted_events(conn, topic_id, [row["event_id"] for row in rows])
    return [
        RelevantRow(
            article=RelevantArticle(
                **{name: row[name] for name in ARTICLE_COLUMNS}, matching_topics=tuple(row["matching_topics"])
            ),
            **{name: row[name] for name in RELEVANT_COLUMNS},
        )
        for row in rows
        if row["event_id"] not in posted
    ]


async def list_posted_events(conn: Connection, topic_id: int, event_ids: Sequence[int]) -> set[int]:
    """Which of these events a curator posted, or may still post."""
    return {row["event_id"] for row in await conn.fetch(SQL["posted_events"], topic_id, event_ids)}


async def list_stored_outcomes(
    conn: Connection, topic_id: int, story_ids: Sequence[int]
) -> dict[int, list[StoredOutcome]]:
    """What a curator remembers of stories, by story."""
    stored: dict[int, list[StoredOutcome]] = {}
    for row in await conn.fetch(SQL["stored_outcomes"], topic_id, story_ids):
        values = {name: value for name, value in row.items() if name != "story_id"}
        stored.setdefault(row["story_id"], []).append(StoredOutcome(**values))
    return stored


async def mark_notified(conn: Connection, post_id: int, *, is_discord: bool) -> None:
    """Mark the articles of a sent post as notified; those of a topic without interests are none."""
    await conn.execute(SQL["mark_notified"], post_id, is_discord)


async def forget_notified(conn: Connection, *, before: datetime, limit: int) -> int:
    """Forget the oldest posted articles; gives how many."""
    return len(await conn.fetch(SQL["forget_notified"], before, limit))


async def forget_evaluated(conn: Connection, *, before: datetime, limit: int) -> int:
    """Forget the oldest articles that were rejected or not selected; gives how many."""
    return len(await conn.fetch(SQL["forget_evaluated"], before, limit))


async def forget_waiting(conn: Connection, *, before: datetime, limit: int) -> int:
    """Forget articles that were never evaluated; gives how many."""
    return len(await conn.fetch(SQL["forget_waiting"], before, limit))


async def list_evaluations(
    conn: Connection,
    topic_id: int,
    *,
    states: Sequence[EvaluationState] | None = None,
    reason: RejectReason | None = None,
    since: datetime | None = None,
    before: int = db.LAST_ID,
    limit: int = 50,
) -> list[Evaluation]:
    """The articles that a curator met, the latest first."""
    rows = await conn.fetch(SQL["list"], topic_id, states, reason, since, before, limit)
    return [Evaluation(**row) for row in rows]


async def list_met(
    conn: Connection, url_hash: bytes, *, document_id: int | None, topic_id: int | None = None
) -> list[MetArticle]:
    """What curators know of an article, by the hash of its URL or by the story of its document."""
    return [MetArticle(**row) for row in await conn.fetch(SQL["by_url"], url_hash, document_id, topic_id)]


async def count_states(conn: Connection, topic_id: int | None = None) -> dict[int, dict[EvaluationState, int]]:
    """How many articles each curator, or one, has in each state."""
    counts: dict[int, dict[EvaluationState, int]] = {}
    for row in await conn.fetch(SQL["counts"], topic_id):
        counts.setdefault(row["topic_id"], {})[row["state"]] = row["count"]
    return counts


async def count_failures(conn: Connection, *, since: datetime) -> list[EvaluationCounts]:
    """The evaluations of all curators since a moment, and the articles whose evaluation failed."""
    return [EvaluationCounts(**row) for row in await conn.fetch(SQL["failures"], since)]


async def list_texts(
    conn: Connection, story_ids: Sequence[int], *, model_name: str, model_version: str
) -> list[ArticleText]:
    """The articles of stories that have a text, the newest first, with their vectors of a model."""
    rows = await conn.fetch(SQL["texts"], story_ids, SCORED_CHARACTERS, model_name, model_version, MIN_TEXT)
    return [ArticleText(**row) for row in rows]


async def list_document_texts(
    conn: Connection, document_ids: Sequence[int], *, model_name: str, model_version: str
) -> list[ArticleText]:
    """These articles, the newest first, with their vectors of a model."""
    rows = await conn.fetch(SQL["document_texts"], document_ids, SCORED_CHARACTERS, model_name, model_version)
    return [ArticleText(**row) for row in rows]


async def get_text(conn: Connection, document_id: int, *, model_name: str, model_version: str) -> ArticleText:
    found = await list_document_texts(conn, [document_id], model_name=model_name, model_version=model_version)
    if not found:
        raise NotFound(f"there is no article {document_id}")
    return found[0]


async def find_document(conn: Connection, url_hash: bytes) -> int | None:
    """The first document with this URL."""
    document_id: int | None = await conn.fetchval(SQL["document_by_hash"], url_hash)
    return document_id


async def list_obstacles(
    conn: Connection, document_id: int, *, topic_id: int | None, now: datetime
) -> list[MeetingObstacle]:
    """What keeps curators from meeting a document."""
    rows = await conn.fetch(SQL["unmet"], document_id, topic_id, PAGE_PENDING, now)
    return [MeetingObstacle(**row) for row in rows]
