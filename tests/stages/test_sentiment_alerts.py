"""Alerts about tools: an average that moved, an hour with far more mentions than usual, at most one in a period."""

from datetime import UTC, datetime, timedelta

import pytest

from builders import an_item, told
from scoop.actions import tools
from scoop.core.rendering import common
from scoop.core.tools import ToolSettings
from scoop.stages import sentiment_alerts
from scoop.store import alerts

FILL = """
INSERT INTO mentions (document_id, event_at, text_hash, tool_number, start_offset, end_offset, passage_start,
    passage_end, compound, confidence, label, publisher_family, alias, method, version)
SELECT document_id, $1, 0, tool_number, first + number, first + number + 7, 0, first + number + 7, tone, 1,
    sign(tone)::int, 'tribune', 'Tussock', 'test', '1'
FROM documents CROSS JOIN tools CROSS JOIN generate_series(1, $4::int) AS number
CROSS JOIN (VALUES ($2::int, $3::float8)) AS given (first, tone)
"""


@pytest.fixture
async def conn(database):
    """A connection to a desk with one tool and one document, whose mentions a test makes."""
    async with database.transaction() as conn:
        await tools.add(conn, ToolSettings(slug="tussock", name="Tussock"))
    await told(database, [an_item(1, title="News", body_text="Tussock is here. " * 40)])
    async with database.connection() as conn:
        await conn.execute("DELETE FROM mentions")
        yield conn


async def fill(conn, at, *, mentions, compound=0.1, first=0):
    await conn.execute(FILL, at, first, compound, mentions)


async def check(conn, now):
    await sentiment_alerts.alert_changes(conn, now=now, moved_by=0.2)
    found = await alerts.latest(conn, with_resolved=True, kinds=sentiment_alerts.KINDS, limit=9)
    return [(each.kind, each.resolved_at is not None) for each in found], found


async def test_an_average_that_moved_raises_one_alert_with_its_evidence_in_a_day(conn):
    now = datetime.now(UTC)
    await fill(conn, now - timedelta(days=3), mentions=30, compound=-0.1)
    await fill(conn, now - timedelta(hours=30 / 60), mentions=30, compound=0.8, first=100)
    states, [alert] = await check(conn, now)
    assert states == [("sentiment_moved", False)]
    assert "went from -0.10 to +0.80 on 30 mentions" in alert.message
    assert "scoop sentiment tussock --passages" in alert.message[: common.SUMMARY_CHARACTERS]  # channels cut the rest
    assert "Tussock is here" in alert.message[: common.SUMMARY_CHARACTERS]
    await conn.execute("UPDATE mentions SET compound = 0")
    assert (await check(conn, now))[0] == [("sentiment_moved", True)]
    await conn.execute("UPDATE mentions SET compound = CASE WHEN start_offset < 100 THEN -0.1 ELSE 0.8 END")
    assert (await check(conn, now))[0] == [("sentiment_moved", True)]


async def test_a_fall_is_explained_by_blame_and_not_by_praise(conn):
    now = datetime.now(UTC)
    await conn.execute("UPDATE documents SET body_text = repeat('We love it. ', 9) || repeat('We hate it. ', 99)")
    await fill(conn, now - timedelta(days=3), mentions=30, compound=0.8)
    await fill(conn, now - timedelta(hours=2), mentions=30, compound=-0.9, first=300)
    await fill(conn, now - timedelta(hours=1), mentions=5, compound=0.9, first=50)
    message = (await check(conn, now))[1][0].message
    assert "went from +0.80 to" in message
    assert (message.count("hate") > 0, "love" in message) == (True, False)


async def test_a_spike_is_found_when_its_mentions_come_two_hours_late(conn):
    now = datetime.now(UTC)
    hour = now.replace(minute=0, second=0, microsecond=0) - timedelta(hours=3)
    for week in range(1, 5):
        await fill(conn, hour - timedelta(weeks=week), mentions=3, first=10 * week)
    await fill(conn, hour, mentions=40, first=100)
    assert (await check(conn, now))[0] == [("mentions_spiked", False)]


async def test_an_hour_with_far_more_mentions_than_that_hour_of_the_weeks_before_raises_an_alert(conn):
    now = datetime.now(UTC)
    hour = now.replace(minute=0, second=0, microsecond=0) - timedelta(minutes=30)
    for week in range(1, 5):
        await fill(conn, hour - timedelta(weeks=week), mentions=3, first=10 * week)
    await fill(conn, hour, mentions=40, first=100)
    states, found = await check(conn, now)
    assert states == [("mentions_spiked", False)]
    assert "40 mentions of Tussock" in found[0].message
    assert "usual are 3" in found[0].message
    await fill(conn, hour - timedelta(weeks=1), mentions=60, first=200)
    assert (await check(conn, now))[0] == [("mentions_spiked", True)]
