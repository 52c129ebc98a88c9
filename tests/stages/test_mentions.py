"""Mentions of tools are found in documents and scored once; re-analyses find what a changed tool concerns."""

from datetime import UTC, datetime, timedelta

import pytest

from builders import an_item, run_all, told
from scoop.actions import tools
from scoop.core.tools import ToolSettings
from scoop.embedders import local
from scoop.stage_names import StageName
from scoop.stages import mentions
from scoop.stages import sentiment_cache as cache
from scoop.stages.mentions import MentionFinder
from scoop.store import mentions as mention_store
from scoop.store import sentiment_cache, sentiment_jobs, work
from scoop.store import tools as tool_store
from scoop.store.work import Subject
from writing import a_desk

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
PRAISE = "Tussock is a wonderful editor, we love it."
BLAME = "Tussock is terrible: it crashes and we hate it."


async def add_tool(database, name, **settings):
    async with database.transaction() as conn:
        return await tools.add(conn, ToolSettings(slug=name.lower(), name=name, **settings))


async def rows(database, columns="*"):
    async with database.connection() as conn:
        return [
            dict(row)
            for row in await conn.fetch(
                f"SELECT {columns} FROM mentions JOIN tools USING (tool_number) JOIN documents USING (document_id)"
                " ORDER BY document_id, start_offset"
            )
        ]


async def counts(database, tool, hours=48, now=NOW):
    async with database.connection() as conn:
        made = await cache.compute(conn, tool, hours, now=now)
    return made.total_mentions, made.positive_count, made.negative_count, made.neutral_count


async def test_a_document_that_mentions_a_tool_counts_for_it_with_its_sentiment(database):
    tussock = await add_tool(database, "Tussock")
    await told(database, [an_item(1, body_text=PRAISE), an_item(2, body_text=BLAME), an_item(3)])
    assert await counts(database, tussock) == (2, 1, 1, 0)


async def test_a_new_tool_is_looked_for_in_what_the_desk_has_already(database):
    await told(database, [an_item(1, body_text=PRAISE), an_item(2), an_item(3, body_text="Tussock 🌾", title="Emoji")])
    tussock = await add_tool(database, "Tussock")
    await run_all(database)
    assert (await counts(database, tussock))[0] == 2
    async with database.connection() as conn:
        (job,) = await sentiment_jobs.list_jobs(conn, limit=10)
    assert (job.status, job.total, job.done, job.reason) == ("completed", 2, 2, "tool created")
    async with database.connection() as conn:
        assert await sentiment_cache.get(conn, tussock.tool_id, "DAY_30") is not None


async def test_an_old_post_that_is_collected_or_analysed_again_is_not_new(database):
    tussock = await add_tool(database, "Tussock")
    await told(database, [an_item(1, body_text=PRAISE)])
    await told(database, [an_item(1, body_text=f"{PRAISE} Again.", metadata={"job_run_id": "run-2"})])
    async with database.transaction() as conn:
        await tools.reanalyse(conn, tussock, rescores=True)
    await run_all(database)
    at = datetime.now(UTC)
    assert (await counts(database, tussock, 1, now=at))[0] == 0
    published = datetime(2026, 11, 14, 12, tzinfo=UTC)
    assert (await counts(database, tussock, 1, now=published + timedelta(minutes=59)))[0] == 1
    assert (await counts(database, tussock, 1, now=published + timedelta(minutes=60)))[0] == 0


async def test_merging_two_tools_and_undoing_it_gives_the_same_numbers(database):
    tussock, sedge = await add_tool(database, "Tussock"), await add_tool(database, "Sedge")
    both = "Sedge is awful. Tussock is wonderful."
    await told(database, [an_item(1, body_text=PRAISE), an_item(2, body_text=both)])
    before = [await counts(database, tool) for tool in (tussock, sedge)]
    async with database.transaction() as conn:
        await tools.merge(conn, sedge, tussock)
    await run_all(database)
    merged = await counts(database, tussock)
    assert merged[0] == before[0][0] + before[1][0]
    async with database.connection() as conn:
        made = await cache.compute(conn, tussock, 48, now=NOW)
    assert (made.total_mentions, made.story_count, made.publisher_family_count) == (3, 2, 1)
    async with database.transaction() as conn:
        await tools.undo_merge(conn, sedge)
    await run_all(database)
    assert [await counts(database, tool) for tool in (tussock, sedge)] == before


@pytest.mark.parametrize("is_merged", [False, True])
async def test_the_mentions_of_an_archived_tool_stay_while_its_documents_are_analysed_for_another(database, is_merged):
    tussock, sedge = await add_tool(database, "Tussock"), await add_tool(database, "Sedge")
    await told(database, [an_item(1, body_text="Sedge is awful. Tussock is wonderful.")])
    if is_merged:
        heath = await add_tool(database, "Heath")
        async with database.transaction() as conn:
            await tools.merge(conn, tussock, heath)
    archived = heath if is_merged else tussock
    before = await rows(database, "mention_id, slug, start_offset, compound, scored_at")
    async with database.transaction() as conn:
        archived = await tools.change(conn, archived, {"status": "archived"})
        await tools.reanalyse(conn, sedge)
    await run_all(database)
    assert await rows(database, "mention_id, slug, start_offset, compound, scored_at") == before
    async with database.transaction() as conn:
        await tools.change(conn, archived, {"status": "active"})
    await run_all(database)
    assert await rows(database, "mention_id, slug, start_offset, compound, scored_at") == before


async def test_the_mentions_of_an_archived_tool_go_with_the_text_that_had_them(database):
    tussock = await add_tool(database, "Tussock")
    await add_tool(database, "Sedge")
    await told(database, [an_item(1, body_text=PRAISE)])
    async with database.transaction() as conn:
        await tools.change(conn, tussock, {"status": "archived"})
    await told(database, [an_item(1, body_text="Sedge is awful.", metadata={"job_run_id": "run-2"})])
    assert [row["slug"] for row in await rows(database, "slug")] == ["sedge"]


async def test_a_mention_in_a_title_is_judged_as_a_headline_and_one_in_the_text_as_news(database):
    await add_tool(database, "Tussock")
    await told(database, [an_item(1, title="Tussock falls after outage", body_text=PRAISE)])
    heads = [row["method"].partition("/")[2] for row in await rows(database, "method")]
    assert heads == ["headline-en-target", "news-en-target"]
    headline, *_ = await rows(database, "passage_start, passage_end")
    assert (headline["passage_start"], headline["passage_end"]) == (0, len("Tussock falls after outage"))


async def test_the_setting_of_a_source_chooses_the_model_of_its_texts(database):
    await add_tool(database, "Tussock")
    await told(database, [an_item(1, body_text=PRAISE)])
    methods = {}
    for kind in ("auto", "developer", "review"):
        async with database.transaction() as conn:
            await conn.execute(
                "INSERT INTO sources (slug, name, kind, collection, options)"
                " SELECT source, source, 'rss', collection, jsonb_build_object('text_kind', $1::text) FROM documents"
                " ON CONFLICT (slug) DO UPDATE SET options = excluded.options",
                kind,
            )
            await tools.reanalyse(conn, await tool_store.get(conn, "tussock"), rescores=True)
        await run_all(database)
        methods[kind] = {row["method"].partition("/")[2] for row in await rows(database, "method")}
    assert methods == {"auto": {"news-en-target"}, "developer": {"developer-en"}, "review": {"graded-en"}}


async def text_scores(database):
    async with database.connection() as conn:
        return {
            row["title"]: row["label"]
            for row in await conn.fetch(
                "SELECT title, label FROM document_sentiment JOIN documents USING (document_id)"
            )
        }


async def test_a_comment_and_a_text_that_mentions_a_tool_are_also_scored_as_a_whole(database):
    await add_tool(database, "Tussock")
    comment = an_item(3, title="This is", body_text="This is awful, I hate it.", metadata={"parent": "1"})
    articles = [an_item(1, title="One", body_text=PRAISE), an_item(2, title="Two", body_text="A wonderful day.")]
    await told(database, [*articles, comment])
    assert await text_scores(database) == {"One": 1, "This is": -1}


async def test_the_score_of_a_text_stays_until_the_text_changes_or_somebody_asks_for_another(database):
    tussock = await add_tool(database, "Tussock")
    await told(database, [an_item(1, title="One", body_text=PRAISE)])
    async with database.connection() as conn:
        await conn.execute("UPDATE document_sentiment SET label = 0, compound = 0")
    for rescores, label in ((False, 0), (True, 1)):
        async with database.transaction() as conn:
            await tools.reanalyse(conn, tussock, rescores=rescores)
        await run_all(database)
        assert await text_scores(database) == {"One": label}
    async with database.transaction() as conn:
        await tools.remove(conn, tussock)
    await add_tool(database, "Sedge")
    await told(database, [an_item(1, title="One", body_text="Nothing here.", metadata={"job_run_id": "run-2"})])
    assert await text_scores(database) == {}


async def test_an_alias_is_taken_literally_and_removing_it_removes_its_mentions(database):
    tussock = await add_tool(database, "Tussock", aliases=("T.*k",))
    await told(database, [an_item(1, body_text="The Tock and the T.*k are fine.")])
    assert [row["alias"] for row in await rows(database, "alias")] == ["T.*k"]
    async with database.transaction() as conn:
        tussock = await tools.remove_alias(conn, tussock, "T.*k")
    await run_all(database)
    assert await rows(database) == []


async def test_a_score_stays_until_somebody_asks_for_another(database):
    tussock = await add_tool(database, "Tussock")
    await told(database, [an_item(1, body_text=PRAISE)])
    async with database.connection() as conn:
        await conn.execute("UPDATE mentions SET compound = -0.5, label = -1, method = 'old', version = '0'")
    async with database.transaction() as conn:
        await tools.reanalyse(conn, tussock)
    await run_all(database)
    assert [row["method"] for row in await rows(database, "method")] == ["old"]
    async with database.transaction() as conn:
        await tools.reanalyse(conn, tussock, rescores=True)
    await run_all(database)
    assert [row["method"] for row in await rows(database, "method")] != ["old"]


async def test_jobs_run_in_order_and_a_cancelled_one_does_not_run(database):
    await told(database, [an_item(1, body_text=PRAISE)])
    tussock = await add_tool(database, "Tussock")
    await add_tool(database, "Sedge")
    async with database.transaction() as conn:
        newest = await tools.reanalyse(conn, tussock)
        await sentiment_jobs.cancel(conn, newest)
    await run_all(database)
    async with database.connection() as conn:
        jobs = await sentiment_jobs.list_jobs(conn, limit=10)
    assert [job.status for job in jobs] == ["cancelled", "completed", "completed"]
    assert jobs[1].finished_at >= jobs[2].finished_at


async def test_a_job_is_limited_to_the_documents_that_can_name_the_tool(database):
    await told(database, [an_item(number) for number in range(1, 20)] + [an_item(20, body_text=PRAISE)])
    await add_tool(database, "Tussock")
    await run_all(database)
    async with database.connection() as conn:
        (job,) = await sentiment_jobs.list_jobs(conn, limit=10)
    assert job.total == 1


async def test_a_job_counts_the_mentions_of_its_tool(database):
    await add_tool(database, "Sedge")
    await told(database, [an_item(1, body_text=f"{PRAISE} Sedge is slow. Sedge is old.")])
    await add_tool(database, "Tussock")
    await run_all(database)
    async with database.connection() as conn:
        job, _ = await sentiment_jobs.list_jobs(conn, limit=10)
    assert (job.tool, job.total, job.mentions) == ("tussock", 1, 1)


async def test_a_job_leaves_documents_that_wait_to_be_searched_to_their_own_search(database):
    await told(database, [an_item(1, body_text=PRAISE), an_item(2, body_text=BLAME)])
    async with database.transaction() as conn:
        ids = [row["document_id"] for row in await conn.fetch("SELECT document_id FROM documents ORDER BY 1")]
        await work.enqueue(conn, StageName.INDEX, [Subject(each) for each in ids])
        await conn.execute("DELETE FROM document_search")
        await work.enqueue(conn, StageName.MENTIONS, [Subject(ids[0])])
    await add_tool(database, "Tussock")
    async with database.transaction() as conn:
        job = await sentiment_jobs.find_next(conn)
        assert await sentiment_jobs.list_candidates(conn, job, limit=10) == [ids[1]]
    await run_all(database)
    assert [each["document_id"] for each in await rows(database)] == ids


async def test_a_document_that_moves_to_another_story_takes_its_mentions_along(database):
    await add_tool(database, "Tussock")
    await told(database, [an_item(1, body_text=PRAISE), an_item(2, body_text=BLAME)])
    async with database.connection() as conn:
        first, second = [row["story_id"] for row in await rows(database, "story_id")]
        await conn.execute("UPDATE story_members SET story_id = $1 WHERE story_id = $2", first, second)
    assert {row["story_id"] for row in await rows(database, "story_id")} == {first}


async def test_a_desk_that_has_just_begun_does_not_wait_for_the_next_refresh(database):
    tussock = await add_tool(database, "Tussock")
    await run_all(database)

    async def cached(numbers, *, minutes):
        await told(database, [an_item(number, body_text=PRAISE) for number in numbers])
        async with database.connection() as conn:
            await cache.follow_changes(conn, now=datetime.now(UTC) + timedelta(minutes=minutes))
            return (await sentiment_cache.get(conn, tussock.tool_id, "DAY_30")).total_mentions

    assert await cached(range(1, 12), minutes=1) == 11
    assert await cached([12], minutes=2) == 11
    assert await cached([13], minutes=3) == 13


async def test_one_tool_that_fails_does_not_stop_the_others(database):
    tussock, sedge = await add_tool(database, "Tussock"), await add_tool(database, "Sedge")
    await told(database, [an_item(1, body_text="Sedge is awful. Tussock is wonderful.")])
    async with database.connection() as conn:
        await cache.refresh(conn, now=NOW)
        await conn.execute("ALTER TABLE mentions DROP CONSTRAINT mentions_compound_check")
        await conn.execute("UPDATE mentions SET compound = 'NaN' WHERE tool_number = $1", sedge.tool_number)
        made = await cache.refresh(conn, now=NOW + timedelta(minutes=15))
        kept = await sentiment_cache.get(conn, sedge.tool_id, "HOUR_24")
        renewed = await sentiment_cache.get(conn, tussock.tool_id, "HOUR_24")
        metadata = await cache.get_metadata(conn, now=NOW + timedelta(minutes=15))
    assert made.failed == [sedge.tool_id]
    assert kept.last_updated_ts == NOW.timestamp()
    assert renewed.last_updated_ts == NOW.timestamp() + 900
    assert (metadata.error_count_24h, metadata.tools_refreshed, metadata.total_entries) == (1, (tussock.tool_id,), 8)


async def test_every_change_of_a_tool_is_in_the_audit_log(database):
    tussock = await add_tool(database, "Tussock")
    async with database.transaction() as conn:
        await tools.change(conn, tussock, {"status": "archived"}, by="ann")
        await tools.remove(conn, tussock, by="ann")
    async with database.connection() as conn:
        log = await tool_store.list_audit(conn, tussock.tool_id, limit=10)
    assert [each.action for each in log] == ["deleted", "archived", "created"]
    assert (log[1].before["status"], log[1].after["status"], log[1].changed_by) == ("active", "archived", "ann")


@pytest.mark.parametrize("mentions", [49, 50])
async def test_a_name_with_fifty_mentions_in_a_week_is_proposed_also_on_a_desk_without_tools(database, mentions):
    await told(database, [an_item(1, body_text=" ".join(["LangChain is here."] * mentions), title="News")])
    async with database.connection() as conn:
        proposed = await tool_store.list_candidates(conn, now=NOW)
    assert [each.name for each in proposed] == (["LangChain"] if mentions == 50 else [])


async def test_an_unsure_mention_is_judged_by_a_model_if_there_is_one(database, tmp_path, monkeypatch):
    monkeypatch.setattr(mention_store, "UNSURE_BELOW", 1.1)
    await add_tool(database, "Tussock")
    await told(database, [an_item(1, body_text=PRAISE)])
    assert (await rows(database, "method"))[0]["method"] != "model"
    async with database.transaction() as conn:
        await conn.execute("UPDATE mentions SET text_hash = 0")
        ids = [row["document_id"] for row in await conn.fetch("SELECT document_id FROM documents")]
        finder = MentionFinder(local.encode)
        found = await finder.find(await finder.load(conn, ids))
        await mentions.save(conn, found, asks_model=True)
    async with a_desk(database, tmp_path) as desk:
        await desk.write()
        await desk.write()
        assert len(desk.calls) == 1
    [mention] = await rows(database, "compound, confidence, label, method, version")
    assert (mention["label"], mention["method"], round(mention["compound"], 2)) == (-1, "model", -0.6)
    assert mention["version"] == "newsstand-1-2026-01-01 (sentiment v1)"
