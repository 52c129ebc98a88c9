"""`scoop search`: events by words and by meaning."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import click

from scoop.cli import console, runtime
from scoop.config import Config
from scoop.core.display_names import counted, distinct_outlets, outlet_name
from scoop.errors import UsageError

if TYPE_CHECKING:
    from scoop.actions.search import SearchHit, SearchResult
    from scoop.core.highlights import HighlightSpan
    from scoop.model import Story
    from scoop.store.reads.event_summaries import EventSummary

EMBED_TIMEOUT = timedelta(seconds=30)  # the model may have to be loaded first
SHOWN_OUTLETS = 6  # of an event
SHOWN_STORIES = 5  # of an event, below its best one
INDENT = " " * 9
DAY = click.DateTime(["%Y-%m-%d"])


@click.command()
@click.argument("words", nargs=-1, required=True)
@click.option("--collection", help="Only this collection, as ai_news.")
@click.option("--source", help="Only this source, by its slug.")
@click.option("--topic", help="Only events with a story of this topic, by its slug.")
@click.option("--since", type=DAY, help="Seen on this day or later, as 2026-11-15.")
@click.option("--until", type=DAY, help="Seen on this day or earlier.")
@click.option("--language", help="Only this language, as de.")
@click.option("--stories", "by_story", is_flag=True, help="List single stories, not events.")
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
    """Find events by words and by meaning.

    An event is listed once, by its story that matches best; the others follow below it.

    Put a query with a phrase or a minus into quotes. OR, in capitals, separates alternatives. Fields narrow it:
    source:SLUG, collection:NAME, topic:SLUG, lang:de, after:2026-11-01 (this day or later), before:2026-11-15.

    \b
    Examples:
      scoop search harbour strike
      scoop search '"harbour strike" -football' --since 2026-11-01
      scoop search 'strike OR walkout' --collection world_news --json
      scoop search harbour strike --stories
      scoop search source:coastal_tribune after:2026-11-01
    """
    runtime.run(_show(config, " ".join(words), since, until, filters, as_json=as_json))


async def _show(
    config: Config, text: str, since: datetime | None, until: datetime | None, filters: dict[str, Any], *, as_json: bool
) -> None:
    from scoop.actions import search
    from scoop.app import open_client, open_embedder
    from scoop.core.search import Query, day_bounds

    timezone = ZoneInfo(config.timezone)
    try:
        start, end = day_bounds(since and since.date(), until and until.date(), timezone)
    except ValueError as error:
        raise UsageError(str(error)) from error
    query = Query(text=text, timezone=timezone, since=start, until=end, **filters)
    async with open_client(config) as client:
        vector = await search.embed_query(open_embedder(config, client), query, within=EMBED_TIMEOUT)
    async with runtime.open_connection(config) as conn:
        result = await search.search_stories(conn, query, now=datetime.now(UTC), vector=vector)
    if as_json:
        console.print_json(result)
    else:
        _print(result, by_story=query.by_story)


def _print(result: "SearchResult", *, by_story: bool) -> None:
    for hint in result.hints:
        click.echo(hint, err=True)
    for word, meant in result.corrections.items():
        click.echo(f"no headline has {word!r}; searched for {' or '.join(meant)} as well", err=True)
    if not result.items:
        click.echo(f"no {'story' if by_story else 'event'} matches; try fewer or other words", err=True)
    for hit in result.items:
        if by_story:
            _print_story(hit)
        else:
            _print_event(hit)
        click.echo()


def _print_event(hit: "SearchHit") -> None:
    event = hit.event
    is_lead = hit.story.story_uuid == event.lead_story_uuid
    facts = _facts(hit, event, event.outlet_count)
    _print_match(event.event_id, hit.headline, facts, hit.passage, story=None if is_lead else hit.title)
    outlets = distinct_outlets(event.outlets)[:SHOWN_OUTLETS]
    names = [outlet_name(outlet.source, outlet.source_name) for outlet in outlets]
    more = event.outlet_count - len(names)
    _print_dimmed(", ".join(names) + (f" and {more:,} more" if more > 0 else ""))
    for story in hit.other_stories[:SHOWN_STORIES]:
        click.echo(f"{INDENT}+ {story.title}")
    unlisted = hit.matching_story_count - 1 - SHOWN_STORIES
    if unlisted > 0:
        _print_dimmed(f"+ {counted(unlisted, 'more story', 'more stories')}")


def _print_story(hit: "SearchHit") -> None:
    facts = f"{_facts(hit, hit.story, hit.story.source_count)}  event {hit.event.event_id}"
    _print_match(hit.story.story_id, hit.title, facts, hit.passage)


def _facts(hit: "SearchHit", subject: "EventSummary | Story", count: int) -> str:
    """The time, collection and coverage of an event or a story, and how it was found."""
    outlets = counted(count, "outlet")
    independent = min(subject.publisher_family_count, count)
    coverage = f"{outlets}, {independent:,} independent" if count > 1 else outlets
    found_by = f"  found by {', '.join(hit.found_by)}" if hit.found_by else ""
    return f"{console.format_time(subject.last_seen_at)}  {subject.collection}  {coverage}{found_by}"


def _print_match(
    number: int,
    title: "Sequence[HighlightSpan]",
    facts: str,
    passage: "Sequence[HighlightSpan]",
    *,
    story: "Sequence[HighlightSpan] | None" = None,
) -> None:
    """`story` is the title of the story that matches, if that is not the lead of its event."""
    click.echo(f"{number:>7}  {_marked(title, bold=True)}")
    _print_dimmed(facts)
    for spans in (story, passage):
        if spans:
            click.echo(f"{INDENT}{_marked(spans)}")


def _print_dimmed(line: str) -> None:
    click.echo(click.style(f"{INDENT}{line}", dim=True))


def _marked(spans: "Sequence[HighlightSpan]", *, bold: bool = False) -> str:
    """The spans as one line; hits are coloured on a terminal, in brackets elsewhere."""
    if not sys.stdout.isatty():
        return "".join(f"[{span.text}]" if span.is_hit else span.text for span in spans)
    return "".join(
        click.style(span.text, fg="yellow" if span.is_hit else None, bold=bold or span.is_hit) for span in spans
    )
