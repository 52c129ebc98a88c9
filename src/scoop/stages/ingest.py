"""Sources are visited, and what they bring enters the ledger."""

import asyncio
import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from scoop import sources as kinds
from scoop.core import items, schedules
from scoop.errors import Reject, Retry
from scoop.fetch.client import Client
from scoop.model import Item, Source
from scoop.stages import door
from scoop.stages.stage import Failure, Outcome, Stage
from scoop.store import arrivals, runs, sources
from scoop.store.arrivals import NewArrival, Refusal
from scoop.store.db import Connection
from scoop.store.runs import Tally, Trigger
from scoop.store.sources import Visit
from scoop.store.work import Subject

NO_LINE = 1  # a feed has no lines that tell its reader anything
NEVER_GIVE_UP = 1_000_000  # a source that fails is tried ever more seldom, but always again


@dataclass(frozen=True, slots=True, kw_only=True)
class Visited:
    """One source after its visit: what it brought, or why it failed."""

    visit: Visit
    arrivals: Sequence[NewArrival] = ()
    refusals: Sequence[Refusal] = ()
    checkpoint: dict[str, Any]
    failure: Failure | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingest:
    """Visits sources through one client."""

    client: Client
    kinds: Mapping[str, type[kinds.Kind]]
    clock: Callable[[], datetime]
    trigger: Trigger

    async def work(self, visits: Mapping[int, Visit]) -> Outcome[list[Visited]]:
        visited = await asyncio.gather(*(self._visit(visit) for visit in visits.values()))
        failures = {found.visit.source.source_id: found.failure for found in visited if found.failure is not None}
        return Outcome(output=visited, failures=failures)

    async def _visit(self, visit: Visit) -> Visited:
        try:
            harvest = await self.kinds[visit.source.kind]().fetch(self.client, visit.source, visit.checkpoint)
        except (Retry, Reject) as failure:
            return Visited(visit=visit, checkpoint=visit.checkpoint, failure=failure)
        now = self.clock()
        accepted: list[NewArrival] = []
        refusals: list[Refusal] = []
        for found in harvest.items:
            item = _complete(found, visit.source, now=now)
            if problems := items.problems(item):
                refusals.append(Refusal(line=NO_LINE, problems=problems, raw_item=_json(found)))
            else:
                headers = harvest.response_headers
                accepted.append(door.arrival(item, raw=_json(item), now=now, response_headers=headers))
        return Visited(visit=visit, arrivals=accepted, refusals=refusals, checkpoint=harvest.checkpoint)

    async def save(self, conn: Connection, visited: Sequence[Visited]) -> Sequence[Subject]:
        entered = [arrival_id for found in visited for arrival_id in await _enter(conn, found, self.trigger)]
        now = self.clock()
        await sources.plan(
            conn,
            {
                source.source_id: schedules.next_visit(source.schedule, now=now, spread=random.random())  # noqa: S311
                for source in (found.visit.source for found in visited)
            },
        )
        return [Subject(arrival_id) for arrival_id in entered]


async def _enter(conn: Connection, visited: Visited, trigger: Trigger) -> list[int]:
    """Write one source's run, arrivals, refusals and checkpoint."""
    source = visited.visit.source
    run_id = await runs.start(conn, source.slug, trigger)
    new_ids = await arrivals.append(conn, run_id, visited.arrivals) if visited.arrivals else []
    await arrivals.refuse(conn, run_id, source.slug, visited.refusals)
    failed = len(visited.refusals)
    tally = Tally(
        fetched=len(visited.arrivals) + failed,
        inserted=len(new_ids),
        failed=failed,
        error=str(visited.failure) if visited.failure else None,
    )
    await runs.finish(conn, run_id, tally, visited.checkpoint)
    if visited.failure is None:
        await sources.keep_checkpoint(conn, source.slug, visited.checkpoint, run_id)
    return new_ids


def _json(item: Item) -> bytes:
    return json.dumps(item, ensure_ascii=False).encode("utf-8", "replace")


def _complete(found: Item, source: Source, *, now: datetime) -> Item:
    """A whole v1 item from what the kind of source knew."""
    metadata = {
        "collection": source.collection,
        "job_name": f"ingest {source.slug}",
        "job_run_id": now.isoformat(),
        "scraped_at": now.isoformat(),
        "item_uuid": str(items.item_uuid(source.slug, str(found.get("source_item_id", "")))),
        "category": source.category,
    }
    return {
        **found,
        "payload_version": "v1",
        "source": source.slug,
        "source_metadata": found.get("source_metadata", {}) | metadata,
    }


def stage(
    client: Client, kinds: Mapping[str, type[kinds.Kind]], *, trigger: Trigger, then: tuple[str, ...]
) -> Stage[Any, Any]:
    gather = Ingest(client=client, kinds=kinds, clock=lambda: datetime.now(UTC), trigger=trigger)
    return Stage(
        name="ingest",
        load=sources.visits,
        work=gather.work,
        save=gather.save,
        then=then,
        batch=64,
        max_attempts=NEVER_GIVE_UP,
    )
