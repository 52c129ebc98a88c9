"""Every interface gives the same events: pages, feeds, the API, exports, search, reading apps and assistants."""

import html
import json
import re

from builders import FIRE, FIRE_AGAIN, group_into_events, told
from greader.test_greader import syncing
from mcp_server.test_mcp_routes import a_key, asking
from scoop.model import TopicSettings
from scoop.store import topics
from summarised import FIRE_SENTENCES, event_id_of, summarise
from web.visitor import a_report, visiting

WORDS = {
    "harbour": "The harbour of Ostburg stays closed after the storm, its master said on Monday.",
    "museum": "A museum of tides opens in Ostburg with a room for every month of the moon.",
    "ferry": "The ferry to Ostburg carries pupils free of charge until the bridge is repaired.",
}


async def some_events(database):
    """One event in two stories, one of a single story that two outlets print, and two that one outlet reports."""
    await told(
        database,
        [
            a_report(1, source="one", canonical_url="https://one.example/fire", hours_ago=3, **FIRE),
            a_report(2, source="two", canonical_url="https://two.example/fire", hours_ago=2, **FIRE_AGAIN),
            a_report(3, source="one", title="Harbour of Ostburg stays closed", body_text=WORDS["harbour"], hours_ago=4),
            a_report(3, source="two", title="Harbour of Ostburg stays closed", body_text=WORDS["harbour"], hours_ago=4),
            a_report(4, source="one", title="Museum of tides opens in Ostburg", body_text=WORDS["museum"]),
            a_report(5, source="two", title="Ferry to Ostburg is free for pupils", body_text=WORDS["ferry"]),
        ],
    )
    await group_into_events(database, [FIRE["title"], FIRE_AGAIN["title"]])


def uuids(text):
    return set(re.findall(r"/events/([0-9a-f-]{36})", text))


async def test_pages_feeds_the_api_exports_search_apps_and_assistants_agree_on_the_events(database):
    await some_events(database)
    key = await a_key(database)
    async with visiting(database) as visitor:
        listed = (await visitor.get("/api/v1/events?limit=50")).json["items"]
        title_by_uuid = {event["event_uuid"]: event["title"] for event in listed}
        page = await visitor.get("/")
        feed = (await visitor.get("/feeds/all.json")).json["items"]
        export = [json.loads(line) for line in (await visitor.get("/export/events.ndjson")).text.splitlines()]
        other_feeds = [(await visitor.get(f"/feeds/all.{form}")).text for form in ("rss", "atom")]
        hits = (await visitor.get("/api/v1/search?q=ostburg&limit=50")).json["items"]
        async with asking(visitor, key) as client:
            latest = (await client.call_tool("latest", {"limit": 50})).structured_content["result"]
            found = (await client.call_tool("search", {"query": "ostburg", "limit": 50})).structured_content["result"]
    async with syncing(database) as app:
        items = await app.items(await app.ids(n=50))
    assert len(title_by_uuid) == 4
    assert uuids(page.text) >= title_by_uuid.keys()
    assert {item["id"].removeprefix("urn:uuid:"): item["title"] for item in feed} == title_by_uuid
    assert {event["event_uuid"]: event["title"] for event in export} == title_by_uuid
    assert {hit["event"]["event_uuid"] for hit in hits} == title_by_uuid.keys()
    assert len(hits) == 4
    assert all(uuids(feed) == title_by_uuid.keys() for feed in other_feeds)
    assert {event["event_uuid"]: event["untrusted_title"] for event in latest} == title_by_uuid
    assert [hit["headline"]["event_uuid"] for hit in found] == [hit["event"]["event_uuid"] for hit in hits]
    assert sorted(item["title"] for item in items) == sorted(title_by_uuid.values())
    assert set().union(*(uuids(item["summary"]["content"]) for item in items)) == title_by_uuid.keys()


async def test_the_feed_of_a_search_has_its_events_also_those_found_by_meaning_in_a_span_of_days(database):
    await some_events(database)
    async with visiting(database) as visitor:
        for words in ("q=boats%20for%20students", "q=ostburg&since=2024-05-17", "q=ostburg&until=2024-05-16"):
            hits = (await visitor.get(f"/api/v1/search?{words}")).json["items"]
            page = await visitor.get(f"/search?{words}")
            feed = re.search(r'href="(/feeds/search\.rss[^"]*)"', page.text)[1]
            entries = uuids((await visitor.get(html.unescape(feed))).text)
            assert entries == {hit["event"]["event_uuid"] for hit in hits}
            assert ("2024-05-17" in words) == (not entries)


async def test_two_sections_of_a_paper_under_one_name_are_one_outlet_everywhere(database):
    sections = [
        a_report(n, source=source, canonical_url=f"https://bbc.co.uk/{source}", hours_ago=n, **FIRE)
        for n, source in enumerate(("bbc_world", "bbc_tech"), start=1)
    ]
    await told(database, sections)
    async with database.transaction() as conn:
        await conn.execute("INSERT INTO source_names VALUES ('bbc_world', 'BBC News'), ('bbc_tech', 'BBC News')")
    async with visiting(database) as visitor:
        (listed,) = (await visitor.get("/api/v1/events")).json["items"]
        pages = [(await visitor.get(path)).page.text for path in ("/", "/search?q=library")]
        event_page = (await visitor.get(f"/events/{listed['event_uuid']}")).page.text
        feed = (await visitor.get("/feeds/all.rss")).text
    async with syncing(database) as app:
        (item,) = await app.items(await app.ids())
    assert (listed["outlet_count"], listed["sources"]) == (1, ["bbc_tech", "bbc_world"])
    assert all("outlets, " not in text for text in (*pages, event_page))
    assert all("BBC News BN" not in text for text in pages)
    assert feed.count("&gt;BBC News&lt;") == 1
    assert item["summary"]["content"].count(">BBC News<") == 1


async def test_every_interface_gives_the_same_summary(database):
    await some_events(database)
    event_id = await event_id_of(database, FIRE["title"])
    await summarise(database, event_id, *FIRE_SENTENCES)
    said = " ".join(FIRE_SENTENCES)
    async with visiting(database) as visitor:
        (listed,) = [one for one in (await visitor.get("/api/v1/events")).json["items"] if one["event_id"] == event_id]
        path = f"/events/{listed['event_uuid']}"
        detail = (await visitor.get(f"/api/v1{path}")).json
        hits = (await visitor.get("/api/v1/search?q=library")).json["items"]
        lines = [json.loads(line) for line in (await visitor.get("/export/events.ndjson")).text.splitlines()]
        feeds = {form: (await visitor.get(f"/feeds/all.{form}")).text for form in ("rss", "atom", "json")}
        table = (await visitor.get("/export/events.csv")).text
        page, day = await visitor.get(path), await visitor.get("/")
    async with syncing(database) as app:
        items = await app.items(await app.ids(n=50))
    assert listed["summary"] == detail["summary"]["text"] == detail["event"]["summary"] == said
    assert [hit["event"]["summary"] for hit in hits if hit["event"]["event_id"] == event_id] == [said]
    assert [line["summary"] for line in lines if line["event_uuid"] == listed["event_uuid"]] == [said]
    assert sum(line["summary"] is None for line in lines) == 3
    assert said in table
    for feed in feeds.values():
        assert f"{said} (extract from the articles)" in feed
        assert feed.count("These sentences are quoted from the articles.") == 1
    assert [said in item["summary"]["content"] for item in items].count(True) == 1
    assert all(sentence in page.page.text for sentence in FIRE_SENTENCES)
    assert said in day.page.text


async def test_the_disclaimer_of_a_summary_is_in_its_language_in_every_interface(database):
    await some_events(database)
    event_id = await event_id_of(database, FIRE["title"])
    await summarise(database, event_id, *FIRE_SENTENCES, language="ja")
    said = "これらの文は記事からの引用です。"
    async with visiting(database) as visitor:
        events = (await visitor.get("/api/v1/events")).json["items"]
        path = next(f"/events/{one['event_uuid']}" for one in events if one["event_id"] == event_id)
        summary = (await visitor.get(f"/api/v1{path}")).json["summary"]
        page, feed = (await visitor.get(path)).text, (await visitor.get("/feeds/all.rss")).text
    async with syncing(database) as app:
        items = await app.items(await app.ids(n=50))
    assert (summary["disclaimer"], summary["disclaimer_language"]) == (said, "ja")
    assert f'<p class="hint" dir="auto" lang="ja">{said}</p>' in page
    assert feed.count(said) == 1
    assert [said in item["summary"]["content"] for item in items].count(True) == 1


async def test_what_developed_since_it_was_read_is_unread_again(database):
    await told(database, [a_report(1, source="one", canonical_url="https://one.example/fire", hours_ago=3, **FIRE)])
    async with syncing(database) as app:
        (event_id,) = await app.unread()
        await app.post("edit-tag", ("i", event_id), ("a", "user/-/state/com.google/read"))
        assert await app.unread() == []
        await told(
            database, [a_report(2, source="two", canonical_url="https://two.example/fire", hours_ago=1, **FIRE_AGAIN)]
        )
        await group_into_events(database, [FIRE["title"], FIRE_AGAIN["title"]])
        assert await app.unread() == [event_id]


async def test_labels_of_an_app_are_kept_and_are_streams(database):
    await some_events(database)
    async with syncing(database) as app:
        first, *_ = await app.ids()
        await app.post("edit-tag", ("i", first), ("a", "user/-/label/Later"))
        tags = (await app.get("tag/list")).json["tags"]
        assert "user/-/label/Later" in {tag["id"] for tag in tags}
        assert await app.ids("user/-/label/Later") == [first]
        [item] = await app.items([first])
        assert "user/-/label/Later" in item["categories"]
        await app.post("edit-tag", ("i", first), ("r", "user/-/label/Later"))
        assert await app.ids("user/-/label/Later") == []


async def test_an_event_is_in_one_subscription_and_is_counted_once(database):
    async with database.transaction() as conn:
        picks = TopicSettings(topic_slug="picks", topic_name="Picks", collections=["ai_news", "world_news"])
        await conn.execute("INSERT INTO curators (topic_id) VALUES ($1)", await topics.put(conn, picks))
    await some_events(database)
    async with syncing(database) as app:
        subscriptions = (await app.get("subscription/list")).json["subscriptions"]
        counts = {count["id"]: count["count"] for count in (await app.get("unread-count")).json["unreadcounts"]}
        icon = await app.visitor.get("/reader/icon.svg?name=World%20News")
    assert [subscription["id"] for subscription in subscriptions] == ["feed/collection/world_news"]
    assert counts == {"feed/collection/world_news": 4, "user/-/state/com.google/reading-list": 4}
    assert (icon.status, icon.headers["Content-Type"], ">WN<" in icon.text) == (200, "image/svg+xml", True)
