"""`scoop search`: stories by words and by meaning."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import click

from scoop.cli import console, runtime
from scoop.config import Config
from scoop.errors import UsageError

if TYPE_CHECKING:
    from scoop.actions.search import SearchHit, SearchResult
    from scoop.core.highlights import HighlightSpan

EMBED_TIMEOUT = timedelta(seconds=30)  # the model may have to be loaded first
DAY = click.DateTime(["%Y-%m-%d"])


@click.command()
@click.argument("words", nargs=-1, required=True)
@click.option("--collection", help="Only this collection, as ai_news.")
@click.option("--source", help="Only this source, by its slug.")
@click.option("--topic", help="Only stories of this topic, by its slug.")
@click.option("--since", type=DAY, help="Seen on this day or later, as 2026-11-15.")
@click.option("--until", type=DAY, help="Seen on this day or earlier.")
@click.option("--language", help="Only this language, as de.")
@click.option("--limit", type=click.IntRange(1, 100), default=10, show_default=True, help="How many at most.")
@console.as_json
@click.pass_obj
def command(
    config: Config,
    /,
    words: tuple[str, ...],
    since: datetime | None,
    until: datetime | None,
    as_json: bool,
    **filters: Any,
) -> None:
    """Find stories by words and by meaning.

    Put a query with a phrase or a minus into quotes. OR, in capitals, separates alternatives.

    \b
    Examples:
      scoop search harbour strike
      scoop search '"harbour strike" -football' --since 2026-11-01
      scoop search 'strike OR walkout' --collection world_news --json
    """
    runtime.run(_show(config, " ".join(words), since, until, filters, as_json=as_json))


async def _show(
    config: Config, text: str, since: datetime | None, until: datetime | None, filters: dict[str, Any], *, as_json: bool
) -> None:
    from scoop.actions import search
    from scoop.app import open_client, open_embedder
    from scoop.core.search import Query, day_bounds

    try:
        start, end = day_bounds(since and since.date(), until and until.date(), ZoneInfo(config.timezone))
    except ValueError as error:
        raise UsageError(str(error)) from error
    query = Query(text=text, since=start, until=end, **filters)
    async with open_client(config) as client:
        vector = await search.embed_query(open_embedder(config, client), query, within=EMBED_TIMEOUT)
    async with runtime.open_connection(config) as conn:
        result = await search.search_stories(conn, query, now=datetime.now(UTC), vector=vector)
    if as_json:
        console.print_json(result)
    else:
        _print(result)


def _print(result: "SearchResult") -> None:
    for hint in result.hints:
        click.echo(hint, err=True)
    for word, meant in result.corrections.items():
        click.echo(f"no headline has {word!r}; searched for {' or '.join(meant)} as well", err=True)
    if not result.items:
        click.echo("no story matches; try fewer or other words", err=True)
    for hit in result.items:
        _print_hit(hit)


def _print_hit(hit: "SearchHit") -> None:
    story = hit.story
    seen = console.format_time(story.last_seen_at)
    click.echo(f"{story.story_id:>7}  {_marked(hit.title, bold=True)}")
    click.echo(
        click.style(
            f"         {seen}  {story.collection}  documents {story.item_count:,}, independent "
            f"{story.publisher_family_count:,}  found by {', '.join(hit.found_by)}",
            dim=True,
        )
    )
    if hit.passage:
        click.echo(f"         {_marked(hit.passage)}")
    click.echo()


def _marked(spans: "Sequence[HighlightSpan]", *, bold: bool = False) -> str:
    """The spans as one line; hits are coloured on a terminal, in brackets elsewhere."""
    if not sys.stdout.isatty():
        return "".join(f"[{span.text}]" if span.is_hit else span.text for span in spans)
    return "".join(
        click.style(span.text, fg="yellow" if span.is_hit else None, bold=bold or span.is_hit) for span in spans
    )
