"""The review queue as its page shows it: the texts of a pair, and the documents around them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter

from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)

SHOWN_CHARACTERS = 6_000  # of each text
MAX_MEMBERS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewArticle:
    """A document with the beginning of its text, which has `characters` in total, and the counts of its story."""

    document_id: int
    title: str
    body: str
    characters: int
    language: str
    source: str
    source_name: str | None
    url: str | None
    seen_at: datetime
    story_id: int
    story_uuid: str
    story_title: str
    item_count: int
    source_count: int
    publisher_family_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewMember:
    """A document of a story, without its text."""

    document_id: int
    title: str
    language: str
    source: str
    source_name: str | None
    seen_at: datetime


async def list_articles(conn: Connection, document_ids: Sequence[int]) -> dict[int, ReviewArticle]:
    """Documents by id."""
    rows = await conn.fetch(SQL["articles"], document_ids, SHOWN_CHARACTERS)
    return {row["document_id"]: ReviewArticle(**row) for row in rows}


async def list_members(conn: Connection, story_ids: Sequence[int]) -> dict[int, list[ReviewMember]]:
    """The first documents of stories, by story."""
    rows = [dict(row) for row in await conn.fetch(SQL["members"], story_ids, MAX_MEMBERS)]
    return {
        story_id: [
            ReviewMember(**{name: value for name, value in row.items() if name != "story_id"}) for row in of_story
        ]
        for story_id, of_story in groupby(rows, key=itemgetter("story_id"))
    }
