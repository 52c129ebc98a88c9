"""Why curators posted an article, rejected it, or have not posted it yet."""

from dataclasses import replace
from datetime import datetime

from scoop.core import hashes, urls
from scoop.errors import NotFound, UsageError
from scoop.stages import curated_digest
from scoop.store import curators, evaluations
from scoop.store.db import Connection
from scoop.store.evaluations import MetArticle


async def explain(conn: Connection, url: str, slug: str | None = None, *, now: datetime) -> list[MetArticle]:
    """What curators, or one, know of an article: notified, rejected or waiting, with its parts.

    NotFound if none has met it, with the reason of each.
    """
    topic_id = (await curators.by_slug(conn, slug)).topic_id if slug else None
    url_hash = hashes.sha256(_canonical(url))
    document_id = await evaluations.find_document(conn, url_hash)
    met = await evaluations.list_met(conn, url_hash, document_id=document_id, topic_id=topic_id)
    if met:
        return [await _with_outlook(conn, each, now=now) for each in met]
    if document_id is None:
        raise NotFound(f"{url}: it was never gathered; `scoop sources list` shows what is")
    obstacles = await evaluations.list_obstacles(conn, document_id, topic_id=topic_id, now=now)
    raise NotFound(f"{url}: {'; '.join(map(str, obstacles)) or 'there is no curator; scoop curators add adds one'}")


def _canonical(url: str) -> str:
    try:
        return urls.canonical_url(url)
    except ValueError as error:
        raise UsageError(f"{url!r} is not the address of an article: {error}") from error


async def _with_outlook(conn: Connection, met: MetArticle, *, now: datetime) -> MetArticle:
    """The same, and for a relevant article what the next post would do with it."""
    if met.state != "relevant":
        return met
    curator = await curators.by_slug(conn, met.topic_slug)
    choice = (await curated_digest.choose_now(conn, curator, now=now)).get(met.evaluation_id)
    return replace(met, outlook=curated_digest.outlook(choice, met.seen_at, curator, now=now))
