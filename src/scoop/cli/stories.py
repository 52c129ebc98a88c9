"""`scoop stories`: the latest stories."""

from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

import click

from scoop.cli import edge
from scoop.config import Config


@click.command()
@click.option("--collection", help="Only this collection, as ai_news.")
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), help="Seen on this day or later, as 2026-11-15.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=30, show_default=True, help="How many at most.")
@edge.as_json
@click.pass_obj
def command(config: Config, collection: str | None, since: datetime | None, limit: int, as_json: bool) -> None:
    """List the latest stories.

    \b
    Examples:
      scoop stories
      scoop stories --collection world_news --since 2026-11-01 --json
    """
    edge.run(_show(config, collection, since, limit, as_json=as_json))


def _start_of(day: datetime, timezone: str) -> datetime | None:
    try:
        return datetime.combine(day.date(), time(), ZoneInfo(timezone)).astimezone(UTC)
    except OverflowError:
        return None  # before all time is no limit


async def _show(config: Config, collection: str | None, since: datetime | None, limit: int, *, as_json: bool) -> None:
    from scoop.store import reading

    start = _start_of(since, config.timezone) if since else None
    async with edge.reading(config) as conn:
        found = await reading.stories(conn, collection=collection, since=start, limit=limit)
    if as_json:
        edge.print_json(found)
        return
    edge.print_table(
        ("id", "last seen", "docs", "independent", "collection", "title"),
        [(s.story_id, s.last_seen_at, s.item_count, s.publisher_family_count, s.collection, s.title) for s in found],
        empty="there are no stories yet; `scoop up` gathers some, `scoop ingest --items FILE` takes in yours",
        wide="title",
    )
