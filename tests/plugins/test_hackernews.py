import pytest

from plugins.desks import answering
from scoop.core import items, native_ids
from scoop.errors import FetchFailed, Reject

HOST = "hacker-news.firebaseio.com"


async def test_the_first_stories_of_the_list_are_taken(desk):
    harvest = await desk.fetch("hackernews", {"limit": 5})
    assert len(harvest.items) == 5
    assert harvest.health == "ok"
    assert desk.asked(HOST)[0] == "/v0/topstories.json"


async def test_a_story_that_links_out_has_the_address_of_the_article(desk):
    harvest = await desk.fetch("hackernews", {"list": "best", "limit": 100})
    story = next(each for each in harvest.items if each["title"].startswith("Tussock 1.5 completes"))
    assert story["canonical_url"].startswith("http://stackwire.example/")
    assert story["source_metadata"]["comments"] == 5
    assert story["source_metadata"]["hn_url"].endswith(story["source_item_id"])


async def test_a_question_has_its_own_page_and_its_text(desk):
    harvest = await desk.fetch("hackernews", {"limit": 100})
    question = next(each for each in harvest.items if each["title"].startswith("Ask: do three"))
    assert question["canonical_url"] == question["source_metadata"]["hn_url"]
    assert "<p>" not in question["body_text"]
    assert question["source_metadata"]["full_text"] == "never"


async def test_the_paragraphs_of_a_question_are_kept_apart():
    story = b'{"id": 1, "title": "Ask", "text": "One &amp; <i>only</i>.<p>Two."}'
    async with answering(lambda path: (200, b"[1]" if "stories" in path else story)) as desk:
        [question] = (await desk.fetch("hackernews")).items
    assert question["body_text"] == "One & only.\n\nTwo."


async def test_a_story_is_known_by_its_number(desk):
    harvest = await desk.fetch("hackernews", {"limit": 1})
    [story] = harvest.items
    whole = items.complete_item(story, source="hn", collection="ai_news", category="news", now=desk.clock())
    number = story["source_item_id"]
    assert native_ids.native_ids(story["canonical_url"], "hn", number, whole["source_metadata"]) == (f"hn:{number}",)


async def test_deleted_dead_and_missing_stories_are_passed_over(desk):
    harvest = await desk.fetch("hackernews", {"limit": 500})
    assert harvest.problems == []
    assert "[dead]" not in {story["title"] for story in harvest.items}


async def test_a_story_is_not_taken_again_when_its_score_has_changed(desk):
    first = await desk.fetch("hackernews", {"limit": 10})
    desk.clock.turn(hours=3)
    again = await desk.fetch("hackernews", {"limit": 500}, checkpoint=first.checkpoint)
    taken = {story["source_item_id"] for story in first.items}
    assert taken.isdisjoint(story["source_item_id"] for story in again.items)


async def test_a_story_below_the_bar_is_taken_once_it_rises(desk):
    options = {"min_score": 120, "limit": 500}
    first = await desk.fetch("hackernews", options)
    assert all(story["source_metadata"]["score"] >= 120 for story in first.items)
    desk.clock.turn(hours=20)
    later = await desk.fetch("hackernews", options, checkpoint=first.checkpoint)
    assert any(story["title"].startswith("Ask: Brambletype") for story in later.items)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"list": "hot"}, "option list: must be one of: best, new, top (is 'hot')"),
        ({"limit": 501}, "option limit: must be an integer, 1-500 (is 501)"),
        (
            {"lists": "top"},
            "there is no option lists; did you mean list?",
        ),
    ],
)
async def test_a_wrong_option_is_told_with_what_is_valid(desk, options, sentence):
    with pytest.raises(Reject) as refused:
        await desk.fetch("hackernews", options)
    assert str(refused.value).startswith(sentence)


async def test_one_story_that_cannot_be_had_does_not_fail_the_visit():
    def scripted(path: str) -> tuple[int, bytes]:
        if "stories" in path:
            return 200, b"[1, 2, 3]"
        return (500, b"") if path.endswith("/2.json") else (200, b'{"id": %c, "title": "A"}' % path[-6].encode())

    async with answering(scripted) as desk:
        harvest = await desk.fetch("hackernews")
    assert [story["source_item_id"] for story in harvest.items] == ["1", "3"]
    assert harvest.problems == [f"https://{HOST}/v0/item/2.json answered 500"]
    assert harvest.checkpoint == {"seen": [1, 3]}


async def test_a_visit_that_brings_no_story_at_all_has_failed():
    async with answering(lambda path: (200, b"[1]") if "stories" in path else (503, b"")) as desk:
        with pytest.raises(FetchFailed, match="answered 503"):
            await desk.fetch("hackernews")


async def test_comments_are_items_of_their_own_and_deleted_ones_are_left_out():
    answers = {
        "/v0/topstories.json": b"[1]",
        "/v0/item/1.json": b'{"id": 1, "type": "story", "title": "Tussock 2", "kids": [2, 3, 4], "descendants": 3}',
        "/v0/item/2.json": b'{"id": 2, "type": "comment", "parent": 1, "text": "I love <i>Tussock</i>.", "by": "ann"}',
        "/v0/item/3.json": b'{"id": 3, "type": "comment", "parent": 1, "deleted": true}',
        "/v0/item/4.json": b'{"id": 4, "type": "comment", "parent": 1, "text": "Late."}',
    }
    async with answering(lambda path: (200, answers[path])) as desk:
        first = await desk.fetch("hackernews", {"comments": 2})
        again = await desk.fetch("hackernews", {"comments": 3}, checkpoint=first.checkpoint)
    assert [item["source_item_id"] for item in first.items] == ["1", "2"]
    comment = first.items[1]
    assert (comment["body_text"], comment["source_metadata"]["parent"]) == ("I love Tussock.", "1")
    assert comment["source_metadata"]["story"] == "Tussock 2"
    assert [item["source_item_id"] for item in again.items] == ["4"]
