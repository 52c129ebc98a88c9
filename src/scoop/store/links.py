"""Links between documents that may report one event, and the stories that they connect."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from scoop.core import editions, genres, signals
from scoop.core.links import Compared, Neighbourhood, Table
from scoop.store import db
from scoop.store.db import Connection
from scoop.store.embeddings import EmbeddingModel
from scoop.store.stories import DocumentName

SQL = db.blocks(__name__)
LINK_COLUMNS = ("one_id", "other_id", "model_id", "probability", "signals")
SECONDS_A_DAY = 86_400
MAX_LINKED_DOCUMENTS = 500  # the newest of a story, whose links decide about its coverage

DocumentIdPair = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentLink:
    """The probability that two documents report one event, and the signals of the pair."""

    probability: float
    signals: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedLink:
    """A link between two documents, each by its collection, source and source_item_id."""

    one: DocumentName
    other: DocumentName
    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedStory:
    """A story as grouping sees it; an empty family is that of a document without a URL, whose publisher is unknown.

    `may_return`: the event that it founded is merged into another.
    """

    story_id: int
    first_seen_at: datetime
    coverage_id: int
    item_count: int
    families: list[str]
    title: str
    url: str | None
    may_return: bool


async def find_nearest(
    conn: Connection, model: EmbeddingModel, ids: Sequence[int], *, collection: str, lookback: timedelta, most: int
) -> dict[int, Neighbourhood]:
    """The nearest documents of each document that has an embedding."""
    await conn.execute(SQL["search_widely"])
    rows = await conn.fetch(
        SQL["nearest"], ids, model.model_name, model.model_version, collection, model.dimensions, lookback, most
    )
    nearest: dict[int, list[tuple[int, float]]] = {}
    for document_id, neighbour_id, cosine in rows:
        nearest.setdefault(document_id, []).append((neighbour_id, cosine))
    return {document_id: make_neighbourhood(near) for document_id, near in nearest.items()}


def make_neighbourhood(near: Sequence[tuple[int, float]]) -> Neighbourhood:
    return Neighbourhood(
        ids=np.array([document_id for document_id, _ in near], dtype=np.int64),
        cosines=np.array([cosine for _, cosine in near], dtype=np.float32),
    )


async def get_compared(conn: Connection, ids: Iterable[int]) -> dict[int, Compared]:
    return {
        row["document_id"]: Compared(
            signals=signals.unpack(row["signals"]),
            day=row["published_at"].timestamp() / SECONDS_A_DAY if row["published_at"] else float("nan"),
            publisher=row["publisher"],
            language=row["language"],
            words=row["words"],
            boilerplate=row["boilerplate"],
            is_of_many_events=genres.genre(row["title"], row["canonical_url"]) in genres.OF_MANY_EVENTS,
            dated_title=editions.dated_title(row["title"]),
        )
        for row in await conn.fetch(SQL["compared"], list(ids))
    }


async def get_neighbourhoods(conn: Connection, model: EmbeddingModel, ids: Iterable[int]) -> dict[int, Neighbourhood]:
    rows = await conn.fetch(SQL["neighbourhoods"], list(ids), model.model_id)
    return {row["document_id"]: make_neighbourhood(list(zip(row["ids"], row["cosines"], strict=True))) for row in rows}


async def get_links(conn: Connection, model: EmbeddingModel, ids: Iterable[int]) -> dict[DocumentIdPair, DocumentLink]:
    rows = await conn.fetch(SQL["links"], list(ids), model.model_id)
    return {
        (row["one_id"], row["other_id"]): DocumentLink(
            probability=row["probability"], signals=np.array(row["signals"], dtype=np.float32)
        )
        for row in rows
    }


async def put_neighbourhoods(conn: Connection, model: EmbeddingModel, near: Mapping[int, Neighbourhood]) -> None:
    rows = [
        (document_id, neighbour_id, cosine, place)
        for document_id, nearest in near.items()
        for place, (neighbour_id, cosine) in enumerate(zip(nearest.ids.tolist(), nearest.cosines.tolist(), strict=True))
    ]
    if rows:
        await conn.execute(SQL["put_neighbourhoods"], model.model_id, *map(list, zip(*rows, strict=True)))


async def put(conn: Connection, model: EmbeddingModel, links: Mapping[DocumentIdPair, DocumentLink]) -> None:
    await conn.execute(SQL["stage"])
    records = [(*pair, model.model_id, link.probability, link.signals.tolist()) for pair, link in links.items()]
    await db.copy(conn, "staged_links", schema="pg_temp", columns=LINK_COLUMNS, records=records)
    await conn.execute(SQL["put"])


async def list_named(conn: Connection) -> list[NamedLink]:
    """All links, with the documents by name."""
    return [
        NamedLink(one=(one[0], one[1], one[2]), other=(other[0], other[1], other[2]), probability=probability)
        for one, other, probability in await conn.fetch(SQL["named"])
    ]


async def find_component(
    conn: Connection, model: EmbeddingModel, story_ids: Collection[int], *, at_least: float
) -> list[LinkedStory]:
    """The stories that these are connected with by links, ties or their event, the oldest first."""
    rows = await conn.fetch(SQL["component"], list(story_ids), at_least, model.model_id, MAX_LINKED_DOCUMENTS)
    return [LinkedStory(**row) for row in rows]


async def get_link_strengths(
    conn: Connection, model: EmbeddingModel, story_ids: Collection[int]
) -> dict[DocumentIdPair, float]:
    """The mean link probability of each two of these stories that are linked."""
    rows = await conn.fetch(SQL["between"], list(story_ids), model.model_id, MAX_LINKED_DOCUMENTS)
    ids = set(story_ids)
    pairs = ((row["one_id"], row["other_id"], row["probability"]) for row in rows)
    return {(one, other): probability for one, other, probability in pairs if one in ids and other in ids}


async def list_ties(conn: Connection, story_ids: Collection[int]) -> list[DocumentIdPair]:
    """The pairs of these stories that people put into one event."""
    return [(row["one_id"], row["other_id"]) for row in await conn.fetch(SQL["ties"], list(story_ids))]
