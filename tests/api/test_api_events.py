"""Events through the API: the list, one event, and the ids that lead to it."""

from datetime import timedelta

import pytest

from builders import FIRE, FIRE_AGAIN, group_into_events, told
from scoop.store import review
from web.visitor import NOW, a_report, visiting

EVENTS = "/api/v1/events"
STORIES = "/api/v1/stories"


async def titles(visitor, query=""):
    answer = await visitor.get(f"{EVENTS}{query}")
    assert answer.status == 200, answer.text
    return [event["title"] for event in answer.json["items"]]


async def a_fire(database):
    """One event of two stories and three outlets, and another event."""
    await told(
        database,
        [
            a_report(1, source="harbour_post", canonical_url="https://harbour.example/1", hours_ago=5, **FIRE),
            a_report(2, source="tribune", canonical_url="https://harbour.example/1", hours_ago=4, **FIRE),
            a_report(3, source="akari", canonical_url="https://akari.example/3", hours_ago=3, **FIRE_AGAIN),
            a_report(
                4, title="A museum opens", source="herald", canonical_url="https://herald.example/4", hours_ago=20
            ),
        ],
    )
    await group_into_events(database, [FIRE["title"], FIRE_AGAIN["title"]])


async def test_an_event_is_listed_once_with_its_outlets_and_counts(database):
    await a_fire(database)
    async with visiting(database, role="reader") as visitor:
        answer = (await visitor.get(EVENTS)).json
    fire, museum = answer["items"]
    assert (fire["title"], museum["title"], answer["next_cursor"]) == (FIRE["title"], "A museum opens", None)
    assert [outlet["source"] for outlet in fire["outlets"]] == ["harbour_post", "tribune", "akari"]
    counts = ("story_count", "item_count", "source_count", "publisher_family_count", "language_count")
    assert [fire[name] for name in counts] == [2, 3, 3, 2, 1]
    assert fire["publisher_families"] == ["akari.example", "harbour.example"]
    assert (fire["status"], fire["topics"], fire["collection"]) == ("new", ["world_news"], "world_news")
    assert {"event_uuid", "lead_story_uuid", "url", "first_seen_at", "last_seen_at", "developed_at"} <= fire.keys()


async def test_a_cursor_goes_on_where_the_page_before_ended(database):
    await told(database, [a_report(number, title=f"Event {number}", hours_ago=5) for number in range(5)])
    await group_into_events(database)
    async with visiting(database) as visitor:
        first = (await visitor.get(f"{EVENTS}?limit=3")).json
        rest = (await visitor.get(f"{EVENTS}?limit=3&cursor={first['next_cursor']}")).json
    found = [event["title"] for event in (*first["items"], *rest["items"])]
    assert (sorted(found), rest["next_cursor"]) == ([f"Event {number}" for number in range(5)], None)


async def test_events_can_be_narrowed(database):
    await a_fire(database)
    async with visiting(database) as visitor:
        assert await titles(visitor, "?collection=world_news&limit=1") == [FIRE["title"]]
        assert await titles(visitor, "?topic=world_news") == [FIRE["title"], "A museum opens"]
        assert await titles(visitor, "?topic=ai_news") == []
        assert await titles(visitor, "?q=ninety%20thousand") == [FIRE["title"]]  # in a story that does not lead
        assert await titles(visitor, "?from=2024-05-16") == [FIRE["title"]]
        assert await titles(visitor, "?to=2024-05-15") == ["A museum opens"]


async def test_every_event_has_exactly_one_status(database):
    await told(
        database,
        [a_report(number, title=f"Event {hours}", hours_ago=hours) for number, hours in enumerate((1, 13, 14, 15, 40))],
    )
    await group_into_events(database)
    async with database.connection() as conn:
        for title, developed in (("Event 13", 2), ("Event 14", 25), ("Event 40", 2)):
            await conn.execute(
                "UPDATE events SET created_at = $2, developed_at = $3 FROM stories "
                "WHERE lead_story_id = story_id AND canonical_title = $1",
                title,
                NOW - timedelta(days=3),
                NOW - timedelta(hours=developed),
            )
    async with visiting(database) as visitor:
        listed = {event["title"]: event["status"] for event in (await visitor.get(EVENTS)).json["items"]}
        by_status = {status: await titles(visitor, f"?status={status}") for status in ("new", "developing", "quiet")}
    assert by_status["new"] == ["Event 1"]
    assert by_status["developing"] == ["Event 13"]
    assert listed == {title: status for status, found in by_status.items() for title in found}
    assert len(listed) == 5


async def test_the_status_changes_with_time_alone(database):
    await told(database, [a_report(1, hours_ago=11)])
    now = [NOW]
    async with visiting(database, clock=lambda: now[0]) as visitor:
        before = (await visitor.get(EVENTS)).json["items"][0]["status"]
        now[0] += timedelta(hours=2)
        after = (await visitor.get(EVENTS)).json["items"][0]["status"]
    assert (before, after) == ("new", "quiet")


async def test_one_event_has_its_stories_documents_and_topics(database):
    await a_fire(database)
    async with visiting(database) as visitor:
        uuid = (await visitor.get(EVENTS)).json["items"][0]["event_uuid"]
        answer = await visitor.get(f"{EVENTS}/{uuid}")
    detail = answer.json
    assert (answer.status, answer.headers["Content-Location"]) == (200, f"{EVENTS}/{uuid}")
    assert [story["title"] for story in detail["stories"]] == [FIRE["title"], FIRE_AGAIN["title"]]
    assert {story["event_uuid"] for story in detail["stories"]} == {uuid}
    assert [document["source"] for document in detail["documents"]] == ["harbour_post", "tribune", "akari"]
    assert (detail["event"]["topics"], detail["digests"]) == (["world_news"], [])


async def test_the_documents_of_an_event_come_in_parts(database):
    await a_fire(database)
    async with visiting(database) as visitor:
        path = f"{EVENTS}/{(await visitor.get(EVENTS)).json['items'][0]['event_uuid']}"
        first, second = [(await visitor.get(f"{path}?limit=2&offset={offset}")).json["documents"] for offset in (0, 2)]
        refused = await visitor.get(f"{path}?limit=1001")
    assert [document["source"] for document in (*first, *second)] == ["harbour_post", "tribune", "akari"]
    assert (len(first), refused.status) == (2, 400)


async def test_what_only_one_publisher_has_is_part_of_the_event_however_many_report_it(database):
    base = "The public library of Ostburg burned down in the night to Monday, the city said."
    extra = " The minister Ella Brandt promised 4,200 new books."
    reports = [
        a_report(
            n,
            source=f"paper{n}",
            canonical_url=f"https://paper{n}.example/fire",
            title=f"Library burns, reports paper {'abcdefghij'[n % 10] * (1 + n // 10)}",
            body_text=base + (extra if n == 3 else ""),
        )
        for n in range(1, 46)
    ]
    await told(database, reports)
    await group_into_events(database, [report["title"] for report in reports])
    async with visiting(database) as visitor:
        path = f"{EVENTS}/{(await visitor.get(EVENTS)).json['items'][0]['event_uuid']}"
        additions = (await visitor.get(path)).json["additions"]
    assert additions == {"paper3.example": ["4,200 new", "Ella Brandt"]}


async def test_the_languages_of_an_event_are_all_that_are_known(database):
    languages = ["en"] * 51 + ["de", "und"]
    reports = [
        a_report(n, source=f"p{n}", canonical_url=f"https://p{n}.example/", title=f"Report {n}", body_text=f"{n}")
        for n in range(1, len(languages) + 1)
    ]
    await told(database, reports)
    async with database.transaction() as conn:
        for n, language in enumerate(languages, start=1):
            await conn.execute("UPDATE documents SET normalized_language = $2 WHERE source = $1", f"p{n}", language)
    await group_into_events(database, [report["title"] for report in reports])
    async with visiting(database) as visitor:
        event = (await visitor.get(EVENTS)).json["items"][0]
    assert (event["languages"], event["language_count"], event["story_count"]) == (["de", "en"], 2, 53)


async def test_the_ids_of_merged_events_and_of_stories_lead_to_the_event(database):
    await a_fire(database)
    async with visiting(database) as visitor:
        event = (await visitor.get(EVENTS)).json["items"][0]["event_uuid"]
        stories = [story for story in (await visitor.get(STORIES)).json["items"] if story["event_uuid"] == event]
        answers = [await visitor.get(f"{EVENTS}/{story['story_uuid']}") for story in stories]
    assert len(answers) == 2
    assert {answer.json["event"]["event_uuid"] for answer in answers} == {event}
    assert {answer.headers["Content-Location"] for answer in answers} == {f"{EVENTS}/{event}"}


async def test_a_suppressed_event_is_not_listed_and_says_that_it_is_suppressed(database):
    await told(database, [a_report(1)])
    async with visiting(database) as visitor:
        uuid = (await visitor.get(EVENTS)).json["items"][0]["event_uuid"]
        async with database.transaction() as conn:
            await review.suppress(conn, uuid)
        assert await titles(visitor) == []
        assert (await visitor.get(f"{EVENTS}/{uuid}")).json["event"]["status"] == "suppressed"


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("limit=201", "limit"),
        ("status=old", "status"),
        ("from=yesterday", "from"),
        ("cursor=nonsense", "cursor"),
        ("page=1", "page"),
        ("collection=wrld_news", "collection"),
        ("topic=wrld_news", "topic"),
    ],
)
async def test_an_invalid_query_names_its_field(database, query, field):
    await told(database, [a_report(1)])
    async with visiting(database) as visitor:
        answer = await visitor.get(f"{EVENTS}?{query}")
    assert (answer.status, answer.json["error"]["code"]) == (400, "INVALID_ARGUMENT")
    assert field in answer.json["error"]["message"]


async def test_an_unknown_event_is_not_found(database):
    async with visiting(database) as visitor:
        unknown = await visitor.get(f"{EVENTS}/00000000-0000-4000-8000-000000000000")
        number = await visitor.get(f"{EVENTS}/1")
    assert (unknown.status, number.status) == (404, 400)


@pytest.mark.parametrize("path", [EVENTS, f"{EVENTS}/00000000-0000-4000-8000-000000000000"])
async def test_nobody_reads_events_unless_reading_is_public(database, path):
    async with visiting(database, role=None) as visitor:
        assert (await visitor.get(path)).status == 401
