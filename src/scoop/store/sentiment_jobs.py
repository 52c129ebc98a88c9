"""Jobs that look for mentions again: queued, run one at a time, with a checkpoint."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from scoop.core import search, text
from scoop.errors import Conflict, NotFound
from scoop.stage_names import StageName
from scoop.store import db, work
from scoop.store import search as search_store
from scoop.store.db import Connection
from scoop.store.work import Subject

SQL = db.blocks(__name__)

JobStatus = Literal["queued", "running", "completed", "failed", "cancelled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSettings:
    """What a job analyses: documents with one of `terms` or with mentions of the tool; all of them without a tool.

    `rescores`: mentions that have a score are scored again.
    """

    tool_number: int | None = None
    reason: str
    terms: Sequence[str] = ()
    rescores: bool = False
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NextJob(JobSettings):
    """The job whose turn it is; `is_new`: its documents are not counted yet."""

    job_id: int
    checkpoint: int
    is_new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SentimentJob:
    """A job as people see it; `total` is None before it has started."""

    job_id: int
    tool_id: UUID | None
    tool: str | None
    reason: str
    rescores: bool
    terms: list[str]
    since: datetime | None
    until: datetime | None
    status: JobStatus
    total: int | None
    done: int
    mentions: int
    checkpoint: int
    error: str | None
    requested_by: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    updated_at: datetime

    @property
    def progress(self) -> float:
        """The share of documents that are done."""
        if self.status == "completed":
            return 1.0
        return min(1.0, self.done / self.total) if self.total else 0.0

    def eta(self, now: datetime) -> datetime | None:
        """When it will probably end, at the speed it had so far."""
        if self.status != "running" or self.started_at is None or not self.total or not self.done:
            return None
        left = max(0, self.total - self.done)
        return now + timedelta(seconds=(self.updated_at - self.started_at).total_seconds() / self.done * left)


async def add(conn: Connection, settings: JobSettings, *, by: str = "") -> int:
    """Queue a job, inside the caller's transaction; gives its number."""
    job_id: int = await conn.fetchval(
        SQL["add"],
        settings.tool_number,
        settings.reason,
        settings.rescores,
        list(settings.terms),
        settings.since,
        settings.until,
        by,
    )
    await work.enqueue(conn, StageName.REANALYZE, [Subject(job_id)])
    return job_id


async def list_jobs(
    conn: Connection,
    *,
    tool_number: int | None = None,
    status: JobStatus | None = None,
    before: int = db.LAST_ID,
    limit: int,
) -> list[SentimentJob]:
    """Jobs, the newest first."""
    return [_job(row) for row in await conn.fetch(SQL["list"], None, tool_number, status, before, limit)]


async def get(conn: Connection, job_id: int) -> SentimentJob:
    row = await conn.fetchrow(SQL["list"], job_id, None, None, db.LAST_ID, 1)
    if row is None:
        raise NotFound(f"there is no analysis {job_id}; `scoop tools jobs` shows all")
    return _job(row)


async def cancel(conn: Connection, job_id: int) -> None:
    """Cancel a job that has not ended; what it has done stays."""
    job = await get(conn, job_id)
    if job.status not in {"queued", "running"}:
        raise Conflict(f"analysis {job_id} is {job.status}: only one that has not ended can be cancelled")
    await end(conn, job_id, "cancelled")


async def find_next(conn: Connection) -> NextJob | None:
    row = await conn.fetchrow(SQL["next"])
    return None if row is None else NextJob(**row, reason="")


async def start(conn: Connection, job: NextJob) -> None:
    """Count the documents of a job and mark it as running."""
    total = await conn.fetchval(SQL["count_candidates"], *await _wanted(conn, job))
    await conn.execute(SQL["start"], job.job_id, total)


async def list_candidates(conn: Connection, job: NextJob, *, limit: int) -> list[int]:
    """The next documents of a job, behind its checkpoint."""
    rows = await conn.fetch(SQL["candidates"], job.checkpoint, limit, *await _wanted(conn, job))
    return [row["document_id"] for row in rows]


async def advance(conn: Connection, job: NextJob, *, to: int, documents: int) -> bool:
    """Move the checkpoint; False if the job was cancelled, or moved by another worker."""
    return await conn.fetchval(SQL["advance"], job.job_id, job.checkpoint, to, documents) is not None


async def count_mentions(conn: Connection, job: NextJob, document_ids: Sequence[int]) -> None:
    """Add what a job left in these documents to its number of mentions."""
    await conn.execute(SQL["count_mentions"], job.job_id, document_ids)


async def end(conn: Connection, job_id: int, status: JobStatus, *, error: str | None = None) -> None:
    await conn.fetchval(SQL["end"], job_id, status, error)


async def fail_quarantined(conn: Connection) -> None:
    """End the jobs that were tried too often, and let the next one begin."""
    rows = await conn.fetch(SQL["quarantined"], StageName.REANALYZE)
    for row in rows:
        await end(conn, row["job_id"], "failed", error=row["error"])
    if rows and (following := await find_next(conn)) is not None:
        await work.enqueue(conn, StageName.REANALYZE, [Subject(following.job_id)])


async def _wanted(conn: Connection, job: NextJob) -> tuple[Any, ...]:
    tsquery = await _tsquery(conn, job.terms)
    takes_all = job.tool_number is None or (bool(job.terms) and tsquery is None)
    return tsquery, job.tool_number, takes_all, job.since, job.until, StageName.INDEX, StageName.MENTIONS


async def _tsquery(conn: Connection, terms: Sequence[str]) -> str | None:
    """Documents with all words of one of the names; None if a name has no words, as C++ has one and 🦀 none."""
    words_by_term = [search.tokenize(text.normalized(term)) for term in terms]
    if not words_by_term or not all(words_by_term):
        return None
    pairs = {(language, word) for words in words_by_term for word in words for language in search.STEMMERS}
    stems = await search_store.get_stems(conn, pairs)
    forms: dict[str, set[str]] = {}
    for (_, word), stem in stems.items():
        forms.setdefault(word, {search.strip_accents(word)}).add(stem)
    return " | ".join(
        "(" + " & ".join(search.word_tsquery(word, forms.__getitem__) for word in words) + ")"
        for words in words_by_term
    )


def _job(row: Mapping[str, Any]) -> SentimentJob:
    tool_id = None if row["tool_id"] is None else UUID(int=row["tool_id"].int)
    return SentimentJob(**{**row, "tool_id": tool_id})
