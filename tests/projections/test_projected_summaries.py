"""Summaries of articles in a projection: their items, the status of the article, and the backlog of failures."""

import asyncio
from datetime import UTC, datetime
from uuid import UUID

from builders import FIRE, an_item
from projections.tables import ProjectedDesk, a_projection
from projections.test_access_patterns import fail_page, publish
from scoop.stages import project
from scoop.stages.stage import Worker, run_batch
from scoop.store import briefs, work
from scoop.store import projections as store
from scoop.store.briefs import Settled
from summarised import FIRE_SENTENCES, ask, document_ids, summarise
from writing import a_desk

AN_HOUR = 60


def reports(*numbers, **changes):
    """Articles with enough text for a summary."""
    return [an_item(number, body_text=FIRE["body_text"], **changes) for number in numbers]


async def article_ids(desk):
    async with desk.database.connection() as conn:
        rows = await conn.fetch("SELECT article_id FROM documents ORDER BY document_id")
    return [row["article_id"] for row in rows]


async def write_summary(desk, document_id, *sentences, **changes):
    await summarise(
        desk.database, document_id, *(sentences or FIRE_SENTENCES), subject_kind="document", citations=(), **changes
    )


async def fail_summary(desk, document_id, *, minutes=AN_HOUR, error="timeout at https://models.example/v1?key=secret"):
    """Let the attempt at the summary of a document fail, as the stage `write` does."""
    brief_id = await ask(desk.database, document_id, subject_kind="document")
    async with desk.database.transaction() as conn:
        await briefs.settle(conn, [Settled(brief_id=brief_id, problem=error)])
        await conn.execute(
            "UPDATE work SET due_at = now() + make_interval(mins => $2), attempts = 1, error = $3"
            " WHERE stage = 'write' AND subject = $1",
            brief_id,
            minutes,
            error,
        )
    return brief_id


def statuses(desk):
    """The articles of every status, by GSI3."""
    names = ("pending_summary", "summarized", "summary_failed")
    found = {name: desk.query(f"STATUS#{name}", index="GSI3") for name in names}
    return {name: [item["articleId"] for item in items] for name, items in found.items() if items}


def texts(desk):
    return {item["articleId"]: item["summaryText"] for key, item in desk.items().items() if key[1] == "SUMMARY#v1"}


async def test_a_summary_by_its_article_and_the_article_is_summarized(desk, tmp_path):
    await publish(desk, *reports(1))
    await desk.sync()
    [document_id], [article_id] = await document_ids(desk.database), await article_ids(desk)
    assert (statuses(desk), texts(desk)) == ({"pending_summary": [article_id]}, {})
    async with a_desk(desk.database, tmp_path) as writers:
        await writers.ask({document_id: ""})
        await writers.write()
    await desk.sync()
    [summary] = desk.query(f"ARTICLE#{article_id}")
    assert (summary["SK"], summary["modelProvider"], summary["disclaimer"]) == ("SUMMARY#v1", "openai", "generated")
    assert "Ostburg" in summary["summaryText"]
    assert summary["tokenUsage"].keys() == {"input", "output"}
    assert 0 < summary["confidence"] <= 1
    assert summary["s3PromptKey"].startswith(f"prompts/{article_id}/")
    [article] = desk.query("STATUS#summarized", index="GSI3")
    assert (article["articleId"], article["summaryId"]) == (article_id, summary["summaryId"])
    assert UUID(article["summaryId"])
    assert article["lastSummaryAttemptAt"] <= f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
    assert statuses(desk) == {"summarized": [article_id]}


async def test_the_newest_summary_replaces_the_one_before(desk):
    await publish(desk, *reports(1))
    [document_id], [article_id] = await document_ids(desk.database), await article_ids(desk)
    await write_summary(desk, document_id, "The library burned down.")
    await desk.sync()
    await write_summary(desk, document_id, "Die Bibliothek brannte ab.", asked_language="de", language="de")
    await desk.sync()
    assert texts(desk) == {article_id: "Die Bibliothek brannte ab."}
    [article], [summary] = desk.query("STATUS#summarized", index="GSI3"), desk.query(f"ARTICLE#{article_id}")
    assert article["summaryId"] == summary["summaryId"]


async def test_a_failed_summary_marks_its_article_until_one_is_written(desk):
    await publish(desk, *reports(1))
    [document_id], [article_id] = await document_ids(desk.database), await article_ids(desk)
    await fail_summary(desk, document_id)
    await desk.sync()
    assert statuses(desk) == {"summary_failed": [article_id]}
    await write_summary(desk, document_id)
    await desk.sync()
    assert statuses(desk) == {"summarized": [article_id]}
    assert desk.query("RETRY#summary") == []
    await fail_summary(desk, document_id)
    await desk.sync()
    assert statuses(desk) == {"summarized": [article_id]}


async def test_a_text_that_is_too_short_is_not_pending(desk):
    await publish(desk, an_item(1, body_text="Fire."))
    await desk.sync()
    assert statuses(desk) == {"summary_failed": await article_ids(desk)}


async def test_the_backlog_of_summaries_by_time_beside_that_of_pages(desk):
    """The failed arrival has the number of a failed brief; they are resolved one by one."""
    await publish(desk, *reports(0, 1, 2))
    ids = await article_ids(desk)
    first, *_ = [
        await fail_summary(desk, document_id, minutes=minutes)
        for document_id, minutes in zip(await document_ids(desk.database), (30, 10, 20), strict=True)
    ]
    await fail_page(desk, 0, minutes=5)
    assert await desk.value("SELECT subject FROM work WHERE stage = 'pages'") == first
    await desk.sync(page=1)
    backlog = desk.query("RETRY#summary", index="GSI6")
    assert [item["articleId"] for item in backlog] == [ids[1], ids[2], ids[0]]
    assert {item["lastError"] for item in backlog} == {"timeout at https://models.example/v1?…"}
    assert [item["articleId"] for item in desk.query("RETRY#fetch")] == [ids[0]]
    await desk.execute("DELETE FROM work WHERE stage = 'pages'")
    await desk.sync()
    assert (desk.query("RETRY#fetch"), len(desk.query("RETRY#summary"))) == ([], 3)
    await desk.execute("UPDATE work SET state = 'quarantined' WHERE stage = 'write' AND subject <> $1", first)
    await desk.sync()
    assert [item["articleId"] for item in desk.query("RETRY#summary")] == [ids[0]]


async def test_failures_of_other_texts_are_not_in_the_backlog_of_summaries(desk):
    await publish(desk, *reports(1))
    [document_id] = await document_ids(desk.database)
    async with desk.database.transaction() as conn:
        await briefs.ask(conn, "translation", "document", {document_id: "de"})
        await briefs.ask(conn, "summary", "event", {document_id: "de"})
    await desk.execute("UPDATE work SET error = 'timeout' WHERE stage = 'write'")
    await desk.sync()
    assert [key for key in desk.items() if key[0].startswith("RETRY#")] == []


async def test_a_corrected_address_moves_the_summary(desk):
    await publish(desk, *reports(1))
    [document_id] = await document_ids(desk.database)
    await write_summary(desk, document_id)
    await desk.sync()
    await publish(desk, *reports(1, canonical_url="https://tribune.example/moved"))
    await desk.sync()
    assert list(texts(desk)) == await article_ids(desk)
    assert statuses(desk) == {"summarized": await article_ids(desk)}


async def test_an_address_at_two_sites_has_one_summary_and_keeps_it_when_one_is_hidden(desk):
    same = "https://wire.example/1"
    await publish(desk, *reports(1, canonical_url=same), *reports(2, canonical_url=same, source="akari"))
    first, second = await document_ids(desk.database)
    article_id, _ = await article_ids(desk)
    await write_summary(desk, first, "By the tribune.")
    await write_summary(desk, second, "By akari.")
    await desk.sync()
    assert texts(desk) == {article_id: "By akari."}
    await desk.execute("INSERT INTO hidden_sources (source, collection) VALUES ('akari', 'world_news')")
    await desk.sync()
    assert texts(desk) == {article_id: "By the tribune."}
    await desk.execute("INSERT INTO hidden_sources (source, collection) VALUES ('tribune', 'world_news')")
    await desk.sync()
    assert texts(desk) == {}


async def test_a_summary_that_is_gone_leaves_the_table(desk):
    await publish(desk, *reports(1))
    await write_summary(desk, *await document_ids(desk.database))
    await desk.sync()
    await desk.execute("UPDATE summaries SET is_current = false")
    await desk.execute("UPDATE projection_feeds SET swept_at = 'epoch'")
    await desk.sync()
    assert texts(desk) == {}


async def test_a_summary_that_commits_late_is_not_missed(desk):
    await publish(desk, *reports(1, 2))
    late_id, soon_id = await document_ids(desk.database)
    brief_id = await ask(desk.database, late_id, subject_kind="document")
    await desk.sync()
    async with desk.database.connection() as slow:
        late = slow.transaction()
        await late.start()
        await briefs.settle(slow, [Settled(brief_id=brief_id, problem="timeout")])
        await write_summary(desk, soon_id)
        await asyncio.sleep(1.2)
        async with desk.database.connection() as conn:
            await project.schedule(conn, [desk.projection])
            member = Worker(await work.register_worker(conn), conn)
            while await run_batch(desk.stage(), member):
                pass
        await late.commit()
    await desk.sync()
    late_article, soon_article = await article_ids(desk)
    assert statuses(desk) == {"summary_failed": [late_article], "summarized": [soon_article]}


async def test_attempts_of_one_moment_in_many_languages_are_read_in_small_pages(desk):
    """More attempts than a page at one moment, and documents that changed after them."""
    await publish(desk, *reports(1, 2, 3))
    await desk.sync()
    ids = await document_ids(desk.database)
    async with desk.database.transaction() as conn:
        for language in ("", "de", "ja", "fr"):
            asked = await briefs.ask(conn, "summary", "document", dict.fromkeys(ids, language))
            await briefs.settle(conn, [Settled(brief_id=brief_id, problem="timeout") for brief_id in asked])
    await desk.execute("UPDATE documents SET title = 'Corrected' WHERE document_id = $1", ids[0])
    await desk.sync(page=3)
    assert sorted(statuses(desk)["summary_failed"]) == sorted(await article_ids(desk))


async def test_a_rebuild_and_another_table_have_the_same_summaries(desk, database):
    await publish(desk, *reports(1, 2, 3))
    written, failed, _ = await document_ids(desk.database)
    await write_summary(desk, written)
    await fail_summary(desk, failed)
    await desk.sync()
    before = desk.items()
    article_id = (await article_ids(desk))[0]
    assert len(statuses(desk)) == 3
    desk.table.delete_item(Key={"PK": f"ARTICLE#{article_id}", "SK": "SUMMARY#v1"})
    desk.table.put_item(Item={"PK": "ARTICLE#art_nobody", "SK": "SUMMARY#v1"})
    async with desk.database.connection() as conn:
        await store.reset(conn, desk.projection.name)
    await desk.sync()
    async with desk.database.connection() as conn:
        assert await project.delete_unknown(conn, desk.projection) == 1
    assert desk.items() == before
    other = ProjectedDesk(database, desk.endpoint, a_projection(desk.endpoint))
    await other.sync()
    assert other.items() == before
