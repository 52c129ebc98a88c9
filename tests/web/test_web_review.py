"""The review: two articles side by side, what people say of them, and how that is taken back."""

import pytest

from builders import FIRE, FIRE_AGAIN, run_all, told
from scoop.actions import pair_answers
from scoop.actions.review import Answered
from scoop.core.calibration import Accuracy
from scoop.store import review
from scoop.web.review import precision
from web.visitor import NOW, a_report, visiting
from writing import a_desk

HOSTILE = "<script>alert(1)</script> & “quotes” \u202e"


def a_fire(number=1, **changes):
    return a_report(number, **{"hours_ago": 9, **FIRE} | changes)


def the_same_fire(number=2, **changes):
    other = {"source": "post", "canonical_url": f"https://post.example/{number}", **FIRE_AGAIN}
    return a_report(number, **other | changes)


async def fire_twice(database, **changes):
    """Two stories that may be one."""
    await told(database, [a_fire(**changes), the_same_fire(**changes)])


def hidden(page):
    """The fields of the form that answers."""
    fields = [each for each in page.attributes("input") if each.get("type") == "hidden"]
    return {each["name"]: each["value"] for each in fields if each["name"] in {"one", "other", "collection", "skip"}}


async def answer(visitor, action, **changes):
    page = (await visitor.get("/review")).page
    return await visitor.post(f"/review/{action}", hidden(page) | changes)


async def decisions(database):
    async with database.connection() as conn:
        return await review.list_decisions(conn, collection=None, limit=10)


async def test_a_pair_is_shown_side_by_side_with_what_differs_marked(database):
    await told(
        database,
        [
            a_fire(body_text=f"{FIRE['body_text']} On 12 May, 41 people of Haarlem were brought to safety."),
            the_same_fire(body_text=f"{FIRE_AGAIN['body_text']} On 13 May, 38 people were brought to safety."),
        ],
    )
    async with visiting(database, role="editor") as visitor:
        answered = await visitor.get("/review")
    page = answered.page
    assert "1 pair waits" in page.text
    assert FIRE["title"] in page.text
    assert FIRE_AGAIN["title"] in page.text
    for kind, written in (
        ("number", "41"),
        ("number", "38"),
        ("date", "12 May"),
        ("date", "13 May"),
        ("name", "Haarlem"),
    ):
        assert f'<mark class="only-{kind}">{written}</mark>' in answered.text
    assert '<mark class="only-name">Ostburg</mark>' not in answered.text
    assert "Only in one of the two: a number , a name , a date" in page.text
    assert {each["aria-label"] for each in page.attributes("meter")} >= {"meaning", "names", "numbers"}
    assert "4 h apart" in page.text
    assert "shows how often Scoop is right" in page.text


async def test_merging_makes_them_one_and_shows_the_next_pair(database):
    await fire_twice(database)
    async with visiting(database, role="editor") as visitor:
        done = await answer(visitor, "merge", note="  one\nfire ")
        after = (await visitor.get("/review")).page
    assert (done.status, done.headers["Location"]) == (303, "/review")
    assert "Merged: “Night fire destroys ninety thousand books in Ostburg” is part of" in after.text
    assert "No pair awaits a decision" in after.text
    assert "are one story" in after.text
    (decision,) = await decisions(database)
    assert (decision.action, decision.note, decision.undone_at) == ("merge", "one fire", None)


async def test_keeping_apart_is_counted_in_what_is_known_of_precision(database):
    await fire_twice(database)
    async with visiting(database, role="editor") as visitor:
        await answer(visitor, "apart")
        page = (await visitor.get("/review")).page
    assert "Kept apart:" in page.text
    assert (
        "By your answers 0 of 1 pair of documents are one story; Scoop is right in 0% of what it shows together."
        in page.text
    )


@pytest.mark.parametrize("action", ["merge", "together", "apart"])
async def test_the_last_answer_is_undone_and_the_pair_is_back(database, action):
    await fire_twice(database)
    async with visiting(database, role="editor") as visitor:
        await answer(visitor, action)
        (decision,) = await decisions(database)
        done = await visitor.post("/review/undo", {"decision": decision.decision_id})
        page = (await visitor.get("/review")).page
    assert done.status == 303
    assert "1 pair waits" in page.text
    assert "Undone:" in page.text
    assert (await decisions(database))[0].undone_at is not None


async def test_skipping_changes_nothing_and_comes_to_an_end(database):
    await fire_twice(database)
    async with visiting(database, role="editor") as visitor:
        (skip,) = (await visitor.get("/review")).page.links("/review?skip=")
        end = (await visitor.get(skip)).page
    assert "All pairs skipped" in end.text
    assert "1 pair still waits" in end.text
    assert "/review" in end.links("/review")
    assert await decisions(database) == []


async def test_documents_are_split_off_a_story_that_has_several(database):
    await told(database, [a_fire(), a_fire(3, source="copy", canonical_url="https://copy.example/3"), the_same_fire()])
    async with visiting(database, role="editor") as visitor:
        page = (await visitor.get("/review")).page
        offered = [each["value"] for each in page.attributes("input") if each.get("name") == "documents"]
        none_chosen = await visitor.post("/review/split", {"collection": ""})
        all_chosen = await visitor.post("/review/split", [("documents", each) for each in offered])
        done = await visitor.post("/review/split", {"documents": offered[-1]})
    assert len(offered) == 2
    assert (none_chosen.status, "Select the documents" in none_chosen.page.text) == (400, True)
    assert (all_chosen.status, "has no other documents" in all_chosen.page.text) == (400, True)
    assert done.status == 303
    (decision,) = await decisions(database)
    assert (decision.action, decision.document_ids) == ("split", [int(offered[-1])])


async def test_documents_are_split_off_into_a_story_each(database):
    copies = [
        a_fire(number, source=f"copy{number}", canonical_url=f"https://copy{number}.example/") for number in (3, 4)
    ]
    await told(database, [a_fire(), *copies, the_same_fire()])
    async with visiting(database, role="editor") as visitor:
        page = (await visitor.get("/review")).page
        offered = [each["value"] for each in page.attributes("input") if each.get("name") == "documents"]
        none_chosen = await visitor.post("/review/split-each", {"collection": ""})
        done = await visitor.post("/review/split-each", [("documents", each) for each in offered])
    assert (none_chosen.status, done.status) == (400, 303)
    assert len(await decisions(database)) == len(offered) - 1 == 2


async def test_a_collection_is_chosen_in_the_address_and_kept_while_answering(database):
    await fire_twice(database)
    async with visiting(database, role="editor") as visitor:
        other = (await visitor.get("/review?collection=ai_news")).page
        page = (await visitor.get("/review?collection=world_news")).page
        done = await visitor.post("/review/apart", hidden(page))
        unreadable = await visitor.get("/review?collection=a%00b")
    assert "No pair awaits a decision" in other.text
    assert hidden(page)["collection"] == "world_news"
    assert done.headers["Location"] == "/review?collection=world_news"
    assert unreadable.status == 404


async def test_the_log_lists_what_was_decided_and_takes_it_back(database):
    await fire_twice(database)
    async with visiting(database, role="editor") as visitor:
        empty = (await visitor.get("/review/log")).page
        await answer(visitor, "merge", note=HOSTILE)
        listed = await visitor.get("/review/log")
        (decision,) = await decisions(database)
        done = await visitor.post("/review/undo", {"decision": decision.decision_id, "back": "log"})
        undone = (await visitor.get("/review/log")).page
        again = await visitor.post("/review/undo", {"decision": decision.decision_id, "back": "log"})
        elsewhere = (await visitor.get("/review/log?collection=ai_news")).page
    assert "No decisions yet" in empty.text
    assert "merged" in listed.page.text
    assert f"by {decision.decided_by}" in listed.page.text
    assert decision.decided_by.startswith("editor ")
    assert "<script>alert" not in listed.text
    assert len(listed.page.links("/stories/")) == 2
    assert (done.status, done.headers["Location"]) == (303, "/review/log")
    assert "merged, undone" in undone.text
    assert undone.text.count(f"by {decision.decided_by}") == 2
    assert (again.status, "was undone before" in again.page.text) == (400, True)
    assert "No decisions yet" in elsewhere.text


async def test_the_log_goes_on_after_a_page(database, monkeypatch):
    monkeypatch.setattr("scoop.web.review.LOG_PAGE", 1)
    await fire_twice(database)
    async with visiting(database, role="editor") as visitor:
        for _ in range(2):
            await answer(visitor, "apart")
            latest = (await decisions(database))[0]
            await visitor.post("/review/undo", {"decision": latest.decision_id})
        (more,) = (await visitor.get("/review/log")).page.links("/review/log?before=")
        rest = (await visitor.get(more)).page
    assert rest.text.count("kept apart, undone") == 1
    assert rest.links("/review/log?before=") == []


async def test_what_cannot_be_done_is_said_beside_the_pair(database):
    await fire_twice(database)
    async with visiting(database, role="editor") as visitor:
        page = (await visitor.get("/review")).page
        fields = hidden(page)
        same = await visitor.post("/review/merge", fields | {"other": fields["one"]})
        unknown = await visitor.post("/review/merge", fields | {"other": "4711"})
        no_document = await visitor.post("/review/split", {"documents": "4711"})
        no_decision = await visitor.post("/review/undo", {"decision": "4711"})
        wrong = [
            await visitor.post("/review/merge", fields | changes)
            for changes in ({"one": "x"}, {"one": "0"}, {"one": str(2**63)}, {"skip": "-1"}, {"collection": "a\x00b"})
        ]
    assert (same.status, "are the same story" in same.page.text, FIRE["title"] in same.page.text) == (400, True, True)
    assert [each.status for each in (unknown, no_document, no_decision)] == [404, 404, 404]
    assert "There is no document 4711" in no_document.page.text
    assert [each.status for each in wrong] == [400, 400, 400, 400, 404]
    assert await decisions(database) == []


async def test_hostile_words_stay_words(database):
    await fire_twice(database, source=HOSTILE)
    await told(database, [a_fire(7, title=f"{FIRE['title']} {HOSTILE}", body_text=f"{HOSTILE} {FIRE['body_text']}")])
    await run_all(database)
    async with visiting(database, role="editor") as visitor:
        answered = await visitor.get("/review")
    assert "<script>alert" not in answered.text
    assert "<script>alert(1)</script> & “quotes”" in answered.page.text
    assert {script["src"].partition("?")[0] for script in answered.page.attributes("script")} >= {"/static/keys.js"}


async def test_only_those_who_may_edit_review(database):
    async with visiting(database, role="reader") as reader:
        refused = [
            await reader.get("/review"),
            await reader.get("/review/log"),
            *[await reader.post(f"/review/{each}") for each in ("merge", "together", "apart", "split", "undo")],
        ]
    async with visiting(database, role=None) as nobody:
        led_to_the_door = await nobody.get("/review")
        stranger = await nobody.post("/review/merge", {"one": "1", "other": "2"})
    assert {each.status for each in refused} == {403}
    assert led_to_the_door.headers["Location"].startswith("/sign-in")
    assert stranger.status == 401


@pytest.mark.parametrize(
    ("merge", "merge_before", "coverage", "sentence"),
    [
        (
            1.0,
            1.0,
            0.5,
            "; Scoop is right in 100% of what it would merge by itself and in 50% of what it shows together.",
        ),
        (1.0, 0.8, None, "; Scoop is right in 100% of what it would merge by itself (80% by its first thresholds)."),
        (None, None, None, "; Scoop would have joined none of them."),
    ],
)
def test_what_the_answers_did_to_precision_is_one_sentence(merge, merge_before, coverage, sentence):
    def accuracy(precision):
        return Accuracy(precision=precision, recall=None)

    answered = Answered(
        labels=4,
        same=3,
        merge=accuracy(merge),
        merge_before=accuracy(merge_before),
        coverage=accuracy(coverage),
        coverage_before=accuracy(coverage),
    )
    assert precision(answered) == f"By your answers 3 of 4 pairs of documents are one story{sentence}"


async def test_an_empty_review_says_what_would_be_here(database):
    async with visiting(database, role="editor") as visitor:
        page = (await visitor.get("/review")).page
    assert "Nothing waits" in page.text
    assert "the rules are not sure" in page.text
    assert "Add more sources" in page.text


async def test_the_answer_of_a_model_is_shown_with_the_pair_as_text(database, tmp_path):
    await fire_twice(database)
    async with a_desk(database, tmp_path) as desk:
        desk.script.append("different")
        async with database.connection() as conn:
            await pair_answers.ask_ahead(conn, now=NOW)
        await desk.write()
        await desk.rows("UPDATE pair_answers SET reason = $1", HOSTILE)
    async with visiting(database, role="editor") as visitor:
        answer = await visitor.get("/review")
        listed = (await visitor.get("/api/v1/review")).json
    assert "Two events." in answer.page.text
    assert "newsstand-1-2026-01-01, prompt v1" in answer.page.text
    assert "<script>alert" not in answer.text
    assert listed["items"][0]["answer"]["verdict"] == "different"
