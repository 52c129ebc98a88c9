"""Sources are visited, and what they bring enters the ledger."""

import asyncio
import json
import random
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import structlog

from scoop import sources as kinds
from scoop.archive import objects as archives
from scoop.archive.objects import Archive
from scoop.core import health, items, redaction, retry_after, schedules, teasers, urls
from scoop.core.health import Condition, Finding
from scoop.errors import FetchFailed, ScoopError
from scoop.fetch import robots
from scoop.fetch.client import OVERLOADED, Client
from scoop.fetch.robots import RobotsFiles
from scoop.fetch.sandbox import Sandbox
from scoop.model import Source
from scoop.sources import Harvest, SourceOptions, Visit
from scoop.stage_names import StageName
from scoop.stages import arrivals as item_arrivals
from scoop.stages.stage import Outcome, Stage
from scoop.store import alerts, arrivals, article_pages, hosts, runs, sources
from scoop.store.arrivals import AppendedArrival, ItemRefusal, NewArrival
from scoop.store.db import Connection
from scoop.store.runs import Status, Trigger
from scoop.store.sources import DueSource, VisitOutcome
from scoop.store.work import Subject

log = structlog.get_logger()

NO_LINE = 1  # a feed has no lines that tell its reader anything
NEVER_GIVE_UP = 1_000_000  # a source that fails is tried ever more seldom, but always again
PAGE_STEP = timedelta(seconds=1)  # between two pages of one host
SERVER_ERROR = 500
ALARMS = ("source_died", "source_quiet")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceVisit:
    """One source after its visit: what it brought, or why it failed; `asked` is the rest that its server asked for."""

    source: Source
    started_at: datetime
    harvest: Harvest
    arrivals: Sequence[NewArrival] = ()
    refusals: Sequence[ItemRefusal] = ()
    failure: FetchFailed | None = None
    asked: timedelta = retry_after.NO_TIME
    log_key: str | None = None

    @property
    def status(self) -> Status:
        if self.failure:
            return "failed"
        return "partial" if self.refusals or self.harvest.problems else "completed"

    @property
    def error(self) -> str | None:
        return str(self.failure) if self.failure else redaction.redact_text("; ".join(self.harvest.problems)) or None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingest:
    """Visits sources through one client; `force` asks for everything anew, `pages` is the stage that reads pages."""

    client: Client
    archive: Archive
    sandbox: Sandbox
    kinds: kinds.SourceMakers
    clock: Callable[[], datetime]
    trigger: Trigger
    force: bool
    pages: StageName
    robots: RobotsFiles = field(default_factory=RobotsFiles)

    async def load(self, conn: Connection, ids: Sequence[int]) -> dict[int, DueSource]:
        due = await sources.load_due(conn, ids)
        origins = {robots.origin(found.source.base_url) for found in due.values()}
        self.robots.remember(await hosts.list_robots_files(conn, list(origins)))
        return due

    async def work(self, due: Mapping[int, DueSource]) -> Outcome[list[SourceVisit]]:
        visited = await asyncio.gather(*(self._visit(found) for found in due.values()))
        failures = {found.source.source_id: found.failure for found in visited if found.failure and not _is_gone(found)}
        return Outcome(output=visited, failures=failures, messages=[_line(found) for found in visited])

    async def _visit(self, due: DueSource) -> SourceVisit:
        source, started_at = due.source, self.clock()
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
            visited = _through_the_door(source, plugin.options, harvest, now=started_at)
        except FetchFailed as failure:
            failure.args = (redaction.redact_text(str(failure)),)  # it is stored, logged and archived
            asked, failure.after = failure.after or retry_after.NO_TIME, _wait(source, failure)
            unread = Harvest(checkpoint=due.checkpoint, health=failure.health)
            visited = SourceVisit(source=source, started_at=started_at, harvest=unread, failure=failure, asked=asked)
        # A visit that found nothing changed needs no log: its run says it all.
        return visited if visited.harvest.health == "not_modified" else await self._logged(visited, visit.log)

    async def _logged(self, visited: SourceVisit, requests: list[dict[str, Any]]) -> SourceVisit:
        key = archives.log_key(uuid.uuid4().hex, visited.started_at)
        try:
            origin = redaction.redact_url(visited.source.base_url)
            await self.archive.put(key, _log(visited, requests), source_url=origin, content_type="application/x-ndjson")
        except ScoopError as error:
            log.warning("run log not archived", source=visited.source.slug, error=str(error))
            return visited
        return replace(visited, log_key=key)

    async def save(self, conn: Connection, visited: Sequence[SourceVisit]) -> Sequence[Subject]:
        now = self.clock()
        run_ids = await runs.record(conn, [_ended(found) for found in visited], self.trigger)
        visited_by_run = dict(zip(run_ids, visited, strict=True))
        entered = await arrivals.append(conn, {run_id: found.arrivals for run_id, found in visited_by_run.items()})
        new_by_run = Counter(found.run_id for found in entered)
        await runs.count_inserted(conn, new_by_run)
        for run_id, found in visited_by_run.items():
            await arrivals.add_refusals(conn, run_id, found.source.slug, found.refusals)
        read = {run_id: found for run_id, found in visited_by_run.items() if found.failure is None}
        await sources.save_checkpoints(
            conn, [(found.source.slug, found.harvest.checkpoint, run_id) for run_id, found in read.items()]
        )
        conditions = {
            found.source.source_id: health.after(found.source, _finding(found, new_by_run[run_id]), now=now)
            for run_id, found in visited_by_run.items()
        }
        await self._settle(conn, visited, conditions, now=now)
        await article_pages.enqueue(conn, self.pages, _page_requests(entered, visited_by_run))
        return [Subject(found.raw_arrival_id, is_new=True) for found in entered if not found.page_url]

    async def _settle(
        self, conn: Connection, visited: Sequence[SourceVisit], conditions: Mapping[int, Condition], *, now: datetime
    ) -> None:
        """Write down how the sources are, and what their hosts asked for."""
        settled = {f.source.source_id: _settled(f, conditions[f.source.source_id], now=now) for f in visited}
        await sources.save_outcomes(conn, settled)
        await hosts.pause(conn, _rests(visited, now=now))
        await hosts.put_robots_files(conn, self.robots.learned())
        await _alert(conn, {found.source.slug: conditions[found.source.source_id] for found in visited})


def _through_the_door(source: Source, options: SourceOptions, harvest: Harvest, *, now: datetime) -> SourceVisit:
    """What a visit brought, the good items apart from those that are refused."""
    accepted: list[NewArrival] = []
    refusals: list[ItemRefusal] = []
    for found in harvest.items:
        item = items.complete_item(
            found, source=source.slug, collection=source.collection, category=source.category, now=now
        )
        raw, problems = items.encode_item(item)
        if problems:
            refusals.append(ItemRefusal(line=NO_LINE, problems=problems, raw_item=raw))
        else:
            page_url = teasers.page_url(item, full_text=options.full_text)
            accepted.append(
                item_arrivals.arrival(
                    item, raw=raw, now=now, response_headers=harvest.response_headers, page_url=page_url
                )
            )
    return SourceVisit(
        source=source, started_at=now, harvest=harvest, arrivals=accepted, refusals=refusals, asked=harvest.fresh_for
    )


def _line(visited: SourceVisit) -> str:
    """A visit for whoever watches."""
    count = "1 item" if len(visited.arrivals) == 1 else f"{len(visited.arrivals):,} items"
    found = count if visited.arrivals else visited.harvest.health.replace("_", " ")
    return f"{visited.source.slug:<24} {found}{f'; {visited.error}' if visited.error else ''}"


def _wait(source: Source, failure: FetchFailed) -> timedelta:
    may_pass = failure.health in health.PASSING or (failure.status or 0) >= SERVER_ERROR
    return retry_after.backoff(
        failures=source.failures,
        asked=failure.after,
        may_pass=may_pass and failure.status not in OVERLOADED,
        spread=random.random(),  # noqa: S311
    )


def _settled(visited: SourceVisit, condition: Condition, *, now: datetime) -> VisitOutcome:
    source = visited.source
    planned = schedules.next_visit(
        source.schedule,
        timezone=source.timezone,
        windows=schedules.windows(source.crawl_windows),
        now=now,
        spread=random.random(),  # noqa: S311
    )
    not_before = now + visited.asked if visited.asked else None
    return VisitOutcome(
        condition=condition,
        fetched_url=source.base_url,
        next_visit_at=max(planned, not_before or planned),
        not_before=not_before,
    )


def _finding(visited: SourceVisit, new_items: int) -> Finding:
    return Finding(
        health=visited.harvest.health,
        note=visited.error or "",
        new_items=new_items,
        moved_to=visited.harvest.moved_to,
    )


def _is_gone(visited: SourceVisit) -> bool:
    """Whether a source said that it will never come back: it is not tried again."""
    return visited.failure is not None and visited.failure.health == "gone"


def _rests(visited: Iterable[SourceVisit], *, now: datetime) -> dict[str, datetime]:
    """Until when hosts that are overloaded are left alone: all of their sources, not only the one that was told."""
    return {
        urls.host(found.source.base_url): now + (found.failure.after or timedelta())
        for found in visited
        if found.failure and found.failure.status in OVERLOADED
    }


def _page_requests(
    entered: Iterable[AppendedArrival], visited_by_run: Mapping[int, SourceVisit]
) -> list[tuple[int, str, timedelta]]:
    return [
        (found.raw_arrival_id, urls.host(found.page_url), _page_step(visited_by_run[found.run_id].source))
        for found in entered
        if found.page_url
    ]


def _page_step(source: Source) -> timedelta:
    own = timedelta(milliseconds=source.request_interval_ms)
    # An address that the operator named is the operator's own server.
    return own if kinds.shared_options(source.options).connect_to else max(own, PAGE_STEP)


def _ended(visited: SourceVisit) -> runs.FinishedRun:
    return runs.FinishedRun(
        source=visited.source.slug,
        started_at=visited.started_at,
        status=visited.status,
        fetched=len(visited.arrivals) + len(visited.refusals),
        failed=len(visited.refusals),
        error=visited.error,
        checkpoint=visited.harvest.checkpoint,
        log_key=visited.log_key,
    )


def _log(visited: SourceVisit, requests: Iterable[Mapping[str, Any]]) -> bytes:
    """The log of a run: its requests, what was refused and why, and how it ended; one JSON a line."""
    refused = [
        {"event": "refused", "problems": [f"{problem.path} {problem.reason}" for problem in refusal.problems]}
        for refusal in visited.refusals
    ]
    end = {
        "event": "ended",
        "source": visited.source.slug,
        "started_at": visited.started_at.isoformat(),
        "status": visited.status,
        "health": visited.harvest.health,
        "items": len(visited.arrivals),
        "error": visited.error,
    }
    sent = [{"event": "request", **request, "url": redaction.redact_text(request["url"])} for request in requests]
    lines = [*sent, *refused, end]
    return b"".join(_json(line) + b"\n" for line in lines)


async def _alert(conn: Connection, condition_by_slug: Mapping[str, Condition]) -> None:
    messages = {
        (str(condition.alarm), slug): f"{slug}: {condition.health_note}"
        for slug, condition in condition_by_slug.items()
        if condition.alarm
    }
    for kind, slug, message in await alerts.settle(conn, messages, subjects=condition_by_slug, kinds=ALARMS):
        log.warning("alert", kind=kind, source=slug, message=message)


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


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
    gather = Ingest(
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
        load=gather.load,
        work=gather.work,
        save=gather.save,
        then=then,
        also=(pages,),
        batch=64,
        waits=True,
        max_attempts=NEVER_GIVE_UP,
    )
