"""`scoop events`: the latest events."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from scoop.cli import _days, console, runtime
from scoop.config import Config

if TYPE_CHECKING:
    from scoop.core.events import EventStatus
    from scoop.store.reads.event_summaries import EventSummary

COLUMNS = ("id", "last seen", "status", "docs", "outlets", "independent", "collection", "title")
EMPTY = "there are no such events; `scoop up` fetches news, `scoop ingest --items FILE` takes in yours"


@click.command()
@click.option("--collection", help="Only this collection, as ai_news.")
@click.option("--topic", metavar="SLUG", help="Only events with a story of this topic.")
@click.option("--status", type=click.Choice(["new", "developing", "quiet"]), help="Only events with this status.")
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), help="Seen on this day or later, as 2026-11-15.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=30, show_default=True, help="How many at most.")
@console.as_json
@click.pass_obj
def command(
    config: Config,
    /,
    collection: str | None,
    topic: str | None,
    status: "EventStatus | None",
    since: datetime | None,
    limit: int,
    as_json: bool,
) -> None:
    """List the latest events, each with all its coverage.

    An event is new for 12 hours, developing for a day after it gave reason to look again, and quiet later.
    `independent` counts publishers, of which one may have several outlets.

    \b
    Examples:
      scoop events
      scoop events --status developing
      scoop events --collection world_news --since 2026-11-01 --json
    """
    start = _days.start_of(since, config.timezone)
    events = runtime.run(_list(config, collection, topic, status, start, limit))
    if as_json:
        console.print_json(events)
    else:
        console.print_table(COLUMNS, [_row(event) for event in events], empty=EMPTY, cut="title")


async def _list(
    config: Config,
    collection: str | None,
    topic: str | None,
    status: "EventStatus | None",
    since: datetime | None,
    limit: int,
) -> "list[EventSummary]":
    from scoop.actions import filters
    from scoop.store.reads import event_summaries, slices

    async with runtime.open_connection(config) as conn, conn.transaction(readonly=True):
        await filters.check_collection(conn, collection)
        return await event_summaries.list_summaries(
            conn,
            slices.between(since, None, limit=limit),
            now=datetime.now(UTC),
            collection=collection,
            topic_id=await filters.find_topic(conn, topic),
            status=status,
        )


def _row(event: "EventSummary") -> tuple[object, ...]:
    counts = (event.item_count, event.outlet_count, event.publisher_family_count)
    return (event.event_id, event.last_seen_at, event.status, *counts, event.collection, event.title)
