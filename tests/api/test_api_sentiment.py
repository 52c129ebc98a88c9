"""Tools and their sentiment over the API: settings, the cache, series, passages, re-analyses."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from builders import run_all, told
from scoop.stages import sentiment_cache as cache
from scoop.store import sentiment_cache as store
from scoop.task_settings import DEFAULTS, TaskSettings
from web.visitor import a_report, visiting

PRAISE = "Tussock is a wonderful editor, we love it."
BLAME = "Tussock is terrible: it crashes and we hate it."
KEYS = {
    "id", "tool_id", "tool_slug", "tool_name", "period", "total_mentions", "positive_count", "negative_count",
    "neutral_count", "positive_percentage", "negative_percentage", "neutral_percentage", "average_sentiment",
    "story_count", "publisher_family_count", "period_start_ts", "period_end_ts", "last_updated_ts", "is_stale",
}  # fmt: skip


def reports():
    return [
        a_report(1, title="Plain one", body_text=PRAISE, hours_ago=0.5),
        a_report(2, title="Plain two", body_text=BLAME, hours_ago=5),
        a_report(3, title="Plain three", body_text=PRAISE, hours_ago=50),
    ]


async def added(visitor, name="Tussock", **given):
    return (await visitor.ask("POST", "/api/v1/tools", {"name": name, "categories": ["editor"]} | given)).json


async def test_a_tool_is_added_changed_with_its_version_and_removed(database):
    async with visiting(database, role="editor") as visitor:
        made = await visitor.ask("POST", "/api/v1/tools", {"name": "VS Code", "categories": ["editor"]})
        read = await visitor.get("/api/v1/tools/vs_code")
        url = f"/api/v1/tools/{made.json['tool_id']}"
        stale = await visitor.ask("PATCH", url, {"vendor": "Microsoft"}, **{"If-Match": '"other"'})
        tag = {"If-Match": read.headers["ETag"]}
        changed = await visitor.ask("PATCH", url, {"aliases": ["Visual Studio Code"]}, **tag)
        log = await visitor.get(f"{url}/audit")
        removed = await visitor.ask("DELETE", url)
        gone = await visitor.get(url)
    assert (made.status, made.headers["Location"], made.json) == (201, url, read.json)
    assert (stale.status, changed.status, changed.json["aliases"]) == (412, 200, ["Visual Studio Code"])
    assert [each["action"] for each in log.json["items"]] == ["aliases changed", "created"]
    assert log.json["items"][0]["before"]["aliases"] == []
    assert (removed.status, gone.status) == (204, 404)


async def test_an_alias_that_makes_a_cycle_is_a_conflict_with_the_chain(database):
    async with visiting(database, role="editor") as visitor:
        for name in ("Ann", "Bob", "Cid"):
            await added(visitor, name)
        for source, target in (("ann", "bob"), ("bob", "cid")):
            await visitor.ask("POST", f"/api/v1/tools/{source}/merge", {"into": target})
        merge = await visitor.ask("POST", "/api/v1/tools/cid/merge", {"into": "ann"})
        alias = await visitor.ask("POST", "/api/v1/tools/ann/aliases", {"alias": "cid"})
        own = await visitor.ask("POST", "/api/v1/tools/ann/aliases", {"alias": "ANN"})
    assert [answer.status for answer in (merge, alias, own)] == [409, 409, 409]
    assert "Cid → Ann → Bob → Cid" in merge.json["error"]["message"]
    assert "Ann → Bob → Cid → Ann" in alias.json["error"]["message"]
    assert "Ann → Ann" in own.json["error"]["message"]


@pytest.mark.parametrize(
    ("path", "status", "field"),
    [
        ("/api/v1/tools/nothing/sentiment", 404, None),
        ("/api/v1/tools/Next.js/sentiment", 404, None),
        ("/api/v1/tools/tussock/sentiment?hours=0", 400, "query.hours"),
        ("/api/v1/tools/tussock/sentiment?hours=721", 400, "query.hours"),
        ("/api/v1/tools/tussock/sentiment?hours=day", 400, "query.hours"),
        ("/api/v1/tools/tussock/timeseries?days=91", 400, "query.days"),
        ("/api/v1/tools/tussock/timeseries?interval=month", 400, "query.interval"),
        ("/api/v1/tools/compare?tool=tussock", 400, "query.tool"),
        ("/api/v1/tools/tussock/passages?label=angry", 400, "query.label"),
        ("/api/v1/tools/tussock/passages?since=2026-11-18T12:00:00", 400, "query.since"),
        ("/api/v1/sentiment/jobs/77", 404, None),
    ],
)
async def test_bad_input_is_refused_with_its_field(database, path, status, field):
    async with visiting(database, role="editor") as visitor:
        await added(visitor)
        answer = await visitor.get(path)
    assert answer.status == status
    if field:
        assert answer.json["error"]["details"][0]["field"] == field


@pytest.mark.parametrize("until", ["2026-11-01T00:00:00Z", -474964, "yesterday", "2026-11-03T00:00:00"])
async def test_a_reanalysis_until_no_moment_or_one_before_it_begins_is_refused(database, until):
    async with visiting(database, role="editor") as visitor:
        body = {"since": "2026-11-02T00:00:00Z", "until": until}
        answer = await visitor.ask("POST", "/api/v1/sentiment/jobs", body)
    assert (answer.status, answer.json["error"]["details"][0]["field"]) == (400, "body.until")


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00%2B14:00", "9999-12-31T23:59:59-14:00"])
@pytest.mark.parametrize("name", ["since", "until"])
async def test_a_moment_at_the_end_of_the_calendar_is_a_moment(database, name, moment):
    async with visiting(database, role="editor") as visitor:
        await added(visitor)
        passages = await visitor.get(f"/api/v1/tools/tussock/passages?{name}={moment}")
        job = await visitor.ask("POST", "/api/v1/sentiment/jobs", {name: moment.replace("%2B", "+")})
    assert (passages.status, job.status) == (200, 202)


async def test_sentiment_is_a_miss_then_a_hit_and_other_hours_bypass_the_cache(database):
    async with visiting(database, role="editor") as visitor:
        tool = await added(visitor)
        await told(database, reports())
        async with database.connection() as conn:
            await conn.execute("DELETE FROM sentiment_cache")
        url = f"/api/v1/tools/{tool['tool_id']}/sentiment"
        miss, hit, bypass = await visitor.get(url), await visitor.get(url), await visitor.get(f"{url}?hours=51")
        hour = await visitor.get(f"{url}?hours=1")
    assert [answer.headers["X-Cache-Status"] for answer in (miss, hit, bypass)] == ["MISS", "HIT", "BYPASS"]
    assert hit.headers["X-Cache-Age"] == "0"
    assert hit.json == miss.json
    assert hit.json.keys() == KEYS
    assert (hit.json["id"], hit.json["period"]) == (f"{tool['tool_id']}:HOUR_24", "HOUR_24")
    assert (hit.json["total_mentions"], hit.json["positive_percentage"]) == (2, 50.0)
    assert (bypass.json["total_mentions"], bypass.json["positive_percentage"]) == (3, 66.7)
    assert hour.json["total_mentions"] == 1


async def test_a_tool_without_mentions_has_zeros(database):
    async with visiting(database, role="editor") as visitor:
        await added(visitor)
        answer = await visitor.get("/api/v1/tools/tussock/sentiment")
    assert (answer.json["total_mentions"], answer.json["neutral_percentage"]) == (0, 0.0)


async def test_many_misses_at_once_are_computed_once(database, monkeypatch):
    computed = []
    compute = cache.compute

    async def counting(*arguments, **named):
        computed.append(arguments)
        return await compute(*arguments, **named)

    monkeypatch.setattr(cache, "compute", counting)
    async with visiting(database, role="editor") as visitor:
        await added(visitor)
        answers = await asyncio.gather(*(visitor.get("/api/v1/tools/tussock/sentiment") for _ in range(10)))
    assert {answer.headers["X-Cache-Status"] for answer in answers} <= {"MISS", "HIT"}
    assert len(computed) == 1


async def test_two_servers_share_one_cache_and_their_counts(database):
    async with visiting(database, role="editor") as one, visiting(database, role="admin") as other:
        await added(one)
        first = await one.get("/api/v1/tools/tussock/sentiment")
        second = await other.get("/api/v1/tools/tussock/sentiment")
        dropped = await other.ask("POST", "/api/v1/cache/invalidate/tussock")
        await asyncio.sleep(1.1)
        third = await one.get("/api/v1/tools/tussock/sentiment")
        await one.get("/api/v1/cache/health")
        health = await other.get("/api/v1/cache/health")
        refused = await one.ask("POST", "/api/v1/cache/invalidate/tussock")
    assert [each.headers["X-Cache-Status"] for each in (first, second, third)] == ["MISS", "HIT", "MISS"]
    assert (dropped.json["entries"], refused.status) == (1, 403)
    assert (health.json["cache_hits_24h"], health.json["cache_misses_24h"]) == (1, 2)
    assert (health.json["status"], health.json["cache_hit_rate"]) == ("unhealthy", 0.3333)


async def test_a_stale_entry_is_served_while_it_is_refreshed(database):
    async with visiting(database, role="editor") as visitor:
        await added(visitor)
        await visitor.get("/api/v1/tools/tussock/sentiment")
        async with database.connection() as conn:
            await conn.execute("UPDATE sentiment_cache SET last_updated_ts = last_updated_ts - 1801")
        await asyncio.sleep(1.1)
        stale = await visitor.get("/api/v1/tools/tussock/sentiment")
        await asyncio.sleep(1.2)
        fresh = await visitor.get("/api/v1/tools/tussock/sentiment")
    assert (stale.headers["X-Cache-Status"], stale.headers["X-Cache-Age"], stale.json["is_stale"]) == (
        "HIT",
        "1801",
        True,
    )
    assert (fresh.headers["X-Cache-Age"], fresh.json["is_stale"]) == ("0", False)


async def test_the_cache_is_served_while_the_database_is_slow(database, monkeypatch):
    get = store.get

    async def slow(*arguments):
        await asyncio.sleep(3)
        return await get(*arguments)

    async with visiting(database, role="editor") as visitor:
        await added(visitor)
        await visitor.get("/api/v1/tools/tussock/sentiment")
        await visitor.get("/api/v1/tools/tussock/sentiment")
        await asyncio.sleep(1.1)
        await visitor.get("/api/v1/tools/tussock/sentiment")
        monkeypatch.setattr(store, "get", slow)
        await asyncio.sleep(1.1)
        began = asyncio.get_running_loop().time()
        answer = await visitor.get("/api/v1/tools/tussock/sentiment")
        took = asyncio.get_running_loop().time() - began
    assert (answer.status, answer.headers["X-Cache-Status"]) == (200, "HIT")
    assert took < 2


async def test_the_cache_is_served_while_connections_to_the_database_break(database, monkeypatch):
    async def broken(*_arguments):
        raise ConnectionResetError("gone")

    async with visiting(database, role="editor") as visitor:
        await added(visitor)
        for _ in range(2):
            await visitor.get("/api/v1/tools/tussock/sentiment")
        await asyncio.sleep(1.1)
        await visitor.get("/api/v1/tools/tussock/sentiment")
        monkeypatch.setattr(store, "get", broken)
        await asyncio.sleep(1.1)
        answer = await visitor.get("/api/v1/tools/tussock/sentiment")
    assert (answer.status, answer.headers["X-Cache-Status"]) == (200, "HIT")


async def test_an_error_is_counted_and_neither_cached_nor_zeros(database, monkeypatch):
    async def failing(*_arguments, **_named):
        raise ConnectionResetError("gone")

    async with visiting(database, role="editor") as visitor:
        await added(visitor)
        with monkeypatch.context() as broken:
            broken.setattr(cache, "compute", failing)
            failed = await visitor.get("/api/v1/tools/tussock/sentiment")
        async with database.connection() as conn:
            cached = await conn.fetchval("SELECT count(*) FROM sentiment_cache")
        health = await visitor.get("/api/v1/cache/health")
    assert (failed.status, cached, health.json["error_count_24h"]) == (503, 0, 1)


async def test_series_have_no_gaps_and_passages_are_behind_every_point(database):
    async with visiting(database, role="editor") as visitor:
        await added(visitor)
        await told(database, reports())
        days = await visitor.get("/api/v1/tools/tussock/timeseries?days=7")
        hours = await visitor.get("/api/v1/tools/tussock/timeseries?days=1&interval=hour")
        passages = await visitor.get("/api/v1/tools/tussock/passages?limit=2")
        rest = await visitor.get(f"/api/v1/tools/tussock/passages?limit=2&cursor={passages.json['next_cursor']}")
        negative = await visitor.get("/api/v1/tools/tussock/passages?label=negative")
    assert len(days.json["points"]) == 8
    assert sum(point["total_mentions"] for point in days.json["points"]) == 3
    assert len(hours.json["points"]) == 25
    assert [story["mentions"] for story in days.json["stories"]] == [1, 1, 1]
    newest = passages.json["items"][0]
    assert (newest["mention"], newest["label"], newest["source"]) == ("Tussock", "positive", "tribune")
    assert newest["text_sentiment"]["label"] == "positive"
    assert newest["before"] + newest["mention"] + newest["after"] == f"Plain one\n\n{PRAISE}"
    assert (len(passages.json["items"]), len(rest.json["items"]), rest.json["next_cursor"]) == (2, 1, None)
    assert [each["title"] for each in negative.json["items"]] == ["Plain two"]


@pytest.mark.parametrize("date", ["2024-03-31", "2023-10-29"])
async def test_an_hour_in_the_night_in_which_clocks_change_is_counted_once(database, date):
    day = datetime.fromisoformat(f"{date}T12:00:00Z")
    item = a_report(1, title="Plain one", body_text=PRAISE) | {"published_at": f"{date}T01:30:00Z"}
    async with visiting(database, role="editor", timezone="Europe/Berlin", clock=lambda: day) as visitor:
        await added(visitor)
        await told(database, [item])
        series = await visitor.get("/api/v1/tools/tussock/timeseries?days=1&interval=hour")
    points = series.json["points"]
    assert len({point["starts_at"] for point in points}) == len(points) == 25
    [point] = [point for point in points if point["total_mentions"]]
    assert datetime.fromisoformat(point["starts_at"]) == datetime.fromisoformat(f"{date}T01:00:00Z")


async def test_tools_are_compared_and_ranked_by_heat_and_by_growth(database):
    engaged = {"metadata": {"comments": 4, "score": 7}}
    async with visiting(database, role="editor") as visitor:
        await added(visitor)
        await added(visitor, "Sedge")
        items = reports() + [
            a_report(number, title=f"Plain {number}", body_text="Sedge is awful.", hours_ago=2, **engaged)
            for number in range(4, 8)
        ]
        await told(database, items)
        async with database.connection() as conn:
            await conn.execute("DELETE FROM sentiment_cache")  # of the real clock
        compared = await visitor.get("/api/v1/tools/compare?tool=tussock&tool=sedge&hours=24")
        hot = await visitor.get("/api/v1/hot-topics")
        posts = await visitor.get("/api/v1/hot-topics/sedge/posts?limit=1")
        trending = await visitor.get("/api/v1/trending")
    assert [each["share_of_voice"] for each in compared.json] == [0.3333, 0.6667]
    assert compared.json[1]["is_marked"]
    assert [(each["slug"], each["heat"]) for each in hot.json] == [("sedge", 4 * (10 + 8 + 7)), ("tussock", 20)]
    assert (posts.json[0]["heat"], posts.json[0]["text_sentiment"]["label"]) == (25, "negative")
    assert [(each["slug"], each["velocity"]) for each in trending.json] == [("sedge", 4.0)]


async def test_a_reanalysis_is_accepted_listed_and_cancelled(database):
    async with visiting(database, role="editor") as visitor:
        await added(visitor)
        await told(database, reports())
        asked = await visitor.ask("POST", "/api/v1/sentiment/jobs", {"tool": "tussock", "rescore": True})
        url = asked.headers["Location"]
        cancelled = await visitor.ask("POST", f"{url}/cancel")
        again = await visitor.ask("POST", f"{url}/cancel")
        await visitor.ask("POST", "/api/v1/sentiment/jobs", {})
        await run_all(database)
        jobs = await visitor.get("/api/v1/sentiment/jobs")
    assert (asked.status, asked.json["status"], asked.json["progress"]) == (202, "queued", 0.0)
    assert (cancelled.json["status"], again.status) == ("cancelled", 409)
    assert [job["status"] for job in jobs.json["items"]] == ["completed", "cancelled", "completed"]
    assert jobs.json["items"][0]["processed_documents"] == 3


async def test_counts_of_other_days_do_not_count(database):
    now = datetime.now(UTC)
    async with database.connection() as conn:
        pending = store.PendingCounts()
        pending.at(now - timedelta(hours=23, minutes=58)).hits += 2
        pending.at(now - timedelta(hours=24, minutes=2)).hits += 40
        await store.count(conn, pending.take())
        assert (await cache.get_metadata(conn, now=now)).cache_hits_24h == 2
        assert await cache.clean(conn, now=now) == 0


async def test_a_question_without_a_writer_is_a_conflict_and_with_one_it_is_accepted(database):
    settings = {"tasks": DEFAULTS | {"question": TaskSettings(writer="openai")}}
    async with visiting(database, role="editor") as visitor:
        await added(visitor)
        refused = await visitor.ask("POST", "/api/v1/ask", {"question": "How is Tussock?"})
    async with visiting(database, role="editor", **settings) as visitor:
        asked = await visitor.ask("POST", "/api/v1/ask", {"question": "How is Tussock?"})
        read = await visitor.get(asked.headers["Location"])
        empty = await visitor.ask("POST", "/api/v1/ask", {"question": ""})
    assert (refused.status, asked.status, read.status, empty.status) == (409, 202, 200, 400)
    assert "SCOOP_TASKS_QUESTION_WRITER" in refused.json["error"]["message"]
    assert (read.json["question"], read.json["answer"], read.json["facts"]) == ("How is Tussock?", None, [])
