"""Digests and posts over the API: made, explained, read, posted, decided on."""

from datetime import UTC, datetime

import pytest

from builders import told
from scoop.model import ChannelSettings
from scoop.store import topics
from web.visitor import a_report, visiting

NOON = datetime(2024, 5, 16, 12, 0, tzinfo=UTC)  # the digest of the day was due at 07:00
TITLES = ["Old bridge stays closed", "Vineyards expect a late harvest"]
BODIES = ["The council keeps it shut until engineers have checked every cable.", "Growers blame a cold spring."]
NEW = {"topic": "world_news", "date": "2024-05-16"}


async def with_stories(database, *, channel=True):
    reports = [
        a_report(number, hours_ago=8, title=title, body_text=body)
        for number, (title, body) in enumerate(zip(TITLES, BODIES, strict=True), start=1)
    ]
    await told(database, reports)
    if channel:
        async with database.connection() as conn:
            topic = await topics.by_slug(conn, "world_news")
            options = {"url": "https://hooks.example/in"}
            await topics.put_channel(
                conn, topic.topic_id, ChannelSettings(name="main", kind="webhook", options=options)
            )


async def held(database, state="held"):
    async with database.connection() as conn:
        await conn.execute("UPDATE posts SET state = $1::text::post_state, error = 'nobody knows'", state)


async def test_a_digest_is_made_and_explains_every_candidate(database):
    await with_stories(database)
    async with visiting(database, role="editor") as visitor:
        made = await visitor.ask("POST", "/api/v1/digests", NEW)
        read = await visitor.get(made.headers["Location"])
        again = await visitor.ask("POST", "/api/v1/digests", NEW)
    assert made.status == 201
    assert (made.json["run"]["mode"], made.json["run"]["attempt"], made.json["posts"]) == ("live", 1, [])
    assert {entry["title"] for entry in made.json["entries"]} == set(TITLES)
    assert all(entry["status"] == "new" and entry["reason"] for entry in made.json["entries"])
    assert all(entry["score_parts"] for entry in made.json["entries"])
    assert read.json == made.json
    assert (again.status, again.json["run"]["attempt"]) == (201, 2)


async def test_a_digest_is_put_on_its_way_once(database):
    await with_stories(database)
    async with visiting(database, role="editor") as visitor:
        posted = await visitor.ask("POST", "/api/v1/digests", NEW | {"publish": True})
        again = await visitor.ask("POST", "/api/v1/digests", NEW | {"publish": True})
        outbox = await visitor.get("/api/v1/posts?topic=world_news&state=waiting")
    assert (posted.status, again.status) == (202, 200)
    assert again.json["run"]["digest_run_id"] == posted.json["run"]["digest_run_id"]
    assert [post["channel"] for post in outbox.json["items"]] == ["main"]
    assert outbox.json["items"] == posted.json["posts"]
    assert "options" not in outbox.json["items"][0]


async def test_shadows_live_beside_and_lists_go_on(database):
    await with_stories(database)
    async with visiting(database, role="editor") as visitor:
        shadow = await visitor.ask("POST", "/api/v1/digests", NEW | {"shadow": True})
        await visitor.ask("POST", "/api/v1/digests", NEW)
        await visitor.ask("POST", "/api/v1/digests", NEW | {"date": "2024-05-15"})
        shadows = await visitor.get("/api/v1/digests?mode=shadow")
        of_day = await visitor.get("/api/v1/digests?topic=world_news&date=2024-05-15")
        first = await visitor.get("/api/v1/digests?limit=2")
        rest = await visitor.get(f"/api/v1/digests?limit=2&cursor={first.json['next_cursor']}")
    assert shadow.json["run"]["mode"] == "shadow"
    assert [run["digest_run_id"] for run in shadows.json["items"]] == [shadow.json["run"]["digest_run_id"]]
    assert [run["run_date"] for run in of_day.json["items"]] == ["2024-05-15"]
    assert (len(first.json["items"]), len(rest.json["items"]), rest.json["next_cursor"]) == (2, 1, None)


async def test_the_last_date_due_is_meant_where_none_is_named(database):
    await with_stories(database)
    async with visiting(database, role="editor", clock=lambda: NOON) as visitor:
        made = await visitor.ask("POST", "/api/v1/digests", {"topic": "world_news"})
    assert made.json["run"]["run_date"] == "2024-05-16"


@pytest.mark.parametrize(
    ("form", "media", "sign"),
    [("markdown", "text/markdown", "["), ("text", "text/plain", "Old bridge"), ("html", "text/html", "<")],
)
async def test_a_digest_is_read_as_its_readers_see_it(database, form, media, sign):
    await with_stories(database)
    async with visiting(database, role="editor") as visitor:
        made = await visitor.ask("POST", "/api/v1/digests", NEW)
        read = await visitor.get(f"{made.headers['Location']}/rendered?as={form}")
        odd = await visitor.get(f"{made.headers['Location']}/rendered?as=song")
    assert read.headers["Content-Type"] == f"{media}; charset=utf-8"
    assert all(title in read.text for title in TITLES)
    assert sign in read.text
    assert odd.status == 400


@pytest.mark.parametrize(
    ("given", "status", "about"),
    [
        (NEW | {"shadow": True, "publish": True}, 400, "a shadow is never posted"),
        ({"topic": "nobody"}, 404, "there is no topic"),
        (NEW | {"date": "2024-05-30", "publish": True}, 400, "is in the future"),
        (NEW | {"date": "2024-05-30"}, 400, "is in the future"),
        (NEW | {"date": "9999-12-31"}, 400, "body.date"),
        (NEW | {"date": "0001-01-01"}, 400, "body.date"),
        (NEW | {"date": "yesterday"}, 400, "body.date"),
        (NEW | {"topic": "\0"}, 400, "body.topic"),
        ({"date": "2024-05-16"}, 400, "body.topic"),
    ],
)
async def test_what_cannot_be_made_is_refused(database, given, status, about):
    await with_stories(database)
    async with visiting(database, role="editor") as visitor:
        refused = await visitor.ask("POST", "/api/v1/digests", given)
        listed = await visitor.get("/api/v1/digests")
    assert (refused.status, listed.json["items"]) == (status, [])
    assert about in refused.json["error"]["message"]


async def test_a_topic_without_a_channel_cannot_be_posted(database):
    await with_stories(database, channel=False)
    async with visiting(database, role="editor") as visitor:
        refused = await visitor.ask("POST", "/api/v1/digests", NEW | {"publish": True})
    assert (refused.status, "no channel" in refused.json["error"]["message"]) == (400, True)


@pytest.mark.parametrize(("word", "state"), [("resend", "waiting"), ("arrived", "sent"), ("drop", "dropped")])
async def test_a_persons_word_settles_a_held_post_once(database, word, state):
    await with_stories(database)
    async with visiting(database, role="editor") as visitor:
        made = await visitor.ask("POST", "/api/v1/digests", NEW | {"publish": True})
        path = f"/api/v1/posts/{made.json['posts'][0]['post_id']}"
        early = await visitor.ask("POST", f"{path}/{word}")
        await held(database)
        waits = await visitor.get("/api/v1/posts?state=held")
        settled = await visitor.ask("POST", f"{path}/{word}")
        again = await visitor.ask("POST", f"{path}/{word}")
        now = await visitor.get(path)
    assert (early.status, settled.status, again.status) == (409, 200, 409)
    assert "is waiting, not held or failed" in early.json["error"]["message"]
    assert [post["error"] for post in waits.json["items"]] == ["nobody knows"]
    assert (settled.json["state"], now.json) == (state, settled.json)


@pytest.mark.parametrize(("publish", "status"), [(False, 204), (True, 409)])
async def test_a_digest_keeps_its_topic_if_it_is_posted_and_not_if_it_was_only_made(database, publish, status):
    await with_stories(database)
    async with visiting(database, role="editor") as visitor:
        await visitor.ask("POST", "/api/v1/digests", NEW | {"publish": publish})
        removed = await visitor.ask("DELETE", "/api/v1/topics/world_news")
    assert removed.status == status


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/digests/4711"),
        ("GET", "/digests/4711/rendered"),
        ("GET", "/posts/4711"),
        ("POST", "/posts/4711/resend"),
        ("POST", "/posts/4711/drop"),
        ("POST", "/posts/4711/arrived"),
    ],
)
async def test_what_nobody_has_is_not_found(database, method, path):
    async with visiting(database, role="editor") as visitor:
        answer = await visitor.ask(method, f"/api/v1{path}")
    assert (answer.status, answer.json["error"]["code"]) == (404, "NOT_FOUND")
