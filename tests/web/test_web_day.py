import asyncio
import re

import pytest

from builders import group_into_events, told
from scoop.newsstand import items, world
from scoop.store import events
from scoop.web import day
from web.visitor import NOW, TODAY, a_report, visiting

NEWSSTAND = "http://127.0.0.1:8788"
NEWS = ("/days/", "/events/", "/stories/")  # the other places have tests of their own


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
    assert "CT Coastal Tribune HP Harbour Post 2 outlets, 1 independent 2 h ago" in page.text
    assert {time["title"] for time in page.attributes("time") if "title" in time} == {
        "Thursday 16 May 2024, 10:00 (UTC)"
    }


async def test_collections_are_sections_with_tabs_that_count(database):
    await told(database, [a_report(1, metadata={"collection": "ai_news"}), a_report(2), a_report(3)])
    await group_into_events(database)
    async with visiting(database) as visitor:
        page = (await visitor.get("/")).page
    assert "Front page All 3 World News 2 AI News 1" in page.text
    assert page.links(f"{TODAY}?collection")[:2] == [f"{TODAY}?collection=world_news", f"{TODAY}?collection=ai_news"]
    assert f"{TODAY}/all" in page.links()


async def test_a_chosen_collection_stands_alone(database):
    await told(
        database, [a_report(1, title="A chip", metadata={"collection": "ai_news"}), a_report(2, title="A flood")]
    )
    async with visiting(database) as visitor:
        page = (await visitor.get(f"{TODAY}?collection=ai_news")).page
    assert "A chip" in page.text
    assert "A flood" not in page.text


async def test_twice_as_many_publishers_weigh_as_much_as_half_a_day(database):
    wide = [
        a_report(n, source=f"p{n}", title="Wide", canonical_url=f"https://p{n}.example/w", hours_ago=9)
        for n in range(2, 5)
    ]
    await told(database, [a_report(1, title="Latest", body_text="Ships pay more.", hours_ago=1), *wide])
    await group_into_events(database)
    async with visiting(database) as visitor:
        text = (await visitor.get("/")).page.text
    assert "3 outlets, 3 independent" in text
    assert text.index("Wide") < text.index("Latest")


async def test_stories_of_one_event_are_one_entry(database):
    await told(database, reports("Flood in Ansel", "Harbour under water", "A new museum"))
    await group_into_events(database, ["Flood in Ansel", "Harbour under water"])
    async with visiting(database) as visitor:
        page = (await visitor.get("/")).page
    assert entries(page) == 2
    assert len(set(page.links("/events/"))) == 2
    assert len(set(page.links("/stories/"))) == 1
    assert "2 outlets, 2 independent 1 h ago new" in page.text
    assert "World News 2 events, 1 by several publishers" in page.text


async def test_a_newsroom_that_reports_an_event_in_two_stories_counts_once(database):
    await told(database, [a_report(1, title="Flood in Ansel"), a_report(2, title="Harbour under water")])
    await group_into_events(database, ["Flood in Ansel", "Harbour under water"])
    async with visiting(database) as visitor:
        page = (await visitor.get("/")).page
    assert "outlets, " not in page.text
    assert "World News 1 event " in page.text


async def test_the_lead_of_an_event_gives_it_the_headline(database):
    titles = ["Timeline: the night in the harbour quarter", "Flood kills three people in Ansel"]
    await told(database, reports(*titles))
    await group_into_events(database, titles)
    async with visiting(database) as visitor:
        page = (await visitor.get("/")).page
    assert page.text.index(titles[1]) < page.text.index(f"{titles[0]} Paper 1")


async def test_an_event_of_two_days_is_listed_on_the_day_of_its_latest_report(database):
    today, yesterday = reports("Second thoughts", "First word")
    await told(database, [today, {**yesterday, "published_at": "2024-05-15T09:00:00Z"}])
    await group_into_events(database, ["First word", "Second thoughts"])
    async with visiting(database) as visitor:
        shown, before = [(await visitor.get(path)).page for path in (TODAY, "/days/2024-05-15")]
    assert "First word" in shown.text
    assert "Second thoughts" in shown.text
    assert "No events on this day" in before.text


async def test_after_three_the_other_stories_of_an_event_are_collapsed(database):
    titles = ["Flood in Ansel", "Harbour under water", "River rises", "Ferries wait", "Schools close", "Rain to go on"]
    await told(database, reports(*titles))
    await group_into_events(database, titles)
    async with visiting(database) as visitor:
        page = (await visitor.get("/")).page
    tags = [tag for tag, _attributes in page.tags]
    fold = [place for place, tag in enumerate(tags) if tag == "details"][-1]
    others = [place for place, (tag, attrs) in enumerate(page.tags) if attrs.get("href", "").startswith("/stories/")]
    assert [place < fold for place in others] == [True, True, True, False, False]
    assert "2 more" in page.text


async def test_an_event_of_many_stories_names_ten_and_leads_to_the_others(database):
    titles = [f"Flood report number {n} from Ansel" for n in range(14)]
    await told(database, reports(*titles))
    await group_into_events(database, titles)
    async with visiting(database) as visitor:
        page = (await visitor.get("/")).page
    assert len(page.links("/stories/")) == day.MAX_STORIES - 1
    assert "All 14 stories" in page.text
    assert "and 10 more 14 outlets, 14 independent" in page.text


async def test_a_publisher_that_nobody_confirms_has_three_places_before_the_others(database):
    busy = [a_report(n, title=f"Bridge number {n} opens to trains", hours_ago=n / 10) for n in range(1, 6)]
    other = a_report(9, source="other", title="Quiet", canonical_url="https://other.example/", hours_ago=11)
    await told(database, [*busy, other])
    await group_into_events(database)
    async with visiting(database) as visitor:
        text = (await visitor.get("/")).page.text
    assert [text.index("number 3 opens") < text.index("Quiet"), text.index("Quiet") < text.index("number 4 opens")] == [
        True,
        True,
    ]


async def test_a_story_that_is_held_back_is_not_in_its_event_either(database):
    await told(database, reports("Flood in Ansel", "Harbour under water"))
    await group_into_events(database, ["Flood in Ansel", "Harbour under water"])
    async with database.transaction() as conn:
        update = "UPDATE stories SET status = 'suppressed' WHERE canonical_title = 'Flood in Ansel' RETURNING story_id"
        await events.refresh_of_stories(conn, [await conn.fetchval(update)])
    async with visiting(database) as visitor:
        text = (await visitor.get("/")).page.text
    assert "Harbour under water" in text
    assert "Flood in Ansel" not in text
    assert "outlets, " not in text


async def test_a_day_without_news_gives_way_to_the_newest_that_has_some(database):
    await told(database, [a_report(1, title="Old", hours_ago=24 * 9), a_report(2, title="Newer", hours_ago=24 * 3)])
    await group_into_events(database)
    async with visiting(database) as visitor:
        page = (await visitor.get("/")).page
    assert "No events yet today, Thursday 16 May 2024." in page.text
    assert "Monday 13 May 2024" in page.text
    assert "Newer" in page.text
    assert "Old" not in page.text


async def test_a_short_day_is_followed_by_the_day_before_on_the_front_page_alone(database):
    await told(
        database, [a_report(1, title="This morning", hours_ago=1), a_report(2, title="Last evening", hours_ago=20)]
    )
    await group_into_events(database)
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
    await group_into_events(database)
    async with visiting(database) as visitor:
        front = (await visitor.get("/")).page
    assert entries(front) == day.SHORT_DAY
    assert "Last evening" not in front.text


async def test_previous_and_next_skip_the_days_without_stories(database):
    await told(database, [a_report(1, hours_ago=24 * 9), a_report(2, hours_ago=24 * 3), a_report(3, hours_ago=1)])
    await group_into_events(database)
    async with visiting(database) as visitor:
        page = (await visitor.get("/days/2024-05-13")).page
        empty = (await visitor.get("/days/2024-05-10")).page
    assert neighbours(page) == {"prev": "/days/2024-05-07", "next": TODAY}
    assert "No events on this day" in empty.text
    assert "/days/2024-05-07" in empty.links()


async def test_a_day_begins_at_midnight_of_its_timezone(database):
    await told(
        database,
        [a_report(1, title="At 15:30 in London", hours_ago=20.5), a_report(2, title="At 14:30", hours_ago=21.5)],
    )
    await group_into_events(database)
    async with visiting(database, timezone="Asia/Tokyo") as visitor:
        today = (await visitor.get(TODAY)).page.text
        yesterday = (await visitor.get("/days/2024-05-15")).page.text
    assert "At 15:30 in London" in today
    assert "At 14:30" not in today
    assert "At 14:30" in yesterday
    assert "Asia/Tokyo time" in today


async def test_a_long_day_goes_on_page_by_page(database, monkeypatch):
    monkeypatch.setattr(day, "FRONT_EVENTS", 8)
    monkeypatch.setattr(day, "PAGE_EVENTS", 4)
    await told(
        database,
        [
            a_report(number, metadata={"collection": collection})
            for collection, numbers in (("ai_news", range(9)), ("world_news", range(9, 11)))
            for number in numbers
        ],
    )
    await group_into_events(database)
    async with visiting(database) as visitor:
        front = (await visitor.get("/")).page
        seen, path = [], f"{TODAY}?collection=ai_news"
        while path:
            page = (await visitor.get(path)).page
            seen.append(page.links("/events/"))
            path = next((link for link in page.links(TODAY) if link.endswith(f"offset={4 * len(seen)}")), None)
        past_the_end = (await visitor.get(f"{TODAY}?collection=ai_news&offset=99")).page
    assert "All 9 of AI News" in front.text
    assert entries(front) == 4 + 2
    assert [len(links) for links in seen] == [4, 4, 1]
    assert len({link for links in seen for link in links}) == 9
    assert "9 to 9 of 9" in page.text
    assert "No more events" in past_the_end.text


async def test_all_lists_the_events_of_all_collections_by_rank(database):
    wide = [
        a_report(n, source=f"p{n}", title="Wide", canonical_url=f"https://p{n}.example/w", hours_ago=9)
        for n in range(2, 5)
    ]
    await told(
        database,
        [
            a_report(1, title="A chip", hours_ago=1, metadata={"collection": "ai_news"}),
            *wide,
            a_report(9, hours_ago=11),
        ],
    )
    await group_into_events(database)
    async with visiting(database) as visitor:
        page = (await visitor.get(f"{TODAY}/all")).page
    listed = page.text.partition("All collections 3 events")[2]
    assert listed.index("Wide") < listed.index("A chip") < listed.index("Bridge number 9")
    assert "1 h ago new AI News" in listed


async def test_the_operator_orders_the_collections(database):
    await told(
        database,
        [
            a_report(number, metadata={"collection": collection})
            for number, collection in enumerate(["a_news", "b_news", "b_news", "c_news", "d_news"])
        ],
    )
    await group_into_events(database)
    async with visiting(database, collection_order="d_news, x_news, c_news") as visitor:
        text = (await visitor.get("/")).page.text
    assert "All 5 D News 1 C News 1 B News 2 A News 1" in text


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
        f"{TODAY}/all?offset=-1",
        "/days/today/all",
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
    assert "No events yet" in page.text
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
    await group_into_events(database)
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
    await group_into_events(database)
    async with visiting(database) as visitor:
        page = (await visitor.get("/")).page
    assert {headline.get("lang") for headline in page.attributes("h3")} == {None, "ja"}


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
            while answer.status == 429:
                await asyncio.sleep(float(answer.headers["Retry-After"]))
                answer = await visitor.get(path)
            if answer.status == 302 and path.startswith("/stories/"):  # of a story to its event
                waiting.append(re.sub("[?#].*", "", answer.headers["Location"]))
                seen.add(path)
                continue
            assert answer.status == 200, path
            together |= path.startswith("/days/") and 'class="company"' in answer.text
            seen.add(path)
            found = {re.sub("#.*", "", link) for link in answer.page.links("/") if "month=" not in link}
            waiting.extend({link for link in found if link.startswith(NEWS)} - seen - set(waiting))
    assert len([path for path in seen if path.startswith("/events/") and path.count("/") == 2]) > 100
    assert len([path for path in seen if "/read/" in path]) > 100
    assert len([path for path in seen if path.startswith("/days/")]) > 10
    assert together
