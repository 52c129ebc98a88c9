"""What stands beside the stories: the calendar, the rail, the lanes of a timeline, the versions of a text."""

from datetime import date, timedelta

import pytest

from builders import group_into_events, told
from scoop.model import ChannelSettings
from scoop.store import topics
from scoop.store.reads import days
from scoop.store.reads.digests import DayDigest
from scoop.store.reads.event_page import OutlinedPublisher
from scoop.web import calendar, labels, sidebar, timeline
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
        "created_at": NOW - timedelta(days=30),
        "has_channels": True,
    }
    return DayDigest(**defaults | changes)


def a_publisher(family, *hours):
    """A publisher with a document at each of these hours."""
    numbers = list(range(1, 1 + len(hours)))
    seen_at = [NOW.timestamp() + 3600 * hour for hour in hours]
    return OutlinedPublisher(publisher_family=family, document_ids=numbers, story_ids=numbers, seen_at=seen_at)


def cells(page):
    """The days of the calendar that are links."""
    table = page.text.partition("Mo Tu We Th Fr Sa Su")[2]
    return table.partition("Developing")[0]


async def test_the_calendar_counts_the_events_of_each_day(database):
    await told(database, [a_report(1, hours_ago=1), a_report(2, hours_ago=2), a_report(3, hours_ago=24 * 9)])
    await group_into_events(database)
    async with visiting(database) as visitor:
        page = (await visitor.get(TODAY)).page
    assert "May 2024" in page.text
    assert "7 1 event" in cells(page)
    assert "16 2 events" in cells(page)
    assert [link["href"] for link in page.attributes("a") if link.get("aria-current") == "date"] == [TODAY]
    assert "/days/2024-05-08" not in page.links()


async def test_the_calendar_counts_at_most_so_many_events_of_a_day(database, monkeypatch):
    monkeypatch.setattr(days, "MAX_COUNTED", 2)
    monkeypatch.setattr(calendar, "MAX_COUNTED", 2)
    await told(database, [a_report(n, hours_ago=n) for n in range(1, 4)])
    await group_into_events(database)
    async with visiting(database) as visitor:
        page = (await visitor.get(TODAY)).page
    assert "16 2+ events" in cells(page)


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
    assert "26 1 event" in cells(opened)
    assert f"{TODAY}?month=2024-05" in opened.links()


async def test_the_calendar_stays_in_its_collection_and_timezone(database):
    await told(
        database,
        [a_report(1, hours_ago=20.5, metadata={"collection": "ai_news"}), a_report(2, title="Flood", hours_ago=1)],
    )
    async with visiting(database, timezone="Asia/Tokyo") as visitor:
        page = (await visitor.get(f"{TODAY}?collection=ai_news")).page
    assert "16 1 event" in cells(page)
    assert f"{TODAY}?collection=ai_news&month=2024-04" in page.links()


async def test_the_first_and_the_last_month_have_an_end(database):
    await told(database, [a_report(1)])
    async with visiting(database) as visitor:
        first = await visitor.get("/days/1900-01-01")
        last = await visitor.get("/days/2999-12-31")
    assert (first.status, last.status) == (200, 200)
    assert [link for link in first.page.links() if "month=1899" in link] == []
    assert [link for link in last.page.links() if "month=3000" in link] == []


async def test_an_event_that_developed_after_half_a_day_is_developing(database):
    await told(database, [a_report(1, title="River rises", hours_ago=14), a_report(2, title="Museum", hours_ago=14)])
    await group_into_events(database)
    async with database.connection() as conn:
        await conn.execute(
            "UPDATE events SET created_at = $1::timestamptz,"
            " developed_at = CASE WHEN event_id = 1 THEN $2 ELSE $1::timestamptz END",
            NOW - timedelta(hours=14),
            NOW - timedelta(hours=2),
        )
    async with visiting(database, timezone="Asia/Tokyo") as visitor:
        today = (await visitor.get("/")).page
        yesterday = (await visitor.get("/days/2024-05-14")).page
    assert "Developing River rises 14 h ago Digests of today" in today.text
    assert "developing" in today.text
    assert "Developing" not in yesterday.text


async def test_a_quiet_rail_says_what_would_be_there(database):
    async with visiting(database) as visitor:
        page = (await visitor.get("/")).page
    assert "None now. An event is listed here if" in page.text
    assert "Sources no sources yet" in page.text


async def test_the_rail_tells_how_the_digests_of_the_day_stand(database):
    async with database.connection() as conn:
        await conn.execute("UPDATE topics SET created_at = $1, timezone = 'Europe/Berlin'", NOW - timedelta(days=30))
        for slug in ("ai_news", "china_news"):
            topic = await topics.by_slug(conn, slug)
            await topics.put_channel(conn, topic.topic_id, ChannelSettings(name="main", kind="file"))
    async with visiting(database, timezone="Europe/Berlin") as visitor:
        today = (await visitor.get(TODAY)).page
        tomorrow = (await visitor.get("/days/2024-05-17")).page
        earlier = (await visitor.get("/days/2024-05-10")).page
    assert "Digests of today AI News late due 09:00 China News late due 10:00 World News not made" in today.text
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
        ({"mode": None, "timezone": "Asia/Tokyo"}, "late", "due 09:00 Asia/Tokyo"),
        ({"mode": None, "has_channels": False}, "not made", ""),
        ({"mode": None, "created_at": NOW - timedelta(hours=1)}, "due", "Fri 17 May, 09:00"),
        ({"mode": None, "digest_cron": "0 20 * * *"}, "due", "20:00"),
    ],
)
def test_the_state_of_a_digest_in_words(changes, word, more):
    state = sidebar.digest_state(a_digest(**changes), DAY, now=NOW, timezone="Europe/Berlin")
    assert (state.word, state.more) == (word, more)


@pytest.mark.parametrize(
    ("changes", "day"),
    [({"digest_cron": "0 9 * * 1"}, DAY), ({"created_at": NOW}, DAY - timedelta(days=1))],
    ids=["a Thursday", "before the topic was added"],
)
def test_a_date_without_a_digest_has_no_state(changes, day):
    digest = a_digest(mode=None, **changes)
    assert sidebar.digest_state(digest, day, now=NOW, timezone="Europe/Berlin") is None


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
    outline = [a_publisher("b.example", 0, 4), a_publisher("a.example", 1)]
    found = timeline.strip(outline, {"a.example": "The A", "b.example": "B"})
    assert [(lane.number, lane.name, lane.path) for lane in found.lanes] == [
        (1, "B", "M0 0v10M1000 0v10"),
        (2, "The A", "M250 10v10"),
    ]


def test_newsrooms_beyond_the_colours_share_the_last_lane():
    outline = [a_publisher(f"{n}.example", n) for n in range(8)]
    outline.append(a_publisher("8.example", 8, 9))  # tells most, so it keeps a lane of its own
    found = timeline.strip(
        outline, {publisher.publisher_family: publisher.publisher_family for publisher in outline}
    ).lanes
    assert [lane.number for lane in found] == [1, 2, 3, 4, 5, 6]
    assert found[-1].name == "4 others"
    assert "8.example" in [lane.name for lane in found]
    assert sum(lane.documents for lane in found) == 10


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
