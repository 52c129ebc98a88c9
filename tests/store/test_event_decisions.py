"""Decisions about events: nothing is lost, every id resolves, and stars stay, also when they are undone."""

from datetime import UTC, datetime

import pytest

from builders import an_item, group_into_events, run_all, told
from scoop.errors import UsageError
from scoop.store import read_state, review, users
from scoop.store.reads import events as event_reads

NOW = datetime(2026, 11, 16, tzinfo=UTC)
STORM, RAIL, VOTE = "Storm tears roofs off in Kalden", "Night train returns to Lower Mere", "Council votes on the tram"
BODIES = {
    STORM: "A storm crossed Kalden on Sunday and tore the roofs off twelve houses near the river.",
    RAIL: "The night train between Aster and Lower Mere runs again from December, the railway announced.",
    VOTE: "The council of Brunn decides this evening whether the tram line is built next summer.",
}


async def three_stories(database, *groups):
    await told(
        database,
        [
            an_item(n, source=f"paper{n}", canonical_url=f"https://paper{n}.example/{n}", title=title, body_text=body)
            for n, (title, body) in enumerate(BODIES.items(), start=1)
        ],
    )
    await group_into_events(database, *groups)


async def decide(database, function, *arguments, **options):
    async with database.transaction() as conn:
        return await function(conn, *arguments, **options)


async def story_id(database, title):
    async with database.connection() as conn:
        return str(await conn.fetchval("SELECT story_id FROM stories WHERE canonical_title = $1", title))


async def event_of(database, title):
    """The event of a story as it is now."""
    async with database.connection() as conn:
        number = await conn.fetchval("SELECT coverage_id FROM stories WHERE canonical_title = $1", title)
        return await event_reads.get_event(conn, str(number))


async def events(database):
    """The active events as sets of the titles of their stories."""
    async with database.connection() as conn:
        rows = await conn.fetch(
            "SELECT array_agg(canonical_title) AS titles FROM stories JOIN events ON event_id = coverage_id"
            " WHERE stories.status = 'active' AND events.status = 'active' GROUP BY event_id"
        )
    return {frozenset(row["titles"]) for row in rows}


async def star(database, *titles):
    """Somebody who starred the events of these stories."""
    async with database.transaction() as conn:
        user_id = await users.add(conn, name=f"reader of {len(titles)}", role="reader", password_hash="-")
        for title in titles:
            number = await conn.fetchval("SELECT coverage_id FROM stories WHERE canonical_title = $1", title)
            await read_state.mark(conn, user_id, [number], is_read=None, is_starred=True)
    return user_id


async def starred(database, user_id):
    async with database.connection() as conn:
        rows = await conn.fetch("SELECT title FROM marked_events WHERE user_id = $1 AND is_starred", user_id)
    return {row["title"] for row in rows}


def apart(*titles):
    return {frozenset({title}) for title in titles}


async def test_a_story_moves_to_another_event_at_once_and_no_run_brings_it_back(database):
    await three_stories(database, [STORM, RAIL])
    await decide(
        database, review.move, [await story_id(database, RAIL)], str((await event_of(database, VOTE)).event_id)
    )
    assert await events(database) == {frozenset({STORM}), frozenset({RAIL, VOTE})}
    await run_all(database)
    assert await events(database) == {frozenset({STORM}), frozenset({RAIL, VOTE})}


async def test_the_id_of_a_story_leads_to_the_event_that_it_was_moved_to(database):
    await three_stories(database)
    async with database.connection() as conn:
        rail = str(await conn.fetchval("SELECT story_uuid FROM stories WHERE canonical_title = $1", RAIL))
    await group_into_events(database, [STORM, RAIL])
    await decide(database, review.move, [rail], str((await event_of(database, VOTE)).event_id))
    async with database.connection() as conn:
        assert (await event_reads.get_event(conn, rail)).event_id == (await event_of(database, VOTE)).event_id


async def test_an_undone_move_puts_the_story_back_into_the_event_it_left(database):
    await three_stories(database, [STORM, RAIL])
    before = (await event_of(database, STORM)).event_uuid
    target = (await event_of(database, VOTE)).event_uuid
    (decision,) = await decide(database, review.move, [await story_id(database, RAIL)], str(target))
    undone = await decide(database, review.undo, decision.decision_id, by="Ada")
    assert (await event_of(database, RAIL)).event_uuid == before
    assert await events(database) == {frozenset({STORM, RAIL}), frozenset({VOTE})}
    assert undone.undone_by == "Ada"


async def test_a_story_that_gets_an_event_of_its_own_stays_alone_until_that_is_undone(database):
    await three_stories(database, [STORM, RAIL, VOTE])
    whole = (await event_of(database, STORM)).event_uuid
    (decision,) = await decide(database, review.move, [await story_id(database, VOTE)], None)
    await run_all(database)
    assert frozenset({VOTE}) in await events(database)
    await decide(database, review.undo, decision.decision_id)
    assert (await event_of(database, VOTE)).event_uuid == whole


async def test_several_stories_move_together(database):
    await three_stories(database, [STORM, RAIL, VOTE])
    names = [await story_id(database, title) for title in (RAIL, VOTE)]
    await decide(database, review.move, names, None)
    assert await events(database) == {frozenset({STORM}), frozenset({RAIL, VOTE})}
    await run_all(database)
    assert await events(database) == {frozenset({STORM}), frozenset({RAIL, VOTE})}


async def test_an_event_that_a_move_empties_leads_to_the_other_and_comes_back_when_it_is_undone(database):
    await three_stories(database)
    emptied, target = await event_of(database, RAIL), await event_of(database, VOTE)
    reader = await star(database, RAIL)
    (decision,) = await decide(database, review.move, [await story_id(database, RAIL)], str(target.event_uuid))
    async with database.connection() as conn:
        resolved = await event_reads.get_event(conn, str(emptied.event_uuid))
    assert resolved.event_uuid == target.event_uuid
    assert len(await starred(database, reader)) == 1
    await decide(database, review.undo, decision.decision_id)
    assert (await event_of(database, RAIL)).event_uuid == emptied.event_uuid
    assert await starred(database, reader) == {RAIL}
    assert await events(database) == apart(STORM, RAIL, VOTE)


async def test_two_starred_events_that_become_one_are_starred_and_both_again_when_that_is_undone(database):
    await three_stories(database)
    reader = await star(database, STORM, RAIL)
    names = [await story_id(database, title) for title in (STORM, RAIL)]
    decision = await decide(database, review.merge, *names)
    assert len(await starred(database, reader)) == 1
    await decide(database, review.undo, decision.decision_id)
    await run_all(database)
    assert await starred(database, reader) == {STORM, RAIL}


async def test_a_document_split_off_an_event_of_one_story_opens_another_and_the_star_stays(database):
    copies = [an_item(n, source=f"copy{n}", canonical_url="https://one.example/", title=STORM) for n in (1, 2)]
    await told(database, copies)
    reader = await star(database, STORM)
    before = (await event_of(database, STORM)).event_uuid
    async with database.connection() as conn:
        documents = [row["document_id"] for row in await conn.fetch("SELECT document_id FROM documents")]
    (decision,) = await decide(database, review.split_each, documents)
    assert len(await starred(database, reader)) == 1
    async with database.connection() as conn:
        assert await conn.fetchval("SELECT count(*) FROM events WHERE status = 'active'") == 2
    await decide(database, review.undo, decision.decision_id)
    await run_all(database)
    async with database.connection() as conn:
        assert (await event_reads.get_event(conn, str(before))).item_count == 2


async def test_a_chosen_lead_stays_until_the_rule_chooses_again(database):
    await three_stories(database, [STORM, RAIL])
    by_rule = (await event_of(database, STORM)).title
    (other,) = {STORM, RAIL} - {by_rule}
    await decide(database, review.choose_lead, await story_id(database, other), by="Ada")
    await run_all(database)
    event = await event_of(database, STORM)
    assert event.title == other
    await decide(database, review.release_lead, str(event.event_id))
    async with database.connection() as conn:
        assert await conn.fetchval("SELECT chosen_lead_id FROM events WHERE event_id = $1", event.event_id) is None


async def test_an_undone_lead_gives_way_to_the_choice_before_it(database):
    await three_stories(database, [STORM, RAIL, VOTE])
    await decide(database, review.choose_lead, await story_id(database, VOTE))
    later = await decide(database, review.choose_lead, await story_id(database, RAIL))
    await decide(database, review.undo, later.decision_id)
    assert (await event_of(database, STORM)).title == VOTE


async def test_a_lead_that_leaves_its_event_leads_no_longer(database):
    await three_stories(database, [STORM, RAIL])
    await decide(database, review.choose_lead, await story_id(database, RAIL))
    await decide(database, review.move, [await story_id(database, RAIL)], None)
    assert (await event_of(database, STORM)).title == STORM
    assert (await event_of(database, RAIL)).title == RAIL


async def test_a_suppressed_event_is_hidden_with_its_lead_and_its_id_still_resolves(database):
    await three_stories(database, [STORM, RAIL])
    await decide(database, review.choose_lead, await story_id(database, RAIL))
    event = await event_of(database, STORM)
    decision = await decide(database, review.suppress, str(event.event_uuid), note="an advert", by="Ada")
    assert await events(database) == apart(VOTE)
    hidden = await event_of(database, STORM)
    assert (hidden.event_uuid, hidden.status, hidden.title) == (event.event_uuid, "suppressed", RAIL)
    await decide(database, review.undo, decision.decision_id)
    shown = await event_of(database, STORM)
    assert (shown.status, shown.title) == ("active", RAIL)


async def test_a_suppressed_event_is_shown_again(database):
    await three_stories(database)
    event = await event_of(database, STORM)
    decision = await decide(database, review.suppress, str(event.event_uuid))
    await decide(database, review.show_again, str(event.event_uuid), by="Ada")
    async with database.connection() as conn:
        assert (await review.by_id(conn, decision.decision_id)).undone_by == "Ada"
    assert await events(database) == apart(STORM, RAIL, VOTE)


async def test_what_cannot_be_decided_about_an_event_says_why(database):
    await three_stories(database, [STORM, RAIL])
    storm, rail, vote = [await story_id(database, title) for title in (STORM, RAIL, VOTE)]
    here, there = str((await event_of(database, STORM)).event_id), str((await event_of(database, VOTE)).event_id)
    for names, event, reason in [
        ([storm], here, "is in event"),
        ([storm, rail], None, "has no other stories"),
        ([storm, vote], here, "are in two events"),
    ]:
        with pytest.raises(UsageError, match=reason):
            await decide(database, review.move, names, event)
    await decide(database, review.move, [rail], there)
    with pytest.raises(UsageError, match="decision 1 keeps it apart"):
        await decide(database, review.move, [rail], here)
    with pytest.raises(UsageError, match="nobody chose"):
        await decide(database, review.release_lead, here)
    await decide(database, review.suppress, there)
    with pytest.raises(UsageError, match="suppressed already"):
        await decide(database, review.suppress, there)
    with pytest.raises(UsageError, match="show it again first"):
        await decide(database, review.move, [storm], there)
