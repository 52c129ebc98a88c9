import re

import pytest

from builders import told
from scoop.newsstand import items, world
from scoop.web import day
from web.visitor import NOW, TODAY, a_report, visiting

NEWSSTAND = "http://127.0.0.1:8788"
NEWS = ("/days/", "/stories/")  # the other places have tests of their own


def reports(*titles):
    """A report of each title, the latest first, each by a newsroom of its own."""
    return [
        a_report(
            number,
            source=f"paper_{number}",
            title=title,
            canonical_url=f"https://paper{number}.example/",
            hours_ago=number,
        )
        for number, title in enumerate(titles, start=1)
    ]


async def cover(database, *groups):
    """Say by their titles which stories are probably of one event; all others stand alone."""
    async with database.connection() as conn:
        await conn.execute("UPDATE stories SET coverage_id = story_id")
        for titles in groups:
            await conn.execute(
                "UPDATE stories SET coverage_id = (SELECT min(story_id) FROM stories WHERE canonical_title = ANY ($1)) "
                "WHERE canonical_title = ANY ($1)",
                titles,
            )


def entries(page):
    return len([item for item in page.attributes("li") if item.get("class") == "story"])


def neighbours(page):
    return {link["rel"]: link["href"] for link in page.attributes("a") if link.get("rel") in {"prev", "next"}}


async def test_a_story_shows_with_its_outlets_in_order_of_appearance(database):
    address = "https://tribune.example/flood"
    await told(
        database,
        [
            a_report(1, source="harbour_post", title="River rises", canonical_url=address, hours_ago=2),
            a_report(2, source="coastal_tribune", title="River rises", canonical_url=address, hours_ago=5),
        ],
    )
    async with visiting(database) as visitor:
        page = (await visitor.get("/")).page
    assert "River rises" in page.text
    assert "CT Coastal Tribune HP Harbour Post 2 sources, 1 independent 2 h ago" in page.text
    assert {time["title"] for time in page.attributes("time") if "title" in time} == {
        "Thursday 16 May 2024, 10:00 (UTC)"
    }


async def test_collections_are_sections_with_tabs_that_count(database):
    await told(database, [a_report(1, metadata={"collection": "ai_news"}), a_report(2), a_report(3)])
    await cover(database)
    async with visiting(database) as visitor:
        page = (await visitor.get("/")).page
    assert "All 3 AI News 1 World News 2" in page.text
    assert page.links(f"{TODAY}?collection") == [f"{TODAY}?collection=ai_news", f"{TODAY}?collection=world_news"]


async def test_a_chosen_collection_stands_alone(database):
    await told(
        database, [a_report(1, title="A chip", metadata={"collection": "ai_news"}), a_report(2, title="A flood")]
    )
    async with visiting(database) as visitor:
        page = (await visitor.get(f"{TODAY}?collection=ai_news")).page
    assert "A chip" in page.text
    assert "A flood" not in page.text


async def test_the_most_widely_told_story_comes_first(database):
    await told(
        database,
        [
            a_report(1, title="Latest", body_text="Ships pay more in the harbour from May on.", hours_ago=1),
            a_report(2, source="one", title="Wide", canonical_url="https://one.example/wide", hours_ago=9),
            a_report(3, source="two", title="Wide", canonical_url="https://one.example/wide", hours_ago=8),
        ],
    )
    async with visiting(database) as visitor:
        text = (await visitor.get("/")).page.text
    assert text.index("Wide") < text.index("Latest")


async def test_stories_of_one_event_are_one_entry(database):
    await told(database, reports("Flood in Ansel", "Harbour under water", "A new museum"))
    await cover(database, ["Flood in Ansel", "Harbour under water"])
    async with visiting(database) as visitor:
        page = (await visitor.get("/")).page
    assert entries(page) == 2
    assert len(set(page.links("/stories/"))) == 3
    assert "Probably the same event 2 sources, 2 independent Harbour under water P2 Paper 2 2 h ago" in page.text
    assert "World News 3 stories, probably 2 events" in page.text


async def test_a_newsroom_that_tells_of_an_event_in_two_stories_counts_once(database):
    await told(database, [a_report(1, title="Flood in Ansel"), a_report(2, title="Harbour under water")])
    await cover(database, ["Flood in Ansel", "Harbour under water"])
    async with visiting(database) as visitor:
        page = (await visitor.get("/")).page
    assert "Probably the same event 1 source " in page.text


async def test_the_most_widely_told_story_gives_its_event_the_headline(database):
    address = "https://one.example/wide"
    await told(
        database,
        [
            a_report(1, title="Narrow", hours_ago=1),
            a_report(2, source="one", title="Wide", canonical_url=address, hours_ago=9),
            a_report(3, source="two", title="Wide", canonical_url=address, hours_ago=8),
        ],
    )
    await cover(database, ["Narrow", "Wide"])
    async with visiting(database) as visitor:
        page = (await visitor.get("/")).page
    assert page.text.index("Wide") < page.text.index("Probably the same event") < page.text.index("Narrow")


async def test_an_event_stands_where_all_its_newsrooms_together_put_it(database):
    await told(
        database,
        [
            *reports("Flood in Ansel", "Harbour under water", "River rises"),
            a_report(7, source="one", title="Museum", canonical_url="https://one.example/a"),
            a_report(8, source="two", title="Museum", canonical_url="https://two.example/b"),
        ],
    )
    await cover(database, ["Flood in Ansel", "Harbour under water", "River rises"])
    async with visiting(database) as visitor:
        text = (await visitor.get("/")).page.text
    assert text.index("River rises") < text.index("2 sources, 2 independent")


async def test_an_event_of_two_days_shows_on_both_with_the_story_of_the_day_first(database):
    today, yesterday = reports("Second thoughts", "First word")
    await told(database, [today, {**yesterday, "published_at": "2024-05-15T09:00:00Z"}])
    await cover(database, ["First word", "Second thoughts"])
    async with visiting(database) as visitor:
        pages = [(await visitor.get(path)).page for path in (TODAY, "/days/2024-05-15")]
    found = [page.text.partition("World News 1 story ")[2] for page in pages]
    assert found[0].startswith("Second thoughts")
    assert "Probably the same event 2 sources, 2 independent First word" in found[0]
    assert found[1].startswith("First word")
    assert "Probably the same event 2 sources, 2 independent Second thoughts" in found[1]


async def test_after_three_the_other_stories_of_an_event_are_folded(database):
    titles = ["Flood in Ansel", "Harbour under water", "River rises", "Ferries wait", "Schools close", "Rain to go on"]
    await told(database, reports(*titles))
    await cover(database, titles)
    async with visiting(database) as visitor:
        page = (await visitor.get("/")).page
    tags = [tag for tag, _attributes in page.tags]
    fold = [place for place, tag in enumerate(tags) if tag == "details"][-1]
    assert tags[:fold].count("h4") == 3
    assert tags.count("h4") == 5
    assert "2 more" in page.text


async def test_a_story_that_is_held_back_is_not_in_its_event_either(database):
    await told(database, reports("Flood in Ansel", "Harbour under water"))
    await cover(database, ["Flood in Ansel", "Harbour under water"])
    async with database.connection() as conn:
        await conn.execute("UPDATE stories SET status = 'suppressed' WHERE canonical_title = 'Flood in Ansel'")
    async with visiting(database) as visitor:
        text = (await visitor.get("/")).page.text
    assert "Harbour under water" in text
    assert "Flood in Ansel" not in text
    assert "Probably the same event" not in text


async def test_a_day_without_news_gives_way_to_the_newest_that_has_some(database):
    await told(database, [a_report(1, title="Old", hours_ago=24 * 9), a_report(2, title="Newer", hours_ago=24 * 3)])
    await cover(database)
    async with visiting(database) as visitor:
        page = (await visitor.get("/")).page
    assert "No stories yet today, Thursday 16 May 2024." in page.text
    assert "Monday 13 May 2024" in page.text
    assert "Newer" in page.text
    assert "Old" not in page.text


async def test_a_short_day_is_followed_by_the_day_before_on_the_front_page_alone(database):
    await told(
        database, [a_report(1, title="This morning", hours_ago=1), a_report(2, title="Last evening", hours_ago=20)]
    )
    await cover(database)
    async with visiting(database) as visitor:
        front, today = (await visitor.get("/")).page, (await visitor.get(TODAY)).page
    assert (
        front.text.index("This morning") < front.text.index("Wednesday 15 May 2024") < front.text.index("Last evening")
    )
    assert "Last evening" not in today.text


async def test_a_full_day_stands_alone(database):
    full = reports(*(f"Bridge number {number} opens to trains" for number in range(day.SHORT_DAY)))
    await told(
        database,
        [
            *(report | {"published_at": NOW.isoformat()} for report in full),
            a_report(99, title="Last evening", hours_ago=20),
        ],
    )
    await cover(database)
    async with visiting(database) as visitor:
        front = (await visitor.get("/")).page
    assert entries(front) == day.SHORT_DAY
    assert "Last evening" not in front.text


async def test_previous_and_next_skip_the_days_without_stories(database):
    await told(database, [a_report(1, hours_ago=24 * 9), a_report(2, hours_ago=24 * 3), a_report(3, hours_ago=1)])
    async with visiting(database) as visitor:
        page = (await visitor.get("/days/2024-05-13")).page
        empty = (await visitor.get("/days/2024-05-10")).page
    assert neighbours(page) == {"prev": "/days/2024-05-07", "next": TODAY}
    assert "No stories on this day" in empty.text
    assert "/days/2024-05-07" in empty.links()


async def test_a_day_begins_at_midnight_of_its_timezone(database):
    await told(
        database,
        [a_report(1, title="At 15:30 in London", hours_ago=20.5), a_report(2, title="At 14:30", hours_ago=21.5)],
    )
    await cover(database)
    async with visiting(database, timezone="Asia/Tokyo") as visitor:
        today = (await visitor.get(TODAY)).page.text
        yesterday = (await visitor.get("/days/2024-05-15")).page.text
    assert "At 15:30 in London" in today
    assert "At 14:30" not in today
    assert "At 14:30" in yesterday
    assert "Asia/Tokyo time" in today


async def test_a_long_day_goes_on_under_more(database, monkeypatch):
    monkeypatch.setattr(day, "PAGE_GROUPS", 4)
    await told(
        database,
        [
            a_report(number, metadata={"collection": collection})
            for collection, numbers in (("ai_news", range(6)), ("world_news", range(6, 7)))
            for number in numbers
        ],
    )
    await cover(database)
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
    assert "No more stories" in past_the_end.text


async def test_a_page_never_parts_the_stories_of_an_event(database, monkeypatch):
    monkeypatch.setattr(day, "PAGE_GROUPS", 1)
    titles = ["Flood in Ansel", "Harbour under water", "River rises"]
    await told(database, reports(*titles, "A new museum", "A strike ends"))
    await cover(database, titles, ["A new museum", "A strike ends"])
    async with visiting(database) as visitor:
        first = (await visitor.get("/")).page
        second = (await visitor.get(f"{TODAY}?collection=world_news&offset=1")).page
    assert [entries(first), entries(second)] == [1, 1]
    assert [len(set(page.links("/stories/"))) for page in (first, second)] == [3, 2]
    assert "1 more in World News" in first.text
    assert "more in World News" not in second.text


@pytest.mark.parametrize(
    "path",
    [
        "/days/2024-5-16",
        "/days/20240516",
        "/days/2024-W20-4",
        "/days/2024-02-30",
        "/days/0001-01-01",
        "/days/9999-12-31",
        "/days/today",
        "/days/",
        f"{TODAY}?collection=unknown",
        f"{TODAY}?collection=%00",
        f"{TODAY}?offset=-1",
        f"{TODAY}?offset=99999999999999999999",
        f"{TODAY}?offset=%D9%A1",
        f"{TODAY}?month=2024-5",
        f"{TODAY}?month=2024-13",
        f"{TODAY}?month=0001-01",
        f"{TODAY}?month=%00",
        f"{TODAY}?month=2024-05-16",
    ],
)
async def test_what_is_no_day_is_not_found(database, path):
    await told(database, [a_report()])
    async with visiting(database) as visitor:
        answer = await visitor.get(path)
    assert answer.status == 404
    assert "Not found" in answer.page.text


async def test_an_empty_page_says_what_fills_it(database):
    async with visiting(database) as visitor:
        page = (await visitor.get("/")).page
    assert "No stories yet" in page.text
    assert "scoop sources add https://example.com/feed.xml --collection world_news" in page.text
    assert "/sources/add" in page.links()


async def test_a_reader_who_may_not_add_a_source_is_not_asked_to(database):
    async with visiting(database, role="reader") as visitor:
        page = (await visitor.get("/")).page
    assert "Ask an editor to add a source" in page.text
    assert "/sources/add" not in page.links()


async def test_the_demo_says_so_and_its_links_lead_to_the_newsstand(database):
    await told(
        database,
        [
            a_report(1, canonical_url="http://tribune.example/2024/flood?page=2"),
            a_report(2, canonical_url="https://real.org/x"),
        ],
    )
    async with visiting(database, newsstand=NEWSSTAND) as visitor:
        page = (await visitor.get("/")).page
    assert "Demo: the newsstand and its articles are invented." in page.text
    assert "Add a real source" in page.text
    assert page.links("http") == [
        f"{NEWSSTAND}/",
        "https://real.org/x",
        f"{NEWSSTAND}/tribune.example/2024/flood?page=2",
    ]


async def test_other_languages_are_marked(database):
    await told(
        database,
        [
            a_report(1, title="米バサルティン、第2四半期売上高38%増", language="ja"),
            a_report(2, title="A flood", language="en"),
        ],
    )
    await cover(database)
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
        seen, waiting, together = set(), ["/"], False
        while waiting:
            answer = await visitor.get(path := waiting.pop())
            assert answer.status == 200, path
            together |= path.startswith("/days/") and "Probably the same event" in answer.text
            seen.add(path)
            found = {re.sub("#.*", "", link) for link in answer.page.links("/") if "month=" not in link}
            waiting.extend({link for link in found if link.startswith(NEWS)} - seen - set(waiting))
    assert len([path for path in seen if path.startswith("/stories/") and path.count("/") == 2]) > 100
    assert len([path for path in seen if "/read/" in path]) > 100
    assert len([path for path in seen if path.startswith("/days/")]) > 10
    assert together
