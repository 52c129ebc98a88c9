"""Pairs of stories for people to decide on, and what the decided ones teach: labels and calibrated thresholds."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from scoop.core import links
from scoop.core.calibration import LabelledPair
from scoop.stage_names import StageName
from scoop.store import db, embeddings, pair_answers, work
from scoop.store import links as linked
from scoop.store.db import Connection
from scoop.store.embeddings import EmbeddingModel
from scoop.store.pair_answers import PairAnswer

SQL = db.blocks(__name__)
QUEUE_LENGTH = 200  # pairs; a person decides on about as many in an hour, and their order changes with every arrival
QUIET_AFTER = timedelta(days=3)  # nobody reads two stories any more that got nothing new for so long


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDocument:
    """One document of a pair, and the counts of its story."""

    document_id: int
    title: str
    source: str
    source_name: str | None
    url: str | None
    seen_at: datetime
    story_id: int
    item_count: int
    publisher_family_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GrayPair:
    """Two stories that may be one, by their best linked documents; `matters` is the priority in the queue.

    `answer` is what a model answered, if one was asked.
    """

    collection: str
    probability: float
    cosine: float
    title_overlap: float
    matters: float
    signals: Mapping[str, float]
    one: PairDocument
    other: PairDocument
    answer: PairAnswer | None = None


async def list_pairs(
    conn: Connection,
    model: EmbeddingModel,
    *,
    at_least: float,
    collection: str | None,
    skip: int = 0,
    limit: int,
    now: datetime,
) -> tuple[list[GrayPair], int]:
    """Undecided pairs of stories by priority, and the number of all; the queue has at most QUEUE_LENGTH."""
    rows = await conn.fetch(
        SQL["gray"],
        model.model_id,
        at_least,
        collection,
        max(0, min(limit, QUEUE_LENGTH - skip)),
        now,
        skip,
        now - QUIET_AFTER,
    )
    if not rows:
        return [], 0
    shown = {document_id for row in rows for document_id in (row["one_id"], row["other_id"])}
    sides = {row["document_id"]: PairDocument(**row) for row in await conn.fetch(SQL["sides"], list(shown))}
    answers = await pair_answers.list_latest(conn, [(row["one_id"], row["other_id"]) for row in rows])
    pairs = [
        replace(
            _gray_pair(row, sides[row["one_id"]], sides[row["other_id"]]),
            answer=answers.get((row["one_id"], row["other_id"])),
        )
        for row in rows
    ]
    return pairs, min(rows[0]["waiting"], QUEUE_LENGTH)


def _gray_pair(row: Any, one: PairDocument, other: PairDocument) -> GrayPair:
    signs = links.features_by_name(row["signals"])
    return GrayPair(
        collection=row["collection"],
        probability=row["probability"],
        cosine=signs["cosine"],
        title_overlap=signs["title_words"],
        matters=row["matters"],
        signals=signs,
        one=one,
        other=other,
    )


async def list_labels(conn: Connection, model: EmbeddingModel) -> tuple[list[LabelledPair], int]:
    """The decided pairs with the model's signals, and the number of those that it has no link for."""
    rows = await conn.fetch(SQL["labels"], model.model_id)
    documents = {document for row in rows for document in (row["one_document_id"], row["other_document_id"])}
    known = await linked.get_compared(conn, documents)
    found = [
        LabelledPair(
            one=known[row["one_document_id"]],
            other=known[row["other_document_id"]],
            signs=np.array(row["signals"], dtype=np.float32),
            probability=row["probability"],
            is_same=row["is_same"],
        )
        for row in rows
        if row["signals"] is not None and {row["one_document_id"], row["other_document_id"]} <= known.keys()
    ]
    return found, len(rows) - len(found)


async def calibrate(conn: Connection, model: EmbeddingModel, calibration: Mapping[str, float]) -> None:
    """Set the thresholds of a model, inside the caller's transaction, and enqueue all documents for linking."""
    if calibration == model.calibration:
        return
    await embeddings.calibrate(conn, model, calibration)
    async for page in embeddings.iterate_documents(conn):
        await work.enqueue(conn, StageName.LINK, page)
