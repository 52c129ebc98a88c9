"""Thirty days of a hundred articles on a clock of our own: none twice, within the budget, forgotten in time."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from builders import an_item, told
from curating import INTERESTS, KINDS, SLUG
from scoop.actions import curator_files
from scoop.actions import curators as actions
from scoop.archive.objects import Archive
from scoop.core.briefs import MAX_PROMPT_TOKENS, Order, Prompt
from scoop.core.budgets import Budget
from scoop.fetch.client import open_client
from scoop.model import ChannelSettings
from scoop.stage_names import StageName
from scoop.stages import curate, digest, evaluations, publish, write
from scoop.stages.digest import DigestOrder
from scoop.stages.stage import Stage, Worker, run_batch
from scoop.stages.texts import Task
from scoop.stages.write import Writing
from scoop.store import topics, work
from scoop.store.db import Connection, Database
from scoop.writers import Prices, Reply

DAYS, ARTICLES = 30, 100
NINE = datetime(2027, 3, 1, tzinfo=UTC)  # in Tokyo, when the curator posts; after the real day, whose rows are due
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
BUDGET = Budget(requests_per_day=60, tokens_per_day=0, money_per_day=0, requests_per_minute=0)
INPUT_TOKENS, OUTPUT_TOKENS = 2_000, 200
TOPICS = ("PostgreSQL", "Go", "Keyboards", "Cheese", "Chess")  # three of five are interests
LONG = "It took 12 engineers 3 months, and 40 tests were rewritten. " * 5

CLOCK = """
    CREATE SCHEMA clock;
    CREATE TABLE clock.time (now TIMESTAMPTZ);
    CREATE FUNCTION clock.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT now FROM clock.time';
    SET search_path = clock, news, public, pg_catalog;
    DO $$ DECLARE found record; BEGIN
        FOR found IN SELECT * FROM information_schema.columns JOIN information_schema.tables AS t USING (table_name)
            WHERE t.table_schema = 'news' AND column_default LIKE '%now()' AND table_type = 'BASE TABLE'
        LOOP
            EXECUTE format('ALTER TABLE %I ALTER %I SET DEFAULT clock.now()', found.table_name, found.column_name);
        END LOOP;
    END $$;
"""
ARTICLES_OF_A_DAY = """
    CREATE TEMP TABLE new ON COMMIT DROP AS
    SELECT number, number + 1000000 AS id, 'Note ' || number || ' about ' || topic AS title,
        '\\x' || encode(sha256(number::text::bytea), 'hex') AS hash, 'https://tribune.example/month/' || number AS url,
        topic || ' is used in note ' || number || '. ' || $4::text AS body,
        $3::timestamptz - interval '1 minute' * (number % 100) AS seen
    FROM unnest($1::integer[], $2::text[]) AS written (number, topic)
"""
COPIES = {
    "raw_arrivals": "'raw_arrival_id', id, 'source_item_id', number, 'payload_hash', hash",
    "documents": """'document_id', id, 'raw_arrival_id', id, 'source_item_id', number, 'article_id', 'art_' || md5(url),
        'canonical_url', url, 'canonical_url_hash', hash, 'content_hash', hash, 'title', title, 'body_text', body,
        'seen_at', seen""",
}
"""The columns that differ from those of the only row, by table."""
COPY = """
    INSERT INTO {table} OVERRIDING SYSTEM VALUE SELECT (jsonb_populate_record(one, jsonb_build_object({changes}))).*
    FROM new, (SELECT first AS one FROM {table} AS first ORDER BY first LIMIT 1) AS known
"""
FOLD = """
    INSERT INTO stories (story_id, collection, canonical_title, canonical_url, representative_document_id,
        first_seen_at, last_seen_at, sources, publisher_families, coverage_id)
    SELECT id, 'world_news', title, url, id, seen, seen, '{tribune}', '{tribune.example}', id FROM new;
    INSERT INTO events (event_id, collection, lead_story_id, first_seen_at, last_seen_at, developed_at, sources,
        publisher_families)
    SELECT id, 'world_news', id, seen, seen, seen, '{tribune}', '{tribune.example}' FROM new ON CONFLICT DO NOTHING;
    INSERT INTO story_members
    SELECT (jsonb_populate_record(one, jsonb_build_object('story_id', id, 'document_id', id))).*
    FROM new, (SELECT first AS one FROM story_members AS first LIMIT 1) AS known;
"""
ASSIGN = "INSERT INTO story_topic_state (story_id, topic_id, first_seen_in_topic_at) SELECT id, $1, seen FROM new"


@dataclass(kw_only=True)
class ScriptedWriter:
    """A model that costs money: it scores by the topic of an article."""

    name: str = "scripted"
    waits: bool = False
    provider: Any = "openai"
    model: str = "scripted-1"
    endpoint: str = "scripted"
    max_prompt_tokens: int = MAX_PROMPT_TOKENS
    prices: Prices = field(default_factory=lambda: Prices(input_price=1.0, output_price=5.0))
    asked: list[int] = field(default_factory=list)

    async def write(self, order: Order, _prompt: Prompt) -> Reply:
        (document,) = order.documents
        self.asked.append(document.document_id)
        matching = [interest.topic for interest in order.interests.topics if interest.topic in document.title]
        parts = {
            "topic_match": 28 if matching else 2,
            "concreteness": 20,
            "practicality": document.document_id % 20,
            "depth": 8,
        }
        reply = {
            "score": sum(parts.values()),
            "parts": parts,
            "matching_topics": matching,
            "summary": ". ".join(document.body_text.split(". ")[:2]) + ".",
            "reasoning": "By its title.",
            "is_ai_generated": False,
        }
        return Reply(text=json.dumps(reply), model=self.model, input_tokens=INPUT_TOKENS, output_tokens=OUTPUT_TOKENS)


@dataclass(kw_only=True)
class Month:
    """A curator whose days pass on the clock of the database."""

    conn: Connection
    worker: Worker
    stages: dict[str, Stage[Any, Any]]
    writer: ScriptedWriter
    topic_id: int
    folder: Path
    now: datetime = NINE

    async def set_clock(self, now: datetime) -> None:
        self.now = now
        await self.conn.execute("UPDATE clock.time SET now = $1", now)

    async def run(self, *names: str) -> None:
        for name in names:
            while await run_batch(self.stages[name], self.worker):
                pass

    async def arrive(self, day: int) -> None:
        """The articles of a day, before the curator posts."""
        numbers = list(range(day * ARTICLES + 1, (day + 1) * ARTICLES + 1))
        about = [TOPICS[number % len(TOPICS)] for number in numbers]
        async with self.conn.transaction():
            await self.conn.execute("SET CONSTRAINTS ALL DEFERRED")
            await self.conn.execute(ARTICLES_OF_A_DAY, numbers, about, self.now, LONG)
            for table, changes in COPIES.items():
                await self.conn.execute(COPY.format(table=table, changes=changes))
            await self.conn.execute(FOLD)
            await self.conn.execute(ASSIGN, self.topic_id)

    async def look(self) -> None:
        await curate.schedule(self.conn)
        await self.run(StageName.CURATE, StageName.WRITE)

    async def post(self) -> list[str]:
        """Make the digest of the local date, and let it leave; gives the titles."""
        local_date = (self.now + 9 * HOUR).date()
        async with self.conn.transaction():
            topic = await topics.by_slug(self.conn, SLUG)
            await digest.make(self.conn, DigestOrder(topic=topic, day=local_date, publish=True), KINDS)
        await self.run(StageName.PUBLISH)
        return self._titles(local_date)

    def _titles(self, local_date: date) -> list[str]:
        written = (self.folder / f"{SLUG}-{local_date}.md").read_text()
        return [line for line in written.splitlines() if line.startswith("## ")]

    async def value(self, query: str) -> Any:
        return await self.conn.fetchval(query)


@asynccontextmanager
async def a_month(database: Database, folder: Path) -> AsyncIterator[Month]:
    await told(database, [an_item(1)])
    async with database.connection() as conn, open_client() as client:
        async with conn.transaction():
            curator = await actions.add(conn, {"slug": SLUG, "collections": ["nowhere"]}, INTERESTS)
            posted = ChannelSettings(name="main", kind="file", options={"folder": str(folder / "posted")})
            await topics.put_channel(conn, curator.topic_id, posted)
        await conn.execute("DELETE FROM work")
        await conn.execute(CLOCK)
        await conn.execute("INSERT INTO clock.time VALUES ($1)", NINE)
        writer = ScriptedWriter()
        month = Month(
            conn=conn,
            worker=Worker(await work.register_worker(conn), conn),
            stages={},
            writer=writer,
            topic_id=curator.topic_id,
            folder=folder / "posted",
        )
        writing = Writing(
            kinds={"evaluation": evaluations.text_kind()},
            tasks={"evaluation": Task(writer=writer, budget=BUDGET)},
            archive=Archive.open(str(folder / "archive"), credentials={}),
            embed=None,
            clock=lambda: month.now,
        )
        month.stages |= {
            StageName.CURATE: curate.stage(client, curator_files.rules(), clock=lambda: month.now),
            StageName.WRITE: write.stage(writing),
            StageName.PUBLISH: publish.stage(client, KINDS, secrets={}, clock=lambda: month.now),
        }
        yield month


SPENT = (
    "SELECT max(spent) FROM (SELECT sum(cost) AS spent FROM model_calls GROUP BY date_trunc('day', called_at)) AS days"
)
CALLS = (
    "SELECT max(calls) FROM (SELECT count(*) AS calls FROM model_calls GROUP BY date_trunc('day', called_at)) AS days"
)
POSTED_AGAIN = """
    SELECT count(*) FROM evaluations JOIN story_members USING (document_id) JOIN story_topic_state USING (story_id)
    WHERE publish_count > 0
"""
OLDEST = "SELECT min(coalesce(evaluated_at, found_at)) FROM evaluations WHERE state <> 'notified'"


async def test_thirty_days_repeat_nothing_keep_to_the_budget_and_forget_in_time(database, tmp_path):
    posted: list[str] = []
    async with a_month(database, tmp_path) as month:
        for day in range(DAYS):
            await month.set_clock(NINE + day * DAY - HOUR)
            await month.arrive(day)
            await month.look()
            await month.set_clock(NINE + day * DAY + timedelta(minutes=1))
            await month.look()
            posted += await month.post()
        assert len(posted) == len(set(posted)) == DAYS * INTERESTS.max_articles
        assert len(month.writer.asked) == len(set(month.writer.asked))
        assert await month.value(CALLS) == BUDGET.requests_per_day
        price = (INPUT_TOKENS * Decimal(1) + OUTPUT_TOKENS * Decimal(5)) / 1_000_000
        assert await month.value(SPENT) == BUDGET.requests_per_day * price
        states = dict(await month.conn.fetch("SELECT state::text, count(*) FROM evaluations GROUP BY state"))
        assert states["notified"] == len(posted)
        assert states["waiting"] <= 3 * ARTICLES  # those that are not fresh any more were dropped
        await _check_memory(month, len(posted))


async def _check_memory(month: Month, posted: int) -> None:
    """Articles that were rejected or left are gone after 30 days, posted ones after 90; no story is posted again."""
    last = NINE + (DAYS - 1) * DAY
    for after, kept in ((timedelta(days=7), posted), (timedelta(days=31), posted), (timedelta(days=91), 0)):
        await month.set_clock(last + after)
        async with month.conn.transaction():
            await curate.forget(month.conn, now=month.now)
        oldest = await month.value(OLDEST)
        assert oldest is None or oldest >= month.now - curate.EVALUATED_FOR
        assert (
            await month.value("SELECT count(*) FROM evaluations WHERE state = 'notified'") == kept or after < 90 * DAY
        )
        assert await month.value("SELECT count(*) FROM story_topic_state WHERE publish_count = 1") == posted
    assert await month.value("SELECT count(*) FROM evaluations") == 0
    asked = len(month.writer.asked)
    await month.conn.execute("UPDATE documents SET seen_at = $1", month.now - HOUR)
    await month.conn.execute("UPDATE stories SET first_seen_at = $1, last_seen_at = $1", month.now - HOUR)
    await month.look()
    again = await month.value(POSTED_AGAIN)
    assert (again, len(month.writer.asked) - asked) == (0, BUDGET.requests_per_day)
