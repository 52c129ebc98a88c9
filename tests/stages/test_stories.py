"""What folds into one story and what stays apart, through the real stages and a real database."""

import random

from builders import BODY, an_item, ingest, partition, run_all, told
from scoop.store import work
from scoop.store.reads import stories as story_reads
from scoop.store.reads.slices import ListSlice


async def test_one_item_becomes_one_story(database):
    await told(database, [an_item(1)])
    assert await partition(database) == {frozenset({"item-1"})}


async def test_two_urls_that_differ_only_in_tracking_are_one_story(database):
    await told(
        database,
        [
            an_item(1, canonical_url="https://tribune.example/a?utm_source=x"),
            an_item(
                2,
                source="herald",
                canonical_url="https://TRIBUNE.example/a/#top",
                title="Other words",
                body_text="short",
            ),
        ],
    )
    assert await partition(database) == {frozenset({"item-1", "item-2"})}


async def test_a_verbatim_copy_under_another_url_joins_the_story(database):
    copy = an_item(2, source="post", canonical_url="https://post.example/x", title="Bridge closed", body_text=BODY)
    await told(database, [an_item(1, title="Bridge  CLOSED", body_text=BODY), copy])
    assert await partition(database) == {frozenset({"item-1", "item-2"})}


async def test_the_same_arxiv_paper_in_two_versions_is_one_story(database):
    await told(
        database,
        [
            an_item(1, canonical_url="https://arxiv.org/abs/2411.01234v1", body_text=None),
            an_item(
                2, source="pdfs", canonical_url="https://arxiv.org/pdf/2411.01234v3", title="A paper", body_text=None
            ),
        ],
    )
    assert await partition(database) == {frozenset({"item-1", "item-2"})}


async def test_equal_teasers_without_text_stay_apart(database):
    await told(
        database,
        [
            an_item(1, title="Morning briefing", body_text=None),
            an_item(
                2, title="Morning briefing", body_text=None, source="herald", canonical_url="https://herald.example/b"
            ),
        ],
    )
    assert len(await partition(database)) == 2


async def test_collections_are_a_hard_boundary(database):
    await told(
        database,
        [an_item(1), an_item(2, canonical_url="https://tribune.example/1", metadata={"collection": "ai_news"})],
    )
    assert len(await partition(database)) == 2


async def test_a_document_that_bridges_two_stories_joins_them_and_the_older_one_stays(database):
    await told(database, [an_item(1, published_at="2026-11-10T00:00:00Z", body_text=BODY, title="Bridge")])
    elsewhere = {"source": "herald", "canonical_url": "https://herald.example/b", "title": "Harbour fees rise again"}
    await told(database, [an_item(2, published_at="2026-11-09T00:00:00Z", body_text="Ships pay more.", **elsewhere)])
    bridge = an_item(3, source="post", title="Bridge", body_text=BODY, canonical_url="https://herald.example/b")
    await told(database, [bridge])
    assert await partition(database) == {frozenset({"item-1", "item-2", "item-3"})}
    async with database.connection() as conn:
        (kept,) = await story_reads.list_stories(conn, ListSlice())
        merged = await conn.fetchrow("SELECT * FROM stories WHERE status = 'merged'")
    assert merged["merged_into"] == kept.story_id
    assert kept.first_seen_at.day == 9
    assert (kept.item_count, kept.source_count, kept.sources) == (3, 3, ["herald", "post", "tribune"])


async def test_the_stories_do_not_depend_on_the_order_of_arrival(database_pair):
    items = _a_tangle()
    first, second = database_pair
    await told(first, items)
    for item in random.Random(7).sample(items, len(items)):
        await ingest(second, [item])
        if random.Random(item["source_item_id"]).random() < 0.3:
            await run_all(second)
    await run_all(second)
    assert await partition(first) == await partition(second)


def _a_tangle() -> list[dict]:
    """Chains in which neighbours share a URL or a text."""
    chance = random.Random(3)
    return [
        an_item(
            number,
            source=f"source{number % 5}",
            canonical_url=f"https://tribune.example/{chance.randrange(25)}",
            title="Same",
            body_text=f"{BODY} Version {chance.randrange(40)}.",
        )
        for number in range(60)
    ]


async def test_changed_content_updates_the_document_and_keeps_the_old_version(database):
    await told(database, [an_item(1)])
    await told(database, [an_item(1, title="Bridge number 1 opens again")])
    async with database.connection() as conn:
        (story,) = await story_reads.list_stories(conn, ListSlice())
        arrivals = await conn.fetchval("SELECT count(*) FROM raw_arrivals")
        documents = await conn.fetchval("SELECT count(*) FROM documents")
    assert (story.title, arrivals, documents) == ("Bridge number 1 opens again", 2, 1)


async def test_a_rescrape_of_the_same_content_adds_nothing(database):
    await told(database, [an_item(1)])
    again = an_item(
        1,
        metadata={
            "job_run_id": "run-2",
            "scraped_at": "2026-11-15T10:00:00Z",
            "scrape_run_uuid": "6ba7b811-9dad-11d1-80b4-00c04fd430c8",
        },
    )
    assert (await ingest(database, [again])).new == 0
    async with database.connection() as conn:
        assert await work.counts(conn) == []


async def test_a_story_counts_editions_of_one_newsroom_as_one_voice(database):
    west = an_item(
        2,
        source="tribune_west",
        canonical_url="https://west.tribune.example/1",
        title="Bridge number 1 stays closed",
        body_text=an_item(1)["body_text"],
    )
    await told(database, [an_item(1), west])
    async with database.connection() as conn:
        (story,) = await story_reads.list_stories(conn, ListSlice())
    assert (story.item_count, story.source_count, story.publisher_family_count) == (2, 2, 1)


async def test_every_decision_is_kept_as_an_event(database):
    await told(database, [an_item(1), an_item(2, source="herald", canonical_url="https://tribune.example/1")])
    async with database.connection() as conn:
        rows = await conn.fetch("SELECT decision::text, exact_signal FROM dedup_events ORDER BY dedup_event_id")
    assert [tuple(row) for row in rows] == [("new_story", None), ("auto_merge", "exact_url")]
