"""Visits of sources: what enters the ledger, how the source is afterwards, and when it is asked again."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from starlette.responses import Response

from builders import BODY, an_item, ingest, partition
from gathering import ARTICLE, a_feed, open_desk, open_web
from scoop.actions import sources as source_actions
from scoop.actions import tools
from scoop.core.tools import ToolSettings
from scoop.store import runs, sources, work
from scoop.store.work import Subject

FEED = "http://tribune.example/feed"


@pytest.fixture
async def web():
    async with open_web() as opened:
        yield opened


@pytest.fixture
async def desk(database, tmp_path):
    async with open_desk(database, tmp_path) as opened:
        yield opened


async def titles(desk) -> list[str]:
    return [
        row["title"] for row in await desk.rows("SELECT raw_payload ->> 'title' AS title FROM raw_arrivals ORDER BY 1")
    ]


async def test_a_feed_enters_the_ledger_once_however_often_it_is_read(desk, web):
    web.answers[FEED] = a_feed("one", "two")
    await desk.add(web.source())
    await desk.visit()
    await desk.visit()
    assert await titles(desk) == ["one", "two"]
    runs = await desk.rows("SELECT status::text, items_fetched, items_inserted FROM ingest_runs ORDER BY run_id")
    assert runs == [
        {"status": "completed", "items_fetched": 2, "items_inserted": 2},
        {"status": "completed", "items_fetched": 2, "items_inserted": 0},
    ]


async def request_run(desk, slug="tribune"):
    async with desk.database.transaction() as conn:
        ids = await sources.list_ids(conn, [slug])
        await sources.enqueue_now(conn, ids, force=False)
        return (await runs.request(conn, ids, now=datetime.now(UTC)))[slug].run_uuid


async def test_a_visit_ends_the_run_that_was_asked_for_and_the_next_visit_is_another_run(desk, web):
    web.answers[FEED] = a_feed("one", "two")
    await desk.add(web.source())
    run_uuid = await request_run(desk)
    await desk.visit()
    await desk.visit()
    first, second = await desk.rows("SELECT * FROM ingest_runs ORDER BY run_id")
    assert (first["run_uuid"], first["status"], first["items_inserted"]) == (run_uuid, "completed", 2)
    assert first["finished_at"] >= first["started_at"]
    assert first["log_key"] == f"logs/{run_uuid}.ndjson"
    assert (second["status"], second["items_inserted"]) == ("completed", 0)
    assert second["log_key"] == f"logs/{second['run_uuid']}.ndjson"


async def test_a_run_that_was_asked_for_is_closed_if_its_visit_is_cancelled(desk, web):
    await desk.add(web.source())
    await request_run(desk)
    statement = "SELECT status::text, error_message FROM ingest_runs"
    async with desk.database.transaction() as conn:
        await runs.close_abandoned(conn)
        waiting = await desk.rows(statement)
        await conn.execute("DELETE FROM work WHERE stage = 'ingest'")
        await runs.close_abandoned(conn)
    assert waiting == [{"status": "running", "error_message": None}]
    assert await desk.rows(statement) == [{"status": "failed", "error_message": "the visit was cancelled"}]


async def test_validators_are_sent_back_byte_for_byte_and_survive_a_304(desk, web):
    def answer(request):
        held = request.headers.get("if-none-match")
        return Response(status_code=304) if held == 'W/"a\\x"' else a_feed("one", ETag='W/"a\\x"')

    web.answers[FEED] = answer
    await desk.add(web.source())
    for _ in range(3):
        await desk.visit()
    assert [request.headers.get("if-none-match") for request in web.asked[FEED]] == [None, 'W/"a\\x"', 'W/"a\\x"']
    assert (await desk.state())["health"] == "not_modified"


async def test_a_validator_that_cannot_be_sent_back_as_it_came_is_not_kept(desk, web):
    web.answers[FEED] = a_feed("one", ETag='"é"')
    await desk.add(web.source())
    for _ in range(2):
        await desk.visit()
    assert [request.headers.get("if-none-match") for request in web.asked[FEED]] == [None, None]


async def test_a_body_that_could_not_be_read_leaves_the_validators_alone(desk, web):
    answers = [Response("<html>login</html>", media_type="text/html", headers={"ETag": '"wrong"'}), a_feed("one")]
    web.answers[FEED] = lambda _request: answers.pop(0)
    await desk.add(web.source())
    await desk.visit()
    assert (await desk.state())["health"] == "parse_error"
    await desk.visit()
    assert "if-none-match" not in web.asked[FEED][1].headers
    assert await titles(desk) == ["one"]


async def test_force_asks_for_everything_anew(database, web, tmp_path):
    web.answers[FEED] = a_feed("one", ETag='"x"')
    async with open_desk(database, tmp_path, force=True) as desk:
        await desk.add(web.source())
        await desk.visit()
        await desk.visit(force=True)
    assert all("if-none-match" not in request.headers for request in web.asked[FEED])


@pytest.mark.parametrize(
    ("answer", "health"),
    [
        (a_feed("one"), "ok"),
        (a_feed(), "empty"),
        (Response(""), "parse_error"),
        (Response("<html><body>Please log in", media_type="text/html"), "parse_error"),
        (Response(status_code=404), "http_error"),
        (Response(status_code=403), "http_error"),
        (Response(status_code=500), "http_error"),
        (Response(status_code=429), "http_error"),
        (Response(status_code=302, headers={"Location": "http://tribune.example/feed"}), "http_error"),
        (Response(status_code=410), "gone"),
    ],
)
async def test_health_is_typed_and_told_in_a_sentence(desk, web, answer, health):
    web.answers[FEED] = answer
    await desk.add(web.source())
    await desk.visit()
    state = await desk.state()
    assert state["health"] == health
    assert len(state["health_note"]) > 10 or state["health_note"] == "ok"


async def test_a_source_that_is_gone_is_left_alone_and_an_alert_is_raised(desk, web):
    web.answers[FEED] = Response(status_code=410)
    await desk.add(web.source())
    await desk.visit()
    await desk.run()
    assert len(web.asked[FEED]) == 1
    assert not (await desk.state())["enabled"]
    assert [row["kind"] for row in await desk.rows("SELECT kind FROM alerts")] == ["source_died"]


async def test_one_failing_source_does_not_stop_the_others(desk, web):
    web.answers[FEED] = Response(status_code=500)
    web.answers["http://herald.example/feed"] = a_feed("one")
    await desk.add(
        web.source(),
        web.source("http://herald.example/feed", slug="herald"),
        web.source("http://nowhere.example/", slug="refused", options={"connect_to": None}),
        web.source("http://10.0.0.1/feed", slug="private", options={"connect_to": None}),
    )
    await desk.visit()
    assert await titles(desk) == ["one"]
    assert (await desk.state("private"))["health"] == "refused_address"


@pytest.mark.parametrize(("status", "asked"), [(429, "7200"), (503, "7200")])
async def test_a_host_that_asks_for_rest_gets_it_from_all_its_sources(desk, web, status, asked):
    web.answers[FEED] = Response(status_code=status, headers={"Retry-After": asked})
    web.answers["http://tribune.example/other"] = a_feed("one")
    await desk.add(web.source())
    await desk.visit()
    await desk.add(web.source("http://tribune.example/other", slug="other"))
    await desk.run()
    assert len(web.asked["http://tribune.example/other"]) == 0
    waits = await desk.rows("SELECT due_at FROM work ORDER BY due_at")
    assert all(row["due_at"] > datetime.now(UTC) + timedelta(hours=1, minutes=59) for row in waits)


async def test_freshness_that_a_server_promises_is_waited_for(desk, web):
    web.answers[FEED] = a_feed("one", **{"Cache-Control": "max-age=14400"})
    await desk.add(web.source(schedule="1h"))
    await desk.visit()
    assert (await desk.state())["next_visit_at"] > datetime.now(UTC) + timedelta(hours=3, minutes=59)


async def test_robots_are_asked_once_and_obeyed(desk, web):
    web.answers["http://tribune.example/robots.txt"] = Response("User-agent: scoop\nDisallow: /feed")
    web.answers[FEED] = a_feed("one")
    await desk.add(web.source(), web.source("http://tribune.example/open", slug="open"))
    await desk.visit()
    assert (await desk.state())["health"] == "robots"
    assert len(web.asked[FEED]) == 0
    assert len(web.asked["http://tribune.example/robots.txt"]) == 1


async def test_robots_are_remembered_across_restarts(database, web, tmp_path):
    web.answers[FEED] = a_feed("one")
    for _ in range(3):
        async with open_desk(database, tmp_path) as desk:
            await desk.add(web.source())
            await desk.visit()
    assert len(web.asked["http://tribune.example/robots.txt"]) == 1


async def test_a_site_whose_robots_fail_is_not_asked(desk, web):
    web.answers["http://tribune.example/robots.txt"] = Response(status_code=500)
    web.answers[FEED] = a_feed("one")
    await desk.add(web.source())
    await desk.visit()
    assert (await desk.state())["health"] == "robots"
    assert len(web.asked[FEED]) == 0


async def test_robots_can_be_set_aside_for_a_feed_that_one_subscribed_to(desk, web):
    web.answers["http://tribune.example/robots.txt"] = Response("User-agent: *\nDisallow: /")
    web.answers[FEED] = a_feed("one")
    await desk.add(web.source(options={"robots": "ignore"}))
    await desk.visit()
    assert await titles(desk) == ["one"]


async def test_a_feed_that_moved_for_good_is_followed_after_three_visits(desk, web):
    web.answers[FEED] = Response(status_code=301, headers={"Location": "http://new.example/feed"})
    web.answers["http://new.example/feed"] = a_feed("one")
    await desk.add(web.source())
    for _ in range(4):
        await desk.visit()
    assert (await desk.state())["base_url"] == "http://new.example/feed"
    assert len(web.asked[FEED]) == 3


async def test_two_feeds_with_the_same_guids_both_keep_their_items(desk, web):
    web.answers[FEED] = a_feed("one")
    web.answers["http://copy.example/feed"] = a_feed("one", body=BODY * 9)
    await desk.add(web.source(), web.source("http://copy.example/feed", slug="copy"))
    await desk.visit()
    assert await titles(desk) == ["one", "one"]


async def test_a_teaser_becomes_a_document_with_the_text_of_its_page(desk, web):
    web.answers[FEED] = a_feed("one", body="The bridge is closed.")
    web.answers["http://tribune.example/one"] = Response(ARTICLE, media_type="text/html")
    await desk.add(web.source())
    await desk.run()
    [document] = await desk.rows("SELECT title, body_text, content_problem FROM documents")
    assert document["title"] == "one"
    assert document["body_text"].count("every cable") == 6
    assert document["content_problem"] is None
    [page] = await desk.rows("SELECT archive_key FROM pages")
    kept = await desk.archive.get(page["archive_key"])
    assert (kept.data.decode(), kept.source_url) == (ARTICLE, "http://tribune.example/one")


@pytest.mark.parametrize(
    ("page", "problem"),
    [
        (Response(status_code=404), "http_error"),
        (Response("<html><body></body></html>", media_type="text/html"), "empty"),
        (Response(b"%PDF-1.4", media_type="application/pdf"), "not_html"),
    ],
)
async def test_a_page_that_gives_nothing_keeps_the_teaser_and_says_why(desk, web, page, problem):
    web.answers[FEED] = a_feed("one", body="The bridge is closed.")
    web.answers["http://tribune.example/one"] = page
    await desk.add(web.source())
    await desk.run()
    [document] = await desk.rows("SELECT body_text, content_problem FROM documents")
    assert document == {"body_text": "The bridge is closed.", "content_problem": problem}


async def test_pages_obey_robots_even_where_the_feed_may_ignore_them(desk, web):
    web.answers["http://tribune.example/robots.txt"] = Response("User-agent: *\nDisallow: /")
    web.answers[FEED] = a_feed("one", body="The bridge is closed.")
    await desk.add(web.source(options={"robots": "ignore"}))
    await desk.run()
    assert len(web.asked["http://tribune.example/one"]) == 0
    [document] = await desk.rows("SELECT content_problem FROM documents")
    assert document["content_problem"] == "robots"


async def test_allow_private_does_not_open_a_private_address_that_a_feed_links_to(database, web, tmp_path):
    """Both addresses are allowed, but an operator typed only the feed's: its own pages are read, the other is not."""
    async with open_web() as inner, open_desk(database, tmp_path, allowed=[web.address, inner.address]) as desk:
        links = {"own": f"http://{web.address}/own", "other": f"http://{inner.address}/other"}
        links |= {"redirected": f"http://{web.address}/redirected"}
        items = "".join(
            f"<item><title>{name}</title><guid>{name}</guid><link>{link}</link></item>" for name, link in links.items()
        )
        web.answers = {
            f"http://{web.address}/feed": Response(f"<rss><channel>{items}</channel></rss>"),
            links["own"]: Response(ARTICLE, media_type="text/html"),
            links["redirected"]: Response(status_code=302, headers={"Location": links["other"]}),
        }
        await desk.add(web.source(f"http://{web.address}/feed", options={"connect_to": None}))
        await desk.visit()
        await desk.run()
        problems = await desk.rows(
            "SELECT raw_payload ->> 'title' AS title, problem FROM pages JOIN raw_arrivals USING (raw_arrival_id)"
        )
    assert {row["title"]: row["problem"] for row in problems} == {
        "own": None,
        "other": "refused_address",
        "redirected": "refused_address",
    }
    assert inner.asked == {}


async def test_a_page_cannot_pass_for_another_publishers_article(desk, web):
    stolen = ARTICLE.replace("<head>", '<head><link rel="canonical" href="https://bank.example/real">')
    web.answers[FEED] = a_feed("one", body="Short.")
    web.answers["http://tribune.example/one"] = Response(stolen, media_type="text/html")
    await desk.add(web.source())
    await desk.run()
    [document] = await desk.rows("SELECT canonical_url FROM documents")
    assert document["canonical_url"] == "http://tribune.example/one"


async def test_a_run_has_a_log_in_the_archive(desk, web):
    web.answers[FEED] = a_feed("one", "\u200b")
    await desk.add(web.source())
    await desk.visit()
    [run] = await desk.rows("SELECT log_key FROM ingest_runs")
    lines = [json.loads(line) for line in (await desk.archive.get(run["log_key"])).data.splitlines()]
    assert lines[0]["event"] == "request"
    assert lines[0]["url"] == FEED
    assert lines[-1]["event"] == "ended"
    assert lines[-1]["status"] in {"completed", "partial"}


async def test_a_flood_is_taken_in_bounded_portions(desk, web):
    web.answers[FEED] = a_feed(*(f"title {number}" for number in range(5_000)), body="short")
    await desk.add(web.source(options={"full_text": "never"}))
    await desk.visit()
    [run] = await desk.rows("SELECT status::text, items_fetched, error_message FROM ingest_runs")
    assert run["status"] == "partial"
    assert run["items_fetched"] == 2_000
    assert "2,000" in run["error_message"]


@pytest.mark.parametrize("answer", [Response(status_code=503), Response("no feed"), a_feed("one")])
async def test_the_secrets_of_an_address_are_in_no_log_note_or_error_of_a_visit(desk, web, answer):
    web.answers[FEED] = answer
    await desk.add(web.source(f"http://me:verysecret@{FEED[7:]}?feed=verysecret"))
    await desk.visit()
    [run] = await desk.rows("SELECT log_key, error_message FROM ingest_runs")
    [waiting] = await desk.rows("SELECT coalesce(max(error), '') AS error FROM work WHERE stage = 'ingest'")
    stored = await desk.archive.get(run["log_key"])
    state = await desk.state()
    shown = [
        stored.data.decode(),
        str(stored.source_url),
        state["health_note"],
        str(run["error_message"]),
        waiting["error"],
    ]
    assert [text for text in shown if "verysecret" in text] == []
    assert f"{FEED}?…" in shown[0]


async def test_a_refused_address_is_fetched_at_once_when_it_is_allowed(desk, web):
    web.answers[FEED] = a_feed("one")
    refused = web.source("http://127.0.0.1:1/feed", options={"connect_to": None})
    await desk.add(refused)
    await desk.visit()
    assert (await desk.state())["health"] == "refused_address"
    [before] = await desk.rows("SELECT due_at > now() + interval '1 minute' AS waits FROM work WHERE stage = 'ingest'")
    await desk.add(web.source())
    [after] = await desk.rows("SELECT due_at <= now() AS is_due FROM work WHERE stage = 'ingest'")
    assert (before["waits"], after["is_due"]) == (True, True)
    assert (await desk.state())["next_visit_at"] <= datetime.now(UTC)


async def test_a_source_that_is_renamed_is_not_fetched_earlier(desk, web):
    web.answers[FEED] = a_feed("one")
    await desk.add(web.source())
    await desk.visit()
    planned = (await desk.state())["next_visit_at"]
    await desk.add(web.source(name="Another"))
    assert (await desk.state())["next_visit_at"] == planned


async def test_hosts_that_the_operator_allows_make_their_refused_sources_due(desk, web):
    ports = {"a": "http://127.0.0.1:1/", "b": "http://127.0.0.1:2/", "c": "http://10.0.0.1/"}
    await desk.add(*(web.source(url, slug=slug, options={"connect_to": None}) for slug, url in ports.items()))
    await desk.visit()
    async with desk.database.connection() as conn:
        await source_actions.retry_allowed(conn, ["127.0.0.1:1", "10.0.0.1"])
    due = await desk.rows(
        "SELECT slug FROM sources JOIN work ON subject = source_id WHERE due_at <= now() ORDER BY slug"
    )
    assert [row["slug"] for row in due] == ["a", "c"]


async def test_an_address_that_is_changed_during_a_fetch_stays_changed(desk, web):
    async def change(_scope, receive, send):
        async with desk.database.connection() as conn:
            await conn.execute("UPDATE sources SET base_url = 'http://new.example/feed'")
        await a_feed("one")(_scope, receive, send)

    class Slow(Response):
        __call__ = staticmethod(change)

    web.answers[FEED] = Slow()
    await desk.add(web.source())
    await desk.visit()
    assert (await desk.state())["base_url"] == "http://new.example/feed"


TRACKED, CLEAN = "http://tribune.example/story-0?from=rss", "http://tribune.example/story-0"


def a_tracked_feed() -> Response:
    """Links that differ in their paths and share a parameter."""
    entries = "".join(
        f"<item><title>Story {number}</title><guid>{number}</guid><description>{BODY * 8} {number}</description>"
        f"<link>{TRACKED.replace('-0', f'-{number}')}</link></item>"
        for number in range(6)
    )
    return Response(f"<rss><channel>{entries}</channel></rss>")


async def test_a_parameter_that_all_links_of_a_feed_share_is_not_part_of_the_url(desk, web):
    web.answers[FEED] = a_tracked_feed()
    await desk.add(web.source())
    await desk.visit()
    await desk.run()
    [row] = await desk.rows(
        "SELECT documents.canonical_url, raw_payload ->> 'canonical_url' AS link FROM documents "
        "JOIN raw_arrivals USING (raw_arrival_id) WHERE documents.source_item_id = '0'"
    )
    assert row == {"canonical_url": CLEAN, "link": TRACKED}


@pytest.mark.parametrize("is_feed_first", [True, False], ids=["feed first", "feed last"])
async def test_a_story_is_one_with_and_without_the_tracking_of_its_links(desk, web, is_feed_first):
    """The tracked spelling is that of earlier versions, and of sources with too few links to compare."""
    web.answers[FEED] = a_tracked_feed()
    await desk.add(web.source())

    async def gather() -> None:
        await desk.visit()
        await desk.run()

    async def push() -> None:
        others = [
            an_item(number, source=f"other-{number}", title=title, canonical_url=url, body_text=title)
            for number, (title, url) in enumerate([("One tells it so", TRACKED), ("Another tells it otherwise", CLEAN)])
        ]
        await ingest(desk.database, others)
        await desk.run()

    for step in (gather, push) if is_feed_first else (push, gather):
        await step()
    stories = await partition(desk.database)
    assert frozenset({"0", "item-0", "item-1"}) in stories
    assert len(stories) == 6


async def test_items_that_were_stored_with_tracking_are_not_taken_again(desk, web):
    web.answers[FEED] = a_tracked_feed()
    await desk.add(web.source())
    await desk.visit()
    before = await desk.rows("SELECT count(*) AS count FROM raw_arrivals")
    await desk.visit(force=True)
    assert await desk.rows("SELECT count(*) AS count FROM raw_arrivals") == before


async def test_a_visit_of_a_source_that_is_gone_is_settled_and_not_taken_for_trouble_of_the_database(desk):
    async with desk.database.connection() as conn:
        await work.enqueue(conn, "ingest", [Subject(987_654)])
    await desk.run()
    assert await desk.rows("SELECT subject FROM work WHERE stage = 'ingest'") == []


def windows_in(hours: float) -> list[dict[str, str]]:
    """A window of half an hour that opens in some hours, in UTC."""
    start = datetime.now(UTC) + timedelta(hours=hours)
    return [{"start": f"{start:%H:%M}", "end": f"{start + timedelta(minutes=30):%H:%M}"}]


async def test_a_visit_that_was_missed_waits_for_a_window_and_a_first_one_does_not(desk, web):
    web.answers[FEED] = a_feed("Bridge closed")
    await desk.add(web.source(crawl_windows=windows_in(2)))
    await desk.run()
    assert len(web.asked[FEED]) == 1
    await desk.rows("UPDATE sources SET next_visit_at = now() - interval '3 hours'")
    await desk.run()
    assert len(web.asked[FEED]) == 1
    await desk.rows("UPDATE sources SET crawl_windows = $1", windows_in(-0.25))
    await desk.run()
    assert len(web.asked[FEED]) == 2


async def test_a_failed_visit_is_tried_again_in_a_window(desk, web):
    await desk.add(web.source(crawl_windows=windows_in(2)))
    await desk.visit()
    [waiting] = await desk.rows("SELECT due_at, error FROM work WHERE stage = 'ingest'")
    assert waiting["error"]
    assert timedelta(minutes=110) < waiting["due_at"] - datetime.now(UTC) < timedelta(minutes=121)


async def test_points_and_comments_of_a_post_that_is_listed_again_follow_it_without_a_new_arrival(desk, web):
    def story(score, comments):
        return Response(json.dumps({"id": 1, "title": "Tussock 2", "score": score, "descendants": comments}))

    api = "http://hn.example/v0"
    web.answers |= {f"{api}/topstories.json": Response("[1]"), f"{api}/item/1.json": story(10, 2)}
    async with desk.database.transaction() as conn:
        tool = await tools.add(conn, ToolSettings(slug="tussock", name="Tussock"))
    await desk.add(web.source(kind="hackernews", options={"base_url": api, "comments": 1}))
    counts = "SELECT comment_count, upvote_count FROM post_engagement"
    await desk.visit()
    await desk.run()
    assert await desk.rows(counts) == [{"comment_count": 2, "upvote_count": 10}]
    web.answers[f"{api}/item/1.json"] = story(90, 40)
    await desk.visit()
    async with desk.database.transaction() as conn:
        await tools.reanalyse(conn, tool, rescores=True)
    await desk.run()
    assert await desk.rows(counts) == [{"comment_count": 40, "upvote_count": 90}]
    assert len(await desk.rows("SELECT FROM raw_arrivals")) == 1
