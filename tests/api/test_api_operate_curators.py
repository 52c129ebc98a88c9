"""Curators over the API: settings, interests, articles, labels and explanations."""

from datetime import UTC, datetime, timedelta

import pytest

from curating import INTERESTS, NINE, SLUG, a_curator, a_post_about
from scoop.stages import curate
from scoop.store import curators
from scoop.store import topics as topic_store
from web.visitor import visiting

GIVEN = {"topics": [{"topic": "PostgreSQL", "aliases": ["postgres"], "priority": "high"}, {"topic": "Go"}]}
NEW = {"topic_slug": "daily", "collections": ["world_news"], "interests": GIVEN}


async def test_a_curator_is_added_read_changed_and_removed(database):
    async with visiting(database, role="editor") as visitor:
        made = await visitor.ask("POST", "/api/v1/curators", NEW | {"sources": ["tribune"]})
        read = await visitor.get("/api/v1/curators/daily")
        changed = await visitor.ask("PATCH", "/api/v1/curators/daily", {"topic_name": "Daily", "freshness_days": 2})
        stale = await visitor.ask(
            "PATCH", "/api/v1/curators/daily", {"sources": []}, **{"If-Match": read.headers["ETag"]}
        )
        listed = await visitor.get("/api/v1/curators")
        topic = await visitor.get("/api/v1/topics/daily")
        off = await visitor.ask("POST", "/api/v1/curators/daily/disable")
        status = await visitor.get("/api/v1/curators/daily/status")
        removed = await visitor.ask("DELETE", "/api/v1/curators/daily")
        gone = await visitor.get("/api/v1/curators/daily")
    assert (made.status, made.headers["Location"], made.json) == (201, "/api/v1/curators/daily", read.json)
    assert (read.json["timezone"], read.json["digest_cron"], read.json["sources"], read.json["interests_version"]) == (
        "Asia/Tokyo",
        "0 9 * * *",
        ["tribune"],
        1,
    )
    assert read.json["interests"]["topics"][0] == GIVEN["topics"][0] | {"description": ""}
    assert (changed.json["topic_name"], changed.json["freshness_days"], changed.json["sources"]) == (
        "Daily",
        2,
        ["tribune"],
    )
    assert (stale.status, [each["topic_slug"] for each in listed.json], topic.status) == (412, ["daily"], 200)
    assert (off.json["enabled"], off.json["next_digest_at"]) == (False, None)
    assert status.json == {"topic_slug": "daily", "checked_at": None, "read_at": status.json["read_at"], "articles": {}}
    assert (removed.status, gone.status) == (204, 404)


async def test_interests_are_put_with_the_version_that_was_read_and_have_a_history(database):
    async with visiting(database, role="editor") as visitor:
        await visitor.ask("POST", "/api/v1/curators", NEW)
        path = "/api/v1/curators/daily/interests"
        first = await visitor.get(path)
        changed = await visitor.ask("PUT", path, {"topics": [{"topic": "Zig"}]}, **{"If-Match": first.headers["ETag"]})
        again = await visitor.ask("PUT", path, GIVEN, **{"If-Match": first.headers["ETag"]})
        same = await visitor.ask("PUT", path, {"topics": [{"topic": "Zig"}]})
        page = await visitor.get(f"{path}/versions?limit=1")
        rest = await visitor.get(f"{path}/versions?limit=1&cursor={page.json['next_cursor']}")
    assert (first.json["version"], first.json["origin"], changed.json["version"], again.status) == (1, "api", 2, 412)
    assert (same.json["version"], changed.json["created_by"].split()[0]) == (2, "editor")
    assert [each["version"] for each in (*page.json["items"], *rest.json["items"])] == [2, 1]
    assert rest.json["next_cursor"] is None


async def test_a_version_of_interests_is_read_and_restored(database):
    async with visiting(database, role="editor") as visitor:
        await visitor.ask("POST", "/api/v1/curators", NEW)
        path = "/api/v1/curators/daily/interests"
        first = await visitor.get(path)
        for number in range(2, 40):
            await visitor.ask("PUT", path, {"topics": [{"topic": f"Zig {number}"}]})
        read = await visitor.get(f"{path}/versions/1")
        restored = await visitor.ask("POST", f"{path}/versions/1/restore")
        missing = await visitor.ask("POST", f"{path}/versions/77/restore")
        used = await visitor.get(path)
    assert read.json == first.json
    assert (restored.json["version"], restored.json["interests"]) == (40, first.json["interests"])
    assert (missing.status, used.json) == (404, restored.json)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"interests": None}, "interests: a curator needs interests"),
        ({"interests": {"topics": []}}, "body.interests.topics"),
        ({"interests": {"topics": [{"topic": "x" * 51}]}}, "body.interests.topics.0.topic"),
        ({"interests": {"topics": [{"topic": "Go"}, {"topic": "go"}]}}, "body.interests.topics[2]"),
        (
            {"interests": {"topics": [{"topic": "Go"}], "max_articles": 2, "min_articles": 3}},
            "body.interests.min_articles",
        ),
        (
            {"interests": {"topics": [{"topic": "Go"}], "min_relevance_score": 101}},
            "body.interests.min_relevance_score",
        ),
        ({"interests": {"topics": [{"topic": "Go", "prio": "high"}]}}, "body.interests.topics.0.prio"),
        ({"freshness_days": 31}, "body.freshness_days"),
        ({"interests_from": "interests.toml"}, "must be an absolute path"),
        ({"language": "klingonish"}, "language: 'klingonish' is not a language"),
        ({"max_entries": 3}, "body.max_entries"),
    ],
)
async def test_what_no_curator_can_be_is_refused_by_its_field(database, given, field):
    async with visiting(database, role="admin") as visitor:
        refused = await visitor.ask("POST", "/api/v1/curators", NEW | given)
        missing = await visitor.get("/api/v1/curators/daily")
    assert (refused.status, refused.json["error"]["code"], missing.status) == (400, "INVALID_ARGUMENT", 404)
    assert field in f"{refused.json['error']['message']} {refused.json['error']['details']}"


async def test_only_an_admin_lets_a_curator_read_a_file_of_the_server(database):
    async with visiting(database, role="editor") as visitor:
        by_file = await visitor.ask("POST", "/api/v1/curators", NEW | {"interests_from": "/etc/passwd"})
        by_url = await visitor.ask("POST", "/api/v1/curators", NEW | {"interests_from": "https://ann.example/i.toml"})
        changed = await visitor.ask("PATCH", "/api/v1/curators/daily", {"interests_from": "/etc/passwd"})
        put = await visitor.ask("PUT", "/api/v1/curators/daily/interests", GIVEN)
        own = await visitor.ask("PATCH", "/api/v1/curators/daily", {"interests_from": None})
    assert [each.status for each in (by_file, by_url, changed, put, own)] == [403, 201, 403, 409, 200]


async def test_a_reader_reads_and_changes_nothing(database):
    async with visiting(database, role="editor") as editor:
        await editor.ask("POST", "/api/v1/curators", NEW)
    async with visiting(database, role="reader") as visitor:
        assert (await visitor.get("/api/v1/curators/daily/articles")).status == 200
        for method, path, body in [
            ("POST", "", NEW),
            ("PATCH", "/daily", {}),
            ("PUT", "/daily/interests", GIVEN),
            ("POST", "/daily/test", {}),
            ("POST", "/daily/interests/versions/1/restore", None),
            ("PUT", "/daily/labels/1", {"is_wanted": True}),
        ]:
            assert (await visitor.ask(method, f"/api/v1/curators{path}", body)).status == 403


async def test_articles_are_listed_by_state_reason_and_page_and_explained(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await desk.evaluate([a_post_about(n, topic) for n, topic in enumerate(("PostgreSQL", "Go", "Cheese"), start=1)])
        await desk.post()
    async with visiting(database, role="reader", clock=lambda: NINE, signed_in_at=NINE) as visitor:
        base = f"/api/v1/curators/{SLUG}/articles"
        rejected = await visitor.get(f"{base}?state=rejected&reason=no_topic_match")
        first = await visitor.get(f"{base}?state=notified&limit=1")
        second = await visitor.get(f"{base}?state=notified&limit=1&cursor={first.json['next_cursor']}")
        later = await visitor.get(f"{base}?since=2099-01-01T00:00:00Z")
        known = await visitor.get(f"/api/v1/evaluations?url=https://tribune.example/1&curator={SLUG}")
        unknown = await visitor.get("/api/v1/evaluations?url=https://tribune.example/none")
        wrong = await visitor.get(f"{base}?state=posted")
        status = await visitor.get(f"/api/v1/curators/{SLUG}/status")
    assert [each["article_title"].split()[0] for each in rejected.json["items"]] == ["Cheese"]
    titles = [each["article_title"].split()[0] for each in (*first.json["items"], *second.json["items"])]
    assert (sorted(titles), second.json["next_cursor"], later.json["items"]) == (["Go", "PostgreSQL"], None, [])
    (met,) = known.json
    assert (met["state"], met["is_same_url"], sum(met["score_parts"].values())) == (
        "notified",
        True,
        met["relevance_score"],
    )
    assert (unknown.status, wrong.status, status.json["articles"]) == (404, 400, {"notified": 2, "rejected": 1})
    assert "it was never gathered" in unknown.json["error"]["message"]


@pytest.mark.parametrize(
    ("days_later", "outlook"),
    [
        (0, "number 1 of the next post"),
        (9, "older than 3 days"),
    ],
)
async def test_an_article_that_is_not_posted_is_explained_by_what_becomes_of_it(
    days_later, outlook, database, tmp_path
):
    async with a_curator(database, tmp_path) as desk:
        await desk.evaluate([a_post_about(1, "PostgreSQL")])
    now = NINE + timedelta(days=days_later)
    async with visiting(database, role="reader", clock=lambda: now, signed_in_at=now) as visitor:
        (met,) = (await visitor.get("/api/v1/evaluations?url=https://tribune.example/1")).json
    assert (met["state"], met["outlook"]) == ("relevant", outlook)


async def test_an_article_whose_event_is_in_a_post_on_its_way_is_explained_by_that(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await desk.evaluate([a_post_about(1, "PostgreSQL")])
        await desk.make(publish=True)
    async with visiting(database, role="reader", clock=lambda: NINE, signed_in_at=NINE) as visitor:
        (met,) = (await visitor.get("/api/v1/evaluations?url=https://tribune.example/1")).json
    assert (met["state"], met["outlook"]) == ("relevant", "its event was posted, or its post is on its way")


async def test_a_suppressed_article_that_was_not_met_is_explained_by_the_reason(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await desk.gather([a_post_about(1, "PostgreSQL")])
        async with database.transaction() as conn:
            story_id = await conn.fetchval("SELECT story_id FROM stories")
            await topic_store.suppress(conn, await topic_store.by_slug(conn, SLUG), story_id, "an advertisement")
        await desk.evaluate()
    async with visiting(database, role="reader", clock=lambda: NINE, signed_in_at=NINE) as visitor:
        refused = await visitor.get("/api/v1/evaluations?url=https://tribune.example/1")
    assert "picks does not look at it: its story is suppressed (an advertisement)" in refused.json["error"]["message"]


async def test_a_posted_article_that_was_forgotten_is_explained_by_its_post(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await desk.evaluate([a_post_about(1, "PostgreSQL")])
        await desk.post()
        async with database.transaction() as conn:
            await conn.execute("UPDATE evaluations SET notified_at = notified_at - interval '91 days'")
            await curate.forget(conn, now=datetime.now(UTC))
            posted_at = await conn.fetchval("SELECT last_published_at FROM story_topic_state WHERE publish_count = 1")
    async with visiting(database, role="reader", clock=lambda: NINE, signed_in_at=NINE) as visitor:
        refused = await visitor.get("/api/v1/evaluations?url=https://tribune.example/1")
    sentence = f"picks posted its story on {posted_at:%Y-%m-%d} and does not remember its score any more"
    assert sentence in refused.json["error"]["message"]


async def test_an_article_whose_evaluation_failed_is_explained_by_the_failure(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        desk.desk.script.extend(["wrong-sum"] * 2)
        await desk.evaluate([a_post_about(1, "PostgreSQL")])
    async with visiting(database, role="reader", clock=lambda: NINE, signed_in_at=NINE) as visitor:
        (met,) = (await visitor.get("/api/v1/evaluations?url=https://tribune.example/1")).json
        page = (await visitor.get(f"/curators/{SLUG}?state=waiting")).page
        queue = (await visitor.get("/queue?stage=write")).page
    assert met["state"] == "waiting"
    assert "the sum of its parts" in met["problem"]
    assert "waiting the last evaluation failed: score is" in page.text
    assert "PostgreSQL in practice" in queue.text
    assert queue.links("/articles/")


async def test_a_curator_that_posted_is_not_removed(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await desk.evaluate([a_post_about(1, "PostgreSQL")])
        await desk.post()
    async with visiting(database, role="editor") as visitor:
        refused = await visitor.ask("DELETE", f"/api/v1/curators/{SLUG}")
        energy = await visitor.get("/api/v1/curators/world_news")
    assert (refused.status, energy.status) == (409, 404)


async def test_readers_do_not_see_the_options_of_channels(database, tmp_path):
    async with (
        a_curator(database, tmp_path),
        visiting(database, role="reader") as reader,
        visiting(database, role="editor") as editor,
    ):
        hidden = await reader.get(f"/api/v1/curators/{SLUG}")
        shown = await editor.get(f"/api/v1/curators/{SLUG}")
    assert (hidden.json["channels"][0]["options"], "folder" in shown.json["channels"][0]["options"]) == ({}, True)
    async with database.connection() as conn:
        assert (await curators.by_slug(conn, SLUG)).interests == INTERESTS
        assert (await topic_store.by_slug(conn, SLUG)).max_entries == INTERESTS.max_articles
