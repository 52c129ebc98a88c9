"""`scoop sentiment`: what people say about tools."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from scoop.cli import console, runtime
from scoop.config import Config

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scoop.core.sentiment_cache import SentimentCacheEntry
    from scoop.core.tools import Tool
    from scoop.store.db import Connection
    from scoop.store.reads.sentiment import SeriesPoint

BAR_WIDTH = 40
HOURLY_UP_TO = 48  # hours that a chart shows hour by hour


@click.command()
@click.argument("tool", required=False)
@click.option("--hours", type=click.IntRange(1, 720), default=24, show_default=True, help="The period, until now.")
@click.option("--chart", is_flag=True, help="Draw the mentions over time.")
@click.option("--cache", is_flag=True, help="Print the cached entries and their metadata as documents.")
@console.as_json
@click.pass_obj
def command(config: Config, tool: str | None, hours: int, chart: bool, cache: bool, as_json: bool) -> None:
    """What people say about a tool, or about each tool.

    Mentions are counted by the time of their article or comment. The same is counted per story and per publisher.

    \b
    Examples:
      scoop sentiment
      scoop sentiment tussock --hours 168 --chart
      scoop sentiment --cache --json
    """
    if cache:
        console.print_json(runtime.run(_documents(config)))
        return
    listed, points = runtime.run(_read(config, tool, hours, with_series=chart))
    if as_json:
        console.print_json(
            {"sentiment": [entry for _, entry in listed], "series": points} if chart else [entry for _, entry in listed]
        )
        return
    console.print_table(
        ("tool", "mentions", "stories", "publishers", "positive", "neutral", "negative", "average"),
        [_row(each, entry) for each, entry in listed],
        empty="there are no tools; choose some: scoop tools starter",
    )
    for line in _chart(points, hours):
        click.echo(line)


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
    bars = (
        text_charts.stacked_bar(
            point.positive_count, point.neutral_count, point.negative_count, most=most, width=BAR_WIDTH
        )
        for point in points
    )
    lines = [
        f"{point.starts_at:{form}}  {bar:<{BAR_WIDTH}} {point.total_mentions:>6,}  {point.average_sentiment:+z.2f}"
        for point, bar in zip(points, bars, strict=True)
    ]
    return ["", key, *lines]


async def _read(
    config: Config, tool: str | None, hours: int, *, with_series: bool
) -> "tuple[list[tuple[Tool, SentimentCacheEntry]], list[SeriesPoint]]":
    from scoop.store import tools

    now = datetime.now(UTC)
    async with runtime.open_connection(config) as conn:
        everything = await tools.list_tools(conn)
        wanted = [each for each in everything if each.is_active] if tool is None else [await _root(conn, tool)]
        listed = [(each, await _entry(conn, each, hours, now)) for each in wanted]
        series = await _series(conn, config, wanted, hours, now) if with_series else []
    return listed, series


async def _root(conn: "Connection", reference: str) -> "Tool":
    from scoop.core.tools import root_of
    from scoop.store import tools

    return root_of(await tools.get(conn, reference), await tools.list_tools(conn))


async def _entry(conn: "Connection", tool: "Tool", hours: int, now: datetime) -> "SentimentCacheEntry":
    from scoop.stages import sentiment_cache

    return await sentiment_cache.compute(conn, tool, hours, now=now)


async def _series(
    conn: "Connection", config: Config, tools: "Sequence[Tool]", hours: int, now: datetime
) -> "list[SeriesPoint]":
    from scoop.store.reads import sentiment
    from scoop.store.reads.sentiment import Window

    numbers = [number for tool in tools for number in await sentiment.list_members(conn, tool.tool_number)]
    return await sentiment.get_series(
        conn,
        numbers,
        Window(since=now - timedelta(hours=hours), until=now),
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
