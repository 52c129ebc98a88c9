from datetime import UTC, datetime, timedelta

import pytest

from plugins.desks import answering
from scoop.errors import FetchFailed, Reject

SECRETS = {"api_key": "tvly-reader"}
QUERY = {"query": "Sable price", "days": 30}


async def test_what_is_found_comes_with_its_date_and_a_piece_of_its_text(desk):
    harvest = await desk.fetch("tavily", QUERY, secrets=SECRETS)
    assert len(harvest.items) == 10
    first = harvest.items[0]
    assert first["canonical_url"].startswith("http://")
    assert first["published_at"].startswith("2026-03-")
    assert first["body_text"]
    assert harvest.checkpoint["taken"] == 10


async def test_no_more_is_asked_for_than_is_left_of_the_day(desk):
    four = QUERY | {"max_results_per_day": 4}
    first = await desk.fetch("tavily", four, secrets=SECRETS)
    assert len(first.items) == 4
    again = await desk.fetch("tavily", four, checkpoint=first.checkpoint, secrets=SECRETS)
    assert (again.items, again.health, again.problems) == ([], "ok", [])
    assert again.checkpoint == first.checkpoint
    assert len(desk.asked("tavily")) == 1


async def test_the_day_is_a_day_in_japan(desk):
    four = QUERY | {"max_results_per_day": 4}
    desk.clock.now = datetime(2026, 3, 14, 14, 59, tzinfo=UTC)
    evening = await desk.fetch("tavily", four, secrets=SECRETS)
    assert evening.checkpoint["day"] == "2026-03-14"
    desk.clock.now = datetime(2026, 3, 14, 15, 1, tzinfo=UTC)
    midnight = await desk.fetch("tavily", four, checkpoint=evening.checkpoint, secrets=SECRETS)
    assert midnight.checkpoint["day"] == "2026-03-15"
    assert len(desk.asked("tavily")) == 2


async def test_what_was_found_before_is_not_taken_again(desk):
    thirty = QUERY | {"max_results_per_day": 30}
    first = await desk.fetch("tavily", thirty, secrets=SECRETS)
    again = await desk.fetch("tavily", thirty, checkpoint=first.checkpoint, secrets=SECRETS)
    assert len(first.items) == 20
    assert again.items == []
    assert again.checkpoint["taken"] == 30


async def test_a_search_keeps_to_its_domains(desk):
    wide = QUERY | {"include_domains": ["stackwire.example"]}
    harvest = await desk.fetch("tavily", wide, secrets=SECRETS)
    assert {item["canonical_url"].split("/")[2] for item in harvest.items} == {"stackwire.example"}


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("wrong", r"\(401\): your key \(SCOOP_SOURCES_TAVILY_API_KEY\) is not valid"),
        ("tvly-spent", r"\(432\): the limit of the Tavily plan is used up"),
        ("tvly-overspent", r"\(433\): the pay-as-you-go limit"),
    ],
)
async def test_a_refusal_is_named(desk, key, reason):
    with pytest.raises(FetchFailed, match=reason):
        await desk.fetch("tavily", QUERY, secrets={"api_key": key})


async def test_searching_too_fast_is_told_with_the_time_to_wait(desk):
    hasty = {"api_key": "tvly-hasty"}
    for _ in range(2):
        await desk.fetch("tavily", QUERY, secrets=hasty)
    with pytest.raises(FetchFailed) as failed:
        await desk.fetch("tavily", QUERY, secrets=hasty)
    assert failed.value.after == timedelta(minutes=1)


async def test_without_a_key_nothing_is_asked(desk):
    with pytest.raises(FetchFailed, match="set SCOOP_SOURCES_TAVILY_API_KEY"):
        await desk.fetch("tavily", QUERY | {"connect_to": None})
    assert desk.asked("tavily") == []


async def test_words_to_search_for_must_be_given(desk):
    with pytest.raises(Reject, match="give the option query"):
        await desk.fetch("tavily", {}, secrets=SECRETS)


async def test_a_result_that_makes_no_sense_is_passed_over():
    body = (
        b'{"results": [{"url": 7}, {"url": "javascript:x", "title": "A"}, {"url": "http://b.example", "title": "B"}]}'
    )
    async with answering(lambda path: (200, body)) as desk:
        harvest = await desk.fetch("tavily", QUERY, secrets=SECRETS)
    assert [found["title"] for found in harvest.items] == ["B"]
    assert len(harvest.problems) == 1
