"""The reads of the command line, the page and the API: one function each."""

from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Any
from uuid import UUID

from scoop.core import links
from scoop.errors import NotFound
from scoop.store import db, work
from scoop.store.db import Connection

SQL = db.blocks(__name__)
MAX_MEMBERS = 1000
MAX_CANDIDATES = 5
MAX_COMPANY = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    story_id: int
    story_uuid: UUID
    collection: str
    title: str
    url: str | None
    status: str
    first_seen_at: datetime
    last_seen_at: datetime
    item_count: int
    source_count: int
    publisher_family_count: int
    sources: list[str]
    publisher_families: list[str]
    language: str
    lead: str
    merged_into: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    document_id: int
    article_id: str
    source: str
    source_item_id: str
    url: str | None
    title: str
    language: str
    publisher_family: str
    published_at: datetime | None
    seen_at: datetime
    match_type: str
    match_score: float | None
    match_details: dict[str, Any] | None
    source_name: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryDetail:
    """A story with its documents, and the other stories that probably tell of the same event."""

    story: Story
    members: list[Member]
    company: list[Story]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlet:
    """Who tells a story, and the address of the first document it did so with."""

    source: str
    source_name: str | None
    url: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """A story as a page lists it: in its group of coverage, with its outlets in order of appearance."""

    coverage_id: int
    story: Story
    outlets: list[Outlet]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Stories that probably tell of one event, or one alone: the first stands for all."""

    headlines: list[Headline]

    @property
    def collection(self) -> str:
        return self.headlines[0].story.collection

    @property
    def source_count(self) -> int:
        return len({source for headline in self.headlines for source in headline.story.sources})

    @property
    def publisher_family_count(self) -> int:
        return len({family for headline in self.headlines for family in headline.story.publisher_families})


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryTally:
    """How many stories there are, and how many groups of coverage they are of."""

    stories: int
    groups: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DaySummary:
    """What a day holds, and when the nearest stories before and after it were last seen."""

    tally_by_collection: dict[str, StoryTally]
    earlier_at: datetime | None
    later_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DedupEvent:
    dedup_event_id: int
    decision: str
    chosen_story_id: int | None
    best_candidate_story_id: int | None
    exact_signal: str | None
    best_cosine: float | None
    title_overlap: float | None
    entity_date_consistency: float | None
    composite_score: float | None
    details: dict[str, Any] | None
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageCandidate:
    """A document that may tell of the same event, how probable that is, and the signs of the pair by name."""

    document_id: int
    title: str
    source: str
    story_id: int
    probability: float
    signs: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A document, the story it is in, every decision that put it there, and who else may tell of the same."""

    document: dict[str, Any]
    events: list[DedupEvent]
    candidates: list[CoverageCandidate]


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Stories that probably tell of one event, the one with most documents first."""

    coverage_id: int
    collection: str
    last_seen_at: datetime
    item_count: int
    publisher_family_count: int
    story_ids: list[int]
    titles: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionSummary:
    collection: str
    arrivals: int
    documents: int
    stories: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    sources: int
    runs: int
    arrivals: int
    refused: int
    documents: int
    stories: int
    merged_stories: int
    members: int
    events: int
    match_types: dict[str, int]
    collections: list[CollectionSummary]
    work: list[work.Count]


async def stories(
    conn: Connection,
    *,
    collection: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 50,
    offset: int = 0,
) -> list[Story]:
    return [Story(**row) for row in await conn.fetch(SQL["stories"], collection, since, until, limit, offset)]


async def coverage(
    conn: Connection, *, collection: str | None = None, since: datetime | None = None, limit: int = 50
) -> list[Coverage]:
    return [Coverage(**row) for row in await conn.fetch(SQL["coverage"], collection, since, limit)]


async def story(conn: Connection, name: str) -> StoryDetail:
    """The story of a number or public id, with its members."""
    row = await conn.fetchrow(SQL["story"], _as_number(name), _as_uuid(name))
    if row is None:
        raise NotFound(f"there is no story {name!r}; `scoop stories` lists what there is")
    found = Story(**row)
    members = [Member(**member) for member in await conn.fetch(SQL["members"], found.story_id, MAX_MEMBERS)]
    company = [Story(**other) for other in await conn.fetch(SQL["company"], found.story_id, MAX_COMPANY)]
    return StoryDetail(story=found, members=members, company=company)


async def text_of(conn: Connection, story_id: int) -> str:
    """The text of the document that stands for a story."""
    return await conn.fetchval(SQL["text_of"], story_id) or ""


async def explanations(conn: Connection, name: str, url_hash: bytes | None) -> list[Explanation]:
    """What is known of the documents that a number, public id or URL names."""
    rows = await conn.fetch(SQL["documents_like"], _as_number(name), name, url_hash)
    if not rows:
        raise NotFound(f"there is no document {name!r}; name its number, its art_ id or its URL")
    return [
        Explanation(
            document=dict(row),
            events=[DedupEvent(**event) for event in await conn.fetch(SQL["events"], row["document_id"])],
            candidates=await _candidates(conn, row["document_id"]),
        )
        for row in rows
    ]


async def _candidates(conn: Connection, document_id: int) -> list[CoverageCandidate]:
    rows = await conn.fetch(SQL["candidates"], document_id, MAX_CANDIDATES)
    return [CoverageCandidate(**{**row, "signs": links.named(row["signs"])}) for row in rows]


async def collections(conn: Connection) -> list[CollectionSummary]:
    return [CollectionSummary(**row) for row in await conn.fetch(SQL["collections"])]


async def stats(conn: Connection) -> Stats:
    async with conn.transaction(isolation="repeatable_read", readonly=True):
        return Stats(
            **await conn.fetchrow(SQL["totals"]),
            match_types={row["match_type"]: row["count"] for row in await conn.fetch(SQL["match_types"])},
            collections=await collections(conn),
            work=await work.counts(conn),
        )


async def day(conn: Connection, *, since: datetime, until: datetime, collection: str | None = None) -> DaySummary:
    """The window's stories in numbers; the neighbours are those of the collection, if one is named."""
    tallies = [dict(row) for row in await conn.fetch(SQL["day"], since, until)]
    around = await conn.fetchrow(SQL["around"], since, until, collection)
    return DaySummary(tally_by_collection={tally.pop("collection"): StoryTally(**tally) for tally in tallies}, **around)


async def groups(
    conn: Connection, *, since: datetime, until: datetime, limit: int, offset: int = 0, collection: str | None = None
) -> list[Group]:
    """The groups that have a story in a window, collection by collection; `limit` and `offset` count within each."""
    rows = await conn.fetch(SQL["headlines"], since, until, collection, limit, offset)
    headlines = [_headline(dict(row)) for row in rows]
    return [Group(headlines=list(group)) for _, group in groupby(headlines, key=attrgetter("coverage_id"))]


def _headline(row: dict[str, Any]) -> Headline:
    outlets = [Outlet(**outlet) for outlet in row.pop("outlets")]
    return Headline(coverage_id=row.pop("coverage_id"), outlets=outlets, story=Story(**row))


def _as_uuid(name: str) -> UUID | None:
    try:
        return UUID(name)
    except ValueError:
        return None


def _as_number(name: str) -> int | None:
    return int(name) if name.isascii() and name.isdigit() and len(name) < 19 else None
