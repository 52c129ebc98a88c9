"""Pairs of the review queue by the stage `write`: answers, and decisions where models may decide."""

import pytest

from builders import FIRE, FIRE_AGAIN, group_into_events, run_all, told
from scoop.actions import pair_answers, review
from scoop.store import review as decisions
from scoop.store.review import undo
from web.visitor import NOW, a_report
from writing import a_desk


async def two_fires(database):
    await told(
        database,
        [
            a_report(1, hours_ago=9, **FIRE),
            a_report(2, source="post", canonical_url="https://post.example/2", **FIRE_AGAIN),
        ],
    )


async def queue(desk):
    async with desk.database.connection() as conn:
        return await review.gray_pairs(conn, now=NOW)


async def judge(desk, *, times=1):
    for _ in range(times):
        async with desk.database.connection() as conn:
            await pair_answers.ask_ahead(conn, now=NOW)
        await desk.write()


async def made_decisions(desk):
    async with desk.database.connection() as conn:
        return await decisions.list_decisions(conn, collection=None, limit=9)


async def test_an_answer_is_shown_in_the_queue_and_decides_nothing(database, tmp_path):
    await two_fires(database)
    async with a_desk(database, tmp_path) as desk:
        await judge(desk, times=3)
        [pair] = await queue(desk)
        assert pair.answer.verdict in {"same", "different"}
        assert (pair.answer.prompt_id, pair.answer.prompt_version) == ("same_event", "v1")
        assert pair.answer.differences[0].one == FIRE["title"]
        assert len(desk.calls) == 1
        assert await made_decisions(desk) == []


@pytest.mark.parametrize(("answer", "action"), [("different", "apart"), ("same", "together")])
async def test_an_answer_that_may_decide_is_a_marked_decision(database, tmp_path, answer, action):
    await two_fires(database)
    async with a_desk(database, tmp_path, decides=True) as desk:
        desk.script.append(answer)
        await judge(desk)
        [decision] = await made_decisions(desk)
        assert decision.action == action
        assert decision.decided_by == "newsstand-1-2026-01-01 (same_event v1)"
        assert await queue(desk) == []
        [row] = await desk.rows("SELECT decision_id FROM pair_answers")
        assert row["decision_id"] == decision.decision_id


async def test_stories_of_which_a_model_says_same_event_are_one_event_and_stay_two_stories(database, tmp_path):
    await two_fires(database)
    await group_into_events(database)
    async with a_desk(database, tmp_path, decides=True) as desk:
        desk.script.append("same")
        await judge(desk)
        await run_all(database)
        [event] = await desk.rows("SELECT story_count, item_count FROM events WHERE status = 'active'")
    assert (event["story_count"], event["item_count"]) == (2, 2)


async def test_a_decision_of_a_model_is_undone_like_any_other_and_not_made_again(database, tmp_path):
    await two_fires(database)
    async with a_desk(database, tmp_path, decides=True) as desk:
        desk.script.append("different")
        await judge(desk)
        [decision] = await made_decisions(desk)
        async with database.transaction() as conn:
            await undo(conn, decision.decision_id, by="ada")
        await run_all(database)
        await desk.rows("DELETE FROM pair_answers RETURNING 1")
        await desk.rows("UPDATE briefs SET written_at = NULL RETURNING 1")
        [brief] = await desk.rows("SELECT subject_id FROM briefs")
        desk.script.append("different")
        await desk.ask({brief["subject_id"]: ""}, kind="same_event", subject_kind="pair")
        await desk.write()
        assert len(await desk.rows("SELECT answer_id FROM pair_answers")) == 1
        assert [each.undone_at is not None for each in await made_decisions(desk)] == [True]


async def test_a_model_that_is_unsure_decides_nothing(database, tmp_path):
    await two_fires(database)
    async with a_desk(database, tmp_path, decides=True) as desk:
        desk.script.append("unsure")
        await judge(desk)
        assert await made_decisions(desk) == []
        [pair] = await queue(desk)
        assert pair.answer.verdict == "unsure"


@pytest.mark.parametrize("fault", ["other-story", "obedient", "bad-json"])
async def test_an_answer_without_support_is_not_stored(database, tmp_path, fault):
    await two_fires(database)
    async with a_desk(database, tmp_path, decides=True) as desk:
        desk.script.extend([fault, fault])
        await judge(desk)
        assert await desk.rows("SELECT 1 FROM pair_answers") == []
        assert await made_decisions(desk) == []


async def test_decisions_of_models_are_not_labels(database, tmp_path):
    await two_fires(database)
    async with a_desk(database, tmp_path, decides=True) as desk:
        desk.script.append("different")
        await judge(desk)
        assert len(await made_decisions(desk)) == 1
        async with database.connection() as conn:
            answered = await review.answered(conn)
        assert answered.labels == 0
