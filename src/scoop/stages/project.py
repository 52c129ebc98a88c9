"""Brings projections up to date: changed subjects are written to other stores, and deleted there."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import xxhash

from scoop.core import projection_plans
from scoop.core.projection_plans import ProjectedRow, ProjectionPlan, Record, SentItem
from scoop.errors import ConfigError, Reject, Retry
from scoop.projections import Projection
from scoop.stage_names import StageName
from scoop.stages import services
from scoop.stages.embed import NEVER_GIVE_UP
from scoop.stages.stage import Outcome, Stage
from scoop.store import projections as store
from scoop.store.db import Connection
from scoop.store.projections import KINDS, ChangedRow, Feed, Moments, Progress
from scoop.store.work import Subject

PAGE = 500  # changed rows of a batch: 20 requests to a store that takes 25 items in one
RECHECK = timedelta(minutes=1)  # after an error in the settings, which a person corrects


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedBatch:
    """A page of changes of a feed; `is_more` if another page waits."""

    feed: Feed
    projection: Projection
    plan: ProjectionPlan
    problems: Sequence[tuple[ProjectedRow, str]]
    progress: Progress
    is_more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SentBatch:
    """A batch that was sent to its store, and why that failed."""

    batch: FeedBatch
    failure: Retry | None = None


@dataclass(frozen=True, slots=True)
class Projecting:
    """Projects changes to the projections of these names; `prepared` has those whose store was checked."""

    projections: Mapping[str, Projection]
    page: int = PAGE
    prepared: set[str] = field(default_factory=set)
    preparing: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def load(self, conn: Connection, ids: Sequence[int]) -> list[FeedBatch]:
        feeds = [await store.find(conn, feed_id) for feed_id in ids]  # one at a time: see `batch` of the stage
        return [
            await self._load(conn, feed, self.projections[feed.projection])
            for feed in feeds
            if feed is not None and feed.projection in self.projections
        ]

    async def _load(self, conn: Connection, feed: Feed, projection: Projection) -> FeedBatch:
        """The next page. What is about to be written is noted first: a crash leaves no key that nobody knows."""
        moments = await store.get_moments(conn)  # before the rows: what commits in between is later than the horizon
        scope = f"{projection.target} {await store.get_hidden_scope(conn)}"
        if scope != feed.scope:
            feed = replace(feed, cursor_at=store.EPOCH, cursor_id=0)
        changed = await store.list_changed(conn, feed, before=moments.horizon, limit=self.page)
        is_sweep = len(changed) < self.page and moments.now - feed.swept_at >= KINDS[feed.kind].sweep_every
        gone = await store.list_gone(conn, feed, limit=self.page) if is_sweep else {}
        is_more = self.page in (len(changed), len(gone))
        rows, sent = await _load_subjects(conn, feed, changed, gone)
        records, problems = _records(projection, rows)
        plan = projection_plans.plan(rows, records, sent, target=projection.target, now=moments.now)
        await store.begin(conn, feed, plan)
        progress = _progress(feed, changed, moments, scope=scope, is_sweep=is_sweep, is_more=is_more)
        return FeedBatch(
            feed=feed, projection=projection, plan=plan, problems=problems, progress=progress, is_more=is_more
        )

    async def work(self, batches: Sequence[FeedBatch]) -> Outcome[Sequence[SentBatch]]:
        sent = [SentBatch(batch=batch, failure=await self._send(batch)) for batch in batches]
        return Outcome(output=sent, failures={each.batch.feed.feed_id: each.failure for each in sent if each.failure})

    async def _send(self, batch: FeedBatch) -> Retry | None:
        try:
            await self._write(batch)
        except ConfigError as error:
            return Retry(str(error), after=RECHECK)
        except Retry as error:
            return error
        return None

    async def _write(self, batch: FeedBatch) -> None:
        async with self.preparing:
            if batch.projection.name not in self.prepared:
                await batch.projection.prepare()
                self.prepared.add(batch.projection.name)
        if batch.plan.upserts:
            await batch.projection.upsert(batch.plan.upserts)
        if keys := [key for item in batch.plan.deletions for key in item.keys]:
            await batch.projection.delete(keys)


async def _load_subjects(
    conn: Connection, feed: Feed, changed: Sequence[ChangedRow], gone: Mapping[str, SentItem]
) -> tuple[dict[str, ProjectedRow], dict[str, SentItem]]:
    """The rows of all subjects that may have changed, also those that a changed row was about before, and what was
    sent about them."""
    ids = [row.row_id for row in changed]
    sent = {**gone, **await store.list_sent_of_rows(conn, feed, ids)}
    rows = await store.load_rows(conn, feed.kind, ids, sent)
    return rows, {**sent, **await store.list_sent(conn, feed, rows.keys() - sent.keys())}


def _records(
    projection: Projection, rows: Mapping[str, ProjectedRow]
) -> tuple[dict[str, Record], list[tuple[ProjectedRow, str]]]:
    records: dict[str, Record] = {}
    problems: list[tuple[ProjectedRow, str]] = []
    for subject, row in rows.items():
        try:
            records[subject] = projection.record(row.facts)
        except Reject as error:
            problems.append((row, str(error)))
    return records, problems


def _progress(
    feed: Feed, changed: Sequence[ChangedRow], moments: Moments, *, scope: str, is_sweep: bool, is_more: bool
) -> Progress:
    cursor_at, cursor_id = (changed[-1].changed_at, changed[-1].row_id) if changed else (feed.cursor_at, feed.cursor_id)
    if KINDS[feed.kind].restarts and not is_more:
        cursor_at, cursor_id = store.EPOCH, 0
    return Progress(
        cursor_at=cursor_at,
        cursor_id=cursor_id,
        scope=scope,
        complete_until=None if is_more else moments.horizon,
        swept_at=moments.now if is_sweep and not is_more else None,
    )


async def save(conn: Connection, sent: Sequence[SentBatch]) -> list[Subject]:
    for each in sent:
        await services.settle_alerts(conn, each.batch.projection.name, each.failure)
    written = [each.batch for each in sent if each.failure is None]
    for batch in written:
        await store.end(conn, batch.feed, batch.plan, batch.progress)
        await store.put_problems(conn, batch.feed, batch.problems)
    return [Subject(batch.feed.feed_id) for batch in written if batch.is_more]


async def schedule(conn: Connection, projections: Sequence[Projection]) -> None:
    """Enqueue the feeds of all projections."""
    await store.schedule(conn, {projection.name: projection.subjects for projection in projections})


async def delete_unknown(conn: Connection, projection: Projection) -> int:
    """Delete the items in the store that the desk did not send; give their number.

    Items that workers write meanwhile are safe: their keys are noted before they are written, and unknown keys are
    looked up once more after the store has listed them.
    """
    known = {xxhash.xxh3_64_intdigest(key.encode()) async for key in store.iterate_keys(conn, projection.name)}
    unknown: list[str] = []
    async for page in projection.list_keys():
        unknown += [key for key in page if xxhash.xxh3_64_intdigest(key.encode()) not in known]
    sent = await store.list_known_keys(conn, projection.name, unknown)
    deleted = [key for key in unknown if key not in sent]
    await projection.delete(deleted)
    return len(deleted)


def stage(projections: Sequence[Projection], *, then: tuple[StageName, ...]) -> Stage[Any, Any]:
    """The stage; a feed is claimed alone, so that one store that is down delays no other."""
    projecting = Projecting({projection.name: projection for projection in projections})
    return Stage(
        name=StageName.PROJECT,
        load=projecting.load,
        work=projecting.work,
        save=save,
        then=then,
        batch=1,
        max_attempts=NEVER_GIVE_UP,
        waits=any(projection.waits for projection in projections),
    )
