"""What a person read and starred in an app follows a story that becomes part of another."""

import pytest

from builders import told
from greader.test_greader import READ, STARRED, syncing
from scoop.store import review
from web.visitor import a_report


async def merge(database, one, other):
    async with database.transaction() as conn:
        return await review.merge(conn, one, other)


async def undo(database, decision):
    async with database.transaction() as conn:
        await review.undo(conn, decision.decision_id)


async def two_stories(database, app):
    """The ids of two stories; the older one survives a merge."""
    await told(
        database,
        [
            a_report(1, title="River rises", body_text="The river rose by a metre.", hours_ago=6),
            a_report(2, title="Museum opens", body_text="A museum opened in the old town.", hours_ago=3),
        ],
    )
    return sorted(await app.ids(), key=int)


async def states(app, story_id):
    [item] = await app.items([story_id])
    return {state for state in (READ, STARRED) if state in item["categories"]}


async def test_a_star_is_on_the_survivor_after_a_person_merges_the_story(database):
    async with syncing(database) as app:
        survivor, merged = await two_stories(database, app)
        await app.post("edit-tag", ("i", merged), ("a", STARRED))
        await merge(database, survivor, merged)
        assert await app.ids(STARRED) == [survivor]
        assert await states(app, survivor) == {STARRED}


async def test_a_star_is_on_the_survivor_after_a_document_joins_two_stories(database):
    async with syncing(database) as app:
        survivor, merged = await two_stories(database, app)
        await app.post("edit-tag", ("i", merged), ("a", STARRED), ("a", READ))
        bridge = a_report(
            3,
            source="post",
            title="River rises",
            body_text="The river rose by a metre.",
            canonical_url="https://tribune.example/2",
        )
        other = a_report(4, source="herald", title="Harbour", canonical_url="https://tribune.example/1")
        chain = a_report(
            5, source="echo", title="Harbour", body_text=other["body_text"], canonical_url="https://tribune.example/2"
        )
        await told(database, [bridge, other, chain])
        assert await app.ids() == [survivor]
        assert await states(app, survivor) == {READ, STARRED}


async def test_an_undone_merge_gives_the_star_back_to_the_story_that_had_it(database):
    async with syncing(database) as app:
        survivor, merged = await two_stories(database, app)
        await app.post("edit-tag", ("i", survivor), ("a", READ))
        await app.post("edit-tag", ("i", merged), ("a", STARRED))
        await undo(database, await merge(database, survivor, merged))
        assert await app.ids(STARRED) == [merged]
        assert await states(app, survivor) == {READ}


async def test_a_star_of_the_survivor_itself_stays_after_an_undone_merge(database):
    async with syncing(database) as app:
        survivor, merged = await two_stories(database, app)
        for story_id in (survivor, merged):
            await app.post("edit-tag", ("i", story_id), ("a", STARRED))
        await undo(database, await merge(database, survivor, merged))
        assert await app.ids(STARRED) == [merged, survivor]


async def test_a_star_that_was_removed_from_the_survivor_does_not_come_back(database):
    async with syncing(database) as app:
        survivor, merged = await two_stories(database, app)
        await app.post("edit-tag", ("i", merged), ("a", STARRED))
        await merge(database, survivor, merged)
        await app.post("edit-tag", ("i", survivor), ("r", STARRED))
        assert await app.ids(STARRED) == []


async def test_a_star_follows_its_story_through_several_merges(database):
    async with syncing(database) as app:
        survivor, middle = await two_stories(database, app)
        await told(database, [a_report(3, title="Ferry sinks", body_text="A ferry sank.", hours_ago=1)])
        youngest = max(await app.ids(), key=int)
        await app.post("edit-tag", ("i", youngest), ("a", STARRED))
        await merge(database, middle, youngest)
        again = await merge(database, survivor, middle)
        assert await app.ids(STARRED) == [survivor]
        await undo(database, again)
        assert await app.ids(STARRED) == [middle]


async def test_the_stars_of_one_person_do_not_become_those_of_another(database):
    async with syncing(database, "ada", "ben") as (ada, ben):
        survivor, merged = await two_stories(database, ada)
        await ada.post("edit-tag", ("i", merged), ("a", STARRED))
        await merge(database, survivor, merged)
        assert (await ada.ids(STARRED), await ben.ids(STARRED)) == ([survivor], [])


@pytest.mark.parametrize(("mark", "expected"), [("read", {READ}), ("kept-unread", set())])
async def test_a_read_mark_of_a_merged_story_is_one_of_the_survivor(database, mark, expected):
    async with syncing(database) as app:
        survivor, merged = await two_stories(database, app)
        await app.post("edit-tag", ("i", merged), ("a", f"user/-/state/com.google/{mark}"))
        await merge(database, survivor, merged)
        assert await states(app, survivor) == expected


async def test_an_app_that_still_has_the_id_of_a_merged_story_reads_and_stars_the_survivor(database):
    async with syncing(database) as app:
        survivor, merged = await two_stories(database, app)
        await merge(database, survivor, merged)
        [item] = await app.items([merged, survivor])
        await app.post("edit-tag", ("i", merged), ("a", STARRED))
        assert item["title"] == "River rises"
        assert await app.ids(STARRED) == [survivor]
