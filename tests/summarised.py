"""Summaries as the stage `write` leaves them: written, pending, failed."""

from typing import Any

from scoop.model import Citation, LeftOutSentence, SummarySentence
from scoop.store import briefs, summaries
from scoop.store.briefs import Settled
from scoop.store.db import Database
from scoop.store.summaries import NewSummary, SummarySubject

FIRE_SENTENCES = (
    "The public library of Ostburg burned down in the night to Monday.",
    "About ninety thousand books were lost.",
)

INVENTED = LeftOutSentence(
    text="About 17 cats were lost.", kind="number", reasons=("the number 17 is not in the source",)
)


async def document_ids(database: Database) -> list[int]:
    async with database.connection() as conn:
        return [row["document_id"] for row in await conn.fetch("SELECT document_id FROM documents ORDER BY 1")]


async def event_id_of(database: Database, title: str) -> int:
    """The event whose lead has this title."""
    async with database.connection() as conn:
        event_id: int = await conn.fetchval(
            "SELECT event_id FROM event_rows WHERE title = $1 AND status = 'active'", title
        )
    return event_id


async def ask(
    database: Database, subject_id: int, *, language: str = "", subject_kind: SummarySubject = "event"
) -> int:
    async with database.transaction() as conn:
        [brief_id] = await briefs.ask(conn, "summary", subject_kind, {subject_id: language})
    return brief_id


async def cited(database: Database, sentence: str) -> tuple[Citation, ...]:
    """Where the documents have the first 20 characters of a sentence."""
    async with database.connection() as conn:
        rows = await conn.fetch(
            "SELECT document_id, position($1 in body_text) AS place FROM documents WHERE position($1 in body_text) > 0",
            sentence[:20],
        )
    return tuple(
        Citation(document_id=row["document_id"], start=row["place"] - 1, end=row["place"] - 1 + len(sentence))
        for row in rows
    )


async def summarise(
    database: Database,
    subject_id: int,
    *sentences: str,
    language: str = "en",
    asked_language: str = "",
    is_shown_in_lists: bool = True,
    subject_kind: SummarySubject = "event",
    paragraphs: tuple[int, ...] = (),
    citations: tuple[Citation, ...] | None = None,
    **changes: Any,
) -> None:
    """Store a summary as the newest version; each sentence cites the documents that have its beginning."""
    brief_id = await ask(database, subject_id, language=asked_language, subject_kind=subject_kind)
    said = [
        SummarySentence(
            text=sentence,
            paragraph=paragraphs[number] if paragraphs else 0,
            citations=await cited(database, sentence) if citations is None else citations,
        )
        for number, sentence in enumerate(sentences)
    ]
    made = {
        "brief_id": brief_id,
        "subject_kind": subject_kind,
        "subject_id": subject_id,
        "language": language,
        "asked_language": asked_language,
        "summary_text": " ".join(sentences),
        "sentences": tuple(said),
        "document_ids": tuple(dict.fromkeys(each.document_id for one in said for each in one.citations)),
        "confidence": 0.9,
        "provider": "local",
        "model": "textrank",
        "prompt_id": "summary",
        "prompt_version": "1",
        "disclaimer_id": "extract",
        "input_hash": b"1" * 32,
        "is_shown_in_lists": is_shown_in_lists,
    }
    async with database.transaction() as conn:
        await summaries.put(conn, [NewSummary(**(made | changes))])
        await briefs.settle(conn, [Settled(brief_id=brief_id)])
        await conn.execute("DELETE FROM work WHERE stage = 'write' AND subject = $1", brief_id)


async def fail(database: Database, subject_id: int, problem: str, *, language: str = "") -> None:
    """Let the attempt at a summary of an event fail; it is tried again in an hour."""
    brief_id = await ask(database, subject_id, language=language)
    async with database.transaction() as conn:
        await briefs.settle(conn, [Settled(brief_id=brief_id, problem=problem, is_unusable=True)])
        await conn.execute(
            "UPDATE work SET due_at = now() + interval '1 hour' WHERE stage = 'write' AND subject = $1", brief_id
        )


async def queued(database: Database) -> list[tuple[str, int]]:
    """The briefs that wait to be written: language and number of times each was asked for."""
    async with database.connection() as conn:
        rows = await conn.fetch(
            "SELECT language, version FROM briefs JOIN work ON stage = 'write' AND subject = brief_id ORDER BY brief_id"
        )
    return [(row["language"], row["version"]) for row in rows]
