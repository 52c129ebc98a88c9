"""The word lists of learners, with their reviews."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scoop.core.word_reviews import Answer, ReviewCard
from scoop.errors import NotFound
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)
MAX_WORDS = 10_000  # of one list


@dataclass(frozen=True, slots=True, kw_only=True)
class NewWord:
    """A word as it was met: its dictionary form, level and definition as far as they are known, and the sentence."""

    word: str
    lemma: str
    word_class: str
    level: str
    definition: str
    example: str
    lesson_id: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerWord(NewWord):
    """A word of a list, and when it is due for the next review."""

    word_id: int
    card: Mapping[str, Any]
    due_at: datetime
    reviewed_at: datetime | None
    review_count: int
    created_at: datetime


async def put(conn: Connection, user_id: int, word: NewWord, card: ReviewCard) -> LearnerWord:
    """Add a word to a person's list, in the caller's transaction; one that is there keeps its reviews."""
    word_id = await conn.fetchval(
        SQL["put"],
        user_id,
        word.word,
        word.lemma,
        word.word_class,
        word.level,
        word.definition,
        word.example,
        word.lesson_id,
        dict(card.state),
        card.due_at,
    )
    return await by_id(conn, user_id, word_id)


async def list_words(conn: Connection, user_id: int, *, due_by: datetime | None = None) -> list[LearnerWord]:
    """The words of a person, those that are due first; with `due_by` only those due by then."""
    return [LearnerWord(**row) for row in await conn.fetch(SQL["words"], user_id, due_by, MAX_WORDS)]


async def by_id(conn: Connection, user_id: int, word_id: int) -> LearnerWord:
    """A word of a person, locked until the caller's transaction ends."""
    row = await conn.fetchrow(SQL["word"], user_id, word_id)
    if row is None:
        raise NotFound(f"there is no word {word_id} in your list")
    return LearnerWord(**row)


async def review(conn: Connection, word_id: int, card: ReviewCard, *, answer: Answer, now: datetime) -> None:
    """Store the outcome of a review."""
    await conn.execute(SQL["review"], word_id, dict(card.state), card.due_at, answer, now)


async def remove(conn: Connection, user_id: int, word_id: int) -> None:
    if await conn.fetchval(SQL["remove"], user_id, word_id) is None:
        raise NotFound(f"there is no word {word_id} in your list")


async def count_due(conn: Connection, user_id: int, now: datetime) -> tuple[int, int]:
    """How many words of a person are due, and how many there are."""
    row = await conn.fetchrow(SQL["count_due"], user_id, now)
    return row["due"], row["words"]
