import re

import pytest

from builders import told
from scoop.newsstand import items, world
from scoop.web import day
from web.visitor import NOW, TODAY, a_report, visiting

NEWSSTAND = "http://127.0.0.1:8788"


async def test_a_story_shows_with_its_outlets_in_order_of_appearance(database):
    address = "https://tribune.example/flood"
    await told(database, [
        a_report(1, source="harbour_post", title="River rises", canonical_url=address, hours_ago=2),
        a_report(2, source="coastal_tribune", title="River rises", canonical_url=address, hours_ago=5),
    ])  # fmt: skip
    async with visiting(database) as visitor:
        page = (await visitor.get("/")).page
    assert "River rises" in page.text
    assert "CT Coastal Tribune HP Harbour Post told by 2 outlets, 1 independent 2 h ago" in page.text
    assert [time["title"] for time in page.attributes("time") if "title" in time] == [
        "Thursday 16 May 2024, 10:00 (UTC)"
    ]


async def test_collections_are_sections_with_tabs_that_count(database):
    await told(database, [
        a_report(1, metadata={"collection": "ai_news"}), a_report(2), a_report(3),
    ])  # fmt: skip
    async with visiting(database) as visitor:
        page = (await visitor.get("/")).page
    assert "All 3 AI news 1 World news 2" in page.text
    assert page.links(f"{TODAY}?") == [f"{TODAY}?collection=ai_news", f"{TODAY}?collection=world_news"]


async def test_a_chosen_collection_stands_alone(database):
    await told(
        database, [a_report(1, title="A chip", metadata={"collection": "ai_news"}), a_report(2, title="A flood")]
    )
    async with visiting(database) as visitor:
        page = (await visitor.get(f"{TODAY}?collection=ai_news")).page
    assert "A chip" in page.text
    assert "A flood" not in page.text


async def test_the_most_widely_told_story_comes_first(database):
    await told(database, [
        a_report(1, title="Latest", body_text="Ships pay more in the harbour from May on.", hours_ago=1),
        a_report(2, source="one", title="Wide", canonical_url="https://one.example/wide", hours_ago=9),
        a_report(3, source="two", title="Wide", canonical_url="https://one.example/wide", hours_ago=8),
    ])  # fmt: skip
    async with visiting(database) as visitor:
        text = (await visitor.get("/")).page.text
    assert text.index("Wide") < text.index("Latest")


async def test_a_day_without_news_gives_way_to_the_newest_that_has_some(database):
    await told(database, [a_report(1, title="Old", hours_ago=24 * 9), a_report(2, title="Newer", hours_ago=24 * 3)])
    async with visiting(database) as visitor:
        page = (await visitor.get("/")).page
    assert "Nothing yet today, Thursday 16 May 2024." in page.text
    assert "Monday 13 May 2024" in page.text
    assert "Newer" in page.text
    assert "Old" not in page.text


async def test_previous_and_next_skip_the_days_without_stories(database):
    await told(database, [a_report(1, hours_ago=24 * 9), a_report(2, hours_ago=24 * 3), a_report(3, hours_ago=1)])
    async with visiting(database) as visitor:
        page = (await visitor.get("/days/2024-05-13")).page
        empty = (await visitor.get("/days/2024-05-10")).page
    assert page.links("/days/") == ["/days/2024-05-07", TODAY]
    assert "No stories here on this day" in empty.text
    assert "/days/2024-05-07" in empty.links()


async def test_a_day_begins_at_midnight_of_its_timezone(database):
    await told(
        database,
        [a_report(1, title="At 15:30 in London", hours_ago=20.5), a_report(2, title="At 14:30", hours_ago=21.5)],
    )
    async with visiting(database, timezone="Asia/Tokyo") as visitor:
        today = (await visitor.get(TODAY)).page.text
        yesterday = (await visitor.get("/days/2024-05-15")).page.text
    assert "At 15:30 in London" in today
    assert "At 14:30" not in today
    assert "At 14:30" in yesterday
    assert "Asia/Tokyo time" in today


async def test_a_long_day_goes_on_under_more(database, monkeypatch):
    monkeypatch.setattr(day, "PAGE_STORIES", 4)
    await told(database, [
        a_report(number, metadata={"collection": collection})
        for collection, numbers in (("ai_news", range(6)), ("world_news", range(6, 7))) for number in numbers
    ])  # fmt: skip
    seen, waiting = set(), ["/"]
    async with visiting(database) as visitor:
        while waiting:
            page = (await visitor.get(waiting.pop())).page
            found = set(page.links("/stories/"))
            assert len(found) <= 4
            seen |= found
            waiting.extend(link for link in page.links(TODAY) if "offset" in link)
        past_the_end = (await visitor.get(f"{TODAY}?collection=ai_news&offset=99")).page
    assert len(seen) == 7
    assert "The list ends before this place" in past_the_end.text


@pytest.mark.parametrize(
    "path",
    [
        "/days/2024-5-16", "/days/20240516", "/days/2024-W20-4", "/days/2024-02-30", "/days/0001-01-01",
        "/days/9999-12-31", "/days/today", "/days/", f"{TODAY}?collection=unknown", f"{TODAY}?collection=%00",
        f"{TODAY}?offset=-1", f"{TODAY}?offset=99999999999999999999", f"{TODAY}?offset=%D9%A1",
    ],
)  # fmt: skip
async def test_what_is_no_day_is_not_found(database, path):
    await told(database, [a_report()])
    async with visiting(database) as visitor:
        answer = await visitor.get(path)
    assert answer.status == 404
    assert "There is nothing at this address" in answer.page.text


async def test_an_empty_page_says_what_fills_it(database):
    async with visiting(database) as visitor:
        page = (await visitor.get("/")).page
    assert "The first stories will be here" in page.text
    assert "scoop sources add https://example.com/feed.xml --collection world_news" in page.text


async def test_the_demo_says_so_and_its_links_lead_to_the_newsstand(database):
    await told(database, [
        a_report(1, canonical_url="http://tribune.example/2024/flood?page=2"), a_report(2, canonical_url="https://real.org/x"),
    ])  # fmt: skip
    async with visiting(database, newsstand=NEWSSTAND) as visitor:
        page = (await visitor.get("/")).page
    assert "This is the demo" in page.text
    assert "scoop sources add URL --collection NAME" in page.text
    assert page.links("http") == [
        f"{NEWSSTAND}/",
        "https://real.org/x",
        f"{NEWSSTAND}/tribune.example/2024/flood?page=2",
    ]


async def test_other_languages_are_marked(database):
    await told(database, [
        a_report(1, title="米バサルティン、第2四半期売上高38%増", language="ja"),
        a_report(2, title="A flood", language="en"),
    ])  # fmt: skip
    async with visiting(database) as visitor:
        page = (await visitor.get("/")).page
    assert [headline.get("lang") for headline in page.attributes("h3")] == [None, "ja"]


async def test_a_headline_of_300_characters_is_shown_whole(database):
    title = "Councillors " * 25
    await told(database, [a_report(title=title)])
    async with visiting(database) as visitor:
        page = (await visitor.get("/")).page
    assert title.strip() in page.text


async def test_no_link_of_the_newsstands_world_is_a_dead_end(database):
    await told(database, items.items(world.load(world.SHIPPED), NOW, NOW, "run"))
    async with visiting(database, timezone="Europe/Berlin") as visitor:
        seen, waiting = set(), ["/"]
        while waiting:
            answer = await visitor.get(path := waiting.pop())
            assert answer.status == 200, path
            seen.add(path)
            found = {re.sub("#.*", "", link) for link in answer.page.links("/")}
            waiting.extend(found - seen - set(waiting))
    assert len([path for path in seen if path.startswith("/stories/")]) > 100
    assert len([path for path in seen if path.startswith("/days/")]) > 10
