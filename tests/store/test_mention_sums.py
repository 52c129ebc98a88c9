"""Aggregates of tools, read from sums by hour, are those that counting every mention gives, whatever has changed."""

from datetime import UTC, datetime, timedelta
from random import Random
from uuid import UUID

import pytest

from scoop.stages import sentiment_cache as cache
from scoop.store import sentiment_cache
from scoop.store.reads import sentiment as reads
from scoop.store.reads.sentiment import Window

NOW = datetime(2026, 11, 15, 12, 20, tzinfo=UTC)
HOURS = [1, 24, 168, 720]
TOOLS = 3
INSERT = """
    INSERT INTO mentions (document_id, story_id, event_at, text_hash, tool_number, start_offset, end_offset,
        passage_start, passage_end, compound, confidence, label, publisher_family, alias, method, version)
    VALUES ($1, $2, $3, 0, $4, 0, 5, 0, 9, $5, 0.7, sign($5::real)::int, $6, 'x', 'test', '1')
"""


async def add_tools(conn):
    await conn.execute("ALTER TABLE mentions DROP CONSTRAINT mentions_document_id_fkey")
    await conn.execute(
        "INSERT INTO tools (slug, name, name_key, categories)"
        " SELECT 't' || n, 'T' || n, 't' || n, '{other}' FROM generate_series(1, $1) AS n",
        TOOLS,
    )


async def aggregates(conn, now=NOW):
    found = await sentiment_cache.aggregate(conn, HOURS, now=now)
    return {(each.tool_id, each.hours): each.aggregate for each in found}


async def counted(conn, now=NOW):
    """The same by counting every mention."""
    tools = await conn.fetch("SELECT * FROM tools")
    parents = {tool["tool_number"]: tool["merged_into"] for tool in tools}
    mentions = await conn.fetch("SELECT * FROM mentions WHERE event_at <= $1", now)

    def root(number):
        return number if parents[number] is None else root(parents[number])

    made = {}
    for tool in tools:
        if tool["merged_into"] is not None:
            continue
        for hours in HOURS:
            near = [
                row
                for row in mentions
                if root(row["tool_number"]) == tool["tool_number"] and row["event_at"] > now - timedelta(hours=hours)
            ]
            labels = [row["label"] for row in near]
            made[tool["tool_id"], hours] = (
                [labels.count(1), labels.count(-1), labels.count(0)],
                pytest.approx(sum(row["compound"] for row in near), abs=1e-4),
                len({row["story_id"] or -row["document_id"] for row in near}),
                len({row["publisher_family"] for row in near}),
            )
    return made


def as_counted(found):
    return {
        key: (
            [each.positive_count, each.negative_count, each.neutral_count],
            each.compound_sum,
            each.story_count,
            each.publisher_family_count,
        )
        for key, each in found.items()
    }


async def trends(conn, window):
    return {
        each.tool_id: (each.mentions, each.previous_mentions, pytest.approx(each.previous_average, abs=1e-6))
        for each in await reads.list_trends(conn, window)
    }


async def counted_trends(conn, window):
    """The same by counting every mention."""
    rows = await conn.fetch(
        """SELECT tools.tool_id, count(*) FILTER (WHERE event_at > $2) AS mentions,
            count(*) FILTER (WHERE event_at <= $2) AS previous,
            coalesce(avg(compound::float8) FILTER (WHERE event_at <= $2), 0) AS average
        FROM mentions JOIN tool_roots USING (tool_number) JOIN tools ON tools.tool_number = root_number
        WHERE event_at > $1 AND event_at <= $3 GROUP BY tools.tool_id""",
        window.since - (window.until - window.since),
        window.since,
        window.until,
    )
    return {UUID(int=row["tool_id"].int): (row["mentions"], row["previous"], row["average"]) for row in rows}


async def change(conn, random, number):
    """One of the changes that mentions go through."""
    ago = random.choice([timedelta(hours=2), timedelta(hours=26), timedelta(days=8), timedelta(days=33)])
    at = NOW - ago * random.random()
    tool = random.randint(1, TOOLS)
    match random.randint(0, 9):
        case 0:
            await conn.execute("DELETE FROM mentions WHERE story_id = $1", random.randint(1, 6))
        case 1:
            await conn.execute(
                "UPDATE mentions SET story_id = $1 WHERE story_id = $2", random.randint(1, 6), random.randint(1, 6)
            )
        case 2:
            await conn.execute("UPDATE mentions SET event_at = $1 WHERE document_id % 7 = $2", at, random.randint(0, 6))
        case 3:
            await conn.execute("UPDATE mentions SET label = -label, compound = -compound WHERE tool_number = $1", tool)
        case 4:
            target = random.choice([None, *range(1, tool)])  # of a higher to a lower number: no cycle
            await conn.execute("UPDATE tools SET merged_into = $1 WHERE tool_number = $2", target, tool)
        case _:
            story = random.choice([None, *range(1, 7)])
            family = f"family {random.randint(1, 4)}"
            await conn.execute(INSERT, number, story, at, tool, random.uniform(-1, 1), family)


@pytest.mark.parametrize("seed", range(6))
async def test_sums_by_hour_are_what_counting_each_mention_gives(seed, database):
    random = Random(seed)
    async with database.connection() as conn:
        await add_tools(conn)
        for number in range(1, 121):
            await change(conn, random, number)
            if random.random() < 0.3:
                await sentiment_cache.add_up(conn, random.choice([None, 1, 2, 3]))
            if number % 4 == 0:
                assert as_counted(await aggregates(conn)) == await counted(conn)
                window = Window.of(NOW, hours=random.choice(HOURS))
                assert await trends(conn, window) == await counted_trends(conn, window)


async def test_a_mention_after_the_end_does_not_hide_the_one_of_its_story_before_it(database):
    async with database.connection() as conn:
        await add_tools(conn)
        for number, ago in enumerate([timedelta(minutes=30), -timedelta(minutes=10)], 1):
            await conn.execute(INSERT, number, 1, NOW - ago, 1, 0.5, "family")
        await sentiment_cache.add_up(conn)
        for now in (NOW, NOW + timedelta(minutes=15)):
            assert as_counted(await aggregates(conn, now)) == await counted(conn, now)


async def test_what_two_writers_add_at_once_is_counted_once(database):
    async with database.connection() as one, database.connection() as other:
        await add_tools(one)
        open_change = one.transaction()
        await open_change.start()
        await one.execute(INSERT, 1, 1, NOW - timedelta(hours=3), 1, 0.5, "family")
        await other.execute(INSERT, 2, 1, NOW - timedelta(hours=5), 1, 0.5, "family")
        await sentiment_cache.add_up(other)
        await open_change.commit()
        assert as_counted(await aggregates(other)) == await counted(other)
        await sentiment_cache.add_up(other)
        assert as_counted(await aggregates(other)) == await counted(other)


async def test_a_tool_that_is_being_deleted_holds_nobody_up(database):
    async with database.connection() as one, database.connection() as other:
        await add_tools(one)
        for number, tool in enumerate((1, 2), 1):
            await one.execute(INSERT, number, 1, NOW - timedelta(hours=3), tool, 0.5, "family")
        deletion = one.transaction()
        await deletion.start()
        await one.execute("DELETE FROM tools WHERE tool_number = 1")
        made = await cache.refresh(other, now=NOW)
        assert as_counted(await aggregates(other)) == await counted(other)
        assert {entry.tool_id for entry in await sentiment_cache.list_entries(other)} < {
            entry.tool_id for entry in made.entries
        }
        await deletion.commit()
        await sentiment_cache.add_up(other)
        assert as_counted(await aggregates(other)) == await counted(other)
        assert await other.fetchval("SELECT count(*) FROM mention_changes") == 0
