import re
from datetime import datetime
from hashlib import sha256
from uuid import UUID

import pytest

from builders import FIRE, told
from scoop.model import SourceSettings
from scoop.newsstand.sites import models
from scoop.store import sources
from summarised import FIRE_SENTENCES, document_ids, summarise
from web.visitor import a_report, visiting
from writing import a_desk

JOBS = "/api/admin/jobs/crawl"


async def add_sources(database, *slugs):
    async with database.connection() as conn:
        for slug in slugs:
            found = SourceSettings(
                slug=slug, name=slug, kind="rss", collection="world_news", base_url=f"https://{slug}.example/feed"
            )
            await sources.put(conn, found)


async def record_run(database, source, *, ago="1 minute", status="completed", error=None):
    async with database.connection() as conn:
        return await conn.fetchval(
            "INSERT INTO ingest_runs (source, trigger, started_at, finished_at, status, items_fetched, items_inserted,"
            " items_failed, error_message, log_key) VALUES ($1, 'schedule', now() - $2::text::interval, now(),"
            " $3::text::ingest_run_status, 5, 3, 1, $4, 'logs/x.ndjson') RETURNING run_uuid",
            source,
            ago,
            status,
            error,
        )


async def waiting(database):
    async with database.connection() as conn:
        rows = await conn.fetch(
            "SELECT slug FROM work JOIN sources ON source_id = subject WHERE stage = 'ingest' ORDER BY slug"
        )
    return [row["slug"] for row in rows]


async def test_articles_have_the_summary_in_the_language_that_is_asked_for(database):
    await told(database, [a_report(1, **FIRE)])
    [document_id] = await document_ids(database)
    for language, sentence in (("de", "Die Bibliothek brannte ab."), ("", FIRE_SENTENCES[1])):
        await summarise(
            database, document_id, sentence, language=language or "en", asked_language=language, subject_kind="document"
        )
    async with visiting(database, role="reader") as visitor:
        [article] = (await visitor.get("/api/articles")).json["articles"]
        [in_german] = (await visitor.get("/api/articles?language=de-CH")).json["articles"]
        one = (await visitor.get(f"/api/articles/{article['articleId']}?language=de")).json
        [of_the_desk] = (await visitor.get("/api/articles?language=ja")).json["articles"]
        refused = await visitor.get("/api/articles?language=%3Cde%3E")
    texts = [each["summary"]["summaryText"] for each in (article, in_german, one, of_the_desk)]
    assert texts == [FIRE_SENTENCES[1], "Die Bibliothek brannte ab.", "Die Bibliothek brannte ab.", FIRE_SENTENCES[1]]
    assert refused.status == 400


async def test_articles_have_the_shape_of_their_contract(database):
    await told(database, [a_report(1, authors=["Ada Berg", "Bo Lind"], tags=["bridges"], body_text="word " * 4000)])
    async with visiting(database, role="reader") as visitor:
        answer = (await visitor.get("/api/articles")).json
    [article] = answer["articles"]
    assert answer["nextCursor"] is None
    assert re.fullmatch("art_[0-9a-f]{32}", article.pop("articleId"))
    assert len(article.pop("bodyPlain")) == 10_000
    url, title = "https://tribune.example/1", "Bridge number 1 stays closed"
    assert article == {
        "siteId": "tribune",
        "title": title,
        "url": url,
        "canonicalHash": sha256((url + title).encode()).hexdigest(),
        "publishedAt": "2024-05-16T07:00:00Z",
        "fetchedAt": article["fetchedAt"],
        "author": "Ada Berg, Bo Lind",
        "wordCount": 4000,
        "topics": ["bridges"],
        "status": "pending_summary",
        "summaryId": None,
        "lastSummaryAttemptAt": None,
        "s3SnapshotKey": None,
        "summary": None,
        "retry": {"pending": False, "nextRetryAt": None},
    }


async def an_article(database, **changes):
    """One article that can be summarised; the number of its document and its public id."""
    await told(database, [a_report(1, **(FIRE | changes))])
    async with database.connection() as conn:
        return tuple(await conn.fetchrow("SELECT document_id, article_id FROM documents"))


async def test_a_summary_is_embedded_in_the_shape_of_its_contract(database, tmp_path):
    document_id, article_id = await an_article(database)
    async with a_desk(database, tmp_path) as desk:
        await desk.ask({document_id: ""})
        await desk.write()
    async with visiting(database, role="reader") as visitor:
        listed = (await visitor.get("/api/articles")).json["articles"]
        article = (await visitor.get(f"/api/articles/{article_id}")).json
    assert listed == [article]
    summary = article["summary"]
    assert (article["status"], article["summaryId"]) == ("summarized", summary["summaryId"])
    assert article["lastSummaryAttemptAt"] is not None
    assert article["retry"] == {"pending": False, "nextRetryAt": None}
    assert str(UUID(summary.pop("summaryId")))
    assert datetime.fromisoformat(summary.pop("generatedAt")).tzinfo
    assert re.fullmatch(r"summary@[\w.]+", summary.pop("promptTemplateId"))
    assert "Ostburg" in summary.pop("summaryText")
    assert 0 <= summary.pop("confidence") <= 1
    usage = summary.pop("tokenUsage")
    assert usage.keys() == {"input", "output"}
    assert all(isinstance(tokens, int) and tokens > 0 for tokens in usage.values())
    assert re.fullmatch(rf"prompts/{article_id}/.*-prompt\.json", summary.pop("s3PromptKey"))
    assert re.fullmatch(rf"responses/{article_id}/.*-response\.json", summary.pop("s3ResponseKey"))
    assert summary == {
        "articleId": article_id,
        "modelProvider": "openai",
        "modelId": f"{models.MODEL}-2026-01-01",
        "disclaimer": "generated",
    }


async def test_a_failed_summary_says_when_it_is_tried_again(database, tmp_path):
    document_id, article_id = await an_article(database)
    async with a_desk(database, tmp_path) as desk:
        desk.script.append("500")
        await desk.ask({document_id: ""})
        await desk.write()
        async with visiting(database) as visitor:
            failed = (await visitor.get(f"/api/articles/{article_id}")).json
            answer = await visitor.ask("POST", f"/api/admin/articles/{article_id}/retry")
        await desk.write()
    async with visiting(database) as visitor:
        written = (await visitor.get(f"/api/articles/{article_id}")).json
    assert (failed["status"], failed["summary"], failed["summaryId"]) == ("summary_failed", None, None)
    assert failed["lastSummaryAttemptAt"] is not None
    assert failed["retry"]["pending"] is True
    assert datetime.fromisoformat(failed["retry"]["nextRetryAt"]).tzinfo
    assert answer.status == 202
    assert (answer.json["articleId"], answer.json["siteId"]) == (article_id, "tribune")
    assert answer.json["retry"]["pending"] is True
    assert written["status"] == "summarized"
    assert written["retry"] == {"pending": False, "nextRetryAt": None}


async def test_a_summary_that_was_given_up_has_no_next_try_until_somebody_retries_it(database, tmp_path):
    document_id, article_id = await an_article(database)
    async with a_desk(database, tmp_path) as desk:
        desk.script.append("500")
        await desk.ask({document_id: ""})
        await desk.write()
        await desk.rows("UPDATE work SET state = 'quarantined' WHERE stage = 'write'")
        async with visiting(database) as visitor:
            given_up = (await visitor.get(f"/api/articles/{article_id}")).json
            await visitor.ask("POST", f"/api/admin/articles/{article_id}/retry")
        [waiting] = await desk.rows("SELECT state, attempts FROM work WHERE stage = 'write'")
    assert (given_up["status"], given_up["retry"]["pending"]) == ("summary_failed", False)
    assert (waiting["state"], waiting["attempts"]) == ("waiting", 0)


async def test_an_article_with_a_short_text_has_its_metadata_and_no_summary(database):
    _, article_id = await an_article(database, body_text="Fire.")
    async with visiting(database) as visitor:
        article = (await visitor.get(f"/api/articles/{article_id}")).json
        answer = await visitor.ask("POST", f"/api/admin/articles/{article_id}/retry")
    assert article["title"] == FIRE["title"]
    assert (article["status"], article["summary"]) == ("summary_failed", None)
    assert article["retry"] == {"pending": False, "nextRetryAt": None}
    assert (answer.status, answer.json["error"]["code"]) == (409, "CONFLICT")


async def test_an_article_whose_page_could_not_be_read_is_pending_until_the_next_try(database):
    await told(database, [a_report(1, **FIRE), a_report(2)])
    async with database.transaction() as conn:
        await conn.execute(
            "INSERT INTO work (stage, subject, due_at, error)"
            " SELECT 'pages', raw_arrival_id, now() + interval '1 hour', 'HTTP 503' FROM documents WHERE title = $1",
            FIRE["title"],
        )
    async with visiting(database, role="reader") as visitor:
        found = (await visitor.get("/api/articles")).json["articles"]
        waits, other = sorted(found, key=lambda article: article["title"] != FIRE["title"])
        one = (await visitor.get(f"/api/articles/{waits['articleId']}")).json
        page = await visitor.get(f"/articles/{waits['articleId']}")
    assert waits["retry"] == one["retry"] == {"pending": True, "nextRetryAt": waits["retry"]["nextRetryAt"]}
    assert datetime.fromisoformat(waits["retry"]["nextRetryAt"]).tzinfo
    assert other["retry"] == {"pending": False, "nextRetryAt": None}
    assert "Its page could not be read. The next try is" in page.page.text


async def test_only_editors_retry_and_only_articles_that_exist(database):
    _, article_id = await an_article(database)
    async with visiting(database, role="reader") as visitor:
        assert (await visitor.ask("POST", f"/api/admin/articles/{article_id}/retry")).status == 403
    async with visiting(database) as visitor:
        unknown = await visitor.ask("POST", f"/api/admin/articles/art_{'0' * 32}/retry")
        of_nobody = await visitor.ask("POST", f"/api/admin/articles/{article_id}/retry?siteId=akari")
        malformed = await visitor.ask("POST", "/api/admin/articles/art_1/retry")
    assert (unknown.status, of_nobody.status, malformed.status) == (404, 404, 400)


async def test_twenty_articles_unless_said_otherwise_and_the_rest_after_a_cursor(database):
    await told(database, [a_report(number, hours_ago=number) for number in range(1, 24)])
    async with visiting(database) as visitor:
        first = (await visitor.get("/api/articles")).json
        rest = (await visitor.get(f"/api/articles?limit=50&cursor={first['nextCursor']}")).json
    assert (len(first["articles"]), len(rest["articles"]), rest["nextCursor"]) == (20, 3, None)
    published = [article["publishedAt"] for article in first["articles"] + rest["articles"]]
    assert published == sorted(published, reverse=True)


async def test_articles_of_a_site_and_a_time(database):
    await told(database, [a_report(1, hours_ago=40), a_report(2), a_report(3, source="akari")])
    async with visiting(database) as visitor:
        of_site = (await visitor.get("/api/articles?siteId=tribune")).json["articles"]
        lately = (await visitor.get("/api/articles?siteId=tribune&since=2024-05-16T00:00:00Z")).json["articles"]
        earlier = (await visitor.get("/api/articles?until=2024-05-15")).json["articles"]
    assert [article["url"][-1] for article in of_site] == ["2", "1"]
    assert [article["url"][-1] for article in lately] == ["2"]
    assert [article["url"][-1] for article in earlier] == ["1"]


async def test_one_article_as_the_first_or_a_named_site_tells_it(database):
    shared = "https://tribune.example/flood"
    await told(
        database,
        [
            a_report(1, source="harbour_post", canonical_url=shared, title="River rises", hours_ago=9),
            a_report(2, source="tribune", canonical_url=shared, title="The same", hours_ago=2),
        ],
    )
    async with visiting(database) as visitor:
        listed = (await visitor.get("/api/articles")).json["articles"]
        path = f"/api/articles/{listed[0]['articleId']}"
        first, of_site = await visitor.get(path), await visitor.get(f"{path}?siteId=tribune")
        of_nobody = await visitor.get(f"{path}?siteId=akari")
    assert listed[0]["articleId"] == listed[1]["articleId"]
    assert (first.json["title"], of_site.json["title"]) == ("River rises", "The same")
    assert of_nobody.status == 404


async def test_an_article_that_nobody_knows(database):
    async with visiting(database) as visitor:
        unknown = await visitor.get(f"/api/articles/art_{'0' * 32}")
        malformed = [await visitor.get(f"/api/articles/{name}") for name in ("art_1", "%00", "art_" + "g" * 32)]
    assert (unknown.status, unknown.json["error"]["code"]) == (404, "NOT_FOUND")
    assert {answer.status for answer in malformed} == {400}


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/api/articles?limit=51", "limit"),
        ("/api/articles?limit=0", "limit"),
        ("/api/articles?siteId=%00", "siteId"),
        ("/api/articles?since=x", "since"),
        ("/api/articles?site=a", "site"),
        ("/api/articles?cursor=x", "cursor"),
        ("/api/crawl-runs?limit=201", "limit"),
        ("/api/crawl-runs?siteId=%00", "siteId"),
        ("/api/crawl-runs?cursor=x", "cursor"),
        ("/api/crawl-runs?afterRunId=-1", "afterRunId"),
    ],
)
async def test_a_query_that_cannot_be_names_its_field(database, path, field):
    async with visiting(database) as visitor:
        answer = await visitor.get(path)
    assert (answer.status, answer.json["error"]["code"]) == (400, "INVALID_ARGUMENT")
    assert field in answer.json["error"]["message"]


async def test_crawl_runs_have_the_shape_of_their_contract(database):
    run_uuid = await record_run(database, "tribune")
    await record_run(database, "akari", status="failed", error="HTTP 401 of https://akari.example/feed?token=secret")
    async with visiting(database, role="reader") as visitor:
        of_all = (await visitor.get("/api/crawl-runs")).json
        of_one = (await visitor.get("/api/crawl-runs?siteId=tribune")).json["crawlRuns"]
    assert [run["siteId"] for run in of_all["crawlRuns"]] == ["akari", "tribune"]
    assert of_all["crawlRuns"][0]["status"] == "failed"
    assert "HTTP 401" in of_all["crawlRuns"][0]["errorSummary"]
    assert "secret" not in of_all["crawlRuns"][0]["errorSummary"]
    assert of_one == [
        {
            "runId": str(run_uuid),
            "siteId": "tribune",
            "triggerType": "schedule",
            "startedAt": of_one[0]["startedAt"],
            "completedAt": of_one[0]["completedAt"],
            "status": "success",
            "processedCount": 5,
            "newArticles": 3,
            "failedArticles": 1,
            "errorSummary": None,
            "s3LogKey": "logs/x.ndjson",
        }
    ]


async def test_crawl_runs_go_on_after_a_cursor(database):
    for number in range(3):
        await record_run(database, f"source{number}")
    async with visiting(database) as visitor:
        first = (await visitor.get("/api/crawl-runs?limit=2")).json
        rest = (await visitor.get(f"/api/crawl-runs?limit=2&cursor={first['nextCursor']}")).json
    assert [run["siteId"] for run in first["crawlRuns"] + rest["crawlRuns"]] == ["source2", "source1", "source0"]
    assert rest["nextCursor"] is None


async def test_a_crawl_job_puts_sites_before_the_workers(database):
    await add_sources(database, "akari", "tribune")
    async with visiting(database, role="editor") as visitor:
        answer = await visitor.ask("POST", JOBS, {"siteIds": ["tribune"]})
        assert await waiting(database) == ["tribune"]
        of_all = await visitor.ask("POST", JOBS, {})
    assert answer.status == of_all.status == 202
    [job] = answer.json["jobs"]
    assert job["siteId"] == "tribune"
    assert job["dueAt"] is not None
    assert [job["siteId"] for job in of_all.json["jobs"]] == ["akari", "tribune"]
    assert of_all.json["jobs"][1] == job  # which waits already: it is not put off
    assert await waiting(database) == ["akari", "tribune"]


async def test_the_run_of_a_job_is_listed_after_the_last_one_that_was_and_is_running(database):
    await add_sources(database, "tribune")
    await record_run(database, "tribune", ago="1 hour")
    async with visiting(database) as visitor:
        started = (await visitor.ask("POST", JOBS, {"siteIds": ["tribune"]})).json
        path = f"/api/crawl-runs?siteId=tribune&afterRunId={started['lastRunId']}"
        again = (await visitor.ask("POST", JOBS, {"siteIds": ["tribune"]})).json
        [run] = (await visitor.get(path)).json["crawlRuns"]
        page = await visitor.get("/runs?status=running")
    assert (run["status"], run["triggerType"], run["completedAt"]) == ("running", "manual", None)
    assert [run["runId"]] == started["runIds"] == [job["runId"] for job in started["jobs"]] == again["runIds"]
    assert again["lastRunId"] == started["lastRunId"]
    assert page.page.text.count("running") > 1


async def test_a_site_that_was_visited_a_moment_ago_is_left_alone_unless_by_force(database):
    await add_sources(database, "akari", "tribune")
    await record_run(database, "tribune", ago="1 minute")
    async with visiting(database) as visitor:
        too_early = await visitor.ask("POST", JOBS, {"siteIds": ["tribune"]})
        assert await waiting(database) == []
        others = await visitor.ask("POST", JOBS, {})
        assert await waiting(database) == ["akari"]
        forced = await visitor.ask("POST", JOBS, {"siteIds": ["tribune"], "force": True})
    assert (too_early.status, too_early.json["error"]["code"]) == (429, "TOO_MANY_REQUESTS")
    assert 230 <= int(too_early.headers["Retry-After"]) <= 240
    assert others.status == 202
    assert others.json["skipped"] == [{"siteId": "tribune", "reason": "ran_recently"}]
    assert forced.status == 202
    assert await waiting(database) == ["akari", "tribune"]


async def test_sites_rest_where_nothing_is_gathered(database):
    await add_sources(database, "tribune")
    async with visiting(database, np_write_raw_ledger=False) as visitor:
        answer = await visitor.ask("POST", JOBS, {})
    assert (answer.status, answer.json["error"]["code"]) == (409, "CONFLICT")
    assert await waiting(database) == []


async def test_a_job_without_any_site_is_refused(database):
    async with visiting(database) as visitor:
        nobody = await visitor.ask("POST", JOBS, {})
        unknown = await visitor.ask("POST", JOBS, {"siteIds": ["nobody"]})
    assert (nobody.status, unknown.status) == (409, 404)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"siteIds": []}, "siteIds"),
        ({"siteIds": ["a\0"]}, "siteIds"),
        ({"siteIds": "tribune"}, "siteIds"),
        ({"force": "maybe"}, "force"),
        ({"sites": ["a"]}, "sites"),
        ([], "body"),
        (None, "body"),
        ({"siteIds": ["x"] * 1001}, "siteIds"),
    ],
)
async def test_a_job_that_cannot_be_names_its_field(database, body, field):
    async with visiting(database) as visitor:
        answer = await visitor.ask("POST", JOBS, body, **({"Content-Type": "application/json"} if body is None else {}))
    assert (answer.status, answer.json["error"]["code"]) == (400, "INVALID_ARGUMENT")
    assert field in answer.json["error"]["message"]


async def test_only_editors_start_jobs(database):
    async with visiting(database, role="reader") as visitor:
        assert (await visitor.ask("POST", JOBS, {})).status == 403
    async with visiting(database, role=None, public_reading=True) as visitor:
        assert (await visitor.ask("POST", JOBS, {})).status == 401


@pytest.mark.parametrize("path", ["/api/articles", f"/api/articles/art_{'0' * 32}", "/api/crawl-runs"])
async def test_nobody_reads_articles(database, path):
    async with visiting(database, role=None) as visitor:
        assert (await visitor.get(path)).status == 401
