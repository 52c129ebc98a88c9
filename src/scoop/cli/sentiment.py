"""`scoop sentiment`: what people say about tools."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from scoop.cli import console, runtime
from scoop.config import Config

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scoop.core.sentiment import SentimentLabel
    from scoop.core.sentiment_cache import SentimentCacheEntry
    from scoop.core.tools import Tool
    from scoop.store.db import Connection
    from scoop.store.reads.sentiment import Passage, SeriesPoint, Window

BAR_WIDTH = 40
HOURLY_UP_TO = 48  # hours that a chart shows hour by hour
MAX_PASSAGES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What is said about tools in a period; the series and the passages only if they were asked for."""

    entries: "Sequence[tuple[Tool, SentimentCacheEntry]]"
    series: "Sequence[SeriesPoint]"
    passages: "Sequence[Passage]"


@click.command()
@click.argument("tool", required=False)
@click.option("--hours", type=click.IntRange(1, 720), default=24, show_default=True, help="The period, until now.")
@click.option("--chart", is_flag=True, help="Draw the mentions over time.")
@click.option(
    "--passages",
    type=click.IntRange(1, MAX_PASSAGES),
    metavar="NUMBER",
    help="Print the newest of the sentences behind the numbers.",
)
@click.option("--label", type=click.Choice(["positive", "neutral", "negative"]), help="Only passages with this label.")
@click.option("--cache", is_flag=True, help="Print the cached entries and their metadata as documents.")
@console.as_json
@click.pass_obj
def command(
    config: Config,
    tool: str | None,
    hours: int,
    chart: bool,
    passages: int | None,
    label: "SentimentLabel | None",
    cache: bool,
    as_json: bool,
) -> None:
    """What people say about a tool, or about each tool.

    Mentions are counted by the time of their article or comment. The same is counted per story and per publisher.

    \b
    Examples:
      scoop sentiment
      scoop sentiment tussock --hours 168 --chart
      scoop sentiment tussock --hours 24 --passages 10 --label negative
      scoop sentiment --cache --json
    """
    if label is not None and passages is None:
        raise click.UsageError("--label chooses passages: add --passages NUMBER")
    if cache:
        console.print_json(runtime.run(_documents(config)))
        return
    reading = runtime.run(_read(config, tool, hours, with_series=chart, passages=passages or 0, label=label))
    if as_json:
        console.print_json(_as_json(reading, with_series=chart, with_passages=passages is not None))
        return
    console.print_table(
        ("tool", "mentions", "stories", "publishers", "positive", "neutral", "negative", "average"),
        [_row(each, entry) for each, entry in reading.entries],
        empty="there are no tools; choose some: scoop tools starter",
        counts=("mentions", "stories", "publishers"),
    )
    for line in _chart(reading.series, hours):
        click.echo(line)
    if passages is not None:
        click.echo()
        console.print_table(
            ("when", "label", "average", "source", "passage"),
            [_passage_row(each) for each in reading.passages],
            empty="nothing was said with this choice",
        )


def _as_json(reading: Reading, *, with_series: bool, with_passages: bool) -> object:
    """The entries alone, or with what was asked for beside them."""
    entries = [entry for _, entry in reading.entries]
    more: dict[str, object] = {"series": reading.series} if with_series else {}
    if with_passages:
        more |= {"passages": reading.passages}
    return {"sentiment": entries, **more} if more else entries


def _passage_row(passage: "Passage") -> tuple[object, ...]:
    return (
        passage.event_at,
        passage.label,
        f"{passage.compound:+z.2f}",
        passage.source_name or passage.source,
        " ".join(f"{passage.before}{passage.mention}{passage.after}".split()),
    )


def _row(tool: "Tool", entry: "SentimentCacheEntry") -> tuple[object, ...]:
    return (
        tool.slug,
        entry.total_mentions,
        entry.story_count,
        entry.publisher_family_count,
        f"{entry.positive_percentage:.1f} %",
        f"{entry.neutral_percentage:.1f} %",
        f"{entry.negative_percentage:.1f} %",
        f"{entry.average_sentiment:+z.2f}",
    )


def _chart(points: "Sequence[SeriesPoint]", hours: int) -> list[str]:
    from scoop.core import text_charts

    if not points:
        return []
    most = max(point.total_mentions for point in points)
    form = "%d %b %H:00" if hours <= HOURLY_UP_TO else "%d %b"
    key = f"{text_charts.POSITIVE} positive  {text_charts.NEUTRAL} neutral  {text_charts.NEGATIVE} negative"
    return ["", key, *(_chart_line(point, most, form) for point in points)]


def _chart_line(point: "SeriesPoint", most: int, form: str) -> str:
    """A bar with its beginning in the desk's timezone, its number, and its average if it has one."""
    from scoop.core import text_charts

    bar = text_charts.stacked_bar(
        point.positive_count, point.neutral_count, point.negative_count, most=most, width=BAR_WIDTH
    )
    average = f"{point.average_sentiment:+z.2f}" if point.total_mentions else ""
    begins = point.starts_at.astimezone(console.zone())
    return f"{begins:{form}}  {bar:<{BAR_WIDTH}} {point.total_mentions:>6,}  {average}".rstrip()


async def _read(
    config: Config,
    tool: str | None,
    hours: int,
    *,
    with_series: bool,
    passages: int,
    label: "SentimentLabel | None",
) -> Reading:
    from scoop.store import tools
    from scoop.store.reads import sentiment
    from scoop.store.reads.sentiment import PassageFilter, Window

    now = datetime.now(UTC)
    window = Window.of(now, hours=hours)
    async with runtime.open_connection(config) as conn:
        everything = await tools.list_tools(conn)
        wanted = [each for each in everything if each.is_active] if tool is None else [await _root(conn, tool)]
        numbers = [number for each in wanted for number in await sentiment.list_members(conn, each.tool_number)]
        filters = PassageFilter(window=window, label=label)
        entries = [(each, await _entry(conn, each, hours, now)) for each in wanted]
        return Reading(
            entries=sorted(entries, key=lambda pair: (-pair[1].total_mentions, pair[0].slug)),
            series=await _series(conn, config, numbers, window, hours) if with_series else [],
            passages=await sentiment.list_passages(conn, numbers, filters, after=None, limit=passages),
        )


async def _root(conn: "Connection", reference: str) -> "Tool":
    from scoop.core.tools import root_of
    from scoop.store import tools

    return root_of(await tools.get(conn, reference), await tools.list_tools(conn))


async def _entry(conn: "Connection", tool: "Tool", hours: int, now: datetime) -> "SentimentCacheEntry":
    from scoop.stages import sentiment_cache

    return await sentiment_cache.compute(conn, tool, hours, now=now)


async def _series(
    conn: "Connection", config: Config, numbers: "Sequence[int]", window: "Window", hours: int
) -> "list[SeriesPoint]":
    from scoop.store.reads import sentiment

    return await sentiment.get_series(
        conn,
        numbers,
        window,
        interval="hour" if hours <= HOURLY_UP_TO else "day",
        timezone=config.timezone,
    )


async def _documents(config: Config) -> list[dict[str, object]]:
    from scoop.core.shapes import sentiment
    from scoop.stages import sentiment_cache
    from scoop.store import sentiment_cache as store

    async with runtime.open_connection(config) as conn:
        entries = await store.list_entries(conn)
        metadata = await sentiment_cache.get_metadata(conn, now=datetime.now(UTC))
    return [*map(sentiment.cache_entry, entries), sentiment.cache_metadata(metadata)]
