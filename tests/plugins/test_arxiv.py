from datetime import timedelta

import pytest

from plugins.desks import answering
from scoop.errors import FetchFailed, Reject

HEDGEROW = "Hedgerow: Pruning Mixture-of-Experts Routers by Counting What They Ignore"


async def test_the_papers_of_a_category_come_with_abstract_authors_and_categories(desk):
    harvest = await desk.fetch("arxiv", {"category": "cs.PL"})
    [paper] = harvest.items
    assert paper["source_item_id"] == "2603.01210"
    assert paper["canonical_url"] == "https://arxiv.org/abs/2603.01210"
    assert paper["title"] == "Strict From Day One? Typing a Twelve-Year-Old Code Base in Steps"
    assert paper["authors"] == ["Fionnuala Greaves", "Stellan Brandt"]
    assert paper["tags"] == ["cs.PL", "cs.SE"]
    assert paper["body_text"].startswith("Gradual typing leaves the order of work to the team. We simulate")
    assert paper["source_metadata"]["pdf_url"] == "https://arxiv.org/pdf/2603.01210v1"


async def test_what_was_changed_last_comes_first_and_no_more_than_asked_for(desk):
    harvest = await desk.fetch("arxiv", {"query": "cat:cs.LG OR cat:cs.CL", "limit": 4})
    assert [paper["source_metadata"]["version"] for paper in harvest.items] == [1, 1, 2, 1]
    assert harvest.items[2]["title"] == HEDGEROW


async def test_a_new_version_is_a_new_reading_of_the_same_paper(desk):
    desk.clock.turn(hours=-60)
    [before] = (await desk.fetch("arxiv", {"query": "ti:Hedgerow"})).items
    desk.clock.turn(hours=60)
    [after] = (await desk.fetch("arxiv", {"query": "ti:Hedgerow"})).items
    assert before["source_item_id"] == after["source_item_id"]
    assert before["canonical_url"] == after["canonical_url"]
    assert before["published_at"] == after["published_at"]
    assert "On three models" in before["body_text"]
    assert "On four models" in after["body_text"]


async def test_a_query_that_arxiv_refuses_is_told_with_its_reason():
    entry = (
        b"<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>http://arxiv.org/api/errors#x</id><title>Error</title>"
        b"<summary>incorrect id format</summary></entry></feed>"
    )
    async with answering(lambda path: (200, entry)) as desk:
        with pytest.raises(FetchFailed, match="arXiv rejected the query: incorrect id format"):
            await desk.fetch("arxiv", {"query": "nonsense"})


async def test_asking_too_fast_is_told_with_the_time_to_wait(desk):
    hasty = {"base_url": "https://hasty.export.arxiv.org/api/query"}
    await desk.fetch("arxiv", {"category": "cs.PL"}, **hasty)
    desk.clock.turn(hours=1 / 3600)
    with pytest.raises(FetchFailed) as failed:
        await desk.fetch("arxiv", {"category": "cs.PL"}, **hasty)
    assert failed.value.after == timedelta(seconds=2)


async def test_a_query_without_answer_is_an_empty_visit(desk):
    assert (await desk.fetch("arxiv", {"query": "ti:nothing-like-it"})).health == "empty"


@pytest.mark.parametrize("options", [{}, {"query": "all:x", "category": "cs.CL"}])
async def test_either_a_query_or_a_category_must_be_given(desk, options):
    with pytest.raises(Reject, match="give one of the options query"):
        await desk.fetch("arxiv", options)


async def test_a_category_has_the_form_of_one(desk):
    with pytest.raises(Reject, match=r"option category: must be a category such as cs\.CL"):
        await desk.fetch("arxiv", {"category": "cs.CL OR all:x"})
