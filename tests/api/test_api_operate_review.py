"""The review over the API: what waits, what people say, and how it is taken back."""

import pytest

from builders import FIRE, FIRE_AGAIN, partition, run_all, told
from web.visitor import a_report, visiting

TWO = [
    a_report(1, source="tribune", **FIRE, canonical_url="https://tribune.example/1", hours_ago=6),
    a_report(2, source="post", **FIRE_AGAIN, canonical_url="https://post.example/2", hours_ago=5),
]


async def stories(database):
    async with database.connection() as conn:
        rows = await conn.fetch("SELECT story_id, story_uuid::text FROM stories ORDER BY story_id")
    return [(str(row["story_id"]), row["story_uuid"]) for row in rows]


async def documents(database):
    async with database.connection() as conn:
        return [row["document_id"] for row in await conn.fetch("SELECT document_id FROM documents ORDER BY 1")]


async def test_pairs_wait_until_somebody_decides(database):
    await told(database, TWO)
    async with visiting(database, role="editor") as visitor:
        waits = await visitor.get("/api/v1/review")
        elsewhere = await visitor.get("/api/v1/review?collection=ai_news")
        pair = waits.json["items"][0]
        named = {"stories": [str(pair["one"]["story_id"]), str(pair["other"]["story_id"])], "note": "two fires"}
        apart = await visitor.ask("POST", "/api/v1/review/apart", named)
        again = await visitor.ask("POST", "/api/v1/review/apart", named)
        decided = await visitor.get("/api/v1/review")
    assert (waits.json["waiting"], waits.json["next_cursor"]) == (1, None)
    assert {pair["one"]["source"], pair["other"]["source"]} == {"tribune", "post"}
    assert 0 < pair["probability"] < 1
    assert elsewhere.json["items"] == []
    assert (apart.status, apart.json["action"], apart.json["note"]) == (201, "apart", "two fires")
    assert (again.status, "keeps them apart already" in again.json["error"]["message"]) == (409, True)
    assert (decided.json["items"], decided.json["waiting"]) == ([], 0)


async def test_a_merge_is_made_listed_and_undone(database):
    await told(database, TWO)
    async with visiting(database, role="editor") as visitor:
        (first, _), (_, second) = await stories(database)  # one by its number, one by its public id
        merged = await visitor.ask("POST", "/api/v1/review/merge", {"stories": [first, second]})
        as_one = await partition(database)
        log = await visitor.get("/api/v1/review/decisions")
        undo = f"/api/v1/review/decisions/{merged.json['decision_id']}/undo"
        undone, twice = await visitor.ask("POST", undo), await visitor.ask("POST", undo)
    await run_all(database)
    assert (merged.status, as_one) == (201, {frozenset({"item-1", "item-2"})})
    assert [decision["decision_id"] for decision in log.json["items"]] == [merged.json["decision_id"]]
    assert log.json["items"][0]["decided_by"].startswith("editor ")
    assert undone.json["undone_at"] is not None
    assert undone.json["undone_by"] == log.json["items"][0]["decided_by"]
    assert (undone.status, twice.status) == (200, 409)
    assert await partition(database) == {frozenset({"item-1"}), frozenset({"item-2"})}


async def test_documents_are_split_off(database):
    await told(database, [a_report(1), a_report(2, source="post", canonical_url="https://tribune.example/1")])
    assert len(await partition(database)) == 1
    async with visiting(database, role="editor") as visitor:
        one, other = await documents(database)
        whole = await visitor.ask("POST", "/api/v1/review/split", {"documents": [one, other]})
        missing = await visitor.ask("POST", "/api/v1/review/split", {"documents": [other, 4711]})
        split = await visitor.ask("POST", "/api/v1/review/split", {"documents": [other, other], "note": "another one"})
    assert (whole.status, missing.status, split.status) == (409, 404, 201)
    assert split.json["document_ids"] == [other]
    assert len(await partition(database)) == 2


async def test_documents_are_split_off_into_a_story_each(database):
    copies = [a_report(number, source=f"post{number}", canonical_url="https://tribune.example/1") for number in (2, 3)]
    await told(database, [a_report(1), *copies])
    async with visiting(database, role="editor") as visitor:
        split = await visitor.ask("POST", "/api/v1/review/split-each", {"documents": await documents(database)})
    assert (split.status, len(split.json["items"])) == (201, 2)
    assert len(await partition(database)) == 3


@pytest.mark.parametrize(
    ("path", "given", "status"),
    [
        ("split-each", {"documents": []}, 400),
        ("split-each", {"documents": [4711]}, 404),
        ("merge", {"stories": ["1"]}, 400),
        ("merge", {"stories": ["1", "2", "3"]}, 400),
        ("merge", {"stories": ["1", "\0"]}, 400),
        ("merge", {"stories": ["4711", "4712"]}, 404),
        ("apart", {"stories": ["<script>", "' OR 1=1"]}, 404),
        ("apart", {"stories": ["1", "1"], "note": "x" * 20_000}, 400),
        ("split", {"documents": []}, 400),
        ("split", {"documents": [10**30]}, 400),
        ("split", {"documents": [4711]}, 404),
        ("decisions/4711/undo", None, 404),
        ("decisions/0/undo", None, 400),
    ],
)
async def test_what_cannot_be_decided_is_refused(database, path, given, status):
    async with visiting(database, role="editor") as visitor:
        answer = await visitor.ask("POST", f"/api/v1/review/{path}", given)
    assert (answer.status, bool(answer.json["error"]["message"])) == (status, True)


async def test_one_story_cannot_be_merged_with_itself(database):
    await told(database, [a_report(1)])
    async with visiting(database, role="editor") as visitor:
        ((number, public_id),) = await stories(database)
        answer = await visitor.ask("POST", "/api/v1/review/merge", {"stories": [number, public_id]})
    assert answer.status == 409


async def test_a_story_is_moved_the_lead_chosen_and_an_event_suppressed_until_each_is_undone(database):
    await told(database, TWO)
    await told(database, [a_report(3, title="Harbour fees rise", body_text="Ships pay more from May on.")])
    async with visiting(database, role="editor") as visitor:
        moved = await visitor.ask("POST", "/api/v1/review/move", {"stories": ["2"], "event": "3", "note": "no fire"})
        again = await visitor.ask("POST", "/api/v1/review/move", {"stories": ["2"], "event": "3"})
        led = await visitor.ask("POST", "/api/v1/review/lead", {"story": "2"})
        hidden = await visitor.ask("POST", "/api/v1/review/suppress", {"event": "3"})
        unknown = await visitor.ask("POST", "/api/v1/review/suppress", {"event": "99"})
        undone = [
            await visitor.ask("POST", f"/api/v1/review/decisions/{decision['decision_id']}/undo")
            for decision in (hidden.json, led.json, moved.json[0])
        ]
    assert [answer.status for answer in (moved, again, led, hidden, unknown)] == [201, 409, 201, 201, 404]
    assert (moved.json[0]["action"], moved.json[0]["story_id"], moved.json[0]["other_story_id"]) == ("move", 2, 3)
    assert (hidden.json["action"], hidden.json["event_id"], hidden.json["other_story_id"]) == ("suppress", 3, None)
    assert [(answer.status, answer.json["undone_at"] is not None) for answer in undone] == [(200, True)] * 3


@pytest.mark.parametrize(
    ("action", "body"),
    [("move", {"stories": ["1"], "event": "2"}), ("lead", {"story": "1"}), ("suppress", {"event": "1"})],
)
async def test_a_reader_decides_nothing_about_events(database, action, body):
    async with visiting(database, role="reader") as visitor:
        assert (await visitor.ask("POST", f"/api/v1/review/{action}", body)).status == 403
