"""Alerts about tools: a day's average that moved, and an hour with far more mentions than usual."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from scoop.core import sentiment_trends
from scoop.core.alerts import AlertKind
from scoop.core.sentiment_trends import BASELINE
from scoop.core.tools import Tool
from scoop.store import alerts, tools
from scoop.store.db import Connection
from scoop.store.reads import sentiment as reads
from scoop.store.reads.sentiment import Passage, PassageFilter, Window
from scoop.store.sentiment_cache import aggregate

DAY_HOURS, WEEK_HOURS = 24, 8 * 24
PERIODS: Mapping[AlertKind, timedelta] = {
    "sentiment_moved": timedelta(hours=DAY_HOURS),
    "mentions_spiked": timedelta(hours=1),
}
KINDS = tuple(PERIODS)
RECENT = 1_000  # alerts that are looked through; more in a day is no alert any more
EVIDENCE = 2  # passages that an alert quotes
SPIKE_HOURS = 3  # whole hours that are looked at: mentions come late, when a source is fetched
MAX_QUOTED = 160  # characters


async def alert_changes(conn: Connection, *, now: datetime, moved_by: float) -> None:
    """Raise an alert for every tool whose sentiment moved or whose mentions spiked, and resolve the others.

    An alert lasts as long as its cause, and none is raised twice in a period: a tool has at most one of each kind.
    """
    active = [tool for tool in await tools.list_tools(conn) if tool.is_active]
    messages = {
        **await _moves(conn, active, now=now, moved_by=moved_by),
        **await _spikes(conn, active, now=now),
    }
    ended = await _list_ended(conn, now=now)
    messages = {pair: message for pair, message in messages.items() if pair not in ended}
    subjects = {*(tool.slug for tool in active), *await alerts.list_subjects(conn, KINDS)}
    await alerts.settle(conn, messages, subjects=subjects, kinds=KINDS)


async def _list_ended(conn: Connection, *, now: datetime) -> set[tuple[AlertKind, str]]:
    """The kinds and subjects of the alerts that were raised in the period, and have ended."""
    latest = await alerts.latest(conn, with_resolved=True, kinds=KINDS, limit=RECENT)
    return {
        (kind, each.subject)
        for kind in KINDS
        for each in latest
        if each.kind == kind and each.resolved_at is not None and now - each.raised_at < PERIODS[kind]
    }


async def _moves(
    conn: Connection, active: Sequence[Tool], *, now: datetime, moved_by: float
) -> dict[tuple[AlertKind, str], str]:
    """The tools whose average of a day is far from that of the seven days before."""
    found = {
        (each.tool_id, each.hours): each.aggregate for each in await aggregate(conn, [DAY_HOURS, WEEK_HOURS], now=now)
    }
    messages: dict[tuple[AlertKind, str], str] = {}
    for tool in active:
        day, week = found[tool.tool_id, DAY_HOURS], found[tool.tool_id, WEEK_HOURS]
        previous = week.total - day.total
        if not day.total or not previous:
            continue
        current, before = day.compound_sum / day.total, (week.compound_sum - day.compound_sum) / previous
        if sentiment_trends.has_moved(current, before, mentions=day.total, previous=previous, by=moved_by):
            wanted = PassageFilter(
                window=Window(since=now - timedelta(hours=DAY_HOURS), until=now),
                label="positive" if current > before else "negative",
            )
            messages["sentiment_moved", tool.slug] = (
                f"sentiment about {tool.name} went from {before:+z.2f} to {current:+z.2f} on {day.total:,} mentions of "
                f"24 hours{await _evidence(conn, tool, wanted)}"
            )
    return messages


async def _spikes(conn: Connection, active: Sequence[Tool], *, now: datetime) -> dict[tuple[AlertKind, str], str]:
    """The tools with far more mentions in one of the last hours than on that weekday at that hour before."""
    end = now.replace(minute=0, second=0, microsecond=0)
    hours = [end - timedelta(hours=ago) for ago in range(1, SPIKE_HOURS + 1)]
    hourly = await reads.count_hourly(conn, Window(since=hours[-1] - BASELINE, until=now))
    messages: dict[tuple[AlertKind, str], str] = {}
    for tool in active:
        spike = sentiment_trends.find_last_spike(hourly.get(tool.tool_number, {}), hours)
        if spike is not None:
            wanted = PassageFilter(window=Window(since=spike.hour, until=spike.end))
            messages["mentions_spiked", tool.slug] = (
                f"{spike.mentions:,} mentions of {tool.name} between {spike.hour:%H:%M} and {spike.end:%H:%M} UTC, "
                f"usual are {spike.usual:.0f}{await _evidence(conn, tool, wanted)}"
            )
    return messages


async def _evidence(conn: Connection, tool: Tool, wanted: PassageFilter) -> str:
    """The command that lists the passages, and the newest ones, quoted: channels cut the end of a message."""
    numbers = await reads.list_members(conn, tool.tool_number)
    found = await reads.list_passages(conn, numbers, wanted, after=None, limit=EVIDENCE)
    quoted = "".join(f"; {each.source_name or each.source}: “{_quoted(each)}”" for each in found)
    return f" (scoop sentiment {tool.slug} --passages 20){quoted}"


def _quoted(passage: Passage) -> str:
    """The words around a mention, on one line."""
    before, after = passage.before[-MAX_QUOTED // 2 :], passage.after[: MAX_QUOTED // 2]
    return " ".join(f"{before}{passage.mention}{after}".split())
