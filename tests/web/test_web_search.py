"""Search as people and programs meet it."""

from urllib.parse import quote

import pytest

from builders import group_into_events, told
from scoop.actions import search
from scoop.actions.search import QueryVector
from web.visitor import a_report, visiting

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
async def desk(database):
    """A desk with some stories."""
    await told(
        database,
        [
            a_report(1, title="Harbour strike enters its third day", body_text="Dockers strike for pay.", hours_ago=2),
            a_report(2, title=f"Museum strike {HOSTILE}", body_text=f"Guards {HOSTILE} walk out.", source="gazette"),
            a_report(3, title="東京都庁で記者会見", body_text="新しい橋を公開した。", language="ja", source="asahi"),
            a_report(4, title="Chip maker grows", body_text="Sales rise.", metadata={"collection": "ai_news"}),
        ],
    )
    return database


FLOOD = [
    ("Flood reaches Ostburg", "tribune"),
    ("Ostburg under water after flood", "gazette"),
    ("Thousands flee the flood at Ostburg", "herald"),
]


@pytest.fixture
async def flood(database):
    """A desk with three stories of one event, and one of another."""
    await told(
        database,
        [
            *(
                a_report(number, title=title, body_text=f"{title}, says {source}.", source=source)
                for number, (title, source) in enumerate(FLOOD, start=1)
            ),
            a_report(4, title="Flood of letters to the museum", body_text="Letters came.", source="gazette"),
        ],
    )
    await group_into_events(database, [title for title, _ in FLOOD])
    return database


def headlines(page):
    return [link["href"] for link in page.attributes("a") if "data-stop" in link]


# The page


async def test_what_is_found_is_marked_and_says_how_it_was_found(desk):
    async with visiting(desk, role="reader") as visitor:
        answer = await visitor.get("/search?q=dockers")
    assert answer.status == 200
    assert "<mark>Dockers</mark> strike for pay." in answer.text
    assert "Harbour strike enters its third day" in answer.page.text
    assert "2 h ago found by words" in answer.page.text
    assert [field["value"] for field in answer.page.attributes("input") if field.get("name") == "q"] == ["dockers"] * 2


async def test_a_headline_is_a_stop_of_the_keyboard_and_leads_to_its_event(desk):
    async with visiting(desk, role="reader") as visitor:
        stops = headlines((await visitor.get("/search?q=strike")).page)
        found = (await visitor.get("/api/v1/search?q=strike")).json
    assert stops == [f"/events/{hit['event']['event_uuid']}" for hit in found["items"]]
    assert len(stops) == 2


async def test_an_event_is_one_result_that_names_its_outlets(flood):
    async with visiting(flood, role="reader") as visitor:
        page = (await visitor.get("/search?q=flood+ostburg")).page
    assert len(headlines(page)) == 1
    assert "1 event ·" in page.text
    assert "3 outlets, 1 independent" in page.text
    assert "https://tribune.example/1" in page.links()
    assert all(name in page.text for name in ("Tribune", "Gazette", "Herald"))


async def test_an_event_has_the_headline_of_its_lead_and_the_passage_of_the_story_that_matches(flood):
    async with visiting(flood, role="reader") as visitor:
        answer = await visitor.get("/search?q=thousands+flee")
        hit = (await visitor.get("/api/v1/search?q=thousands+flee")).json["items"][0]
    event, story = hit["event"], hit["story"]
    assert story["title"] == "Thousands flee the flood at Ostburg" != event["title"]
    assert "".join(span["text"] for span in hit["headline"]) == event["title"]
    assert headlines(answer.page) == [f"/events/{event['event_uuid']}"]
    assert f"{event['title']} Thousands flee the flood at Ostburg Herald" in " ".join(answer.page.text.split())
    assert "<mark>Thousands</mark> <mark>flee</mark> the flood at Ostburg, says herald." in answer.text
    assert f"/events/{event['event_uuid']}?story={story['story_id']}#story-{story['story_id']}" in answer.page.links()


async def test_the_other_stories_of_an_event_are_folded_below_it(flood):
    async with visiting(flood, role="reader") as visitor:
        page = (await visitor.get("/search?q=flood+ostburg")).page
        hit = (await visitor.get("/api/v1/search?q=flood+ostburg")).json["items"][0]
    assert "2 more outlets" in page.text
    assert all(title in page.text for title, _ in FLOOD)
    assert {"class": "others"} in page.attributes("details")
    others = [
        each["story_id"] for each in hit["other_stories"] if each["story_uuid"] != hit["event"]["lead_story_uuid"]
    ]
    assert others
    for story_id in others:
        assert f"/events/{hit['event']['event_uuid']}?story={story_id}#story-{story_id}" in page.links()


async def test_single_stories_are_listed_on_request(flood):
    async with visiting(flood, role="reader") as visitor:
        events = (await visitor.get("/search?q=flood+ostburg")).page
        page = (await visitor.get("/search?q=flood+ostburg&stories=1")).page
    assert "/search?q=flood%20ostburg&stories=1" in events.links()
    assert "/search?q=flood%20ostburg" in page.links()
    assert "3 stories ·" in page.text
    assert "event of 3 stories" in page.text
    assert len(page.links("/stories/")) == 3
    assert {"type": "hidden", "name": "stories", "value": "1"} in page.attributes("input")


async def test_the_filters_of_the_address_narrow_and_stay(desk):
    async with visiting(desk, role="reader") as visitor:
        page = (await visitor.get("/search?q=strike&source=gazette&since=2024-05-01&until=2024-05-16")).page
        none = (await visitor.get("/search?q=strike&until=2024-05-01")).page
    assert len(headlines(page)) == 1
    assert {"source": "gazette", "since": "2024-05-01"}.items() <= {
        field.get("name"): field.get("value") for field in page.attributes("input")
    }.items()
    assert {"open": ""} in page.attributes("details")
    assert "/feeds/search.rss?q=strike&source=gazette&since=2024-05-01&until=2024-05-16" in page.links()
    assert "No results" in none.text
    assert "/search?q=strike" in none.links()


async def test_japanese_is_found_and_marked_as_japanese(desk):
    async with visiting(desk, role="reader") as visitor:
        answer = await visitor.get(f"/search?q={quote('記者会見')}")
    assert '<h3 dir="auto" lang="ja">' in answer.text
    assert "東京都庁で<mark>記者会見</mark>" in answer.text


async def test_an_empty_search_teaches(desk):
    async with visiting(desk, role="reader") as visitor:
        page = (await visitor.get("/search")).page
        again = [await visitor.get(link) for link in page.links("/search?q=")]
    assert "Examples" in page.text
    assert '"harbour strike"' in page.text
    assert len(again) == 6
    assert {each.status for each in again} == {200}


async def test_nothing_of_what_is_typed_or_found_becomes_markup(desk):
    async with visiting(desk, role="reader") as visitor:
        found = await visitor.get("/search?q=museum")
        typed = await visitor.get(f"/search?q={quote(HOSTILE)}&collection={quote(HOSTILE)}&source={quote(HOSTILE)}")
    assert f"strike {HOSTILE}" in found.page.text
    for answer in (found, typed):
        assert HOSTILE not in answer.text
        assert [tag for tag in answer.page.attributes("script") if "src" not in tag] == []


async def test_a_mistyped_word_is_told(desk):
    async with visiting(desk, role="reader") as visitor:
        page = (await visitor.get("/search?q=museun")).page
    assert "No headline has museun . Searched for museum as well." in page.text
    assert "found by similar spelling" in page.text


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        (
            "/search?q=strike&collection=nope",
            200,
            "No story has the collection 'nope'; there are: ai_news, world_news.",
        ),
        ("/search?q=strike&since=yesterday", 400, "'yesterday' is not a day; write it as 2026-11-15"),
        ("/search?q=strike&until=9999-12-31", 400, "The year 9999 is out of range"),
        ("/search?q=-", 200, "The query has no word to search for."),
        ("/search?q=%00", 200, "Examples"),
        (f"/search?q={'bridge+' * 140}", 200, "Only the first 32 words were searched for."),
        ("/search?q=strike&offset=400", 200, "No more results"),
        ("/search?q=strike&offset=-1&offset=x", 200, "2 events"),
        ("/search?q=strike&topic=nope", 200, "There is no topic 'nope'."),
    ],
)
async def test_what_cannot_be_is_said_in_words(desk, path, status, said):
    async with visiting(desk, role="reader") as visitor:
        answer = await visitor.get(path)
    assert answer.status == status
    assert said in answer.page.text


async def test_a_long_list_goes_on(database):
    numbers = [number * 7919 for number in range(45)]
    await told(database, [a_report(each, title=f"Bridge {each} closed", body_text=f"{each} " * 9) for each in numbers])
    seen, path = [], "/search?q=bridge"
    async with visiting(database, role="reader") as visitor:
        while path:
            page = (await visitor.get(path)).page
            seen.append(headlines(page))
            path = next((each["href"] for each in page.attributes("a") if each.get("rel") == "next"), None)
    assert [len(each) for each in seen] == [20, 20, 5]
    assert len({href for each in seen for href in each}) == 45


async def test_nobody_is_sent_to_sign_in_and_back(desk):
    async with visiting(desk, role="reader"), visiting(desk, role=None) as stranger:
        answer = await stranger.get("/search?q=strike")
    assert answer.status == 303
    assert answer.headers["Location"] == "/sign-in?next=%2Fsearch%3Fq%3Dstrike"


async def test_the_public_searches_where_reading_is_public(desk):
    async with visiting(desk, role=None, public_reading=True) as stranger:
        assert len(headlines((await stranger.get("/search?q=strike")).page)) == 2


# The API


async def test_programs_get_events_with_their_outlets_and_the_stories_that_match(flood):
    async with visiting(flood, role="reader") as visitor:
        found = (await visitor.get("/api/v1/search?q=flood")).json
    assert (found["total_estimate"], len(found["items"])) == (2, 2)
    hit = next(hit for hit in found["items"] if hit["event"]["story_count"] == 3)
    event = hit["event"]
    assert (event["source_count"], event["publisher_family_count"]) == (3, 1)
    assert {outlet["source"] for outlet in event["outlets"]} == {"tribune", "gazette", "herald"}
    assert {story["title"] for story in (hit["story"], *hit["other_stories"])} == {title for title, _ in FLOOD}
    assert hit["matching_story_count"] == 3


async def test_programs_get_single_stories_with_their_event_on_request(flood):
    async with visiting(flood, role="reader") as visitor:
        found = (await visitor.get("/api/v1/search?q=ostburg&stories=1")).json
    assert found["total_estimate"] == 3
    assert {hit["story"]["title"] for hit in found["items"]} == {title for title, _ in FLOOD}
    assert len({hit["event"]["event_uuid"] for hit in found["items"]}) == 1
    assert [hit["other_stories"] for hit in found["items"]] == [[], [], []]


async def test_programs_get_the_story_the_ways_and_the_pieces(desk):
    async with visiting(desk, role="reader") as visitor:
        answer = await visitor.get("/api/v1/search?q=dockers&limit=1")
    found = answer.json
    assert (answer.status, found["total_estimate"], found["hints"]) == (200, len(found["items"]), [])
    hit = found["items"][0]
    assert hit["story"]["title"] == "Harbour strike enters its third day"
    assert "words" in hit["found_by"]
    assert hit["passage"] == [{"text": "Dockers", "is_hit": True}, {"text": " strike for pay.", "is_hit": False}]
    assert hit["score"] > 0
    assert found["took_ms"] >= 0


async def test_a_repeated_search_finds_what_came_in_between(desk):
    async with visiting(desk, role="reader") as visitor:
        before = [(await visitor.get(path)).text for path in ("/search?q=lighthouse", "/api/v1/search?q=lighthouse")]
        await told(desk, [a_report(9, title="Lighthouse of Ostburg is for sale", body_text="The council sells it.")])
        after = [(await visitor.get(path)).text for path in ("/search?q=lighthouse", "/api/v1/search?q=lighthouse")]
    assert all("for sale" not in answer for answer in before)
    assert all("for sale" in answer for answer in after)


async def test_an_embedder_that_was_away_is_asked_again_by_the_same_search(desk, monkeypatch):
    async def is_away(*_args, **_options):
        return QueryVector(model_name="away", model_version="1", vector=None)

    async with visiting(desk, role="reader") as visitor:
        with monkeypatch.context() as away:
            away.setattr(search, "embed_query", is_away)
            first = (await visitor.get("/api/v1/search?q=dockers")).json
        second = (await visitor.get("/api/v1/search?q=dockers")).json
    assert first["hints"] == [search.EMBEDDER_TIMEOUT]
    assert second["hints"] == []


async def test_programs_narrow_too(desk):
    async with visiting(desk, role="reader") as visitor:
        narrowed = "q=strike&collection=world_news&source=gazette&language=en&since=2024-05-16&until=2024-05-16"
        found = (await visitor.get(f"/api/v1/search?{narrowed}")).json
        beyond = (await visitor.get("/api/v1/search?q=strike&offset=500")).json
        unknown = (await visitor.get("/api/v1/search?q=strike&collection=nope")).json
    assert [hit["story"]["sources"] for hit in found["items"]] == [["gazette"]]
    assert (beyond["items"], beyond["total_estimate"]) == ([], 2)
    assert (unknown["items"], len(unknown["hints"])) == ([], 1)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("", "query.q"),
        ("q=a&limit=0", "query.limit"),
        ("q=a&limit=101", "query.limit"),
        ("q=a&offset=501", "query.offset"),
        ("q=a&offset=-1", "query.offset"),
        ("q=a&since=soon", "query.since"),
        ("q=a&since=0001-01-01", "query.since"),
        ("q=a&until=9999-12-31", "query.until"),
        ("q=%00", "query.q"),
        ("q=a&collection=%00", "query.collection"),
        ("q=a&sort=new", "query.sort"),
        ("q=a&stories=some", "query.stories"),
        (f"q={'x' * 10_001}", "query.q"),
        ("q=a&limit=99999999999999999999", "query.limit"),
    ],
)
async def test_what_programs_may_not_ask_is_named(desk, query, field):
    async with visiting(desk, role="reader") as visitor:
        answer = await visitor.get(f"/api/v1/search?{query}")
    assert (answer.status, answer.json["error"]["code"]) == (400, "INVALID_ARGUMENT")
    assert answer.json["error"]["details"][0]["field"] == field


async def test_strangers_programs_are_refused(desk):
    async with visiting(desk, role=None) as stranger:
        answer = await stranger.get("/api/v1/search?q=strike")
    assert (answer.status, answer.json["error"]["code"]) == (401, "UNAUTHENTICATED")


async def test_the_search_is_described(desk):
    async with visiting(desk, role="reader") as visitor:
        operation = (await visitor.get("/api/openapi.json")).json["paths"]["/api/v1/search"]["get"]
    assert {each["name"] for each in operation["parameters"]} == {
        "q",
        "collection",
        "source",
        "topic",
        "since",
        "until",
        "language",
        "stories",
        "limit",
        "offset",
    }
    assert operation["responses"]["200"]["content"]["application/json"]["schema"]["$ref"].endswith("/SearchResult")
