"""Which summaries are asked for before anybody does."""

from datetime import UTC, datetime, timedelta

import pytest

from builders import FIRE, FIRE_AGAIN, an_item, group_into_events, told
from scoop import app
from scoop.config import Config
from scoop.stages import summaries
from scoop.stages.summaries import NOTHING_AHEAD, SummaryPolicy
from scoop.task_settings import DEFAULTS, TaskSettings
from summarised import FIRE_SENTENCES, ask, event_id_of, queued, summarise

NOW = datetime.now(UTC)
ASKED_OF = "SELECT subject_kind, language FROM briefs WHERE subject_id"
ASKED = "SELECT subject_kind, language FROM briefs ORDER BY brief_id"


def a_report(number, *, hours_ago=1, **changes):
    values = {"source": f"p{number}", "canonical_url": f"https://p{number}.example/"} | changes
    published_at = (NOW - timedelta(hours=hours_ago)).isoformat()
    return an_item(number, published_at=published_at, metadata={"scraped_at": NOW.isoformat()}, **values)


async def asked(database, statement=ASKED):
    async with database.connection() as conn:
        return [tuple(row) for row in await conn.fetch(statement)]


async def two_events(database):
    """An event that two publishers report, and one that a single one reports."""
    await told(database, [a_report(1, **FIRE), a_report(2, **FIRE_AGAIN), a_report(3)])
    await group_into_events(database, [FIRE["title"], FIRE_AGAIN["title"]])


async def ask_ahead(database, policy):
    async with database.connection() as conn:
        await summaries.ask_ahead(conn, policy, now=datetime.now(UTC))


async def test_events_of_several_publishers_are_asked_for_once(database):
    await two_events(database)
    async with database.transaction() as conn:
        await conn.execute("DELETE FROM story_topic_state")
    policy = SummaryPolicy(language="de", language_by_collection={"ai_news": "ja"})
    for _ in range(2):
        await ask_ahead(database, policy)
    assert await asked(database) == [("event", "de")]
    assert await asked(database, "SELECT count(*) FROM work WHERE stage = 'write'") == [(1,)]


async def test_events_of_topics_are_asked_for_before_their_digest(database):
    await two_events(database)
    await ask_ahead(database, SummaryPolicy())
    assert len(await asked(database)) == 2


async def test_nothing_is_asked_for_where_the_operator_wants_nothing_ahead(database):
    await two_events(database)
    await ask_ahead(database, NOTHING_AHEAD)
    async with database.transaction() as conn:
        await summaries.ask_about_documents(conn, NOTHING_AHEAD, [1, 2, 3])
        await summaries.ask_about_events(conn, NOTHING_AHEAD, [1, 2, 3])
    assert await asked(database) == []


async def test_an_event_that_developed_is_asked_for_again(database):
    await two_events(database)
    await ask_ahead(database, SummaryPolicy())
    async with database.transaction() as conn:
        await conn.execute("DELETE FROM work")
        await conn.execute("UPDATE events SET developed_at = now() + interval '1 hour' WHERE story_count > 1")
    await ask_ahead(database, SummaryPolicy())
    assert await asked(database, "SELECT count(*) FROM work WHERE stage = 'write'") == [(1,)]


async def test_a_reader_who_asks_in_another_language_does_not_keep_the_desks_summary_from_being_written(database):
    await two_events(database)
    event_id = await event_id_of(database, FIRE["title"])
    await ask(database, event_id, language="de")
    await ask_ahead(database, SummaryPolicy(language="en"))
    assert ("event", "en") in await asked(database, f"{ASKED_OF} = {event_id}")


@pytest.mark.parametrize("min_publishers", [2, 9])
async def test_an_event_that_developed_is_written_again_in_every_language_that_it_is_shown_in(database, min_publishers):
    await two_events(database)
    event_id = await event_id_of(database, FIRE["title"])
    for language in ("de", "ja"):
        await summarise(database, event_id, *FIRE_SENTENCES, language=language, asked_language=language)
    async with database.transaction() as conn:
        await conn.execute("DELETE FROM work")
        await conn.execute("UPDATE events SET developed_at = now() + interval '1 hour'")
        stories = [row["story_id"] for row in await conn.fetch("SELECT story_id FROM stories")]
        policy = SummaryPolicy(language="de", min_publishers=min_publishers)
        await summaries.ask_about_events(conn, policy, stories)
    assert [language for language, _ in await queued(database)] == ["de", "ja"]


async def test_new_articles_are_asked_for_and_old_or_empty_ones_are_not(database):
    await told(database, [a_report(1), a_report(2, hours_ago=72), a_report(3, body_text=None)])
    async with database.transaction() as conn:
        ids = [row["document_id"] for row in await conn.fetch("SELECT document_id FROM documents")]
        await summaries.ask_about_documents(conn, SummaryPolicy(documents="sites"), ids)
        assert await conn.fetchval("SELECT count(*) FROM briefs") == 0
        await summaries.ask_about_documents(conn, SummaryPolicy(documents="all"), ids)
        assert await conn.fetchval("SELECT count(*) FROM briefs") == 1


@pytest.mark.parametrize(
    ("setting", "writer", "documents"),
    [("auto", "local", "all"), ("auto", "openai", "sites"), ("none", "local", "none"), ("all", "openai", "all")],
)
def test_articles_are_summarised_ahead_where_it_costs_nothing(setting, writer, documents):
    tasks = DEFAULTS | {"summary": TaskSettings(writer=writer)}
    assert app.summary_policy(Config(summarize_documents=setting, tasks=tasks)).documents == documents
