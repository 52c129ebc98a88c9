"""The ingest stage: visits sources and appends their items to the ledger."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import structlog

from scoop import sources as kinds
from scoop.archive import objects as archives
from scoop.archive.objects import Archive
from scoop.core import redaction, urls
from scoop.core.alerts import AlertKind
from scoop.core.health import Condition
from scoop.errors import FetchFailed, ScoopError
from scoop.fetch import robots
from scoop.fetch.client import Client
from scoop.fetch.robots import RobotsFiles
from scoop.fetch.sandbox import Sandbox
from scoop.model import RobotsFile, Source
from scoop.sources import Visit
from scoop.stage_names import StageName
from scoop.stages import visits
from scoop.stages.stage import Outcome, Stage
from scoop.stages.visits import SourceVisit
from scoop.store import alerts, arrivals, article_pages, hosts, mentions, runs, sources
from scoop.store.arrivals import AppendedArrival
from scoop.store.db import Connection
from scoop.store.runs import Trigger
from scoop.store.sources import DueSource
from scoop.store.work import Subject

log = structlog.get_logger()

NEVER_GIVE_UP = 1_000_000  # a source that fails is tried less and less often, but never abandoned
PAGE_INTERVAL = timedelta(seconds=1)  # between two pages of one host
ALARMS: tuple[AlertKind, ...] = ("source_died", "source_quiet")


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestBatch:
    """The sources to visit, the stored robots.txt of their sites, and the runs that were asked for, by source."""

    due_sources: Sequence[DueSource]
    robots_files: Sequence[RobotsFile]
    requested: Mapping[str, UUID]


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestResult:
    """The visits, and the robots.txt files that were fetched for them."""

    visits: Sequence[SourceVisit]
    robots_files: Sequence[RobotsFile]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingest:
    """Visits sources through one client; `force` sends no validators, `pages` is the stage that reads article pages."""

    client: Client
    archive: Archive
    sandbox: Sandbox
    kinds: kinds.SourceMakers
    clock: Callable[[], datetime]
    trigger: Trigger
    force: bool
    pages: StageName
    robots: RobotsFiles = field(default_factory=RobotsFiles)

    async def load(self, conn: Connection, ids: Sequence[int]) -> IngestBatch:
        due_sources = list((await sources.load_due(conn, ids)).values())
        origins = {robots.origin(due.source.base_url) for due in due_sources}
        return IngestBatch(
            due_sources=due_sources,
            robots_files=await hosts.list_robots_files(conn, list(origins)),
            requested=await runs.list_requested(conn, [due.source.slug for due in due_sources]),
        )

    async def work(self, batch: IngestBatch) -> Outcome[IngestResult]:
        self.robots.remember(batch.robots_files)
        visited = await asyncio.gather(
            *(self._visit(due, batch.requested.get(due.source.slug)) for due in batch.due_sources)
        )
        return Outcome(
            output=IngestResult(visits=visited, robots_files=self.robots.learned()),
            failures={
                visit.source.source_id: visit.failure for visit in visited if visit.failure and not visit.is_gone
            },
            messages=[visit.message for visit in visited],
        )

    async def _visit(self, due: DueSource, requested: UUID | None) -> SourceVisit:
        source, started_at = due.source, self.clock()
        run_uuid = requested or runs.new_uuid(started_at)
        plugin = self.kinds[source.kind](source.options)
        visit = Visit(
            source=kinds.with_own_address(source, plugin),
            options=plugin.options,
            checkpoint=kinds.unconditional(due.checkpoint) if self.force else due.checkpoint,
            now=started_at,
            client=self.client,
            robots=self.robots,
            sandbox=self.sandbox,
        )
        try:
            harvest = await plugin.fetch(visit)
        except FetchFailed as failure:
            visited = visits.fail(
                source, failure, run_uuid, checkpoint=due.checkpoint, started_at=started_at, ended_at=self.clock()
            )
        else:
            visited = visits.succeed(
                source, plugin.options, harvest, run_uuid, started_at=started_at, ended_at=self.clock()
            )
        # A visit that found nothing changed needs no log: its run has all the facts.
        return visited if visited.harvest.health == "not_modified" else await self._archive_log(visited, visit.log)

    async def _archive_log(self, visit: SourceVisit, requests: list[dict[str, Any]]) -> SourceVisit:
        key = archives.log_key(visit.run_uuid)
        try:
            await self.archive.put(
                key,
                visits.log_lines(visit, requests),
                source_url=redaction.redact_url(visit.source.base_url),
                content_type="application/x-ndjson",
            )
        except ScoopError as error:
            log.warning("run log not archived", source=visit.source.slug, error=str(error))
            return visit
        return replace(visit, log_key=key)

    async def save(self, conn: Connection, result: IngestResult) -> Sequence[Subject]:
        run_ids = await runs.record(conn, [visits.finished_run(visit) for visit in result.visits], self.trigger)
        visit_by_run = dict(zip(run_ids, result.visits, strict=True))
        appended = await arrivals.append(conn, {run_id: visit.arrivals for run_id, visit in visit_by_run.items()})
        new_by_run = Counter(arrival.run_id for arrival in appended)
        await runs.count_inserted(conn, new_by_run)
        for run_id, visit in visit_by_run.items():
            await arrivals.add_refusals(conn, run_id, visit.source.slug, visit.refusals)
        await mentions.put_engagement_of_items(
            conn, [each for visit in result.visits for each in visits.engagement(visit)]
        )
        await _save_sources(conn, visit_by_run, new_by_run)
        await hosts.pause(conn, _pauses(result.visits))
        await hosts.put_robots_files(conn, result.robots_files)
        await article_pages.enqueue(conn, self.pages, _page_requests(appended, visit_by_run))
        # A teaser is shown at once; the text of its page follows.
        return [Subject(arrival.raw_arrival_id, is_new=True) for arrival in appended if not arrival.needs_page]


async def _save_sources(
    conn: Connection, visit_by_run: Mapping[int, SourceVisit], new_by_run: Mapping[int, int]
) -> None:
    """Store the checkpoints, the health and the next visits of the sources, and raise or resolve their alerts."""
    checkpoints = [
        (visit.source.slug, visit.harvest.checkpoint, run_id)
        for run_id, visit in visit_by_run.items()
        if visit.failure is None
    ]
    await sources.save_checkpoints(conn, checkpoints)
    await sources.name_by_title(conn, list(filter(None, map(visits.named_source, visit_by_run.values()))))
    condition_by_run = {
        run_id: visits.condition(visit, new_items=new_by_run.get(run_id, 0)) for run_id, visit in visit_by_run.items()
    }
    outcomes = {
        visit.source.source_id: visits.outcome(visit, condition_by_run[run_id])
        for run_id, visit in visit_by_run.items()
    }
    await sources.save_outcomes(conn, outcomes)
    await _alert(conn, {visit.source.slug: condition_by_run[run_id] for run_id, visit in visit_by_run.items()})


async def _alert(conn: Connection, condition_by_slug: Mapping[str, Condition]) -> None:
    messages: dict[tuple[AlertKind, str], str] = {
        (condition.alarm, slug): f"{slug}: {condition.health_note}"
        for slug, condition in condition_by_slug.items()
        if condition.alarm
    }
    await alerts.settle(conn, messages, subjects=condition_by_slug, kinds=ALARMS)


def _pauses(visited: Iterable[SourceVisit]) -> dict[str, datetime]:
    """Until when overloaded hosts get no requests."""
    return {
        urls.host(visit.source.base_url): visit.ended_at + visit.host_pause for visit in visited if visit.is_overloaded
    }


def _page_requests(
    appended: Iterable[AppendedArrival], visit_by_run: Mapping[int, SourceVisit]
) -> list[tuple[int, str, timedelta]]:
    return [
        (arrival.raw_arrival_id, urls.host(arrival.page_url), _page_interval(visit_by_run[arrival.run_id].source))
        for arrival in appended
        if arrival.page_url
    ]


def _page_interval(source: Source) -> timedelta:
    own = timedelta(milliseconds=source.request_interval_ms)
    # An address that the operator named is the operator's own server.
    return own if kinds.shared_options(source.options).connect_to else max(own, PAGE_INTERVAL)


def stage(
    client: Client,
    archive: Archive,
    sandbox: Sandbox,
    kinds: kinds.SourceMakers,
    *,
    trigger: Trigger,
    force: bool,
    pages: StageName,
    then: tuple[StageName, ...],
) -> Stage[Any, Any]:
    ingest = Ingest(
        client=client,
        archive=archive,
        sandbox=sandbox,
        kinds=kinds,
        clock=lambda: datetime.now(UTC),
        trigger=trigger,
        force=force,
        pages=pages,
    )
    return Stage(
        name=StageName.INGEST,
        load=ingest.load,
        work=ingest.work,
        save=ingest.save,
        then=then,
        also=(pages,),
        batch=64,
        waits=True,
        max_attempts=NEVER_GIVE_UP,
    )
