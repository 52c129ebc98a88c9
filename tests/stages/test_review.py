"""What people decide about stories, and that every later run respects it."""

import asyncio
import random
from datetime import UTC, datetime, timedelta

import pytest

from builders import FIRE, FIRE_AGAIN, an_item, partition, run_all, told, wrong_events
from scoop.core import links
from scoop.errors import NotFound, UsageError
from scoop.store import embeddings, review, review_queue, stories, work
from scoop.store.reads import decisions as decision_reads
from scoop.store.reads import stories as story_reads

NOW = datetime(2026, 11, 16, tzinfo=UTC)
SHIP = {
    "title": "Harbour bridge closed after ship strikes pillar",
    "body_text": """A cargo ship struck the middle pillar of the harbour bridge in Westport early on Friday, and the
        city closed it to all traffic. Nobody was hurt, the harbour master Ella Brandt said, but engineers found a
        crack of three metres in the pillar. Ferries will carry commuters until the damage has been repaired, which may
        take six weeks according to the city.""",
}
SHIP_AGAIN = {
    "title": "Ship collision leaves Westport bridge with cracked pillar",
    "body_text": """Commuters in Westport must take a ferry: the harbour bridge is closed after Friday's collision with
        a cargo ship. Engineers discovered a crack in the pillar, three metres long, and the repair could take six
        weeks, said the city. According to Ella Brandt, the harbour master, no one was hurt in the accident.""",
}


def an_article(number, source, /, **changes):
    return an_item(number, source=source, canonical_url=f"https://{source}.example/{number}", **changes)


TWO_STORIES = [
    an_article(1, "tribune", **SHIP, published_at="2026-11-14T08:00:00Z"),
    an_article(2, "post", **SHIP_AGAIN),
]


async def waiting(database, **changes):
    """The pairs that wait for a person."""
    async with database.connection() as conn:
        model = await embeddings.find_active(conn)
        fit = links.load_model(model.model_name, model.model_version)
        asked = {"at_least": fit.coverage_at, "collection": None, "limit": 10, "now": NOW} | changes
        pairs, _ = await review_queue.list_pairs(conn, model, **asked)
        return pairs


async def decided(database, decide, *arguments, **options):
    async with database.transaction() as conn:
        return await decide(conn, *arguments, **options)


async def story_of(database, item):
    """The story of an item, by its source item id."""
    async with database.connection() as conn:
        story_id = await conn.fetchval(
            "SELECT story_id FROM story_members JOIN documents USING (document_id) WHERE source_item_id = $1", item
        )
        return await story_reads.get_named(conn, str(story_id))


async def document_of(database, item):
    async with database.connection() as conn:
        return await conn.fetchval("SELECT document_id FROM documents WHERE source_item_id = $1", item)


async def names(database, *items):
    return [str((await story_of(database, item)).story_id) for item in items]


async def merged(database, one="item-1", other="item-2"):
    return await decided(database, review.merge, *await names(database, one, other))


async def kept_apart(database, one="item-1", other="item-2"):
    return await decided(database, review.keep_apart, *await names(database, one, other))


async def split(database, *items):
    return await decided(database, review.split, [await document_of(database, item) for item in items])


async def undone(database, decision):
    return await decided(database, review.undo, decision.decision_id)


def of(*groups):
    return {frozenset(f"item-{number}" for number in group) for group in groups}


async def groups(database):
    """The groups of coverage, as sets of item ids."""
    async with database.connection() as conn:
        rows = await conn.fetch(
            "SELECT array_agg(source_item_id) AS items FROM stories JOIN story_members USING (story_id)"
            " JOIN documents USING (document_id) WHERE status = 'active' GROUP BY coverage_id"
        )
    return {frozenset(row["items"]) for row in rows}


async def events(database, item):
    async with database.connection() as conn:
        (explained,) = await decision_reads.explain_documents(conn, str(await document_of(database, item)), None)
    return [event.decision for event in explained.events]


# The queue


async def test_stories_that_may_be_one_wait_with_their_best_linked_documents(database):
    await told(database, [*TWO_STORIES, an_article(3, "herald", **FIRE)])
    (pair,) = await waiting(database)
    assert (pair.one.title, pair.other.title) == (SHIP["title"], SHIP_AGAIN["title"])
    assert (pair.one.source, pair.other.source, pair.collection) == ("tribune", "post", "world_news")
    assert pair.probability > 0.5
    assert pair.cosine > 0.8
    assert 0 <= pair.title_overlap < 1


async def test_what_was_seen_lately_waits_before_what_is_older(database):
    older = {"published_at": "2026-11-13T12:00:00Z", "metadata": {"collection": "ai_news"}}
    await told(database, [an_article(3, "tribune", **SHIP | older), an_article(4, "post", **SHIP_AGAIN | older)])
    await told(database, TWO_STORIES)
    pairs = await waiting(database)
    assert [pair.collection for pair in pairs] == ["world_news", "ai_news"]
    assert await waiting(database, limit=1) == pairs[:1]
    assert await waiting(database, collection="ai_news") == pairs[1:]


async def test_two_stories_of_one_publisher_do_not_wait(database):
    first, second = TWO_STORIES
    await told(database, [first, {**second, "canonical_url": "https://www.tribune.example/2"}])
    assert await waiting(database) == []


async def test_two_stories_that_were_quiet_for_days_do_not_wait(database):
    await told(database, TWO_STORIES)
    last = datetime(2026, 11, 14, 12, tzinfo=UTC)
    assert len(await waiting(database, now=last + review_queue.QUIET_AFTER)) == 1
    assert await waiting(database, now=last + review_queue.QUIET_AFTER + timedelta(seconds=1)) == []


async def test_the_queue_has_a_last_pair(database, monkeypatch):
    await told(database, [*TWO_STORIES, an_article(3, "herald", **FIRE), an_article(4, "post", **FIRE_AGAIN)])
    monkeypatch.setattr(review_queue, "QUEUE_LENGTH", 1)
    assert [pair.one.title for pair in await waiting(database)] == [(await waiting(database, limit=1))[0].one.title]
    assert await waiting(database, skip=1) == []


@pytest.mark.parametrize("decide", [merged, kept_apart])
async def test_what_was_decided_waits_no_longer_until_it_is_undone(database, decide):
    await told(database, TWO_STORIES)
    decision = await decide(database)
    assert await waiting(database) == []
    await undone(database, decision)
    await run_all(database)
    assert len(await waiting(database)) == 1


# Merge


async def test_merged_stories_are_one_and_the_older_stays(database):
    await told(database, TWO_STORIES)
    older, younger = await story_of(database, "item-1"), await story_of(database, "item-2")
    decision = await decided(database, review.merge, str(younger.story_uuid), str(older.story_id), note="one ship")
    assert (decision.action, decision.story_id, decision.other_story_id, decision.note) == (
        "merge",
        older.story_id,
        younger.story_id,
        "one ship",
    )
    assert await partition(database) == of([1, 2])
    story = await story_of(database, "item-2")
    assert (story.story_id, story.item_count, story.sources) == (older.story_id, 2, ["post", "tribune"])
    async with database.connection() as conn:
        gone = await story_reads.get_named(conn, str(younger.story_uuid))
    assert (gone.status, gone.merged_into) == ("merged", older.story_id)
    assert (await events(database, "item-2"))[-1] == "manual_merge"


async def test_an_undone_merge_gives_the_story_back_with_its_documents_and_those_that_pointed_at_it(database):
    await told(database, TWO_STORIES)
    await told(database, [an_article(3, "herald", title="Something else", body_text="Nothing to see.")])
    pointing, younger = await story_of(database, "item-3"), await story_of(database, "item-2")
    await decided(database, review.merge, *await names(database, "item-2", "item-3"))
    decision = await merged(database)
    await undone(database, decision)
    assert await partition(database) == of([1], [2, 3])
    story = await story_of(database, "item-2")
    assert (story.story_uuid, story.status, story.item_count) == (younger.story_uuid, "active", 2)
    async with database.connection() as conn:
        assert (await story_reads.get_named(conn, str(pointing.story_id))).merged_into == story.story_id
    assert (await events(database, "item-2"))[-1] == "manual_split"
    await run_all(database)
    assert await partition(database) == of([1], [2, 3])


async def test_who_joined_for_the_sake_of_a_document_goes_back_with_it(database):
    await told(database, TWO_STORIES)
    decision = await merged(database)
    copy = an_item(3, source="herald", canonical_url="https://post.example/2", title="Elsewhere", body_text="Short.")
    await told(database, [copy])
    assert await partition(database) == of([1, 2, 3])
    await undone(database, decision)
    await run_all(database)
    assert await partition(database) == of([1], [2, 3])


# Apart


async def test_stories_kept_apart_are_not_shown_together_until_that_is_undone(database):
    await told(database, TWO_STORIES)
    assert await groups(database) == of([1, 2])
    decision = await kept_apart(database)
    await run_all(database)
    assert await groups(database) == of([1], [2])
    await undone(database, decision)
    await run_all(database)
    assert await groups(database) == of([1, 2])


async def test_no_later_document_brings_stories_together_that_a_person_kept_apart(database):
    await told(database, TWO_STORIES)
    await kept_apart(database)
    bridge = an_item(3, source="herald", canonical_url="https://post.example/2", **SHIP)
    await told(database, [bridge])
    assert await partition(database) == of([1], [2, 3])
    meaning = an_article(
        4, "courier", title=SHIP["title"], body_text=SHIP_AGAIN["body_text"].replace("Commuters", "Passengers")
    )
    await told(database, [meaning])
    assert len(await partition(database)) == 2
    assert (await story_of(database, "item-1")).story_id != (await story_of(database, "item-2")).story_id


async def test_when_nobody_keeps_them_apart_any_longer_the_rules_decide_anew(database):
    await told(database, [an_article(1, "tribune", **SHIP), an_article(2, "post", **SHIP)])
    await split(database, "item-2")
    decision = (await decisions(database))[0]
    await run_all(database)
    assert await partition(database) == of([1], [2])
    await undone(database, decision)
    await run_all(database)
    assert await partition(database) == of([1, 2])


async def decisions(database):
    async with database.connection() as conn:
        return await review.list_decisions(conn, collection=None, limit=10)


# Together


async def test_stories_put_together_are_one_event_until_that_is_undone(database):
    unlike = an_article(2, "post", title="Vineyards expect a late harvest", body_text="Growers blame a cold spring.")
    await told(database, [TWO_STORIES[0], unlike])
    decision = await decided(database, review.put_together, *await names(database, "item-1", "item-2"))
    await run_all(database)
    assert await groups(database) == of([1, 2])
    assert (await story_of(database, "item-1")).story_id != (await story_of(database, "item-2")).story_id
    await undone(database, decision)
    await run_all(database)
    assert await groups(database) == of([1], [2])


async def test_a_pair_that_was_put_together_waits_no_longer(database):
    await told(database, TWO_STORIES)
    assert len(await waiting(database)) == 1
    await decided(database, review.put_together, *await names(database, "item-1", "item-2"))
    assert await waiting(database) == []


# Suppress


async def suppressed(database, item):
    return await decided(database, review.suppress, str((await story_of(database, item)).event_uuid))


async def test_a_new_report_of_a_suppressed_event_stays_hidden(database):
    await told(database, TWO_STORIES[:1])
    await suppressed(database, "item-1")
    await told(database, TWO_STORIES[1:])
    assert await groups(database) == set()
    assert await wrong_events(database) == []


async def test_a_suppressed_event_is_shown_again_with_the_reports_that_came_since(database):
    await told(database, TWO_STORIES[:1])
    decision = await suppressed(database, "item-1")
    await told(database, TWO_STORIES[1:])
    await undone(database, decision)
    await run_all(database)
    assert await groups(database) == of([1, 2])


async def test_what_is_split_from_a_suppressed_story_is_hidden_until_the_event_is_shown_again(database):
    await told(database, [an_item(n, source=f"copy{n}", canonical_url="https://one.example/") for n in (1, 2)])
    decision = await suppressed(database, "item-1")
    await split(database, "item-2")
    await run_all(database)
    assert await groups(database) == set()
    await undone(database, decision)
    await run_all(database)
    assert await groups(database) == of([1], [2])


async def test_an_undone_merge_publishes_nothing_of_a_suppressed_event(database):
    await told(database, TWO_STORIES)
    merge = await merged(database)
    await suppressed(database, "item-1")
    await undone(database, merge)
    await run_all(database)
    assert await groups(database) == set()


# Split


THREE_ALIKE = [an_article(number, source, **SHIP) for number, source in ((1, "tribune"), (2, "post"), (3, "herald"))]


async def test_documents_that_leave_become_one_story_which_no_run_puts_back(database):
    await told(database, THREE_ALIKE)
    whole = await story_of(database, "item-1")
    decision = await split(database, "item-2", "item-3")
    assert decision.story_id == whole.story_id
    left, stayed = await story_of(database, "item-2"), await story_of(database, "item-1")
    assert (left.item_count, left.sources, stayed.item_count) == (2, ["herald", "post"], 1)
    assert (await events(database, "item-2"))[-1] == "manual_split"
    await told(database, [an_item(2, source="post", canonical_url="https://post.example/2", **SHIP | {"title": "New"})])
    await told(database, [an_article(4, "courier", **SHIP)])
    assert len(await partition(database)) == 2
    assert (await story_of(database, "item-1")).story_id != (await story_of(database, "item-3")).story_id


async def test_an_undone_split_puts_the_documents_back_as_they_were(database):
    await told(database, THREE_ALIKE)
    before = await members(database)
    whole = await story_of(database, "item-1")
    decision = await split(database, "item-1")
    made = await story_of(database, "item-1")
    await undone(database, decision)
    assert await members(database) == before
    async with database.connection() as conn:
        again, gone = [await story_reads.get_named(conn, str(story.story_uuid)) for story in (whole, made)]
    assert (again.item_count, again.title) == (3, whole.title)
    assert (gone.status, gone.merged_into) == ("merged", whole.story_id)
    assert (await events(database, "item-1"))[-1] == "manual_merge"


async def test_each_document_that_leaves_becomes_a_story_which_no_run_puts_back(database):
    await told(database, [*THREE_ALIKE, an_article(4, "courier", **SHIP)])
    async with database.connection() as conn:
        ids = [row["document_id"] for row in await conn.fetch("SELECT document_id FROM documents")]
    decisions = await decided(database, review.split_each, ids)
    assert [len(decision.document_ids) for decision in decisions] == [1, 1, 1]
    await told(database, [an_item(2, source="post", canonical_url="https://post.example/2", **SHIP | {"title": "New"})])
    assert sorted(map(len, await partition(database))) == [1, 1, 1, 1]


async def test_undoing_what_was_split_one_by_one_puts_all_documents_back(database):
    await told(database, THREE_ALIKE)
    before = await members(database)
    async with database.connection() as conn:
        ids = [row["document_id"] for row in await conn.fetch("SELECT document_id FROM documents")]
    decisions = await decided(database, review.split_each, ids)
    assert len(await partition(database)) == 3
    for decision in decisions:
        await undone(database, decision)
    assert await members(database) == before


async def test_too_many_documents_are_not_split_one_by_one(database):
    with pytest.raises(UsageError, match="at most 100"):
        await decided(database, review.split_each, range(1, 102))


async def members(database):
    async with database.connection() as conn:
        return [
            tuple(row)
            for row in await conn.fetch(
                "SELECT document_id, story_id, match_type::text, match_score, match_details FROM story_members"
                " ORDER BY document_id"
            )
        ]


async def test_a_large_split_says_less_of_each_document_but_holds_all(database):
    many = [an_article(number, f"paper{number}", **SHIP) for number in range(1, 61)]
    await told(database, many)
    await split(database, *(f"item-{number}" for number in range(1, 31)))
    async with database.connection() as conn:
        assert await conn.fetchval("SELECT count(*) FROM story_verdicts") == 59
    await told(database, [an_article(99, "courier", **SHIP)])
    assert sorted(map(len, await partition(database))) == [30, 31]


# What cannot be decided


async def test_what_goes_against_an_earlier_decision_names_it(database):
    await told(database, TWO_STORIES)
    apart = await kept_apart(database)
    with pytest.raises(UsageError, match=f"scoop review undo {apart.decision_id}`"):
        await merged(database)
    with pytest.raises(UsageError, match="keeps them apart already"):
        await kept_apart(database)
    await undone(database, apart)
    merge = await merged(database)
    with pytest.raises(UsageError, match=f"decision {merge.decision_id} merged documents of both; undo that first"):
        await split(database, "item-2")
    assert await partition(database) == of([1, 2])


async def test_a_decision_is_undone_once(database):
    await told(database, TWO_STORIES)
    decision = await undone(database, await merged(database))
    assert decision.undone_at is not None
    with pytest.raises(UsageError, match="was undone before"):
        await undone(database, decision)


async def test_decisions_that_rest_on_each_other_are_undone_in_any_order_that_leaves_documents_to_move(database):
    await told(database, THREE_ALIKE)
    first = await split(database, "item-2", "item-3")
    second = await split(database, "item-3")
    await undone(database, first)
    assert await partition(database) == of([1, 2], [3])
    await undone(database, second)
    assert await partition(database) == of([1, 2, 3])


async def test_a_decision_whose_documents_went_on_is_undone_after_the_one_that_moved_them(database):
    await told(database, TWO_STORIES)
    merge = await merged(database)
    await told(database, [an_article(3, "herald", **SHIP)])
    later = await split(database, "item-1", "item-2")
    with pytest.raises(UsageError, match="moved by a later one"):
        await undone(database, merge)
    await undone(database, later)
    await undone(database, merge)
    assert await partition(database) == of([1, 3], [2])


async def test_only_two_living_stories_of_one_collection_can_be_decided_on(database):
    elsewhere = an_article(3, "herald", **FIRE, metadata={"collection": "ai_news"})
    await told(database, [*TWO_STORIES, elsewhere])
    one, other, foreign = await names(database, "item-1", "item-2", "item-3")
    for wrong, fix in [
        ((one, one), "name two"),
        ((one, foreign), "in ai_news; both stories must be in one collection"),
    ]:
        with pytest.raises(UsageError, match=fix):
            await decided(database, review.keep_apart, *wrong)
    with pytest.raises(NotFound, match="scoop stories"):
        await decided(database, review.merge, one, "4711")
    with pytest.raises(NotFound, match="scoop review log"):
        await decided(database, review.undo, 4711)
    await merged(database)
    with pytest.raises(UsageError, match=f"was merged into story {one}"):
        await decided(database, review.keep_apart, other, one)


async def test_what_leaves_a_story_must_be_of_one_and_leave_something(database):
    await told(database, TWO_STORIES)
    with pytest.raises(UsageError, match="name documents of one story"):
        await split(database, "item-1", "item-2")
    with pytest.raises(UsageError, match="has no other documents"):
        await split(database, "item-1")


async def test_a_decision_waits_until_no_worker_is_at_the_stories_of_the_collection(database):
    await told(database, TWO_STORIES)
    async with database.connection() as worker:
        assert await work.lock_lane(worker, stories.LOCK, "world_news")
        deciding = asyncio.create_task(merged(database))
        while not await worker.fetchval("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"):
            assert not deciding.done()
            await asyncio.sleep(0.01)
        await work.unlock_lane(worker, stories.LOCK, "world_news")
        await deciding
    assert await partition(database) == of([1, 2])


@pytest.mark.parametrize("seed", range(3))
async def test_whatever_is_decided_and_undone_in_whatever_order_the_books_are_right(database, seed):
    chance = random.Random(seed)
    bodies = [SHIP, SHIP, SHIP_AGAIN, FIRE, FIRE, FIRE_AGAIN, FIRE_AGAIN]
    await told(database, [an_article(number, f"paper{number}", **body) for number, body in enumerate(bodies)])
    items, refused = [f"item-{number}" for number in range(len(bodies))], 0
    for _ in range(40):
        made = [decision for decision in await decisions(database) if decision.undone_at is None]
        acts = [
            lambda: merged(database, *chance.sample(items, 2)),
            lambda: kept_apart(database, *chance.sample(items, 2)),
            lambda: split(database, *chance.sample(items, chance.choice((1, 1, 2, 3)))),
            lambda made=made: undone(database, chance.choice(made)),
        ]
        try:
            await chance.choice(acts if made else acts[:3])()
        except UsageError:
            refused += 1
        await assert_the_books_are_right(database)
    assert 0 < refused < 40
    await run_all(database)
    await assert_the_books_are_right(database)


async def assert_the_books_are_right(database):
    """Counts are those of the members, what is merged points at a living story, and nothing goes against a verdict."""
    async with database.connection() as conn:
        wrong = await conn.fetch(
            "SELECT story_id, status, item_count, merged_into FROM stories LEFT JOIN LATERAL ("
            " SELECT count(*) AS items, array_agg(DISTINCT source ORDER BY source) AS told_by,"
            " array_agg(document_id) AS document_ids FROM story_members JOIN documents USING (document_id)"
            " WHERE story_members.story_id = stories.story_id) AS members ON true"
            " WHERE CASE status WHEN 'active' THEN item_count <> items OR told_by IS DISTINCT FROM stories.sources"
            " OR representative_document_id <> ALL (document_ids) OR merged_into IS NOT NULL"
            " ELSE items > 0 OR (SELECT status FROM stories AS stays WHERE stays.story_id = stories.merged_into)"
            " IS DISTINCT FROM 'active' END"
        )
        against = await conn.fetch(
            "SELECT verdict_id FROM story_verdicts JOIN story_members AS one ON one.document_id = one_document_id"
            " JOIN story_members AS other ON other.document_id = other_document_id"
            " WHERE undone_at IS NULL AND is_same <> (one.story_id = other.story_id)"
        )
    assert [tuple(row) for row in (*wrong, *against)] == []
    assert await wrong_events(database) == []


# What is learnt from it


async def test_decisions_are_labels_for_the_model_that_links_the_documents(database):
    await told(database, [*TWO_STORIES, an_article(3, "herald", **FIRE), an_article(4, "courier", title="Short")])
    merge = await merged(database)
    await kept_apart(database, "item-3", "item-4")
    async with database.connection() as conn:
        model = await embeddings.find_active(conn)
        (label,), unusable = await review_queue.list_labels(conn, model)
    assert (label.is_same, label.probability > 0.5, unusable) == (True, True, 1)
    await undone(database, merge)
    async with database.connection() as conn:
        assert (await review_queue.list_labels(conn, model))[0] == []


async def test_other_thresholds_are_kept_with_the_model_and_have_all_documents_linked_anew(database):
    await told(database, TWO_STORIES)
    async with database.transaction() as conn:
        await review_queue.calibrate(conn, await embeddings.find_active(conn), {"coverage_at": 0.9999})
        assert (await embeddings.find_active(conn)).calibration == {"coverage_at": 0.9999}
        assert [(count.stage, count.count) for count in await work.counts(conn)] == [("link", 2)]
    await run_all(database)
    assert await groups(database) == of([1], [2])
