"""What curators remember of articles that another program posted or rejected."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scoop.core import curator_exports, hashes
from scoop.core.curator_exports import RememberedArticle
from scoop.core.shapes import curator_memory
from scoop.store import db
from scoop.store.db import Connection
from scoop.store.evaluations import CandidateArticle

SQL = db.blocks(__name__)


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
    rows = await conn.fetch(
        SQL["put"],
        topic_id,
        [article.url for article in articles],
        [hashes.sha256(article.url or article.readable_key or "") for article in articles],
        [article.readable_key for article in articles],
        [article.article_title for article in articles],
        [article.state for article in articles],
        [article.reason for article in articles],
        [article.relevance_score for article in articles],
        [article.happened_at for article in articles],
        [article.discord_message_id for article in articles],
    )
    count_by_state: Mapping[str, int] = {row["state"]: row["count"] for row in rows}
    return StoredCounts(notified=count_by_state.get("notified", 0), rejected=count_by_state.get("rejected", 0))


async def adopt(conn: Connection, topic_id: int, articles: Sequence[CandidateArticle]) -> None:
    """Give remembered articles their document and URL, now that the desk has gathered them."""
    gathered = [(article, article.url) for article in articles if article.url is not None]
    keys = [curator_exports.readable_key(curator_memory.readable_id(url)) for _, url in gathered]
    await conn.execute(
        SQL["adopt"],
        topic_id,
        [article.url_hash for article, _ in gathered],
        list(map(hashes.sha256, keys)),
        [article.document_id for article, _ in gathered],
        [url for _, url in gathered],
        [article.article_title for article, _ in gathered],
    )
