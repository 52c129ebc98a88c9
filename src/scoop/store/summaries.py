"""Summaries of documents and events: the current one in each language, and all versions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

import msgspec

from scoop.model import Citation, LeftOutSentence, Summary, SummarySentence, SummaryState
from scoop.stage_names import StageName
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)
MAX_VERSIONS = 100  # of one subject, in all languages
MAX_PASSAGE = 1_000  # characters of a passage that are read

SummarySubject = Literal["document", "event"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSummary:
    """A summary that was just made; `is_shown_in_lists` if it is in the language of its collection."""

    brief_id: int
    subject_kind: SummarySubject
    subject_id: int
    language: str
    asked_language: str
    summary_text: str
    sentences: tuple[SummarySentence, ...]
    document_ids: tuple[int, ...]
    confidence: float
    provider: str
    model: str
    prompt_id: str
    prompt_version: str
    disclaimer_id: str
    input_hash: bytes
    is_shown_in_lists: bool
    left_out: tuple[LeftOutSentence, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal = Decimal(0)
    currency: str = "USD"
    prompt_key: str | None = None
    response_key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryProgress:
    """How far the summary of a subject in a language is, why the last attempt failed, and when it is tried again.

    `language` is the one that was asked for (empty: that of the sources); `asked_at` is None if nobody asked.
    """

    state: SummaryState
    language: str = ""
    asked_at: datetime | None = None
    attempted_at: datetime | None = None
    problem: str | None = None
    next_try_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedPassage:
    """A passage that a sentence rests on, with its document; `story_uuid` is None before dedup."""

    document_id: int
    article_id: str
    url: str | None
    source: str
    source_name: str | None
    story_uuid: UUID | None
    start: int
    end: int
    passage: str


async def list_known_inputs(conn: Connection, brief_ids: Sequence[int]) -> set[bytes]:
    """The input hashes of the current summaries of briefs: a call with one of them would give the same again."""
    return {row["input_hash"] for row in await conn.fetch(SQL["known"], brief_ids)}


async def list_generated(conn: Connection, made: Sequence[NewSummary]) -> set[tuple[str, int, str]]:
    """The subjects and languages of these summaries that have a current one by a language model."""
    rows = await conn.fetch(SQL["generated"], *_keys(made)) if made else []
    return {(row["subject_kind"], row["subject_id"], row["asked_language"]) for row in rows}


def _keys(made: Sequence[NewSummary]) -> tuple[list[str], list[int], list[str]]:
    return (
        [summary.subject_kind for summary in made],
        [summary.subject_id for summary in made],
        [summary.asked_language for summary in made],
    )


async def put(conn: Connection, made: Sequence[NewSummary]) -> None:
    """Store summaries as the newest versions; lists show those in the language of their collection."""
    if not made:
        return
    await conn.execute(SQL["retire"], *_keys(made))
    rows = await conn.fetch(SQL["put"], [_record(summary) for summary in made])
    shown = {summary.subject_id for summary in made if summary.is_shown_in_lists and summary.subject_kind == "event"}
    placed = {row["subject_id"]: row["summary_id"] for row in rows if row["subject_kind"] == "event"}
    events = [event_id for event_id in placed if event_id in shown]
    await conn.execute(SQL["show_on_events"], events, [placed[event_id] for event_id in events])


def _record(summary: NewSummary) -> dict[str, Any]:
    record: dict[str, Any] = msgspec.to_builtins(summary)
    return record | {"input_hash": summary.input_hash.hex(), "cost": str(summary.cost)}


async def list_current(
    conn: Connection, subject_kind: SummarySubject, subject_ids: Collection[int], *, languages: Sequence[str] = ("",)
) -> dict[int, Summary]:
    """The current summary of each subject that has one, in the first of these languages that it has, else in any."""
    rows = await conn.fetch(SQL["current"], subject_kind, list(subject_ids), list(languages))
    return {row["subject_id"]: to_summary(row) for row in rows}


async def list_progress(
    conn: Connection, subject_kind: SummarySubject, subject_ids: Collection[int]
) -> dict[int, SummaryProgress]:
    """How far the summaries of subjects are, in the language that is furthest; one that nobody asked for is pending."""
    rows = await conn.fetch(SQL["states"], subject_kind, list(subject_ids), StageName.WRITE)
    progress = {subject_id: SummaryProgress(state="pending_summary") for subject_id in subject_ids}
    for row in rows:
        progress[row["subject_id"]] = max(_progress(row), progress[row["subject_id"]], key=_advance)
    return progress


def _advance(progress: SummaryProgress) -> tuple[bool, bool]:
    return progress.state == "summarized", progress.asked_at is not None


async def list_progress_by_language(
    conn: Connection, subject_kind: SummarySubject, subject_id: int
) -> dict[str, SummaryProgress]:
    """How far the summaries of a subject are, by the language that was asked for."""
    rows = await conn.fetch(SQL["states"], subject_kind, [subject_id], StageName.WRITE)
    return {row["language"]: _progress(row) for row in rows}


async def list_passages(conn: Connection, citations: Collection[Citation]) -> dict[Citation, CitedPassage]:
    """The cited passages that still exist, with their documents."""
    listed = list(dict.fromkeys(citations))
    rows = await conn.fetch(
        SQL["passages"],
        [citation.document_id for citation in listed],
        [citation.start for citation in listed],
        [citation.end for citation in listed],
        MAX_PASSAGE,
    )
    passages = [CitedPassage(**row) for row in rows]
    return {Citation(document_id=each.document_id, start=each.start, end=each.end): each for each in passages}


async def list_versions(conn: Connection, subject_kind: SummarySubject, subject_id: int) -> list[Summary]:
    """All versions of the summaries of a subject, the newest first."""
    rows = await conn.fetch(SQL["versions"], subject_kind, subject_id, MAX_VERSIONS)
    return [to_summary(row) for row in rows]


def to_summary(row: Mapping[str, Any]) -> Summary:
    """A summary from its columns."""
    sentences = msgspec.convert(row["sentences"], tuple[SummarySentence, ...])
    left_out = msgspec.convert(row["left_out"], tuple[LeftOutSentence, ...])
    return Summary(**{**row, "sentences": sentences, "left_out": left_out})


def _progress(row: Mapping[str, Any]) -> SummaryProgress:
    state: SummaryState = "pending_summary"
    if row["written_at"] is not None:
        state = "summarized"
    elif row["problem"] is not None and not row["is_in_progress"]:
        state = "summary_failed"
    names = ("language", "asked_at", "attempted_at", "problem", "next_try_at")
    return SummaryProgress(state=state, **{name: row[name] for name in names})
