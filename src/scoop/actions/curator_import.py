"""Imports what another curator posted and rejected, so that nothing of it is paid for or posted again."""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from scoop import plugins, projections
from scoop.core import curator_exports
from scoop.core.curator_exports import RememberedArticle, UnreadableDocument
from scoop.core.shapes.curator_memory import COLLECTIONS, StoredDocument
from scoop.errors import InputError, Reject, UsageError
from scoop.plugin_settings import PluginSettings
from scoop.projections.firestore import Firestore
from scoop.store import curator_memory as store
from scoop.store import curators
from scoop.store.db import Connection

FIRESTORE = "firestore"
STANDARD_INPUT = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryImport:
    """What became of the documents of a memory.

    `known` were in the memory already, `expired` are too old to be remembered, `others` are of other curators.
    `unresolved` are imported under an id that leads to no URL yet: they are recognised when their article is gathered.
    """

    documents: int
    notified: int
    rejected: int
    known: int
    expired: int
    others: int
    unresolved: int
    problems: Sequence[str]


async def read_place(place: str, settings: PluginSettings) -> list[StoredDocument | str]:
    """The documents of firestore://PROJECT/DATABASE, of a JSON or NDJSON file, or of standard input.

    A sentence stands for each part of a file that is no document.
    """
    if place.startswith(f"{FIRESTORE}://"):
        return [document async for document in _firestore(place, settings).list_memory()]
    return list(curator_exports.parse_export(await asyncio.to_thread(_read_file, place)))


def _firestore(place: str, settings: PluginSettings) -> Firestore:
    """The database of a place, with the account and the address of the settings."""
    parsed = urlsplit(place)
    named = {"project": parsed.netloc, "database": parsed.path.strip("/"), **dict(parse_qsl(parsed.query))}
    try:
        opened: Firestore = plugins.makers(projections, settings)[FIRESTORE](
            {option: value for option, value in named.items() if value}
        )
    except Reject as error:
        raise UsageError(f"{place}: {error}") from error
    return opened


def _read_file(place: str) -> str:
    try:
        return sys.stdin.read() if place == STANDARD_INPUT else Path(place).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {place}: {error}") from error


async def import_memory(
    conn: Connection,
    slug: str,
    documents: Sequence[StoredDocument | str],
    *,
    curator: str | None = None,
    now: datetime,
) -> MemoryImport:
    """Import documents into the memory of a curator, in the caller's transaction; repeating it changes nothing.

    Those of `curator`, by default of the same name, are imported, and those that name none.
    """
    topic_id = (await curators.by_slug(conn, slug)).topic_id
    articles, problems = _read(documents)
    wanted = [article for article in articles if article.curator in {None, curator or slug}]
    lasting = [article for article in wanted if article.expires_at > now]
    merged = _merged(await _resolved(conn, lasting))
    stored = await store.put(conn, topic_id, merged)
    return MemoryImport(
        documents=len(articles) + len(problems),
        notified=stored.notified,
        rejected=stored.rejected,
        known=len(lasting) - stored.notified - stored.rejected,
        expired=len(wanted) - len(lasting),
        others=len(articles) - len(wanted),
        unresolved=sum(article.url is None for article in merged),
        problems=problems,
    )


def _read(documents: Sequence[StoredDocument | str]) -> tuple[list[RememberedArticle], list[str]]:
    articles: list[RememberedArticle] = []
    problems: list[str] = []
    for document in documents:
        if isinstance(document, str):
            problems.append(document)
        elif document.collection not in COLLECTIONS:
            problems.append(f"{document.path}: it is neither in {' nor in '.join(COLLECTIONS)}")
        else:
            try:
                articles.append(curator_exports.read_article(document))
            except UnreadableDocument as error:
                problems.append(f"{document.path}: {error}")
    return articles, problems


async def _resolved(conn: Connection, articles: Sequence[RememberedArticle]) -> list[RememberedArticle]:
    """The articles with the URLs of documents that have their readable ids."""
    keys = {article.readable_key for article in articles if article.readable_key is not None}
    urls = await store.find_urls(conn, sorted(keys))
    return [replace(each, url=urls[key]) if (key := each.readable_key) in urls else each for each in articles]


def _merged(articles: Sequence[RememberedArticle]) -> list[RememberedArticle]:
    """Each article once: one that was posted counts as posted, and the latest time counts."""
    ordered = sorted(articles, key=lambda article: (article.state == "notified", article.happened_at))
    return list({article.url or article.readable_key: article for article in ordered}.values())
