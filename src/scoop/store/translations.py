"""Machine translations of documents: the current one in each language, and what is under way."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

import msgspec

from scoop.core.briefs import translation
from scoop.stage_names import StageName
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTranslation:
    """A translation that was just made, of the first `len(paragraphs)` of `paragraph_count` paragraphs."""

    brief_id: int
    document_id: int
    language: str
    from_language: str
    title: str
    summary: str
    paragraphs: tuple[str, ...]
    paragraph_count: int
    text_hash: bytes
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Translation:
    """A machine translation of a document.

    `paragraphs` are those of the beginning of the text, which has `paragraph_count` of them. `text_hash` is that of
    the text that was translated.
    """

    translation_id: int
    document_id: int
    language: str
    from_language: str
    version: int
    title: str
    summary: str
    paragraphs: list[str]
    paragraph_count: int
    text_hash: str
    provider: str
    model: str
    prompt_id: str
    prompt_version: str
    cost: Decimal
    currency: str
    generated_at: datetime

    @property
    def is_cut(self) -> bool:
        return len(self.paragraphs) < self.paragraph_count


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslationProgress:
    """How far a translation is that was asked for; `problem` is why the last attempt gave none."""

    language: str
    asked_at: datetime
    attempted_at: datetime | None
    written_at: datetime | None
    problem: str | None
    next_try_at: datetime | None
    is_waiting: bool


async def list_known_inputs(conn: Connection, brief_ids: Sequence[int]) -> set[bytes]:
    """The input hashes of the current translations of briefs: a call with one of them would give the same again."""
    return {row["input_hash"] for row in await conn.fetch(SQL["known"], brief_ids)}


async def put(conn: Connection, made: Sequence[NewTranslation]) -> None:
    """Store translations as the newest versions."""
    if not made:
        return
    await conn.execute(SQL["retire"], [each.document_id for each in made], [each.language for each in made])
    await conn.execute(SQL["put"], [_record(each) for each in made])


def _record(made: NewTranslation) -> dict[str, Any]:
    record: dict[str, Any] = msgspec.to_builtins(made)
    hashes = {"input_hash": made.input_hash.hex(), "text_hash": made.text_hash.hex()}
    return record | hashes | {"cost": str(made.cost)}


async def list_current(conn: Connection, document_id: int) -> list[Translation]:
    """The current translations of a document, the newest first."""
    return [Translation(**row) for row in await conn.fetch(SQL["current"], document_id)]


async def find_current(conn: Connection, document_id: int, language: str, *, from_language: str) -> Translation | None:
    """The current translation of a document into a language, as de for de-CH; None if the document is in it."""
    primary = language.partition("-")[0]
    if not primary or translation.is_in(from_language, primary):
        return None
    return next((each for each in await list_current(conn, document_id) if each.language == primary), None)


async def list_progress(conn: Connection, document_id: int) -> list[TranslationProgress]:
    """The translations of a document that were asked for, the latest first."""
    return [TranslationProgress(**row) for row in await conn.fetch(SQL["progress"], document_id, StageName.WRITE)]
