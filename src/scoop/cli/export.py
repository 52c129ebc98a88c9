"""`scoop export`: stories as one JSON a line."""

import sys

import click

from scoop.cli import edge
from scoop.config import Config


@click.group()
def command() -> None:
    """Write stories as one JSON a line.

    \b
    Example:
      scoop export stories > stories.ndjson
    """


@command.command("stories")
@click.option("--collection", help="Only this collection.")
@click.option("--with-merged", is_flag=True, help="Also stories that were merged into others; they have no members.")
@click.option("--json", "_as_json", is_flag=True, help="The default: the output is always JSON.")
@click.pass_obj
def stories(config: Config, collection: str | None, with_merged: bool, _as_json: bool) -> None:
    """One story a line: story_uuid, collection, title, url, status, coverage_id, first_seen_at, last_seen_at, members.

    Stories with the same coverage_id probably tell of one event.

    \b
    Examples:
      scoop export stories --collection ai_news
      scoop export stories | jq 'select(.members | length > 1)'
    """
    edge.run(_write(config, collection, with_merged=with_merged))


async def _write(config: Config, collection: str | None, *, with_merged: bool) -> None:
    from scoop.store import reading

    async with edge.reading(config) as conn:
        async for line in reading.export_stories(conn, collection=collection, with_merged=with_merged):
            sys.stdout.write(line + "\n")
