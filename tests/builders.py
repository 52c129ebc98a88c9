"""Builders with defaults, and the short ways through the house that many tests take."""

import asyncio
import io
import json
import os
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import forks
from scoop import pipeline, worker
from scoop.app import App
from scoop.archive.objects import Archive
from scoop.cli.progress import Silent
from scoop.config import Config
from scoop.core import events as core_events
from scoop.core.events import PlacedStory
from scoop.core.handover_modes import Modes
from scoop.fetch.client import open_client
from scoop.fetch.sandbox import open_sandbox
from scoop.stages.push import PushResult, push
from scoop.store import events
from scoop.store.db import Database
from scoop.store.reads import exports as export_reads
from scoop.store.reads.exports import ExportFilter

ALL = 1_000_000
BODY = (
    "The council said on Tuesday that the old bridge will stay closed until every cable has been checked by engineers "
    "twice."
)
# One event told by two outlets: probably the same, but no copies.
FIRE = {
    "title": "Library of Ostburg burns down overnight",
    "body_text": """The public library of Ostburg burned down in the night to Monday. The fire brigade was called at two
        in the morning and fought the flames for five hours, said its chief Jonas Weil, but the roof fell in at dawn.
        About ninety thousand books were lost; the city archive in the cellar stayed dry and can be saved.""",
}
FIRE_AGAIN = {
    "title": "Night fire destroys ninety thousand books in Ostburg",
    "body_text": """In Ostburg a fire has destroyed the public library and about ninety thousand books. Flames were seen
        at two in the morning on Monday, and the roof came down at dawn after the brigade had fought for five hours, its
        chief Jonas Weil told reporters. What lay in the cellar, the archive of the city, is said to be safe.""",
}


async def group_into_events(database: Database, *groups: Sequence[str]) -> None:
    """Put the stories of these titles into one event each, whatever the link model says; all others stand alone."""
    async with database.transaction() as conn:
        rows = await conn.fetch("SELECT * FROM stories WHERE status = 'active' ORDER BY story_id")
        placed = {
            row["story_id"]: PlacedStory(
                story_id=row["story_id"], event_id=row["coverage_id"], item_count=row["item_count"], may_return=True
            )
            for row in rows
        }
        named = [[placed[row["story_id"]] for row in rows if row["canonical_title"] in titles] for titles in groups]
        alone = placed.keys() - {story.story_id for group in named for story in group}
        regrouping = core_events.regroup([*named, *([placed[story_id]] for story_id in sorted(alone))])
        await events.regroup(conn, regrouping, {story.story_id: 0.9 for group in named for story in group})


WRONG_EVENTS = """
SELECT 'story in a merged event' AS wrong, story_id AS id FROM stories JOIN events ON event_id = coverage_id
WHERE stories.status <> 'merged' AND events.status = 'merged'
UNION ALL
SELECT 'merged into a merged event', gone.event_id
FROM events AS gone JOIN events AS stays ON stays.event_id = gone.merged_into
WHERE stays.status = 'merged'
UNION ALL
SELECT 'figures', event_id FROM events LEFT JOIN LATERAL (
    SELECT count(*) AS stories, sum(item_count) AS items, min(first_seen_at) AS first, max(last_seen_at) AS last,
        array_agg(story_id) AS story_ids, bool_or(status = 'active') AS is_active
    FROM stories WHERE coverage_id = event_id AND status <> 'merged') AS has ON true
LEFT JOIN LATERAL (
    SELECT array_agg(DISTINCT family ORDER BY family) AS families
    FROM stories CROSS JOIN unnest(publisher_families) AS family WHERE story_id = ANY (story_ids)) AS by_family ON true
WHERE events.status <> 'merged' AND (story_count, item_count, first_seen_at, last_seen_at, publisher_families, true)
    IS DISTINCT FROM (stories, items, first, last, families, lead_story_id = ANY (story_ids))
UNION ALL
SELECT 'two collections', coverage_id FROM stories WHERE status <> 'merged'
GROUP BY coverage_id HAVING count(DISTINCT collection) > 1
"""


async def wrong_events(database: Database) -> list[tuple[str, int]]:
    """What is wrong with the events: each has stories, the figures of its stories, and one of them as its lead."""
    async with database.connection() as conn:
        return [tuple(row) for row in await conn.fetch(WRONG_EVENTS)]


def an_item(number: int = 1, /, **changes: Any) -> dict[str, Any]:
    """A valid v1 item; what is None is left out, `metadata` is added to source_metadata."""
    metadata = {
        "collection": "world_news",
        "job_name": "test",
        "job_run_id": "run-1",
        "scraped_at": "2026-11-15T09:00:00Z",
    }
    item = {
        "payload_version": "v1",
        "source": "tribune",
        "source_item_id": f"item-{number}",
        "title": f"Bridge number {number} stays closed",
        "canonical_url": f"https://tribune.example/{number}",
        "published_at": "2026-11-14T12:00:00Z",
        "body_text": f"{BODY} It is number {number}.",
        "language": "en",
        "source_metadata": metadata | changes.pop("metadata", {}),
    }
    return {key: value for key, value in (item | changes).items() if value is not None}


def as_lines(items: Iterable[Any]) -> bytes:
    return b"".join(json.dumps(item, ensure_ascii=False).encode() + b"\n" for item in items)


async def ingest(database: Database, items: Iterable[Any] | bytes, *, name: str = "test.ndjson") -> PushResult:
    raw = items if isinstance(items, bytes) else as_lines(items)
    return await push(database, io.BytesIO(raw), name=name, now=datetime.now(UTC), progress=lambda _count: None)


async def run_all(database: Database, *, without: Sequence[str] = ()) -> None:
    """All stages, or all but these, until nothing is due."""
    with tempfile.TemporaryDirectory() as folder:
        async with open_client() as client, open_sandbox() as sandbox:
            archive = Archive.open(folder, credentials={})
            every = pipeline.stages(client, archive, sandbox, secrets={})
            stages = [stage for stage in every if stage.name not in without]
            app = App(
                config=Config(),
                database=database,
                archive=archive,
                stages=stages,
                jobs=pipeline.periodic_jobs(stages, archive, modes=Modes(), timezone="UTC"),
                modes=Modes(),
                channels={},
            )
            await worker.run(app, stop=asyncio.Event(), until_idle=True, report=Silent())


async def told(database: Database, items: Iterable[Any], *, without: Sequence[str] = ()) -> None:
    """Take items in and fold them into stories."""
    await ingest(database, items)
    await run_all(database, without=without)


async def partition(database: Database) -> set[frozenset[str]]:
    """The stories as sets of their members' source item ids."""
    async with database.connection() as conn:
        found = await export_reads.story_lines(conn, ExportFilter(), after=0, limit=ALL)
    lines = [json.loads(line) for line in found.lines]
    return {frozenset(member["source_item_id"] for member in line["members"]) for line in lines}


def scoop(
    *arguments: str, stdin: bytes | None = None, timeout: float = 120, **settings: str | Path
) -> subprocess.CompletedProcess[str]:
    """Run the command line as a process; settings become SCOOP_* variables."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SCOOP_")}
    environ |= {f"SCOOP_{name.upper()}": str(value) for name, value in settings.items()}
    return forks.run(arguments, stdin=stdin or b"", timeout=timeout, environ=environ)
