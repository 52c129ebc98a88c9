"""The access patterns of the single-table design, asked by the vendor's client after a desk has projected its data."""

from datetime import UTC, datetime

from builders import an_item, ingest, run_all
from scoop.model import SourceSettings
from scoop.stages.push import PushResult
from scoop.store import sources

NEWEST_FIRST = {"ScanIndexForward": False}


async def publish(desk, *items) -> PushResult:
    result = await ingest(desk.database, items)
    await run_all(desk.database)
    return result


async def add_source(desk, slug, **changes):
    settings = {
        "slug": slug,
        "name": slug.title(),
        "kind": "rss",
        "collection": "world_news",
        "base_url": f"https://{slug}.example/feed?token=secret",
    }
    async with desk.database.connection() as conn:
        return await sources.put(conn, SourceSettings(**(settings | changes)))


async def fail_page(desk, number, *, minutes, error="timeout at https://tribune.example/1?key=secret"):
    """Let the page of a document wait for another try."""
    await desk.execute(
        "INSERT INTO work (stage, subject, due_at, attempts, error) SELECT 'pages', raw_arrival_id,"
        " now() + make_interval(mins => $2), 1, $3 FROM documents WHERE source_item_id = $1",
        f"item-{number}",
        minutes,
        error,
    )


async def test_the_latest_articles_of_a_site(desk):
    dates = [f"2026-11-{day:02}T12:00:00Z" for day in range(1, 5)]
    await publish(
        desk,
        *(an_item(number, published_at=date) for number, date in enumerate(dates)),
        an_item(9, source="akari", canonical_url="https://akari.example/9"),
    )
    await add_source(desk, "tribune")
    await desk.sync()
    found = desk.query("SITE#tribune", "ARTICLE#", Limit=3, **NEWEST_FIRST)
    assert [item["publishedAt"] for item in found] == [f"2026-11-{day:02}T12:00:00.000000Z" for day in (4, 3, 2)]


async def test_the_global_feed_newest_first_over_months(desk):
    dates = {"tribune": "2026-10-31T23:00:00Z", "akari": "2026-11-02T08:00:00Z", "kurier": "2026-11-01T08:00:00Z"}
    await publish(
        desk,
        *(
            an_item(number, source=source, published_at=date, canonical_url=f"https://{source}.example/1")
            for number, (source, date) in enumerate(dates.items())
        ),
    )
    await desk.sync()
    months = [desk.query(f"ARTICLES#{month}", index="GSI6", **NEWEST_FIRST) for month in ("2026-11", "2026-10")]
    assert [[item["siteId"] for item in month] for month in months] == [["akari", "kurier"], ["tribune"]]


async def test_an_article_by_its_id_and_articles_by_status(desk):
    await publish(desk, an_item(1))
    await desk.sync()
    article_id = await desk.value("SELECT article_id FROM documents")
    [found] = desk.query(f"ARTICLE#{article_id}", index="GSI2")
    assert (found["title"], found["siteId"]) == ("Bridge number 1 stays closed", "tribune")
    [waiting] = desk.query("STATUS#pending_summary", index="GSI3")
    assert waiting == found


async def test_a_site_by_its_id_and_sites_of_a_category_by_name(desk):
    for slug in ("tribune", "akari"):
        await add_source(desk, slug)
    await add_source(desk, "ministry", category="press_release")
    await desk.sync()
    [site] = desk.query("SITE#tribune", "METADATA")
    assert (site["baseUrl"], site["requestIntervalMs"]) == ("https://tribune.example/feed", 200)
    assert [item["siteId"] for item in desk.query("CATEGORY#news", index="GSI1")] == ["akari", "tribune"]
    assert [item["siteId"] for item in desk.query("CATEGORY#press_release", index="GSI1")] == ["ministry"]


async def test_crawl_runs_of_a_site_by_id_and_by_status(desk):
    await publish(desk, an_item(1))
    await desk.execute(
        "INSERT INTO ingest_runs (source, trigger, started_at, finished_at, status, error_message) VALUES"
        " ('tribune', 'schedule', now() - interval '1 hour', now(), 'failed', 'https://t.example/?token=x is down'),"
        " ('tribune', 'schedule', now() - interval '2 hours', now(), 'completed', NULL),"
        " ('tribune', 'schedule', now() - interval '91 days', now(), 'completed', NULL)"
    )
    await desk.sync()
    runs = desk.query("SITE#tribune", "CRAWL#", **NEWEST_FIRST)
    assert [run["status"] for run in runs][-2:] == ["failed", "success"]
    assert desk.query(f"RUN#{runs[-2]['runId']}", index="GSI4") == [runs[-2]]
    assert desk.query("STATUS#failed", index="GSI5") == [runs[-2]]
    assert runs[-2]["errorSummary"] == "https://t.example/?… is down"
    assert all(run["ttl"] > datetime.now(UTC).timestamp() for run in runs)


async def test_the_retry_backlog_by_time_until_it_is_resolved(desk):
    await publish(desk, *(an_item(number) for number in range(3)))
    for number, minutes in ((0, 30), (1, 10), (2, 20)):
        await fail_page(desk, number, minutes=minutes)
    await desk.sync()
    backlog = desk.query("RETRY#fetch", index="GSI6")
    ids = {
        number: await desk.value("SELECT article_id FROM documents WHERE source_item_id = $1", f"item-{number}")
        for number in range(3)
    }
    assert [item["articleId"] for item in backlog] == [ids[1], ids[2], ids[0]]
    assert {item["lastError"] for item in backlog} == {"timeout at https://tribune.example/1?…"}
    await desk.execute("DELETE FROM work WHERE error IS NOT NULL AND due_at < now() + interval '25 minutes'")
    await desk.execute("UPDATE work SET attempts = 2 WHERE error IS NOT NULL")
    await desk.sync()
    assert [(item["articleId"], item["attemptCount"]) for item in desk.query("RETRY#fetch")] == [(ids[0], 2)]


async def test_a_desk_without_a_projection_writes_nothing_about_changes(database):
    await ingest(database, [an_item(1)])
    await run_all(database)
    async with database.connection() as conn:
        assert await conn.fetchval("SELECT count(*) FROM projection_feeds") == 0
        assert await conn.fetchval("SELECT count(*) FROM projected_items") == 0
        assert await conn.fetchval("SELECT count(*) FROM work WHERE stage = 'project'") == 0
        assert await conn.fetchval("SELECT count(*) FROM pg_indexes WHERE indexname LIKE 'idx%changes'") == 0
