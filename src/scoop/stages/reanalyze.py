"""Runs re-analyses: mentions are looked for again in the documents that a changed tool can concern.

One job runs at a time, in the order of creation. Its checkpoint moves in the transaction that saves the mentions, so a
worker that is killed repeats at most one batch, and repeating it changes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from scoop.core.sentiment import Embed
from scoop.stage_names import StageName
from scoop.stages import mentions, sentiment_cache
from scoop.stages.mentions import FoundMentions, MentionBatch, MentionFinder
from scoop.stages.stage import Outcome, Stage
from scoop.store import sentiment_jobs as store
from scoop.store.db import Connection
from scoop.store.sentiment_jobs import NextJob
from scoop.store.work import Subject

BATCH = 200  # documents between two checkpoints


@dataclass(frozen=True, slots=True, kw_only=True)
class JobBatch:
    """The next documents of a job; none: it is done. Without a job nothing is to be done."""

    job: NextJob | None
    documents: MentionBatch | None = None
    ids: Sequence[int] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JobStep:
    """A batch of a job, analysed."""

    batch: JobBatch
    found: FoundMentions


@dataclass(frozen=True, slots=True)
class Reanalysis:
    finder: MentionFinder
    asks_model: bool

    async def load(self, conn: Connection, ids: Sequence[int]) -> JobBatch:
        job = await store.find_next(conn)
        if job is None or job.job_id not in ids:  # this one is claimed before its turn
            return JobBatch(job=None)
        if job.is_new:
            await store.start(conn, job)
        found = await store.list_candidates(conn, job, limit=BATCH)
        return JobBatch(job=job, ids=found, documents=await self.finder.load(conn, found, rescores=job.rescores))

    async def work(self, batch: JobBatch) -> Outcome[JobStep]:
        if batch.documents is None:
            return Outcome(output=JobStep(batch=batch, found=FoundMentions()))
        return Outcome(output=JobStep(batch=batch, found=await self.finder.find(batch.documents)))

    async def save(self, conn: Connection, step: JobStep) -> list[Subject]:
        job = step.batch.job
        if job is not None:
            await self._save(conn, job, step)
        following = await store.find_next(conn)
        return [] if following is None else [Subject(following.job_id)]

    async def _save(self, conn: Connection, job: NextJob, step: JobStep) -> None:
        ids = step.batch.ids
        if not ids:
            await store.end(conn, job.job_id, "completed")
            await sentiment_cache.renew(conn, job.tool_number, now=datetime.now(UTC))
        elif await store.advance(conn, job, to=ids[-1], documents=len(ids)):
            await mentions.save(conn, replace(step.found, document_ids=ids), asks_model=self.asks_model)
            await store.count_mentions(conn, job, ids)


def stage(embed: Embed, *, asks_model: bool, then: tuple[StageName, ...]) -> Stage[JobBatch, JobStep]:
    """The stage; a job is claimed alone, and one worker at a time runs one."""
    reanalysis = Reanalysis(MentionFinder(embed), asks_model)
    return Stage(
        name=StageName.REANALYZE,
        load=reanalysis.load,
        work=reanalysis.work,
        save=reanalysis.save,
        then=then,
        batch=1,
        lock="reanalyze",
    )
