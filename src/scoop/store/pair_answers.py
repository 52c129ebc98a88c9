"""Answers of models about pairs of the review queue. Appended, never changed."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

import msgspec

from scoop.core.briefs.same_event import EventVerdict, PairDifference
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)

DocumentIdPair = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAnswer:
    """An answer that was just given; `decision_id` is the decision that it led to."""

    pair_id: int
    brief_id: int
    verdict: EventVerdict
    reason: str
    differences: tuple[PairDifference, ...]
    provider: str
    model: str
    prompt_id: str
    prompt_version: str
    input_hash: bytes
    input_tokens: int
    output_tokens: int
    cost: Decimal
    currency: str
    prompt_key: str | None
    response_key: str | None
    decision_id: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAnswer:
    """What a model answered about a pair: whether both report one event, why, and how they differ."""

    verdict: EventVerdict
    reason: str
    differences: tuple[PairDifference, ...]
    provider: str
    model: str
    prompt_id: str
    prompt_version: str
    decision_id: int | None
    answered_at: datetime


async def put_pairs(conn: Connection, pairs: Collection[DocumentIdPair]) -> list[int]:
    """Store pairs of documents, inside the caller's transaction; gives their numbers."""
    ones, others = [one for one, _ in pairs], [other for _, other in pairs]
    return [row["pair_id"] for row in await conn.fetch(SQL["put_pairs"], ones, others)]


async def list_unasked(conn: Connection, pair_ids: Sequence[int]) -> list[int]:
    """Which of these pairs no model was asked about."""
    return [row["pair_id"] for row in await conn.fetch(SQL["unasked"], pair_ids)]


async def list_known_inputs(conn: Connection, brief_ids: Sequence[int]) -> set[bytes]:
    """The input hashes of the answers to briefs."""
    return {row["input_hash"] for row in await conn.fetch(SQL["known"], brief_ids)}


async def list_stories(conn: Connection, pair_ids: Sequence[int]) -> dict[int, tuple[int, int]]:
    """The two stories of each pair now."""
    rows = await conn.fetch(SQL["stories"], pair_ids)
    return {row["pair_id"]: (row["one_story_id"], row["other_story_id"]) for row in rows}


async def was_undone(conn: Connection, one_story_id: int, other_story_id: int) -> bool:
    """Whether people undid a decision about two stories: then only people decide about them."""
    return bool(await conn.fetchval(SQL["undone"], one_story_id, other_story_id))


async def append(conn: Connection, answers: Sequence[NewAnswer]) -> None:
    if answers:
        await conn.execute(SQL["append"], [_record(answer) for answer in answers])


def _record(answer: NewAnswer) -> dict[str, Any]:
    record: dict[str, Any] = msgspec.to_builtins(answer)
    return record | {"input_hash": answer.input_hash.hex(), "cost": str(answer.cost)}


async def list_latest(conn: Connection, pairs: Collection[DocumentIdPair]) -> dict[DocumentIdPair, PairAnswer]:
    """The latest answer about each pair of documents that has one; the smaller id is first."""
    rows = await conn.fetch(SQL["latest"], [min(pair) for pair in pairs], [max(pair) for pair in pairs])
    return {(row["one_document_id"], row["other_document_id"]): _answer(row) for row in rows}


def _answer(row: Any) -> PairAnswer:
    values = {name: value for name, value in row.items() if name not in {"one_document_id", "other_document_id"}}
    return PairAnswer(**values | {"differences": msgspec.convert(row["differences"], tuple[PairDifference, ...])})
