"""What pages show beside the stories of a day: a month in figures, the rail; and all that a story's own page tells."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby, islice
from operator import itemgetter
from typing import Any
from uuid import UUID

from scoop.core import links
from scoop.errors import NotFound
from scoop.model import Arrival, Health
from scoop.store import arrivals, db
from scoop.store.db import Connection
from scoop.store.review import Decision

SQL = db.blocks(__name__)
MAX_RELATED = 25
SPEAKING_DOCUMENTS = 200  # of a story, the newest: whose links are looked at
NEAR = 0.2  # the probability from which a story of another event is worth a look
MAX_DECISIONS = 20
MAX_EVENTS = 8  # of a document, the latest
MAX_CANDIDATES = 3  # of a document, the best
MAX_ARRIVALS = 12  # of a document, the latest


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """A story in a line: its headline, and how widely it is told."""

    story_id: int
    story_uuid: UUID
    title: str
    language: str
    item_count: int
    source_count: int
    publisher_family_count: int
    last_seen_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Related(Brief):
    """A story beside another: of its group of coverage or only near, how probably the same event, and by what signs."""

    is_company: bool
    probability: float | None
    signs: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class DayDigest:
    """A topic on a date: how its digest stands, and when it is due; `mode` is None where none was made."""

    topic_slug: str
    topic_name: str
    timezone: str
    digest_cron: str
    mode: str | None
    published_at: datetime | None
    left_to_legacy_at: datetime | None
    entry_count: int | None
    post_states: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Belonging:
    """What a topic did with a story."""

    topic_slug: str
    topic_name: str
    publish_count: int
    last_published_at: datetime | None
    suppressed: bool
    suppression_reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Whether a document has a text, how long it is, and with how many different ones it was seen."""

    has_text: bool
    token_count: int
    texts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A decision about a document, and the story it was compared with."""

    decision: str
    created_at: datetime
    story_uuid: UUID | None
    story_title: str | None
    probability: float | None
    best_cosine: float | None
    title_overlap: float | None
    entity_date_consistency: float | None
    composite_score: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """A document of another story that came nearest, and by what signs."""

    document_id: int
    title: str
    source: str
    source_name: str | None
    language: str
    story_uuid: UUID
    probability: float
    signs: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderArticle:
    """A document to be read, and its neighbours in the story."""

    document_id: int
    source: str
    source_name: str | None
    title: str
    body_text: str
    authors: list[str]
    url: str | None
    language: str
    seen_at: datetime
    token_count: int
    content_problem: str | None
    earlier_id: int | None
    later_id: int | None


async def days(
    conn: Connection, *, since: datetime, until: datetime, timezone: str, collection: str | None
) -> dict[date, int]:
    """How many stories each local day has."""
    return {row["day"]: row["stories"] for row in await conn.fetch(SQL["days"], since, until, timezone, collection)}


async def developing(conn: Connection, *, grown_since: datetime, known_by: datetime, limit: int) -> list[Brief]:
    return [Brief(**row) for row in await conn.fetch(SQL["developing"], grown_since, known_by, limit)]


async def digests(conn: Connection, day: date) -> list[DayDigest]:
    return [DayDigest(**row) for row in await conn.fetch(SQL["digests"], day)]


async def source_health(conn: Connection) -> dict[Health, int]:
    return {row["health"]: row["sources"] for row in await conn.fetch(SQL["source_health"])}


async def related(conn: Connection, story_id: int) -> list[Related]:
    """Who else may tell of the same event, those of the same group of coverage first."""
    rows = await conn.fetch(SQL["related"], story_id, NEAR, SPEAKING_DOCUMENTS, MAX_RELATED)
    return [Related(**{**row, "signs": _signs(row["signs"])}) for row in rows]


async def decisions(conn: Connection, story_id: int) -> list[Decision]:
    return [Decision(**row) for row in await conn.fetch(SQL["decisions"], story_id, MAX_DECISIONS)]


async def topics(conn: Connection, story_id: int) -> list[Belonging]:
    return [Belonging(**row) for row in await conn.fetch(SQL["topics"], story_id)]


async def facts(conn: Connection, document_ids: Sequence[int]) -> dict[int, Facts]:
    rows = await conn.fetch(SQL["facts"], document_ids)
    return {row["document_id"]: Facts(**_without(row, "document_id")) for row in rows}


async def judged(conn: Connection, document_ids: Sequence[int]) -> dict[int, list[Judged]]:
    """The latest decisions about each document, in the order they were made."""
    rows = await conn.fetch(SQL["events"], document_ids, MAX_EVENTS)
    return {
        document_id: [Judged(**_without(event, "document_id")) for event in events]
        for document_id, events in groupby(rows, key=itemgetter("document_id"))
    }


async def rejected(conn: Connection, document_ids: Sequence[int]) -> dict[int, list[Rejected]]:
    """For each document those of other stories that came nearest, the nearest first."""
    rows = await conn.fetch(SQL["candidates"], document_ids)
    return {
        document_id: [
            Rejected(**{**_without(each, "asked_id"), "signs": _signs(each["signs"])})
            for each in islice(near, MAX_CANDIDATES)
        ]
        for document_id, near in groupby(rows, key=itemgetter("asked_id"))
    }


async def article(conn: Connection, story_id: int, document_id: int) -> ReaderArticle:
    row = await conn.fetchrow(SQL["article"], story_id, document_id)
    if row is None:
        raise NotFound(f"document {document_id} is not in this story")
    return ReaderArticle(**row)


async def arrivals_of(conn: Connection, document_id: int) -> list[Arrival]:
    """What a document is the reading of, as it came in, the oldest first."""
    ids = [row["raw_arrival_id"] for row in await conn.fetch(SQL["arrivals"], document_id, MAX_ARRIVALS)]
    found = await arrivals.by_ids(conn, ids)
    return [found[arrival_id] for arrival_id in ids]


def _signs(row: Sequence[float] | None) -> dict[str, float]:
    return links.named(row) if row else {}


def _without(row: Any, *names: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}
