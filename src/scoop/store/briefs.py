"""Briefs: the texts that were asked for, what they are made from, and how the last attempt ended."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from scoop.core.briefs import BriefKind, SourceText, SubjectKind
from scoop.stage_names import StageName
from scoop.store import db, work
from scoop.store.db import Connection
from scoop.store.work import Subject

SQL = db.blocks(__name__)

MAX_DOCUMENTS = 10  # of an event, as sources of one text
MAX_CHARACTERS = 50_000  # of each document


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """A text that was asked for; `public_id` names the subject in the archive.

    `finding` is what the next attempt must repair, empty for a first one; `draft` is a reply that waits until its open
    sentences are judged; `failures` counts unusable replies; `asked_at` is None for one that is not stored. The subject
    of an event that was merged is the surviving event; one that does not exist any more has no `public_id`.
    """

    brief_id: int
    kind: BriefKind
    subject_kind: SubjectKind
    subject_id: int
    language: str
    level: str
    finding: str
    failures: int
    public_id: str | None
    collection: str | None
    asked_at: datetime | None = None
    draft: str = ""

    @property
    def text_key(self) -> tuple[str, str, int, str, str]:
        """What names its text: the briefs of events that were merged ask for one."""
        return (self.kind, self.subject_kind, self.subject_id, self.language, self.level)


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefSource:
    """A document that a text may rest on, with the source it came from and the hash of its content."""

    text: SourceText
    source: str
    content_hash: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """How an attempt ended: `problem` says why it gave no text, `finding` what the next one must repair.

    `is_unusable`: there was a reply, and it could not be used. `draft`: it waits until its open sentences are judged.
    """

    brief_id: int
    problem: str | None = None
    finding: str = ""
    is_unusable: bool = False
    draft: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefState:
    """How far a text is: `work_state` is None once nothing is left to do, `problem` why the last attempt failed."""

    written_at: datetime | None
    problem: str | None
    work_state: str | None
    next_try_at: datetime | None
    work_error: str | None


async def get_state(conn: Connection, brief_id: int) -> BriefState:
    return BriefState(**await conn.fetchrow(SQL["state"], brief_id, StageName.WRITE))


async def ask(
    conn: Connection,
    kind: BriefKind,
    subject_kind: SubjectKind,
    language_by_subject: Mapping[int, str],
    *,
    level: str = "",
) -> list[int]:
    """Ask for a text about each subject, in its language, inside the caller's transaction; each is made once."""
    if not language_by_subject:
        return []
    subjects, languages = list(language_by_subject), list(language_by_subject.values())
    rows = await conn.fetch(SQL["ask"], kind, subject_kind, subjects, languages, level)
    brief_ids = [row["brief_id"] for row in rows]
    await work.enqueue(conn, StageName.WRITE, [Subject(brief_id) for brief_id in brief_ids])
    return brief_ids


async def load(conn: Connection, brief_ids: Sequence[int]) -> list[Brief]:
    return [Brief(**row) for row in await conn.fetch(SQL["load"], brief_ids)]


async def load_sources(
    conn: Connection, briefs: Collection[Brief], *, model_name: str, model_version: str
) -> dict[int, list[BriefSource]]:
    """The documents of each brief, the most important first; those to be evaluated with their vectors of a model."""
    more = {"event": (MAX_DOCUMENTS,), "evaluation": (model_name, model_version)}
    by_subject: defaultdict[tuple[str, int], list[BriefSource]] = defaultdict(list)
    subjects: defaultdict[str, list[int]] = defaultdict(list)
    for brief in briefs:
        subjects[brief.subject_kind].append(brief.subject_id)
    for kind, ids in subjects.items():
        for row in await conn.fetch(SQL[f"{kind}_texts"], ids, MAX_CHARACTERS, *more.get(kind, ())):
            by_subject[kind, row["subject_id"]].append(_source(row))
    sources = {brief.brief_id: by_subject[brief.subject_kind, brief.subject_id] for brief in briefs}
    translated = [brief for brief in briefs if brief.kind == "translation"]
    return sources | await _with_summaries(conn, {each.brief_id: sources[each.brief_id] for each in translated})


async def _with_summaries(
    conn: Connection, sources: Mapping[int, Sequence[BriefSource]]
) -> dict[int, list[BriefSource]]:
    """The documents with their current summaries, which are translated with them."""
    documents = [source.text.document_id for each in sources.values() for source in each]
    rows = await conn.fetch(SQL["document_summaries"], documents) if documents else []
    summaries = {row["subject_id"]: row["summary_text"] for row in rows}
    return {
        brief_id: [
            replace(source, text=replace(source.text, summary=summaries.get(source.text.document_id, "")))
            for source in each
        ]
        for brief_id, each in sources.items()
    }


def _source(row: Mapping[str, Any]) -> BriefSource:
    names = ("document_id", "title", "body_text", "language", "publisher", "url", "published_at")
    vector = row.get("vector")
    text = SourceText(**{name: row[name] for name in names}, vector=None if vector is None else tuple(vector))
    return BriefSource(text=text, source=row["source"], content_hash=row["content_hash"])


async def list_due_events(
    conn: Connection,
    *,
    since: datetime,
    min_families: int,
    language: str,
    language_by_collection: Mapping[str, str],
    limit: int,
) -> list[tuple[int, str]]:
    """Events that many report or digests will have, with each language not asked for since the event developed."""
    rows = await conn.fetch(SQL["due_events"], since, min_families, dict(language_by_collection), language, limit)
    return [(row["event_id"], row["language"]) for row in rows]


async def list_due_events_of_stories(
    conn: Connection,
    story_ids: Sequence[int],
    *,
    min_families: int,
    language: str,
    language_by_collection: Mapping[str, str],
) -> list[tuple[int, str]]:
    """The events of these stories that are due as above, with each language."""
    by_collection = dict(language_by_collection)
    rows = await conn.fetch(SQL["due_events_of_stories"], story_ids, min_families, by_collection, language)
    return [(row["event_id"], row["language"]) for row in rows]


async def list_documents_of_kinds(
    conn: Connection, document_ids: Sequence[int], kinds: Sequence[str] | None, *, max_age: timedelta
) -> list[tuple[int, str]]:
    """Which of these documents are new, have a text and come from sources of these kinds, with their collection."""
    rows = await conn.fetch(SQL["documents_of_kinds"], document_ids, kinds, max_age)
    return [(row["document_id"], row["collection"]) for row in rows]


async def settle(conn: Connection, settled: Sequence[Settled]) -> None:
    """Store how attempts ended."""
    await conn.execute(
        SQL["settle"],
        [each.brief_id for each in settled],
        [each.problem for each in settled],
        [each.finding for each in settled],
        [each.is_unusable for each in settled],
        [each.draft for each in settled],
    )
