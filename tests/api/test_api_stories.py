from urllib.parse import quote

import pytest

from builders import FIRE, FIRE_AGAIN, an_item, group_into_events, told
from web.visitor import a_report, visiting

STORIES = "/api/v1/stories"
FLOOD = "https://tribune.example/flood"


async def titles(visitor, query=""):
    answer = await visitor.get(f"{STORIES}{query}")
    assert answer.status == 200, answer.text
    return [story["title"] for story in answer.json["items"]]


async def walked(visitor, path):
    """All items of a list, part by part; and how many parts there were."""
    found, parts, cursor = [], 0, ""
    while cursor is not None:
        answer = (await visitor.get(f"{path}{f'&cursor={cursor}' if cursor else ''}")).json
        found, parts, cursor = found + answer["items"], parts + 1, answer["next_cursor"]
    return found, parts


async def refused(visitor, path):
    answer = await visitor.get(path)
    return answer.status, answer.json["error"]["code"], answer.json["error"]["message"]


async def test_stories_are_listed_the_latest_first(database):
    await told(database, [a_report(number, title=f"Story {number}", hours_ago=number) for number in range(1, 4)])
    async with visiting(database, role="reader") as visitor:
        answer = await visitor.get(STORIES)
    assert [story["title"] for story in answer.json["items"]] == ["Story 1", "Story 2", "Story 3"]
    assert answer.json["next_cursor"] is None
    assert answer.json["items"][0].keys() >= {
        "story_uuid",
        "event_uuid",
        "collection",
        "title",
        "url",
        "status",
        "first_seen_at",
        "last_seen_at",
        "item_count",
        "source_count",
        "publisher_family_count",
        "sources",
        "publisher_families",
        "language",
        "lead",
    }


async def test_a_cursor_goes_on_where_the_part_before_ended_even_among_stories_of_one_moment(database):
    await told(database, [a_report(number, title=f"Story {number}", hours_ago=5) for number in range(7)])
    async with visiting(database) as visitor:
        found, parts = await walked(visitor, f"{STORIES}?limit=3")
    assert sorted(story["title"] for story in found) == [f"Story {number}" for number in range(7)]
    assert parts == 3


async def test_what_comes_in_between_does_not_shift_the_next_part(database):
    await told(database, [a_report(number, title=f"Story {number}", hours_ago=number) for number in range(1, 5)])
    async with visiting(database) as visitor:
        first = (await visitor.get(f"{STORIES}?limit=2")).json
        await told(database, [a_report(9, title="Just in", hours_ago=0.1)])
        assert await titles(visitor, f"?limit=2&cursor={first['next_cursor']}") == ["Story 3", "Story 4"]


async def test_pages_by_number_work_as_well(database):
    await told(database, [a_report(number, title=f"Story {number}", hours_ago=number) for number in range(1, 6)])
    async with visiting(database) as visitor:
        pages = [await titles(visitor, f"?page={page}&page_size=2") for page in (1, 2, 3, 4)]
    assert pages == [["Story 1", "Story 2"], ["Story 3", "Story 4"], ["Story 5"], []]


async def test_stories_of_one_collection(database):
    await told(database, [a_report(1, title="One"), a_report(2, title="Other", metadata={"collection": "ai_news"})])
    async with visiting(database) as visitor:
        assert await titles(visitor, "?collection=ai_news") == ["Other"]
        assert await titles(visitor, "?collection=china_news") == []


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("bridge", ["100%_sure: the Bridge\\holds"]),
        ("%", ["100%_sure: the Bridge\\holds"]),
        ("_", None),
        ("\\h", None),
        ("B_idge", []),
        ("橋", ["橋が閉鎖"]),
        ("' OR 1=1 --", []),
    ],
)
async def test_words_are_sought_in_titles_as_they_are_written(database, words, found):
    await told(
        database, [a_report(1, title="100%_sure: the Bridge\\holds"), a_report(2, title="橋が閉鎖", language="ja")]
    )
    async with visiting(database) as visitor:
        assert await titles(visitor, f"?q={quote(words)}") == (
            found if found is not None else ["100%_sure: the Bridge\\holds"]
        )


async def test_days_are_those_of_the_desk(database):
    await told(
        database,
        [
            an_item(1, title="Late on the 15th", published_at="2024-05-15T21:30:00Z"),
            an_item(2, title="Early on the 16th", published_at="2024-05-15T22:30:00Z"),
        ],
    )
    async with visiting(database, timezone="Europe/Berlin") as visitor:
        assert await titles(visitor, "?from=2024-05-16") == ["Early on the 16th"]
        assert await titles(visitor, "?to=2024-05-15") == ["Late on the 15th"]
        assert len(await titles(visitor, "?from=2024-05-15&to=2024-05-16")) == 2


async def test_moments_bound_a_list_the_end_not_included(database):
    await told(database, [an_item(1, title="Noon", published_at="2024-05-15T12:00:00Z")])
    async with visiting(database) as visitor:
        assert await titles(visitor, "?from=2024-05-15T12:00:00Z") == ["Noon"]
        assert await titles(visitor, "?from=2024-05-15T14:00:00%2B02:00") == ["Noon"]
        assert await titles(visitor, "?from=2024-05-15T14:00:00+02:00") == ["Noon"]  # a plus that nobody escaped
        assert await titles(visitor, "?to=2024-05-15T12:00:00Z") == []
        assert await titles(visitor, "?to=2024-05-15T12:00:00.000001Z") == ["Noon"]
        assert await titles(visitor, "?from=0001-01-01&to=9999-12-31") == ["Noon"]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("limit=201", "limit"),
        ("page_size=201", "page_size"),
        ("page=0", "page"),
        ("page=100000000000000000000", "page"),
        ("q=", "q"),
        ("q=%00", "q"),
        ("collection=a%00b", "collection"),
        ("from=yesterday", "from"),
        ("to=2024-13-01", "to"),
        ("from=2024-05-15T12:00:00", "from"),
        ("nope=1", "nope"),
        ("cursor=nonsense", "cursor"),
        ("cursor=WyJub3doZXJlIiwxXQ", "cursor"),
        ("page=1&cursor=x", "page"),
        ("limit=1&page_size=1", "limit"),
        (f"q={'x' * 300}", "q"),
    ],
)
async def test_a_query_that_cannot_be_names_its_field(database, query, field):
    async with visiting(database) as visitor:
        status, code, message = await refused(visitor, f"{STORIES}?{query}")
    assert (status, code) == (400, "INVALID_ARGUMENT")
    assert field in message


async def test_a_story_has_its_members_and_its_company(database):
    await told(
        database,
        [
            a_report(1, source="harbour_post", canonical_url=FLOOD, hours_ago=3, **FIRE),
            a_report(2, source="tribune", canonical_url=FLOOD, title="The same", hours_ago=2),
            a_report(3, source="akari", canonical_url="https://akari.example/3", hours_ago=1, **FIRE_AGAIN),
        ],
    )
    await group_into_events(database, [FIRE["title"], FIRE_AGAIN["title"]])
    async with visiting(database) as visitor:
        listed = (await visitor.get(STORIES)).json["items"]
        uuid = next(story["story_uuid"] for story in listed if story["item_count"] == 2)
        answer = await visitor.get(f"{STORIES}/{uuid}")
    assert answer.status == 200
    assert [member["source"] for member in answer.json["members"]] == ["harbour_post", "tribune"]
    assert [other["title"] for other in answer.json["company"]] == [FIRE_AGAIN["title"]]
    assert answer.headers["Content-Location"] == f"{STORIES}/{uuid}"


async def test_a_merged_story_is_answered_with_the_one_it_became_part_of(database):
    await told(database, [a_report(1, title="First"), a_report(2, title="Second"), a_report(3, title="Third")])
    async with database.connection() as conn:
        await conn.execute("UPDATE stories SET status = 'merged', merged_into = 2 WHERE story_id = 1")
        await conn.execute("UPDATE stories SET status = 'merged', merged_into = 3 WHERE story_id = 2")
        rows = await conn.fetch("SELECT story_uuid::text AS uuid FROM stories ORDER BY story_id")
        stays = await conn.fetchval("SELECT canonical_title FROM stories WHERE story_id = 3")
    async with visiting(database) as visitor:
        answer = await visitor.get(f"{STORIES}/{rows[0]['uuid']}")
        assert await titles(visitor) == [stays]
    assert (answer.status, answer.json["story"]["title"]) == (200, stays)
    assert answer.json["story"]["story_uuid"] == rows[2]["uuid"]
    assert answer.headers["Content-Location"] == f"{STORIES}/{rows[2]['uuid']}"


async def test_a_story_that_nobody_knows(database):
    async with visiting(database) as visitor:
        assert (await refused(visitor, f"{STORIES}/00000000-0000-4000-8000-000000000000"))[:2] == (404, "NOT_FOUND")
        assert (await refused(visitor, f"{STORIES}/1"))[:2] == (400, "INVALID_ARGUMENT")
        assert (await refused(visitor, f"{STORIES}/%00"))[:2] == (400, "INVALID_ARGUMENT")


async def test_what_has_not_changed_is_not_sent_again(database):
    await told(database, [a_report(1)])
    async with visiting(database) as visitor:
        first = await visitor.get(STORIES)
        again = await visitor.get(STORIES, **{"If-None-Match": first.headers["ETag"]})
    assert (again.status, again.text) == (304, "")


@pytest.mark.parametrize("path", [STORIES, f"{STORIES}/00000000-0000-4000-8000-000000000000", "/api/v1/story-days"])
async def test_nobody_reads_stories_unless_reading_is_public(database, path):
    async with visiting(database, role=None) as visitor:
        answer = await visitor.get(path)
    async with visiting(database, role=None, public_reading=True) as visitor:
        public = await visitor.get(path)
    assert (answer.status, answer.json["error"]["code"]) == (401, "UNAUTHENTICATED")
    assert public.status in {200, 404}


async def test_days_have_their_stories_by_collection_in_the_timezone_of_the_desk(database):
    await told(
        database,
        [
            an_item(1, title="A", published_at="2024-05-14T10:00:00Z"),
            an_item(2, title="B", published_at="2024-05-15T21:30:00Z"),
            an_item(3, title="C", published_at="2024-05-15T22:30:00Z", metadata={"collection": "ai_news"}),
            an_item(4, title="D", published_at="2024-05-16T08:00:00Z"),
        ],
    )
    async with visiting(database, timezone="Europe/Berlin") as visitor:
        answer = (await visitor.get("/api/v1/story-days")).json
        of_one = (await visitor.get("/api/v1/story-days?collection=ai_news")).json["items"]
    assert [(day["day"], day["stories"]) for day in answer["items"]] == [
        ("2024-05-16", 2),
        ("2024-05-15", 1),
        ("2024-05-14", 1),
    ]
    assert answer["items"][0]["collections"] == [
        {"collection": "ai_news", "stories": 1, "groups": 1},
        {"collection": "world_news", "stories": 1, "groups": 1},
    ]
    assert [(day["day"], day["stories"]) for day in of_one] == [("2024-05-16", 1)]
    assert answer["next_cursor"] is None


async def test_days_go_on_after_a_cursor_and_keep_within_bounds(database):
    days = [f"2024-05-{day:02}T12:00:00Z" for day in (1, 2, 4, 9, 15)]
    await told(database, [an_item(number, title=f"S{number}", published_at=day) for number, day in enumerate(days)])
    async with visiting(database) as visitor:
        found, parts = await walked(visitor, "/api/v1/story-days?limit=2")
        bounded, _ = await walked(visitor, "/api/v1/story-days?limit=1&from=2024-05-02&to=2024-05-09")
    assert [day["day"] for day in found] == ["2024-05-15", "2024-05-09", "2024-05-04", "2024-05-02", "2024-05-01"]
    assert parts == 3
    assert [day["day"] for day in bounded] == ["2024-05-09", "2024-05-04", "2024-05-02"]


@pytest.mark.parametrize("zone", ["America/Sao_Paulo", "Africa/Cairo", "Pacific/Apia", "Asia/Kolkata"])
async def test_days_without_a_midnight_are_days_too(database, zone):
    moments = ["2018-11-03T12:00:00Z", "2018-11-04T02:59:00Z", "2018-11-04T03:00:00Z", "2018-11-04T12:00:00Z"]
    await told(database, [an_item(n, title=f"S{n}", published_at=moment) for n, moment in enumerate(moments)])
    async with visiting(database, timezone=zone) as visitor:
        days = (await visitor.get("/api/v1/story-days")).json["items"]
        stories = [(await visitor.get(f"{STORIES}?from={day['day']}&to={day['day']}")).json["items"] for day in days]
    assert sum(day["stories"] for day in days) == 4
    assert [len(found) for found in stories] == [day["stories"] for day in days]


@pytest.mark.parametrize(
    ("query", "field"),
    [("limit=0", "limit"), ("limit=101", "limit"), ("from=soon", "from"), ("cursor=WzFd", "cursor"), ("q=x", "q")],
)
async def test_days_that_cannot_be_asked_for(database, query, field):
    async with visiting(database) as visitor:
        status, code, message = await refused(visitor, f"/api/v1/story-days?{query}")
    assert (status, code) == (400, "INVALID_ARGUMENT")
    assert field in message


async def test_hostile_text_comes_back_as_it_was_written(database):
    hostile = "</script><script>alert(1)</script>\u202e 😀 \"'"
    await told(database, [an_item(1, title=hostile)])
    async with visiting(database) as visitor:
        answer = await visitor.get(STORIES)
    assert answer.headers["Content-Type"] == "application/json"
    assert "<script>alert(1)</script>" in answer.json["items"][0]["title"]


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/api/v1/stories?collection=wrld_news", "collection"),
        ("/api/v1/story-days?collection=wrld_news", "collection"),
        ("/api/v1/documents?collection=wrld_news", "collection"),
        ("/api/v1/documents?source=tribun", "source"),
    ],
)
async def test_an_unknown_collection_or_source_is_refused_with_the_nearest_name(database, path, field):
    await told(database, [a_report(1)])
    async with visiting(database, role="reader") as visitor:
        answer = await visitor.get(path)
    assert (answer.status, answer.json["error"]["details"][0]["field"]) == (400, field)
    assert "did you mean" in answer.json["error"]["message"]
