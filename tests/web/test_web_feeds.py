"""Feeds over HTTP: which stories are in them, for whom, and how readers are told that nothing changed."""

import base64
import io
import json
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from http import HTTPStatus

import feedparser
import pytest
import structlog
from lxml import etree

from builders import FIRE, FIRE_AGAIN, group_into_events, told
from curating import SLUG, a_curator, a_post_about
from scoop import channels, plugins
from scoop.actions import topics as written
from scoop.core import feed_reading
from scoop.core.access import Right
from scoop.fetch.client import open_client
from scoop.http import accounts
from scoop.model import ChannelSettings
from scoop.stages import digest, publish
from scoop.stages.digest import DigestOrder
from scoop.stages.stage import Worker, run_batch
from scoop.store import review, topics, users, work
from web.visitor import NOW, a_report, visiting

FORMATS = ("rss", "atom", "json")
MEDIA = {"rss": "application/rss+xml", "atom": "application/atom+xml", "json": "application/feed+json"}
KINDS = plugins.makers(channels)
EVENTS = {
    1: "The council keeps the old bridge shut until engineers have checked every cable of it twice.",
    2: "Growers in the hills blame a cold spring for the late harvest and hope for sun in October.",
    3: "Four teenagers beat the champions of the chess league after a night of long endgames.",
}


def a_story(number: int, title: str, **changes) -> dict:
    """A report of an event of its own."""
    return a_report(number, title=title, body_text=EVENTS[number], **changes)


def items(answer) -> list[dict]:
    """The entries as Scoop's own reader finds them, by the format's own strict rules."""
    assert answer.status == 200, answer.text
    feed = feed_reading.parse(answer.text.encode())
    assert feed.problems == []
    if answer.text.startswith("<"):
        etree.parse(io.BytesIO(answer.text.encode()), etree.XMLParser(recover=False))
        assert not feedparser.parse(answer.text.encode()).bozo
    return feed.items


def titles(answer) -> list[str]:
    return [item["title"] for item in items(answer)]


async def a_key(database, *scopes: Right, role: str = "editor", lasts: timedelta | None = None) -> str:
    async with database.transaction() as conn:
        user_id = await users.add(conn, name=f"{role} {scopes}", role=role, password_hash="-")
        made = await accounts.new_key(conn, user_id, role, name="reader", scopes=scopes, now=NOW, lasts=lasts)
    return made.key


def basic(password: str) -> str:
    return f"Basic {base64.b64encode(f'anybody:{password}'.encode()).decode()}"


async def execute(database, statement: str, *values) -> None:
    async with database.connection() as conn:
        await conn.execute(statement, *values)


@pytest.mark.parametrize("form", FORMATS)
async def test_the_latest_stories_come_first_each_once_with_its_outlets(database, form):
    same = {"canonical_url": "https://tribune.example/same", "title": "Bridge closed"}
    await told(database, [a_story(1, "Older", hours_ago=9), a_story(2, **same, source="tribune")])
    await told(database, [a_story(2, **same, source="herald", hours_ago=1)])
    async with visiting(database) as visitor:
        answer = await visitor.get(f"/feeds/all.{form}")
        link = items(answer)[0]["canonical_url"]
        page = await visitor.get(link.removeprefix(visitor.address))
    assert answer.headers["Content-Type"] == f"{MEDIA[form]}; charset=utf-8"
    assert titles(answer) == ["Bridge closed", "Older"]
    assert "Tribune" in items(answer)[0]["body_text"]
    assert "Herald" in items(answer)[0]["body_text"]
    assert items(answer)[0]["tags"] == ["world_news"]
    assert page.status == 200


async def test_a_collection_a_topic_and_a_limit_narrow_a_feed(database):
    async with database.connection() as conn:
        await written.put_topics([{"slug": "energy", "keywords": ["solar"]}], conn)
    await told(
        database,
        [
            a_story(1, "A solar roof", hours_ago=1),
            a_story(3, "Chess club wins", metadata={"collection": "sport.local"}, hours_ago=2),
        ],
    )
    async with visiting(database) as visitor:
        assert titles(await visitor.get("/feeds/sport.local.rss")) == ["Chess club wins"]
        assert titles(await visitor.get("/feeds/topics/energy.atom")) == ["A solar roof"]
        assert titles(await visitor.get("/feeds/all.json?limit=1")) == ["A solar roof"]
        solar = items(await visitor.get("/feeds/all.rss"))[0]
        assert solar["tags"] == ["world_news", "energy"]
        found = feedparser.parse((await visitor.get("/feeds/search.rss?q=solar")).text)
    assert [entry.title for entry in found.entries] == ["A solar roof"]
    assert found.feed.links[0].href.endswith("/search?q=solar")


async def test_a_search_feed_has_an_event_once_however_many_of_its_stories_match(database):
    floods = [f"Flood at {name * 4}" for name in "abcd"]
    every = [*floods, "Flood of letters"]
    await told(database, [a_report(number, title=title, body_text=title) for number, title in enumerate(every)])
    await group_into_events(database, floods)
    async with visiting(database) as visitor:
        found = titles(await visitor.get("/feeds/search.rss?q=flood&limit=2"))
    assert len(found) == 2
    assert "Flood of letters" in found


async def test_what_a_topic_holds_back_is_not_in_its_feed(database):
    await told(database, [a_report(1)])
    await execute(database, "UPDATE story_topic_state SET suppressed = true")
    async with visiting(database) as visitor:
        assert titles(await visitor.get("/feeds/topics/world_news.rss")) == []
        assert len(titles(await visitor.get("/feeds/world_news.rss"))) == 1


async def test_stories_of_one_event_are_one_entry_known_by_the_oldest(database):
    await told(database, [a_report(1, **FIRE, source="tribune", hours_ago=8)])
    async with visiting(database) as visitor:
        before = items(await visitor.get("/feeds/all.json"))
        await told(database, [a_report(2, **FIRE_AGAIN, source="herald", canonical_url="https://herald.example/2")])
        await group_into_events(database, [FIRE["title"], FIRE_AGAIN["title"]])
        (after,) = items(await visitor.get("/feeds/all.json"))
    assert after["source_item_id"] == before[0]["source_item_id"]
    assert "Probably the same event" in after["body_text"]


async def test_a_story_that_merged_away_is_gone_and_one_that_developed_says_when(database):
    await told(database, [a_story(1, "First", hours_ago=5), a_story(2, "Second", hours_ago=4)])
    async with visiting(database) as visitor:
        first = await visitor.get("/feeds/all.atom")
        await told(database, [a_story(1, "First", source="herald", hours_ago=1)])
        second = await visitor.get("/feeds/all.atom")
        async with database.transaction() as conn:
            await review.merge(conn, "1", "2")
        third = await visitor.get("/feeds/all.atom")
    entries = [{e.title: (e.id, e.updated) for e in feedparser.parse(a.text).entries} for a in (first, second, third)]
    assert entries[0].keys() == entries[1].keys() == {"First", "Second"}
    assert entries[1]["First"][0] == entries[0]["First"][0]
    assert entries[1]["First"][1] > entries[0]["First"][1]
    assert entries[1]["Second"] == entries[0]["Second"]
    assert entries[2].keys() == {"First"}


async def test_who_has_the_feed_is_told_that_nothing_changed(database):
    await told(database, [a_report(1)])
    async with visiting(database) as visitor:
        for form in FORMATS:
            path = f"/feeds/all.{form}"
            given = await visitor.get(path)
            assert given.headers["Cache-Control"].startswith("private")
            by_tag = await visitor.get(path, **{"If-None-Match": given.headers["ETag"]})
            by_time = await visitor.get(path, **{"If-Modified-Since": given.headers["Last-Modified"]})
            assert (by_tag.status, by_tag.text, by_time.status, by_time.text) == (304, "", 304, "")
            assert by_tag.headers["ETag"] == given.headers["ETag"]
            earlier = parsedate_to_datetime(given.headers["Last-Modified"]) - timedelta(seconds=1)
            for since in (earlier.strftime("%a, %d %b %Y %H:%M:%S GMT"), "nonsense", "Thu, 01 Jan 1970 00:00:00 -0000"):
                assert (await visitor.get(path, **{"If-Modified-Since": since})).status == 200
        await told(database, [a_report(2)])
        assert (await visitor.get(path, **{"If-None-Match": given.headers["ETag"]})).status == 200


async def test_an_empty_feed_is_a_feed(database):
    async with visiting(database) as visitor:
        assert [titles(await visitor.get(f"/feeds/all.{form}")) for form in FORMATS] == [[], [], []]
        assert titles(await visitor.get("/feeds/digests/world_news.rss")) == []


async def test_each_digest_that_was_told_is_one_entry(database, tmp_path):
    day = NOW.date()
    async with database.connection() as conn:
        topic = await topics.by_slug(conn, "world_news")
        settings = ChannelSettings(name="main", kind="file", options={"folder": str(tmp_path)})
        await topics.put_channel(conn, topic.topic_id, settings)
    await told(database, [a_report(1, title="Bridge & tower closed", hours_ago=7)])
    async with visiting(database) as visitor, database.connection() as conn, open_client() as client:
        async with conn.transaction():
            topic = await topics.by_slug(conn, "world_news")
            await digest.make(conn, DigestOrder(topic=topic, day=day, publish=True), KINDS)
        assert titles(await visitor.get("/feeds/digests/world_news.rss")) == []  # made, but not yet told
        stage = publish.stage(client, KINDS, secrets={}, clock=lambda: datetime.now(UTC))
        while await run_batch(stage, Worker(await work.register_worker(conn), conn)):
            pass
        for form in FORMATS:
            answer = await visitor.get(f"/feeds/digests/world_news.{form}")
            assert titles(answer) == ["World News, Thursday 16 May 2024"]
            assert items(answer)[0]["canonical_url"] == f"{visitor.address}/digests/world_news/{day}"
            assert "Bridge & tower closed" in items(answer)[0]["body_text"]


async def test_a_curators_digest_has_its_introduction_scores_topics_and_reasons(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await desk.evaluate([a_post_about(1, "PostgreSQL"), a_post_about(2, "Go")])
        entries = await desk.post()
    async with visiting(database) as visitor:
        for form in FORMATS:
            (item,) = items(await visitor.get(f"/feeds/digests/{SLUG}.{form}"))
            assert "about PostgreSQL. The other article is about Go." in item["body_text"]
            assert f"{entries[0].relevance.score}/100 · PostgreSQL" in item["body_text"]
            assert f"PostgreSQL · {entries[0].relevance.reasoning}" in item["body_text"].replace("&quot;", '"')


@pytest.mark.parametrize(
    "hostile", ["<script>alert(1)</script>", "]]><x/>", "' onmouseover='alert(1)", "&lt;b&gt;", "見出し 😀", "x" * 300]
)
async def test_hostile_text_stays_text_in_every_feed(database, hostile):
    await told(
        database,
        [
            a_report(
                1,
                title=hostile,
                source=hostile[:100],
                body_text=hostile,
                metadata={"collection": hostile[:100]},
                canonical_url="https://real.org/?q=%22%3E%3Cb%3E",
            )
        ],
    )
    async with visiting(database) as visitor:
        found = {form: (await visitor.get(f"/feeds/all.{form}")) for form in FORMATS}
    for answer in found.values():
        assert len(items(answer)) == 1
    said = json.loads(found["json"].text)["items"][0]
    assert said["title"].rstrip(" …") in hostile
    assert {"script", "b", "x"} & {each.tag for each in etree.HTML(said["content_html"]).iter()} == set()
    entry = feedparser.parse(found["atom"].text).entries[0]
    assert entry.title_detail.type == "text/plain"
    assert entry.title == said["title"]


@pytest.mark.parametrize(
    ("path", "status", "field"),
    [
        ("/feeds/nowhere.rss", 404, None),
        ("/feeds/topics/nowhere.rss", 404, None),
        ("/feeds/digests/nowhere.rss", 404, None),
        ("/feeds/all.xml", 400, "path.format"),
        ("/feeds/all.rss?limit=0", 400, "query.limit"),
        ("/feeds/all.rss?limit=201", 400, "query.limit"),
        ("/feeds/all.rss?limit=x", 400, "query.limit"),
        ("/feeds/a%00b.rss", 400, "path.collection"),
        ("/feeds/search.rss", 400, "query.q"),
        ("/feeds/search.rss?q=a%00b", 400, "query.q"),
        (f"/feeds/{'x' * 300}.rss", 400, "path.collection"),
    ],
)
async def test_a_feed_that_cannot_be_is_answered_in_plain_text_that_names_the_field(database, path, status, field):
    async with visiting(database) as visitor:
        answer = await visitor.get(path)
    assert answer.status == status
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.text.startswith(f"{status} {HTTPStatus(status).phrase}: {field or 'there is no '}")


async def test_a_reader_program_sends_its_key_as_a_password_or_in_the_address(database):
    await told(database, [a_report(1)])
    only_read, more = await a_key(database, "read"), await a_key(database, "read", "edit")
    async with visiting(database, role=None) as visitor:
        nobody = await visitor.get("/feeds/all.rss")
        assert nobody.status == 401
        assert nobody.headers["WWW-Authenticate"] == 'Bearer realm="Scoop", Basic realm="Scoop"'
        for headers in ({"Authorization": f"Bearer {more}"}, {"Authorization": basic(more)}):
            assert (await visitor.get("/feeds/all.rss", **headers)).status == 200
        assert (await visitor.get(f"/feeds/all.rss?key={only_read}")).status == 200
        assert (await visitor.get(f"/export/stories.csv?key={only_read}")).status == 200
        refused = await visitor.get(f"/feeds/all.rss?key={more}")
        assert (refused.status, "only scope is read" in refused.text) == (403, True)
        for wrong in (basic("scoop_wrong"), "Basic !", "Basic", "Digest x", basic("")):
            assert (await visitor.get("/feeds/all.rss", Authorization=wrong)).status == 401
        assert (await visitor.get("/feeds/all.rss?key=wrong")).status == 401
        assert (await visitor.get(f"/feeds/all.rss?key={only_read}", Authorization="Digest x")).status == 401


async def test_elsewhere_a_key_in_the_address_or_a_password_opens_nothing(database):
    key = await a_key(database, "read", "edit")
    async with visiting(database, role=None) as visitor:
        assert (await visitor.get(f"/?key={key}")).status == 303
        assert (await visitor.get("/", Authorization=basic(key))).status == 303
        assert (await visitor.get("/api/openapi.json", Authorization=basic(key))).status == 401
        assert (await visitor.get("/api/openapi.json")).headers["WWW-Authenticate"] == 'Bearer realm="Scoop"'


async def test_a_key_that_may_not_read_reads_nothing(database):
    key = await a_key(database, "push")
    async with visiting(database, role=None) as visitor:
        assert (await visitor.get("/feeds/all.rss", Authorization=basic(key))).status == 403
        assert (await visitor.get(f"/feeds/all.rss?key={key}")).status == 403


async def test_a_key_shows_in_no_feed_and_no_log(database):
    await told(database, [a_report(1)])
    key = await a_key(database, "read")
    with structlog.testing.capture_logs() as logs:
        async with visiting(database, role=None) as visitor:
            answers = [await visitor.get(f"/feeds/all.{form}?key={key}&limit=7&Key={key}") for form in FORMATS]
            broken = [await visitor.get(f"/feeds/{path}?key={key}") for path in ("nowhere.rss", "all.xml", "nope")]
    assert [answer.status for answer in answers] == [200, 200, 200]
    assert all(f"/feeds/all.{form}?limit=7" in answer.text for form, answer in zip(FORMATS, answers, strict=True))
    for answer in (*answers, *broken):
        assert key not in answer.text
        assert key not in str(answer.headers)
    assert key not in str(logs)


async def test_a_public_desk_gives_its_feeds_to_everybody_under_the_name_it_was_asked_by(database):
    await told(database, [a_report(1)])
    async with visiting(database, role=None, public_reading=True, hostnames="desk.home") as visitor:
        answer = await visitor.get("/feeds/all.json", Host="desk.home:8443")
    assert answer.json["feed_url"] == "http://desk.home:8443/feeds/all.json"
    assert answer.json["items"][0]["url"].startswith("http://desk.home:8443/events/")


async def test_in_the_demo_links_lead_to_the_newsstand(database):
    await told(database, [a_report(1)])
    async with visiting(database, newsstand="http://127.0.0.1:9999") as visitor:
        answer = await visitor.get("/feeds/all.json")
    assert answer.json["items"][0]["external_url"] == "http://127.0.0.1:9999/tribune.example/1"
    assert 'href="http://127.0.0.1:9999/tribune.example/1"' in answer.json["items"][0]["content_html"]
