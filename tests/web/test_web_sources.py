import re
from dataclasses import replace
from datetime import timedelta
from urllib.parse import quote

import pytest
from starlette.responses import Response

from builders import an_item, told
from gathering import a_feed, open_web
from scoop.actions import sources as source_actions
from scoop.store import alerts, sources
from scoop.web import forms, labels, source_preview
from scoop.web import sources as source_pages
from web.visitor import NOW, visiting

FEED = "https://tribune.example/feed.xml"
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>"
OPML = b"""<opml version="2.0"><body>
  <outline text="World news"><outline text="Tribune" xmlUrl="https://tribune.example/feed.xml?token=hunter2"/></outline>
  <outline text="Ledger" xmlUrl="https://ledger.example/rss"/>
  <outline text="Broken" xmlUrl="ftp://ledger.example/rss"/>
</body></opml>"""


def a_source(slug="tribune", **changes):
    given = {"target": FEED, "slug": slug, "collection": "world_news", "name": slug.capitalize(), **changes}
    return source_actions.read_settings(given)


async def add(database, *settings):
    async with database.transaction() as conn:
        for each in settings:
            await sources.put(conn, each)


async def settle(database, slug, **columns):
    """Say how a source is, as a visit does."""
    async with database.connection() as conn:
        for name, value in columns.items():
            await conn.execute(f"UPDATE sources SET {name} = $2 WHERE slug = $1", slug, value)


async def ran(database, slug, *, items, days_ago=0, **changes):
    row = {"status": "completed", "error": None} | changes
    async with database.connection() as conn:
        await conn.execute(
            "INSERT INTO ingest_runs (source, trigger, started_at, finished_at, status, items_fetched, items_inserted,"
            " error_message) VALUES ($1, 'schedule', $2, $2, $3::text::ingest_run_status, $4, $4, $5)",
            slug,
            NOW - timedelta(days=days_ago),
            row["status"],
            items,
            row["error"],
        )


async def source(database, slug="tribune"):
    async with database.connection() as conn:
        return await sources.by_slug(conn, slug)


def form_of(settings, **changes):
    """The form of a source's page as a browser would send it back."""
    return {
        "name": settings.name,
        "collection": settings.collection,
        "category": settings.category,
        "schedule": settings.schedule,
        "timezone": settings.timezone,
        "target": settings.base_url,
        "shown_target": settings.base_url,
        "request_interval_ms": str(settings.request_interval_ms),
        "crawl_windows": "",
        "allowed_paths": "",
        **changes,
    }


async def test_an_empty_list_says_what_would_be_there_and_how_to_fill_it(database):
    async with visiting(database) as visitor:
        page = (await visitor.get("/sources")).page
    assert "There are no sources yet" in page.text
    assert "/sources/add" in page.links("/sources/")


async def test_the_table_tells_how_each_source_is(database):
    await add(database, a_source(), a_source("ledger", target="https://ledger.example/rss", collection="ai_news"))
    await settle(database, "tribune", health="ok", next_visit_at=NOW + timedelta(minutes=12))
    await settle(database, "ledger", health="http_error", health_note="it answered 503", failures=3)
    await ran(database, "tribune", items=4)
    await ran(database, "tribune", items=13, days_ago=1)
    async with visiting(database) as visitor:
        page = (await visitor.get("/sources")).page
    assert "Ledger rss AI News failing it answered 503 never" in page.text
    assert "Tribune rss World News ok" in page.text
    assert "1h in 12 min" in page.text
    drawings = [svg["aria-label"] for svg in page.attributes("svg") if svg.get("role") == "img"]
    assert "new items a day, the last is today: 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 13, 4" in drawings
    assert {"failing", "ok"} == {found["value"] for found in page.attributes("option") if "value" in found} & {
        state.word for state in source_pages.STATES
    }


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("collection=ai_news", {"Ledger"}),
        ("kind=hackernews", {"Hn"}),
        ("health=failing", {"Ledger"}),
        ("health=disabled", {"Hn"}),
        ("health=new", {"Tribune"}),
        ("q=RIBU", {"Tribune"}),
        ("collection=ai_news&health=ok", set()),
    ],
)
async def test_the_table_is_filtered_by_its_address(database, query, shown):
    await add(
        database,
        a_source(),
        a_source("ledger", target="https://ledger.example/rss", collection="ai_news"),
        a_source("hn", target="hackernews"),
    )
    await settle(database, "ledger", health="timeout")
    await settle(database, "hn", enabled=False)
    async with visiting(database) as visitor:
        page = (await visitor.get(f"/sources?{query}")).page
    assert {name for name in ("Tribune", "Ledger", "Hn") if f"/sources/{name.lower()}" in page.links()} == shown


async def test_alerts_stand_on_top_without_the_secrets_of_addresses(database):
    await add(database, a_source())
    message = f"tribune: {FEED}?token=hunter2 answered 503"
    async with database.transaction() as conn:
        await alerts.settle(conn, {("source_died", "tribune"): message}, subjects=["tribune"], kinds=["source_died"])
    async with visiting(database) as visitor:
        answer = await visitor.get("/sources")
    assert "tribune.example/feed.xml?… answered 503" in answer.page.text
    assert "hunter2" not in answer.text


async def test_sources_with_a_problem_come_first_and_disabled_ones_last(database):
    states = {"a": "ok", "b": "not_modified", "c": "stale", "d": "http_error", "e": "new", "f": "timeout", "g": "gone"}
    await add(database, *(a_source(slug) for slug in [*states, "h"]))
    for slug, health in states.items():
        await settle(database, slug, health=health, enabled=slug not in "fg")
    async with visiting(database) as visitor:
        page = (await visitor.get("/sources")).page
    assert [link[-1] for link in page.links("/sources/") if len(link) == 10] == list("dgcehbaf")


async def test_a_collection_that_does_not_exist_is_an_error_that_names_those_that_do(database):
    await add(database, a_source(), a_source("ledger", collection="ai_news"))
    async with visiting(database) as visitor:
        page = await visitor.get("/sources?collection=sports")
        program = await visitor.get("/api/v1/sources?collection=sports")
        kind = await visitor.get("/api/v1/sources?kind=carrier_pigeon")
    problem = "here is no collection 'sports'; there are: ai_news, china_news, world_news"
    assert (page.status, program.status, kind.status) == (400, 400, 400)
    assert "there are: arxiv, hackernews" in kind.json["error"]["message"]
    assert problem in page.page.text
    assert problem in program.json["error"]["message"]


def selected(*slugs, action, **filters):
    return {f"select-{slug}": "true" for slug in slugs} | {"action": action} | filters


async def enabled(database):
    async with database.connection() as conn:
        return {source.slug: source.enabled for source in await sources.list_sources(conn)}


async def test_selected_sources_are_disabled_enabled_and_fetched_together(database):
    await add(database, *(a_source(slug) for slug in "abc"))
    async with visiting(database, role="editor") as visitor:
        answer = await visitor.post("/sources/selected", selected("a", "b", "nobody", action="disable", health="ok"))
        assert answer.headers["Location"] == "/sources?health=ok"
        assert "2 sources disabled. Their items stay" in (await visitor.get("/sources")).page.text
        assert await enabled(database) == {"a": False, "b": False, "c": True}
        await visitor.post("/sources/selected", selected("a", action="enable"))
        assert await enabled(database) == {"a": True, "b": False, "c": True}
        await visitor.post("/sources/selected", selected("a", "c", action="fetch"))
        assert "Fetch of 2 sources requested." in (await visitor.get("/sources")).page.text
    async with database.connection() as conn:
        assert await conn.fetchval("SELECT count(*) FROM work WHERE stage = 'ingest'") == 2


async def test_selected_sources_are_removed_after_a_confirmation(database):
    await add(database, *(a_source(slug) for slug in "abc"))
    async with visiting(database, role="editor") as visitor:
        asked = await visitor.post("/sources/selected", selected("a", "b", action="remove", q="x"))
        assert "Remove 2 sources" in asked.page.text
        assert set(await enabled(database)) == set("abc")
        form = {each["name"]: each["value"] for each in asked.page.attributes("input") if "name" in each}
        done = await visitor.post("/sources/selected", {**form, "action": "remove-confirmed"})
        assert done.headers["Location"] == "/sources?q=x"
    assert set(await enabled(database)) == {"c"}


@pytest.mark.parametrize("action", ["enable", "remove", "remove-confirmed", ""])
async def test_a_selection_of_nothing_changes_nothing(database, action):
    await add(database, a_source())
    async with visiting(database, role="editor") as visitor:
        await visitor.post("/sources/selected", selected(action=action))
        assert "No source was selected." in (await visitor.get("/sources")).page.text
    assert await enabled(database) == {"tribune": True}


@pytest.mark.parametrize(
    ("items", "days", "shown"),
    [
        ((0, 0, 0, 338), 0.1, "338"),
        ((0, 4, 6, 100), 2.5, "44"),
        ((0, 0, 0, 0), 3.5, "0"),
        ((7, 0, 0, 0), 3.5, "2"),
        ((1, 0, 0, 1), 3.5, "0.6"),
    ],
)
def test_items_a_day_are_the_mean_since_a_source_began_with_today(items, days, shown):
    assert source_pages.Harvested(items=items, span=timedelta(days=days)).a_day == shown


async def test_a_source_that_was_added_today_shows_how_many_items_it_brought(database):
    await add(database, a_source())
    await settle(database, "tribune", health="ok", created_at=NOW - timedelta(hours=1))
    await ran(database, "tribune", items=338)
    async with visiting(database) as visitor:
        listed = (await visitor.get("/sources")).page.text
        own = (await visitor.get("/sources/tribune")).page.text
    assert "Tribune rss World News ok never 338 1h" in listed
    assert "338 a day in 30 days" in own


async def test_many_sources_are_shown_in_parts_that_leave_none_out(database):
    await add(database, *(a_source(f"s{number:03}", name=f"Paper {number % 7}") for number in range(130)))
    seen, path = [], "/sources"
    async with visiting(database) as visitor:
        while path:
            page = (await visitor.get(path)).page
            seen += page.links("/sources/s")
            path = next(iter(page.links("/sources?after=")), None)
    assert sorted(seen) == [f"/sources/s{number:03}" for number in range(130)]


async def test_a_cursor_that_no_list_gave_out_is_refused(database):
    await add(database, a_source())
    async with visiting(database) as visitor:
        assert (await visitor.get("/sources?after=nonsense")).status == 400


async def test_a_page_shows_a_source_with_its_items_and_visits(database):
    await told(database, [an_item(1, title="River rises")])
    await add(database, a_source(target=f"{FEED}?token=hunter2"))
    await ran(database, "tribune", items=0, status="failed", error=f"{FEED}?token=hunter2 answered 503")
    async with visiting(database) as visitor:
        answer = await visitor.get("/sources/tribune")
    assert "River rises" in answer.page.text
    assert "tribune.example/feed.xml?… answered 503" in answer.page.text
    assert "hunter2" not in answer.text
    assert any(link.startswith("/stories/") for link in answer.page.links())


@pytest.mark.parametrize("path", ["/sources/nobody", "/sources/Nobody!", "/sources/%00", "/sources/" + "x" * 300])
async def test_a_source_that_is_not_there_is_not_found(database, path):
    async with visiting(database) as visitor:
        assert (await visitor.get(path)).status == 404


async def test_settings_are_changed_and_what_was_not_shown_stays(database):
    await add(database, a_source(target=f"{FEED}?token=hunter2&edition=night", options={"robots": "ignore"}))
    shown = replace(await source(database), base_url=FEED)
    form = form_of(
        shown,
        name="The Tribune",
        schedule="0 7 * * *",
        timezone="Asia/Tokyo",
        crawl_windows="06:30-07:15\n22:00 - 23:00",
        allowed_paths="/news\n/world",
        **{"option-full_text": "never", "option-robots": "ignore"},
    )
    async with visiting(database, role="editor") as visitor:
        answer = await visitor.post("/sources/tribune", form)
        assert (answer.status, answer.headers["Location"]) == (303, "/sources/tribune")
        assert "Source changed." in (await visitor.get("/sources/tribune")).page.text
    now = await source(database)
    assert now.base_url == f"{FEED}?token=hunter2&edition=night"
    assert (now.name, now.schedule, now.timezone) == ("The Tribune", "0 7 * * *", "Asia/Tokyo")
    assert now.crawl_windows == [{"start": "06:30", "end": "07:15"}, {"start": "22:00", "end": "23:00"}]
    assert now.allowed_paths == ["/news", "/world"]
    assert now.options == {"robots": "ignore", "full_text": "never"}


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("schedule", "sometimes", "not an interval"),
        ("timezone", "Mars/Olympus", "timezone"),
        ("collection", "", "needs one"),
        ("crawl_windows", "25:00-26:00", "is not a time"),
        ("allowed_paths", "news", "must begin with /"),
        ("request_interval_ms", "often", "whole number"),
        ("target", "ftp://tribune.example/", "http"),
        ("option-full_text", "perhaps", "one of"),
    ],
)
async def test_a_wrong_setting_is_told_at_its_field_and_nothing_typed_is_lost(database, field, value, problem):
    await add(database, a_source())
    form = form_of(await source(database), name="Typed anew", **{field: value})
    async with visiting(database) as visitor:
        answer = await visitor.post("/sources/tribune", form)
    assert answer.status == 400
    marked = [
        each
        for tag in ("input", "textarea", "select")
        for each in answer.page.attributes(tag)
        if "aria-invalid" in each
    ]
    assert [each["name"] for each in marked] == [field]
    assert problem in re.search(rf'id="{field}-wrong">(.*?)</p>', answer.text)[1]
    assert 'value="Typed anew"' in answer.text
    assert (await source(database)).name == "Tribune"


async def test_options_that_reach_into_the_network_are_for_admins(database):
    await add(database, a_source())
    form = form_of(await source(database), **{"option-allow_private": "true"})
    async with visiting(database, role="editor") as visitor:
        assert "option-allow_private" not in (await visitor.get("/sources/tribune")).text
        await visitor.post("/sources/tribune", form)
    assert (await source(database)).options == {}
    async with visiting(database, role="admin") as visitor:
        assert "option-allow_private" in (await visitor.get("/sources/tribune")).text
        await visitor.post("/sources/tribune", form)
    assert (await source(database)).options == {"allow_private": True}


@pytest.mark.parametrize("inward", [{"allow_private": True}, {"connect_to": "127.0.0.1:80"}])
@pytest.mark.parametrize(
    "attack",
    [
        {"target": "http://10.0.0.1/admin"},
        {"target": "http://10.0.0.1:6379/feed"},
        {"option-robots": "ignore"},
        {"allowed_paths": "/secret"},
    ],
)
async def test_an_editor_cannot_send_a_source_that_an_admin_let_inside_elsewhere_by_its_form(database, inward, attack):
    await add(database, a_source(target="http://10.0.0.1/feed", options=inward))
    before = await source(database)
    async with visiting(database, role="editor") as visitor:
        answer = await visitor.post("/sources/tribune", form_of(before, **attack))
    assert answer.status == 403
    assert await source(database) == before


async def test_a_source_is_disabled_enabled_fetched_and_removed(database):
    await add(database, a_source())
    async with visiting(database, role="editor") as visitor:
        await visitor.post("/sources/tribune/disable")
        assert not (await source(database)).enabled
        page = (await visitor.get("/sources/tribune")).page
        assert "Source disabled. Its items stay; it is not fetched until you enable it." in page.text
        await visitor.post("/sources/tribune/enable")
        found = await source(database)
        assert found.enabled
        await visitor.post("/sources/tribune/visit")
        async with database.connection() as conn:
            assert await sources.count_pending(conn, [found.source_id]) == 1
        assert "A fetch is due now" in (await visitor.get("/sources/tribune")).page.text
        assert (await visitor.post("/sources/tribune/remove")).headers["Location"] == "/sources"
        assert (await visitor.get("/sources/tribune")).status == 404


CHANGES = [
    "/sources/add", "/sources/import", "/sources/selected", "/sources/tribune", "/sources/tribune/visit",
    "/sources/tribune/rest",    "/sources/tribune/disable", "/sources/tribune/enable", "/sources/tribune/remove",
]  # fmt: skip


@pytest.mark.parametrize("path", CHANGES)
async def test_readers_look_but_do_not_change(database, path):
    await add(database, a_source())
    async with visiting(database, role="reader") as visitor:
        page = (await visitor.get("/sources/tribune")).page
        assert "Tribune" in page.text
        assert not [form for form in page.attributes("form") if form.get("action", "").startswith("/sources")]
        assert (await visitor.post(path)).status == 403
    async with visiting(database, role=None) as visitor:
        assert (await visitor.post(path)).status == 401
    assert (await source(database)).enabled


async def test_a_look_shows_what_a_feed_would_bring_and_keeps_nothing(database):
    async with open_web() as web:
        target = f"http://{web.address}/feed"
        web.answers[target] = a_feed("River rises", "Bridge closed")
        async with visiting(database, role="editor", allow_private=web.address) as visitor:
            page = (await visitor.get(f"/sources/add?target={quote(target)}")).page
    assert "It has 2 items:" in page.text
    assert "River rises" in page.text
    assert "Add source" in page.text
    async with database.connection() as conn:
        assert await sources.is_empty(conn)


async def test_an_address_without_a_scheme_is_added_as_it_answered(database):
    async with open_web() as web:
        web.answers[f"http://{web.address}/feed"] = a_feed("River rises")
        async with visiting(database, role="editor", allow_private=web.address) as visitor:
            look = (await visitor.get(f"/sources/add?target={quote(web.address)}/feed")).page
            form = {each["name"]: each.get("value", "") for each in look.attributes("input") if "name" in each}
            await visitor.post("/sources/add", {**form, "collection": "world_news", "schedule": "30m"})
    assert f"http://{web.address}/feed, read as rss" in look.text
    async with database.connection() as conn:
        (kept,) = await sources.list_sources(conn)
    assert kept.base_url == f"http://{web.address}/feed"


async def test_what_was_looked_at_is_added_with_its_collection_and_schedule(database):
    async with open_web() as web:
        target = f"http://{web.address}/feed"
        web.answers[target] = a_feed("River rises")
        async with visiting(database, role="editor", allow_private=web.address) as visitor:
            look = (await visitor.get(f"/sources/add?target={quote(target)}")).page
            form = {each["name"]: each.get("value", "") for each in look.attributes("input") if "name" in each}
            answer = await visitor.post("/sources/add", {**form, "collection": "world_news", "schedule": "30m"})
            assert answer.status == 303
            again = await visitor.get(f"/sources/add?target={quote(target)}")
            assert "This source exists" in again.page.text
            twice = await visitor.post("/sources/add", {**form, "collection": "world_news", "schedule": "30m"})
            assert twice.status == 400
    async with database.connection() as conn:
        (kept,) = await sources.list_sources(conn)
    assert answer.headers["Location"] == f"/sources/{kept.slug}"
    assert (kept.base_url, kept.kind, kept.collection, kept.schedule) == (target, "rss", "world_news", "30m")


async def test_a_source_gets_a_slug_that_nobody_has(database):
    await add(database, a_source("tribune"))
    form = form_of(a_source(), target="https://tribune.example/other.xml", kind="rss")
    async with visiting(database) as visitor:
        assert (await visitor.post("/sources/add", form)).headers["Location"] == "/sources/tribune_2"
    assert (await source(database, "tribune")).base_url == FEED


@pytest.mark.parametrize(
    ("target", "kind", "options"),
    [
        ("r/python", "reddit", {"subreddit": "python"}),
        ("hackernews", "hackernews", {}),
        ("arxiv:cs.CL", "arxiv", {"category": "cs.CL"}),
        ("search:solar power", "tavily", {"query": "solar power"}),
    ],
)
async def test_short_forms_are_understood(database, target, kind, options):
    async with visiting(database) as visitor:
        answer = await visitor.post("/sources/add", form_of(a_source(), target=target, name=""))
        assert answer.status == 303
    async with database.connection() as conn:
        (kept,) = await sources.list_sources(conn)
    assert (kept.kind, kept.options) == (kind, options)


async def test_a_page_that_names_feeds_has_them_offered(database):
    html = '<!doctype html><link rel="alternate" type="application/rss+xml" href="/feed"><p>News</p>'
    async with open_web() as web:
        web.answers[f"http://{web.address}/"] = Response(html, media_type="text/html")
        async with visiting(database, allow_private=web.address) as visitor:
            target = quote(f"http://{web.address}/")
            page = (await visitor.get(f"/sources/add?target={target}")).page
    assert "is not a feed" in page.text
    assert f"/sources/add?target=http%3A//{web.address.replace(':', '%3A')}/feed" in page.links("/sources/add?")
    assert any(link.endswith("&kind=site") for link in page.links("/sources/add?"))


@pytest.mark.parametrize(
    ("answer", "told_of"),
    [
        (Response(status_code=503), "answered 503. Open the address in a browser"),
        (Response("nothing", media_type="text/plain"), "is not a feed"),
        (a_feed(), "It answers, but has no items."),
    ],
)
async def test_what_gives_nothing_says_what_happened_and_what_to_do(database, answer, told_of):
    async with open_web() as web:
        web.answers[f"http://{web.address}/feed"] = answer
        async with visiting(database, allow_private=web.address) as visitor:
            page = await visitor.get(f"/sources/add?target={quote(f'http://{web.address}/feed')}")
    assert page.status == 200
    assert told_of in page.page.text
    assert "Add it anyway" in page.page.text


async def test_a_look_ends_when_nobody_would_wait_any_longer(database, monkeypatch):
    monkeypatch.setattr(source_preview, "LONGEST_SECONDS", 0)
    async with visiting(database) as visitor:
        page = (await visitor.get(f"/sources/add?target={quote(FEED)}")).page
    assert "It took longer than 0 seconds. Try again later" in page.text


@pytest.mark.parametrize("target", ["http://127.0.0.1:9/feed", "http://169.254.169.254/latest", "http://[::1]/"])
async def test_private_addresses_are_refused(database, target):
    async with visiting(database, role="editor") as visitor:
        page = (await visitor.get(f"/sources/add?target={quote(target)}")).page
    assert "is a private address, which is refused" in page.text


async def test_an_editor_cannot_have_a_private_address_looked_at_by_an_option(database):
    async with open_web() as web:
        target = quote(f"http://{web.address}/feed")
        async with visiting(database, role="editor") as visitor:
            answer = await visitor.get(f"/sources/add?target={target}&option-allow_private=true&option-connect_to=a:1")
    assert "is a private address, which is refused" in answer.page.text
    assert not web.asked


@pytest.mark.parametrize("target", ["nonsense", "javascript:alert(1)", "ftp://x.example/", HOSTILE, "x" * 9000])
async def test_what_is_no_address_is_told_at_the_box(database, target):
    async with visiting(database) as visitor:
        for answer in (
            await visitor.get(f"/sources/add?target={quote(target)}"),
            await visitor.post("/sources/add", {"target": target}),
        ):
            assert answer.status == 400
            assert 'id="target-wrong"' in answer.text
            assert "<script>alert" not in answer.text


async def test_hostile_titles_and_names_stay_text(database):
    title = HOSTILE.replace("<", "&lt;")
    feed = f"<rss version='2.0'><channel><item><title>{title}</title><guid>1</guid></item></channel></rss>"
    await add(database, a_source(name=HOSTILE))
    async with open_web() as web:
        web.answers[f"http://{web.address}/feed"] = Response(feed, media_type="application/rss+xml")
        async with visiting(database, allow_private=web.address) as visitor:
            for path in ("/sources", "/sources/tribune", f"/sources/add?target={quote(f'http://{web.address}/feed')}"):
                answer = await visitor.get(path)
                assert answer.status == 200
                assert "alert(1)" in answer.page.text
                assert "onerror" not in str(answer.page.attributes("img"))
                assert all("src" in script for script in answer.page.attributes("script"))


async def test_a_test_visits_and_keeps_nothing(database):
    async with open_web() as web:
        await add(database, web.source())
        web.answers["http://tribune.example/feed"] = a_feed("River rises")
        async with visiting(database, role="editor") as visitor:
            page = (await visitor.get("/sources/tribune/test")).page
    assert "River rises" in page.text
    async with database.connection() as conn:
        assert await conn.fetchval("SELECT count(*) FROM raw_arrivals") == 0


async def test_what_is_pasted_from_the_newsstand_is_asked_there(database):
    async with open_web() as web:
        web.answers["http://tribune.example/feed"] = a_feed("River rises")
        async with visiting(database, role="editor", newsstand=f"http://{web.address}") as visitor:
            target = f"http://{web.address}/tribune.example/feed"
            assert "River rises" in (await visitor.get(f"/sources/add?target={quote(target)}")).page.text
            await visitor.post("/sources/add", form_of(a_source(), target=target, kind="rss"))
    kept = await source(database)
    assert (kept.base_url, kept.options) == ("http://tribune.example/feed", {"connect_to": web.address})


async def import_file(visitor, content, **fields):
    import aiohttp

    form = aiohttp.FormData({"collection": "news", "schedule": "1h", **fields})
    form.add_field("file", content, filename="subscriptions.opml", content_type="text/xml")
    return await visitor.post("/sources/import", form)


async def test_a_list_of_feeds_is_imported_with_what_became_of_each(database):
    async with visiting(database, role="editor") as visitor:
        answer = await import_file(visitor, OPML, schedule="3h")
        again = await import_file(visitor, OPML)
    assert "2 added, 0 existed, 0 refused." in answer.page.text
    assert "is not the http(s) URL of a feed" in answer.page.text
    assert "0 added, 2 existed" in again.page.text
    assert "hunter2" not in answer.text
    kept = await source(database)
    assert (kept.collection, kept.schedule, kept.name) == ("world_news", "3h", "Tribune")


@pytest.mark.parametrize(
    ("content", "fields", "field"),
    [(b"", {}, "file"), (OPML, {"schedule": "often"}, "schedule"), (OPML, {"collection": ""}, "collection")],
)
async def test_a_wrong_import_names_the_field_and_adds_nothing(database, content, fields, field):
    async with visiting(database) as visitor:
        answer = await import_file(visitor, content, **fields)
    assert answer.status == 400
    assert f'id="{field}-wrong"' in answer.text
    async with database.connection() as conn:
        assert await sources.is_empty(conn)


async def test_what_is_no_list_says_so(database):
    async with visiting(database) as visitor:
        page = (await import_file(visitor, b"no list at all")).page
    assert "this is not OPML" in page.text


async def test_the_export_has_the_feeds_without_their_secrets(database):
    await add(database, a_source(target=f"{FEED}?token=hunter2"), a_source("hn", target="hackernews"))
    async with visiting(database, role="reader") as visitor:
        answer = await visitor.get("/sources/export.opml")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="scoop.opml"'
    assert 'xmlUrl="https://tribune.example/feed.xml"' in answer.text
    assert "hunter2" not in answer.text
    assert "ycombinator" not in answer.text


@pytest.mark.parametrize(
    ("left", "told_as"),
    [
        (timedelta(days=-1), "now"),
        (timedelta(seconds=59), "now"),
        (timedelta(minutes=59), "in 59 min"),
        (timedelta(hours=23, minutes=59), "in 23 h"),
        (timedelta(days=8), "in 8 d"),
    ],
)
def test_how_long_it_is_until_a_moment(left, told_as):
    assert labels.until(NOW + left, now=NOW) == told_as


async def test_a_source_whose_kind_is_gone_can_still_be_looked_at(database):
    await add(database, replace(a_source(), kind="gone"))
    async with visiting(database) as visitor:
        assert (await visitor.get("/sources/tribune")).status == 200
        assert "no plugin reads sources of the kind gone" in (await visitor.get("/sources/tribune/test")).text.lower()
        answer = await visitor.post("/sources/tribune", form_of(a_source()))
    assert answer.status == 400
    assert "There is no kind of source" in answer.page.text


def test_what_is_wrong_with_several_fields_together_is_told_of_none():
    def build(told):
        source_actions.read_settings(
            {"target": "x", "kind": "arxiv", "collection": "news", "options": told or {"category": "cs.CL"}}
        )

    problems = forms.find_problems({"query": "cat:cs.AI", "category": "cs.CL"}, build)
    assert list(problems) == [forms.WHOLE]


async def test_the_form_of_a_new_source_proposes_the_name_of_its_feed(database):
    async with open_web() as web:
        web.answers["http://tribune.example/feed"] = a_feed("River rises")
        async with visiting(database, role="editor", newsstand=f"http://{web.address}") as visitor:
            answer = await visitor.get(f"/sources/add?target={quote('http://tribune.example/feed')}")
    assert 'value="Tribune"' in answer.text


async def test_an_editor_renames_the_publisher_of_a_source(database):
    await add(database, a_source("tribune"))
    await told(database, [an_item()])
    form = {"family": "tribune.example", "publisher_name": "Coastal Tribune"}
    async with visiting(database, role="editor") as visitor:
        await visitor.post("/sources/tribune/publisher", form)
        page = (await visitor.get("/sources/tribune")).page.text
    assert "Publisher Coastal Tribune" in page
