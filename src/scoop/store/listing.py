"""Lists that callers read in parts: each part goes on from where the one before ended, however long the list is."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby
from operator import itemgetter
from uuid import UUID

from scoop.core import items
from scoop.errors import NotFound
from scoop.store import db
from scoop.store.db import Connection
from scoop.store.reading import Story

SQL = db.blocks(__name__)
START = items.FIRST_MOMENT
StoryCursor = tuple[datetime, int]
"""A row of a list: its moment and its number. A list goes on with what is before it."""
END: StoryCursor = (items.LAST_MOMENT, db.LAST_ID)


@dataclass(frozen=True, slots=True, kw_only=True)
class DayTally:
    """How many stories a collection has on a day, and how many groups of coverage they are of."""

    collection: str
    stories: int
    groups: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryDay:
    day: date
    stories: int
    groups: int
    collections: list[DayTally]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRow:
    """A document without its text, and the story it is in."""

    document_id: int
    article_id: str
    collection: str
    source: str
    source_item_id: str
    title: str
    url: str | None
    language: str
    authors: list[str]
    tags: list[str]
    image_url: str | None
    source_domain: str | None
    publisher_family: str
    published_at: datetime | None
    fetched_at: datetime
    seen_at: datetime
    token_count: int
    content_problem: str | None
    story_id: int | None
    story_uuid: UUID | None
    story_title: str | None
    match_type: str | None
    match_score: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeDocument(DocumentRow):
    body_text: str
    native_ids: list[str]
    raw_arrival_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleRow:
    """A document as those know it who read articles; `archive_key` is where its page is kept."""

    document_id: int
    article_id: str
    source: str
    title: str
    canonical_url: str | None
    published_at: datetime | None
    fetched_at: datetime
    seen_at: datetime
    authors: list[str]
    tags: list[str]
    body_text: str
    token_count: int
    archive_key: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NextVisit:
    """How long a source rests yet after its last visit, if it does, and when the next one is, if one is planned."""

    source_id: int
    source: str
    rests_for: timedelta | None
    due_at: datetime | None
    is_on_its_way: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ListSlice:
    """Which part of a list: what was seen since a moment, before a place, so many rows at most."""

    since: datetime = START
    before: StoryCursor = END
    limit: int = 50


async def stories(
    conn: Connection, part: ListSlice, *, collection: str | None = None, words: str | None = None, offset: int = 0
) -> list[Story]:
    """Active stories; `words` stand in the title as they are written here."""
    await conn.execute(SQL["plan_for_values"])
    rows = await conn.fetch(
        SQL["stories"], part.since, *part.before, collection, _anywhere(words) if words else None, part.limit, offset
    )
    return [Story(**row) for row in rows]


def _anywhere(words: str) -> str:
    """A pattern for titles that hold these words, whatever signs are in them."""
    plain = words.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{plain}%"


async def survivor(conn: Connection, story_uuid: UUID) -> int:
    """The number of a story, or of the one that it became part of."""
    story_id: int | None = await conn.fetchval(SQL["survivor"], story_uuid)
    if story_id is None:
        raise NotFound(f"there is no story {story_uuid}")
    return story_id


async def story_days(
    conn: Connection, *, timezone: str, since: datetime, until: datetime, limit: int, collection: str | None = None
) -> list[StoryDay]:
    """The latest days that have stories; `since` and `until` are beginnings of days in the timezone."""
    await conn.execute(SQL["plan_for_values"])
    rows = await conn.fetch(SQL["days"], timezone, since, until, collection, limit)
    found = []
    for day, of_day in groupby(rows, key=itemgetter("day")):
        tallies = [
            DayTally(collection=row["collection"], stories=row["stories"], groups=row["groups"]) for row in of_day
        ]
        found.append(
            StoryDay(
                day=day,
                stories=sum(tally.stories for tally in tallies),
                groups=sum(tally.groups for tally in tallies),
                collections=tallies,
            )
        )
    return found


async def documents(
    conn: Connection,
    part: ListSlice,
    *,
    source: str | None = None,
    collection: str | None = None,
    story_id: int | None = None,
) -> list[DocumentRow]:
    await conn.execute(SQL["plan_for_values"])
    rows = await conn.fetch(SQL["documents"], part.since, *part.before, source, collection, story_id, part.limit)
    return [DocumentRow(**row) for row in rows]


async def document(conn: Connection, document_id: int) -> WholeDocument:
    row = await conn.fetchrow(SQL["document"], document_id)
    if row is None:
        raise NotFound(f"there is no document {document_id}")
    return WholeDocument(**row)


async def articles(
    conn: Connection, part: ListSlice, *, max_characters: int, source: str | None = None
) -> list[ArticleRow]:
    await conn.execute(SQL["plan_for_values"])
    rows = await conn.fetch(SQL["articles"], part.since, *part.before, source, max_characters, part.limit)
    return [ArticleRow(**row) for row in rows]


async def article(conn: Connection, article_id: str, *, max_characters: int, source: str | None = None) -> ArticleRow:
    row = await conn.fetchrow(SQL["article"], article_id, source, max_characters)
    if row is None:
        raise NotFound(f"there is no article {article_id!r}")
    return ArticleRow(**row)


async def next_visits(conn: Connection, stage: str, source_ids: Sequence[int], *, rest: timedelta) -> list[NextVisit]:
    """How it stands with visits of sources; each rests so long after it was visited."""
    return [NextVisit(**row) for row in await conn.fetch(SQL["visits"], stage, source_ids, rest)]
