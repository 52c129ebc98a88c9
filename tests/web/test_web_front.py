"""What stands beside the stories: the calendar, the rail, the lanes of a timeline, the versions of a text."""

from datetime import date, timedelta

import pytest

from builders import BODY, told
from scoop.store.reads.digests import DayDigest
from scoop.store.reads.stories import StoryMember
from scoop.web import labels, sidebar, timeline
from web.visitor import NOW, TODAY, a_report, visiting

DAY = date(2024, 5, 16)


def a_digest(**changes):
    defaults = {
        "topic_slug": "ai_news",
        "topic_name": "AI News",
        "timezone": "Europe/Berlin",
        "digest_cron": "0 9 * * *",
        "mode": "live",
        "published_at": None,
        "left_to_legacy_at": None,
        "entry_count": 14,
        "post_states": [],
    }
    return DayDigest(**defaults | changes)


def a_member(number, family, *, hours=0.0):
    return StoryMember(
        document_id=number,
        article_id="art_1",
        source=f"s{number}",
        source_item_id="1",
        url=None,
        title="T",
        language="en",
        publisher_family=family,
        published_at=None,
        seen_at=NOW + timedelta(hours=hours),
        match_type="seed",
        match_score=None,
        match_details=None,
        source_name=None,
    )


def cells(page):
    """The days of the calendar that are links."""
    table = page.text.partition("Mo Tu We Th Fr Sa Su")[2]
    return table.partition("Developing")[0]


async def test_the_calendar_counts_the_stories_of_each_day(database):
    await told(database, [a_report(1, hours_ago=1), a_report(2, hours_ago=2), a_report(3, hours_ago=24 * 9)])
    async with visiting(database) as visitor:
        page = (await visitor.get(TODAY)).page
    assert "May 2024" in page.text
    assert "7 1 story" in cells(page)
    assert "16 2 stories" in cells(page)
    assert [link["href"] for link in page.attributes("a") if link.get("aria-current") == "date"] == [TODAY]
    assert "/days/2024-05-08" not in page.links()


async def test_the_calendar_turns_to_other_months_without_a_script(database):
    await told(database, [a_report(1, hours_ago=1), a_report(2, hours_ago=24 * 20)])
    async with visiting(database) as visitor:
        closed = (await visitor.get(TODAY)).page
        (earlier,) = [link for link in closed.links(TODAY) if "month" in link]
        opened = (await visitor.get(earlier)).page
    assert earlier == f"{TODAY}?month=2024-04"
    assert [menu for menu in closed.attributes("details") if "open" in menu] == []
    assert [menu["class"] for menu in opened.attributes("details") if "open" in menu] == ["calendar"]
    assert "April 2024" in opened.text
    assert "26 1 story" in cells(opened)
    assert f"{TODAY}?month=2024-05" in opened.links()


async def test_the_calendar_stays_in_its_collection_and_timezone(database):
    await told(
        database,
        [a_report(1, hours_ago=20.5, metadata={"collection": "ai_news"}), a_report(2, title="Flood", hours_ago=1)],
    )
    async with visiting(database, timezone="Asia/Tokyo") as visitor:
        page = (await visitor.get(f"{TODAY}?collection=ai_news")).page
    assert "16 1 story" in cells(page)
    assert f"{TODAY}?collection=ai_news&month=2024-04" in page.links()


async def test_the_first_and_the_last_month_have_an_end(database):
    await told(database, [a_report(1)])
    async with visiting(database) as visitor:
        first = await visitor.get("/days/1900-01-01")
        last = await visitor.get("/days/2999-12-31")
    assert (first.status, last.status) == (200, 200)
    assert [link for link in first.page.links() if "month=1899" in link] == []
    assert [link for link in last.page.links() if "month=3000" in link] == []


async def test_what_has_grown_lately_is_developing(database):
    address = "https://tribune.example/flood"
    await told(
        database,
        [
            a_report(1, source="one", title="River rises", canonical_url=address, hours_ago=8),
            a_report(2, source="two", title="River rises", canonical_url=address, hours_ago=2),
            a_report(3, source="one", title="A museum opens in the old mill", body_text=BODY * 2, hours_ago=8),
        ],
    )
    async with visiting(database) as visitor:
        today = (await visitor.get("/")).page
        yesterday = (await visitor.get("/days/2024-05-15")).page
    assert "Developing River rises 2 sources, 1 independent 2 h ago Digests of today" in today.text
    assert "Developing" not in yesterday.text


async def test_a_quiet_rail_says_what_would_be_there(database):
    async with visiting(database) as visitor:
        page = (await visitor.get("/")).page
    assert "None now. A story is listed here if another source reported it within six hours." in page.text
    assert "Sources no sources yet" in page.text


async def test_the_rail_tells_how_the_digests_of_the_day_stand(database):
    async with visiting(database) as visitor:
        today = (await visitor.get(TODAY)).page
        tomorrow = (await visitor.get("/days/2024-05-17")).page
        earlier = (await visitor.get("/days/2024-05-10")).page
    assert "Digests of today AI News late due 09:00 China News late due 10:00" in today.text
    assert "Digests of this day AI News due 09:00" in tomorrow.text
    assert "AI News not made" in earlier.text
    assert today.links("/digests/") == [f"/digests/{topic}_news/{DAY}" for topic in ("ai", "china", "world")]


async def test_topics_that_rest_have_no_digest(database):
    async with database.connection() as conn:
        await conn.execute("UPDATE topics SET enabled = false")
    async with visiting(database) as visitor:
        page = (await visitor.get("/")).page
    assert "Digests of today None is due today." in page.text


@pytest.mark.parametrize(
    ("changes", "word", "more"),
    [
        ({"published_at": NOW, "post_states": ["sent"]}, "posted", "14:00, 14 stories"),
        ({"published_at": NOW, "post_states": ["sent", "failed"]}, "failed", "14 stories"),
        ({"post_states": ["held", "waiting"]}, "held", "needs a decision"),
        ({"post_states": ["sending"]}, "sending", "14 stories"),
        ({"left_to_legacy_at": NOW}, "left to the older system", ""),
        ({"mode": "shadow", "entry_count": 1}, "shadow", "1 story, not posted"),
        ({}, "made", "14 stories, not posted"),
        ({"mode": None}, "late", "due 09:00"),
        ({"mode": None, "digest_cron": "0 20 * * *"}, "due", "20:00"),
    ],
)
def test_the_state_of_a_digest_in_words(changes, word, more):
    state = sidebar.digest_state(a_digest(**changes), DAY, now=NOW)
    assert (state.word, state.more) == (word, more)


def test_a_date_without_a_digest_has_no_state():
    assert sidebar.digest_state(a_digest(mode=None, digest_cron="0 9 * * 1"), DAY, now=NOW) is None  # it is a Thursday


@pytest.mark.parametrize(
    ("sources", "said", "kind"),
    [
        ({}, "no sources yet", "rest"),
        ({"ok": 1}, "1 source answers", "good"),
        ({"ok": 19, "not_modified": 1, "empty": 1}, "all 21 sources answer", "good"),
        ({"ok": 19, "timeout": 1, "gone": 1, "stale": 3}, "2 of 24 sources fail", "bad"),
        ({"ok": 2, "http_error": 1}, "1 of 3 sources fails", "bad"),
        ({"ok": 2, "stale": 1}, "1 of 3 sources is quiet", "watch"),
        ({"new": 2, "ok": 1}, "2 of 3 sources not visited yet", "rest"),
    ],
)
def test_the_health_of_the_sources_is_one_line(sources, said, kind):
    line = sidebar.summarize_sources(sources)
    assert (line.word, line.kind) == (said, kind)


def test_each_newsroom_has_a_lane_in_order_of_appearance():
    members = [a_member(1, "b.example"), a_member(2, "a.example", hours=1), a_member(3, "b.example", hours=4)]
    found = timeline.lanes(members)
    assert [(lane.number, lane.name, [tick.at for tick in lane.ticks]) for lane in found] == [
        (1, "b.example", [0, 1]),
        (2, "a.example", [0.25]),
    ]


def test_newsrooms_beyond_the_colours_share_the_last_lane():
    members = [a_member(n, f"{n}.example", hours=n) for n in range(9)]
    members.append(a_member(9, "8.example", hours=9))  # tells most, so it keeps a lane of its own
    found = timeline.lanes(members)
    assert [lane.number for lane in found] == [1, 2, 3, 4, 5, 6]
    assert found[-1].name == "4 others"
    assert "8.example" in [lane.name for lane in found]
    assert sum(len(lane.ticks) for lane in found) == 10


@pytest.mark.parametrize(
    ("tokens", "language", "said_time"),
    [
        (0, "en", "1 min"),
        (230, "en", "1 min"),
        (1000, "de", "4 min"),
        (1000, "ja", "2 min"),
        (1000, "zh-Hant", "2 min"),
    ],
)
def test_reading_takes_as_long_as_a_language_needs(tokens, language, said_time):
    assert labels.reading_time(tokens, language) == said_time
