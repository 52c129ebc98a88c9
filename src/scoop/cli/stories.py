"""`scoop stories`: the latest stories."""

from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

import click

from scoop.cli import console, runtime
from scoop.config import Config

COLUMNS = ("id", "last seen", "docs", "independent", "collection", "title")
EMPTY = "there are no stories yet; `scoop up` fetches some, `scoop ingest --items FILE` takes in yours"


@click.command()
@click.option("--collection", help="Only this collection, as ai_news.")
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), help="Seen on this day or later, as 2026-11-15.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=30, show_default=True, help="How many at most.")
@click.option("--grouped", is_flag=True, help="List stories that probably report the same event together.")
@console.as_json
@click.pass_obj
def command(
    config: Config, collection: str | None, since: datetime | None, limit: int, grouped: bool, as_json: bool
) -> None:
    """List the latest stories.

    --grouped lists stories of the same coverage together, the one with most documents first.

    \b
    Examples:
      scoop stories
      scoop stories --grouped
      scoop stories --collection world_news --since 2026-11-01 --json
    """
    start = _start_of(since, config.timezone) if since else None
    runtime.run((_show_groups if grouped else _show)(config, collection, start, limit, as_json=as_json))


def _start_of(day: datetime, timezone: str) -> datetime | None:
    try:
        return datetime.combine(day.date(), time(), ZoneInfo(timezone)).astimezone(UTC)
    except OverflowError:
        return None  # the first day of the calendar is no limit


async def _show_groups(
    config: Config, collection: str | None, since: datetime | None, limit: int, *, as_json: bool
) -> None:
    from scoop.actions import filters
    from scoop.store.reads import coverage as coverage_reads

    async with runtime.open_connection(config) as conn:
        await filters.check_collection(conn, collection)
        groups = await coverage_reads.list_coverage(conn, collection=collection, since=since, limit=limit)
    if as_json:
        console.print_json(groups)
        return
    rows: list[tuple[object, ...]] = []
    for group in groups:
        (first, title), *others = zip(group.story_ids, group.titles, strict=True)
        figures = (group.last_seen_at, group.item_count, group.publisher_family_count, group.collection)
        rows.append((first, *figures, title))
        rows += [(story_id, "", "", "", "", f"  {other}") for story_id, other in others]
    console.print_table(COLUMNS, rows, empty=EMPTY, cut="title")


async def _show(config: Config, collection: str | None, since: datetime | None, limit: int, *, as_json: bool) -> None:
    from scoop.actions import filters
    from scoop.store.reads import slices
    from scoop.store.reads import stories as story_reads

    async with runtime.open_connection(config) as conn:
        await filters.check_collection(conn, collection)
        stories = await story_reads.list_stories(conn, slices.between(since, None, limit=limit), collection=collection)
    if as_json:
        console.print_json(stories)
        return
    console.print_table(
        COLUMNS,
        [(s.story_id, s.last_seen_at, s.item_count, s.publisher_family_count, s.collection, s.title) for s in stories],
        empty=EMPTY,
        cut="title",
    )
