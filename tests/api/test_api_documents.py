from uuid import uuid4

import pytest

from builders import BODY, FIRE, FIRE_AGAIN, an_item, told
from web.visitor import a_report, visiting

DOCUMENTS = "/api/v1/documents"
FLOOD = "https://tribune.example/flood"


async def titles(visitor, query=""):
    answer = await visitor.get(f"{DOCUMENTS}{query}")
    assert answer.status == 200, answer.text
    return [document["title"] for document in answer.json["items"]]


async def first(visitor):
    return (await visitor.get(DOCUMENTS)).json["items"][0]


async def test_documents_are_listed_the_latest_first_without_their_texts(database):
    await told(database, [a_report(number, title=f"Report {number}", hours_ago=number) for number in range(1, 4)])
    async with visiting(database, role="reader") as visitor:
        assert await titles(visitor) == ["Report 1", "Report 2", "Report 3"]
        assert "body_text" not in await first(visitor)


async def test_documents_go_on_after_a_cursor(database):
    await told(database, [a_report(number, title=f"Report {number}", hours_ago=5) for number in range(5)])
    async with visiting(database) as visitor:
        found, cursor = [], None
        for _ in range(3):
            part = (await visitor.get(f"{DOCUMENTS}?limit=2{f'&cursor={cursor}' if cursor else ''}")).json
            found, cursor = [*found, *part["items"]], part["next_cursor"]
    assert cursor is None
    assert sorted(document["title"] for document in found) == [f"Report {number}" for number in range(5)]


async def test_documents_of_a_source_a_collection_a_story_and_a_time(database):
    await told(
        database,
        [
            a_report(1, title="River rises", source="harbour_post", canonical_url=FLOOD, hours_ago=30),
            a_report(2, title="The same", source="tribune", canonical_url=FLOOD, hours_ago=3),
            a_report(3, title="Chips", source="tribune", metadata={"collection": "ai_news"}, hours_ago=1),
        ],
    )
    async with visiting(database) as visitor:
        stories = (await visitor.get("/api/v1/stories")).json["items"]
        flood = next(story["story_uuid"] for story in stories if story["item_count"] == 2)
        assert await titles(visitor, "?source=tribune") == ["Chips", "The same"]
        assert await titles(visitor, "?collection=world_news") == ["The same", "River rises"]
        assert await titles(visitor, f"?story={flood}") == ["The same", "River rises"]
        assert await titles(visitor, f"?story={flood}&source=tribune") == ["The same"]
        assert await titles(visitor, "?since=2024-05-16") == ["Chips", "The same"]
        assert await titles(visitor, "?until=2024-05-15") == ["River rises"]
        assert await titles(visitor, "?source=harbour_post&since=2024-05-16") == []


async def test_a_document_is_read_whole_with_its_story(database):
    await told(
        database, [a_report(7, authors=["Ada Berg"], tags=["bridges"], image_url="https://tribune.example/7.png")]
    )
    async with visiting(database) as visitor:
        listed = await first(visitor)
        document = (await visitor.get(f"{DOCUMENTS}/{listed['document_id']}")).json
    assert document["body_text"] == f"{BODY} It is number 7."
    assert (document["authors"], document["tags"]) == (["Ada Berg"], ["bridges"])
    assert document["article_id"].startswith("art_")
    assert document["story_title"] == document["title"] == "Bridge number 7 stays closed"
    assert document["match_type"] == "seed"
    assert listed.items() <= document.items()


async def test_every_decision_about_a_document_is_told(database):
    await told(database, [a_report(1, source="first", canonical_url=FLOOD)])
    await told(database, [a_report(2, source="second", canonical_url=FLOOD, title="The same")])
    async with visiting(database) as visitor:
        document_id = (await visitor.get(f"{DOCUMENTS}?source=second")).json["items"][0]["document_id"]
        events = (await visitor.get(f"{DOCUMENTS}/{document_id}/events")).json["items"]
    assert [(event["decision"], event["exact_signal"]) for event in events] == [("auto_merge", "exact_url")]


async def test_a_document_says_why_it_is_where_it_is_and_who_else_may_tell_of_the_same(database):
    await told(
        database,
        [
            a_report(1, source="harbour_post", canonical_url="https://harbour.example/1", **FIRE),
            a_report(2, source="akari", canonical_url="https://akari.example/2", hours_ago=1, **FIRE_AGAIN),
        ],
    )
    async with visiting(database) as visitor:
        document_id = (await visitor.get(f"{DOCUMENTS}?source=akari")).json["items"][0]["document_id"]
        why = (await visitor.get(f"{DOCUMENTS}/{document_id}/why")).json
    assert why["document"]["document_id"] == document_id
    assert [event["decision"] for event in why["events"]] == ["new_story", "gray_zone"]
    assert [candidate["source"] for candidate in why["candidates"]] == ["harbour_post"]
    assert 0 < why["candidates"][0]["probability"] <= 1


@pytest.mark.parametrize("part", ["", "/events", "/why"])
async def test_a_document_that_nobody_knows(database, part):
    async with visiting(database) as visitor:
        unknown = await visitor.get(f"{DOCUMENTS}/4711{part}")
        answers = [await visitor.get(f"{DOCUMENTS}/{name}{part}") for name in ("0", "-1", "x", "9" * 30, "1.5", "%00")]
    assert (unknown.status, unknown.json["error"]["code"]) == (404, "NOT_FOUND")
    assert {(answer.status, answer.json["error"]["code"]) for answer in answers} == {(400, "INVALID_ARGUMENT")}
    assert {answer.json["error"]["details"][0]["field"] for answer in answers} == {"path.document_id"}


async def test_documents_of_a_story_that_nobody_knows(database):
    async with visiting(database) as visitor:
        answer = await visitor.get(f"{DOCUMENTS}?story={uuid4()}")
    assert answer.status == 404


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("limit=201", "limit"),
        ("story=1", "story"),
        ("source=%00", "source"),
        ("since=x", "since"),
        ("until=2024-02-30", "until"),
        ("cursor=e30", "cursor"),
        ("sort=up", "sort"),
        ("cursor=WyIyMDI0LTA1LTE2VDAwOjAwOjAwIiwxXQ", "cursor"),  # a moment of nowhere
        ("cursor=WyIyMDI0LTA1LTE2VDAwOjAwOjAwWiIsOTk5OTk5OTk5OTk5OTk5OTk5OTk5XQ", "cursor"),
    ],  # a number of 21 digits
)
async def test_a_query_that_cannot_be_names_its_field(database, query, field):
    async with visiting(database) as visitor:
        answer = await visitor.get(f"{DOCUMENTS}?{query}")
    assert (answer.status, answer.json["error"]["code"]) == (400, "INVALID_ARGUMENT")
    assert field in answer.json["error"]["message"]


async def test_a_cursor_from_the_end_of_time_is_an_empty_list(database):
    await told(database, [an_item(1)])
    async with visiting(database) as visitor:
        # ["0001-01-01T00:00:00+23:00", 1]
        assert await titles(visitor, "?cursor=WyIwMDAxLTAxLTAxVDAwOjAwOjAwKzIzOjAwIiwxXQ") == []


@pytest.mark.parametrize("path", [DOCUMENTS, f"{DOCUMENTS}/1", f"{DOCUMENTS}/1/events", f"{DOCUMENTS}/1/why"])
async def test_nobody_reads_documents(database, path):
    async with visiting(database, role=None) as visitor:
        assert (await visitor.get(path)).status == 401
