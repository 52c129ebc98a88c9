"""What curators remember of articles that another program posted or rejected."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scoop.core import curator_exports, hashes
from scoop.core.curation import EvaluationState, RejectReason
from scoop.core.curator_exports import RememberedArticle
from scoop.core.shapes import curator_memory
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognisedArticle:
    """An article of an imported memory, and the document that it turned out to be."""

    evaluation_id: int
    state: EvaluationState
    reason: RejectReason | None
    story_id: int
    event_id: int
    document_id: int
    article_title: str
    url: str
    url_hash: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCounts:
    """How many articles were added as posted and as rejected; the others are known already."""

    notified: int
    rejected: int


async def find_urls(conn: Connection, readable_keys: Sequence[str]) -> dict[str, str]:
    """The URLs of documents, by the readable keys that they have."""
    if not readable_keys:
        return {}
    return {row["readable_key"]: row["url"] for row in await conn.fetch(SQL["find_urls"], readable_keys)}


async def put(conn: Connection, topic_id: int, articles: Sequence[RememberedArticle]) -> StoredCounts:
    """Remember articles, each once, inside the caller's transaction; those that were posted stay as they are."""
    url_hashes = [hashes.sha256(article.url or article.readable_key or "") for article in articles]
    rows = await conn.fetch(
        SQL["put"],
        topic_id,
        [article.url for article in articles],
        url_hashes,
        [article.readable_key for article in articles],
        [article.article_title for article in articles],
        [article.state for article in articles],
        [article.reason for article in articles],
        [article.relevance_score for article in articles],
        [article.happened_at for article in articles],
        [article.discord_message_id for article in articles],
    )
    await conn.execute(SQL["mark_posted"], topic_id, url_hashes)
    count_by_state: Mapping[str, int] = {row["state"]: row["count"] for row in rows}
    return StoredCounts(notified=count_by_state.get("notified", 0), rejected=count_by_state.get("rejected", 0))


async def recognise(conn: Connection, topic_id: int, story_ids: Sequence[int]) -> list[RecognisedArticle]:
    """The remembered articles that the desk has gathered by now, about the events of these stories or of those that the
    curator may post.
    """
    rows = await conn.fetch(SQL["gathered"], topic_id, story_ids)
    keys = [curator_exports.readable_key(curator_memory.readable_id(row["url"])) for row in rows]
    url_hashes = [row["url_hash"] for row in rows]
    matches = await conn.fetch(SQL["recognised"], topic_id, url_hashes, list(map(hashes.sha256, keys))) if rows else []
    return [
        RecognisedArticle(
            **rows[match["position"] - 1],
            **{name: match[name] for name in ("evaluation_id", "state", "reason")},
        )
        for match in matches
    ]


async def adopt(conn: Connection, topic_id: int, recognised: Sequence[RecognisedArticle]) -> None:
    """Give remembered articles their documents and URLs, and mark the stories of those that were posted as posted."""
    if not recognised:
        return
    url_hashes = [article.url_hash for article in recognised]
    await conn.execute(
        SQL["adopt"],
        [article.evaluation_id for article in recognised],
        [article.document_id for article in recognised],
        [article.url for article in recognised],
        url_hashes,
        [article.article_title for article in recognised],
    )
    await conn.execute(SQL["mark_posted"], topic_id, url_hashes)
