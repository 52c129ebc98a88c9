"""`scoop stories`: the latest stories."""

from datetime import datetime

import click

from scoop.cli import _days, console, runtime
from scoop.config import Config

COLUMNS = ("id", "last seen", "docs", "independent", "collection", "title")
EMPTY = "there are no stories yet; `scoop up` fetches some, `scoop ingest --items FILE` takes in yours"


@click.command()
@click.option("--collection", help="Only this collection, as ai_news.")
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), help="Seen on this day or later, as 2026-11-15.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=30, show_default=True, help="How many at most.")
@console.as_json
@click.pass_obj
def command(config: Config, collection: str | None, since: datetime | None, limit: int, as_json: bool) -> None:
    """List the latest single stories.

    A story is one report and its copies; `scoop events` lists the stories of one event as one entry.

    \b
    Examples:
      scoop stories
      scoop stories --collection world_news --since 2026-11-01 --json
    """
    runtime.run(_show(config, collection, _days.start_of(since, config.timezone), limit, as_json=as_json))


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
