"""Sources over the API: list, add, change, try, visit, import, export."""

import pytest
from starlette.responses import RedirectResponse, Response

from gathering import a_feed, open_web
from scoop.core import opml
from scoop.store import sources, work
from web.visitor import visiting

SECRET = "https://reader.example/feed?token=verysecret&page=1"
LIST = b"""<opml version="2.0"><body><outline text="World News">
<outline type="rss" text="Tribune" xmlUrl="https://tribune.example/feed"/>
<outline type="rss" text="Gone" xmlUrl="https://gone.example/feed"/></outline>
<outline type="rss" text="No address" xmlUrl="javascript:alert(1)"/></body></opml>"""


async def added(visitor, **given):
    told = {"target": "https://tribune.example/feed", "collection": "world_news", "check": False} | given
    return await visitor.ask("POST", "/api/v1/sources", told)


async def test_a_source_is_added_read_changed_and_removed(database):
    async with visiting(database, role="editor") as visitor:
        made = await added(visitor, name="Tribune", schedule="30m", options={"full_text": "never"})
        found = await visitor.get("/api/v1/sources/tribune")
        changed = await visitor.ask(
            "PATCH", "/api/v1/sources/tribune", {"schedule": "2h", "options": {"robots": "ignore"}}
        )
        reset = await visitor.ask(
            "PATCH", "/api/v1/sources/tribune", {"schedule": None, "options": {"full_text": None}}
        )
        removed = await visitor.ask("DELETE", "/api/v1/sources/tribune")
        gone = await visitor.get("/api/v1/sources/tribune")
    assert (made.status, made.headers["Location"]) == (201, "/api/v1/sources/tribune")
    assert found.json["health"] == "new"
    assert found.json["lately"] == {"runs": 0, "failed": 0, "items_inserted": 0}
    assert (changed.json["schedule"], changed.json["name"]) == ("2h", "Tribune")
    assert changed.json["options"] == {"full_text": "never", "robots": "ignore"}
    assert (reset.json["schedule"], reset.json["options"]) == ("1h", {"robots": "ignore"})
    assert (removed.status, removed.text, gone.status) == (204, "", 404)


async def test_a_source_can_be_sent_to_another_address(database):
    async with visiting(database, role="editor") as visitor:
        await added(visitor)
        moved = await visitor.ask("PATCH", "/api/v1/sources/tribune_example", {"target": "https://new.example/rss"})
    assert (moved.json["slug"], moved.json["base_url"]) == ("tribune_example", "https://new.example/rss")


async def test_a_list_goes_on_after_its_cursor_and_can_be_narrowed(database):
    async with visiting(database, role="editor") as visitor:
        for number in range(3):
            await added(visitor, slug=f"s{number}", collection="ai_news" if number else "world_news")
        first = await visitor.get("/api/v1/sources?limit=2")
        rest = await visitor.get(f"/api/v1/sources?limit=2&cursor={first.json['next_cursor']}")
        narrowed = await visitor.get("/api/v1/sources?collection=world_news&kind=rss&health=new")
        nothing = await visitor.get("/api/v1/sources?health=gone")
    assert [source["slug"] for source in first.json["items"]] == ["s0", "s1"]
    assert ([source["slug"] for source in rest.json["items"]], rest.json["next_cursor"]) == (["s2"], None)
    assert [source["slug"] for source in narrowed.json["items"]] == ["s0"]
    assert nothing.json == {"items": [], "next_cursor": None}


async def test_what_has_been_changed_meanwhile_is_not_changed_by_who_read_it_before(database):
    async with visiting(database, role="editor") as visitor:
        await added(visitor)
        tag = (await visitor.get("/api/v1/sources/tribune_example")).headers["ETag"]
        same = await visitor.get("/api/v1/sources/tribune_example", **{"If-None-Match": tag})
        first = await visitor.ask("PATCH", "/api/v1/sources/tribune_example", {"name": "One"}, **{"If-Match": tag})
        late = await visitor.ask("PATCH", "/api/v1/sources/tribune_example", {"name": "Two"}, **{"If-Match": tag})
        removed = await visitor.ask("DELETE", "/api/v1/sources/tribune_example", **{"If-Match": tag})
        now = await visitor.get("/api/v1/sources/tribune_example")
    assert (same.status, first.status, late.status, removed.status) == (304, 200, 412, 412)
    assert late.json["error"]["code"] == "PRECONDITION_FAILED"
    assert now.json["name"] == "One"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"target": "no address"}, "give the address of a feed or site"),
        ({"schedule": "often"}, "often"),
        ({"timezone": "Europe"}, "Europe"),
        ({"timezone": "x" * 200}, "is not a timezone"),
        ({"kind": "carrier_pigeon"}, "there is no kind of source"),
        ({"options": {"speed": 9}}, "there is no option speed"),
        ({"options": {"full_text": ["a"]}}, "option full_text"),
        ({"options": {"full_text": "\0"}}, "body.options"),
        ({"name": "a\0b"}, "body.name"),
        ({"collection": "x" * 300}, "body.collection"),
        ({"crawl_windows": [{"start": "25:00", "end": "07:00"}]}, "crawl_windows[0].start"),
        ({"allowed_paths": ["news"]}, "must begin with /"),
        ({"slug": "Not A Slug"}, "slug: "),
        ({"colour": "red"}, "body.colour"),
        ({"request_interval_ms": 10**30}, "body.request_interval_ms"),
        ({"target": None}, "body.target"),
    ],
)
async def test_what_no_source_can_be_is_refused_by_its_name(database, given, told):
    async with visiting(database, role="editor") as visitor:
        refused = await added(visitor, **given)
        listed = await visitor.get("/api/v1/sources")
    assert (refused.status, refused.json["error"]["code"]) == (400, "INVALID_ARGUMENT")
    assert told in refused.json["error"]["message"]
    assert listed.json["items"] == []


async def test_a_slug_that_is_taken_is_a_conflict(database):
    async with visiting(database, role="editor") as visitor:
        await added(visitor, name="One", slug="tribune")
        again = await added(visitor, name="Two", slug="tribune", target="https://other.example/feed")
        found = await visitor.get("/api/v1/sources/tribune")
    assert (again.status, found.json["name"]) == (409, "One")


async def test_a_source_that_exists_is_a_conflict(database):
    async with visiting(database, role="editor") as visitor:
        await added(visitor, name="One")
        again = await added(visitor, name="Two")
    assert again.status == 409
    assert "'one'" in again.json["error"]["message"]


async def test_the_slug_of_a_source_is_made_from_its_name_and_numbered_if_it_is_taken(database):
    async with visiting(database, role="editor") as visitor:
        first = await added(visitor, name="The Tribune")
        second = await added(visitor, name="The Tribune", target="https://tribune.example/sport")
    assert [made.json["slug"] for made in (first, second)] == ["the_tribune", "the_tribune_2"]


async def test_a_source_that_is_fetched_first_has_the_name_of_its_feed(database):
    async with open_web() as web, visiting(database) as visitor:
        web.answers["http://tribune.example/feed"] = a_feed("Bridge closed")
        given = {"target": "http://tribune.example/feed", "options": {"connect_to": web.address}, "check": True}
        made = await added(visitor, **given)
    assert {key: made.json[key] for key in ("slug", "name", "name_from")} == {
        "slug": "tribune",
        "name": "Tribune",
        "name_from": "title",
    }


async def test_a_source_that_gives_something_is_kept_and_one_that_gives_nothing_is_not(database):
    async with open_web() as web, visiting(database) as visitor:
        web.answers["http://tribune.example/feed"] = a_feed("Bridge closed", "Ferry late")
        own = {"options": {"connect_to": web.address}, "check": True}
        good = await added(visitor, target="http://tribune.example/feed", slug="good", **own)
        bad = await added(visitor, target="http://tribune.example/nope?token=verysecret", slug="bad", **own)
        unchecked = await added(visitor, target="http://tribune.example/nope", slug="kept", **(own | {"check": False}))
        listed = await visitor.get("/api/v1/sources")
    assert (good.status, bad.status, unchecked.status) == (201, 502, 201)
    assert bad.json["error"]["code"] == "UPSTREAM_FAILURE"
    assert "answered 404" in bad.json["error"]["message"]
    assert "verysecret" not in bad.text
    assert [source["slug"] for source in listed.json["items"]] == ["good", "kept"]


async def test_a_source_is_tried_without_keeping_anything(database):
    async with open_web() as web, visiting(database) as visitor:
        web.answers["http://tribune.example/feed"] = a_feed("Bridge closed", "Ferry late", body="long " * 5000)
        given = {"target": "http://tribune.example/feed", "options": {"connect_to": web.address}}
        preview = await visitor.ask("POST", "/api/v1/sources/preview", given)
        await added(visitor, target="http://tribune.example/feed", slug="tribune", options=given["options"])
        tried = await visitor.ask("POST", "/api/v1/sources/tribune/test")
        web.answers["http://tribune.example/feed"] = Response("<html>no feed</html>", media_type="text/html")
        broken = await visitor.ask("POST", "/api/v1/sources/tribune/test")
        runs = await visitor.get("/api/v1/runs")
    assert (preview.status, preview.json["item_count"], preview.json["kind"]) == (200, 2, "rss")
    assert [item["title"] for item in preview.json["items"]] == ["Bridge closed", "Ferry late"]
    assert all(len(item["body_text"]) == 1000 for item in preview.json["items"])
    assert tried.json["item_count"] == 2
    assert (broken.status, runs.json["items"]) == (502, [])


async def test_an_address_without_a_scheme_is_tried_with_https_then_with_http(database):
    async with open_web() as web, visiting(database) as visitor:
        web.answers[f"http://{web.address}/feed"] = a_feed("Bridge closed")
        target = {"target": f"{web.address}/feed", "options": {"allow_private": True}}
        preview = await visitor.ask("POST", "/api/v1/sources/preview", target)
        made = await added(visitor, **target, slug="http", check=True)
        unchecked = await added(visitor, **target, slug="https")
        neither = await visitor.ask("POST", "/api/v1/sources/preview", target | {"target": "localhost:1/feed"})
    assert (preview.status, preview.json["base_url"]) == (200, f"http://{web.address}/feed")
    assert (made.status, made.json["base_url"]) == (201, f"http://{web.address}/feed")
    assert unchecked.json["base_url"] == f"https://{web.address}/feed"
    assert neither.status == 502
    assert "https://localhost:1" in neither.json["error"]["message"]


@pytest.mark.parametrize("options", [{"connect_to": "127.0.0.1:80"}, {"allow_private": True}])
async def test_only_an_admin_lets_a_source_into_the_desks_own_network(database, options):
    inside = {"target": "http://10.0.0.1/feed", "options": options}
    async with visiting(database, role="editor") as editor, visiting(database) as admin:
        refused = [
            await added(editor, **inside),
            await editor.ask("POST", "/api/v1/sources/preview", inside),
        ]
        made = await added(admin, slug="inside", **inside)
        redirected = await editor.ask("PATCH", "/api/v1/sources/inside", {"target": "http://10.0.0.2/feed"})
        disabled = await editor.ask("POST", "/api/v1/sources/inside/disable")
        await added(editor, slug="outside")
        opened = await editor.ask("PATCH", "/api/v1/sources/outside", {"options": options})
    assert [answer.status for answer in refused] == [403, 403]
    assert (made.status, redirected.status, disabled.status, opened.status) == (201, 403, 200, 403)


@pytest.mark.parametrize("inward", [{"allow_private": True}, {"connect_to": "127.0.0.1:80"}])
@pytest.mark.parametrize(
    "attack",
    [
        {"target": "http://10.0.0.1/admin"},
        {"target": "http://10.0.0.1:6379/feed"},
        {"kind": "site"},
        {"kind": "site", "allowed_paths": ["/secret"]},
        {"options": {"full_text": "always"}},
        {"options": {"robots": "ignore"}},
        {"options": {"allow_private": None, "connect_to": None}},
        {"name": "Renamed"},
    ],
)
async def test_an_editor_cannot_use_a_source_that_an_admin_let_inside_to_read_other_paths(database, inward, attack):
    async with visiting(database, role="editor") as editor, visiting(database) as admin:
        await added(admin, slug="inside", target="http://10.0.0.1/feed", options=inward)
        async with database.connection() as conn:
            before = await sources.by_slug(conn, "inside")
        refused = await editor.ask("PATCH", "/api/v1/sources/inside", attack)
        async with database.connection() as conn:
            after = await sources.by_slug(conn, "inside")
        allowed = await admin.ask("PATCH", "/api/v1/sources/inside", attack)
    assert (refused.status, refused.json["error"]["code"]) == (403, "PERMISSION_DENIED")
    assert after == before
    assert allowed.status == 200


async def test_an_allowed_private_address_is_asked_on_its_own_port_only(database):
    async with open_web() as web, open_web() as other, visiting(database) as admin:
        web.answers[f"http://{web.address}/feed"] = RedirectResponse(f"http://{other.address}/feed")
        other.answers[f"http://{other.address}/feed"] = a_feed("Inside")
        given = {"target": f"http://{web.address}/feed", "options": {"allow_private": True}}
        refused = await admin.ask("POST", "/api/v1/sources/preview", given)
    assert (refused.status, len(other.asked)) == (502, 0)
    assert "private address" in refused.json["error"]["message"]


async def test_a_private_address_is_not_asked_for_anybody(database):
    async with visiting(database) as visitor:
        refused = await added(visitor, target="http://127.0.0.1:9/feed", check=True)
    assert (refused.status, refused.json["error"]["code"]) == (502, "UPSTREAM_FAILURE")
    assert "private address" in refused.json["error"]["message"]


SECRETS = {
    "a token": "https://reader.example/feed?token=verysecret",
    "a token of a feed": "https://reader.example/.rss?feed=verysecret&user=me",
    "an unknown name": "https://reader.example/feed?a=verysecret",
    "a bare value": "https://reader.example/feed?verysecret",
    "a password": "https://me:verysecret@reader.example/feed",
    "a user": "https://verysecret@reader.example/feed",
    "a fragment": "https://reader.example/feed#verysecret",
}


@pytest.mark.parametrize("role", ["reader", "editor", "admin"])
@pytest.mark.parametrize("url", SECRETS.values(), ids=SECRETS)
async def test_nobody_sees_the_secrets_of_an_address_by_chance(database, url, role):
    async with visiting(database) as admin:
        made = await added(admin, target=url, slug="secret", options={"full_text": "never"})
    async with database.connection() as conn:
        note = f"{url} answered 404"
        await conn.execute("UPDATE sources SET health_note = $1, moved_to = $2 WHERE slug = 'secret'", note, url)
        kept = await sources.by_slug(conn, "secret")
    async with visiting(database, role=role) as visitor:
        answers = [
            made,
            await visitor.get("/api/v1/sources"),
            await visitor.get("/api/v1/sources/secret"),
            await visitor.get("/api/v1/sources/export.opml"),
            await visitor.get("/export/sources.opml"),
            await visitor.get("/sources/export.opml"),
            await visitor.get("/sources"),
            await visitor.get("/sources/secret"),
        ]
    assert kept.base_url == url
    assert [answer.status for answer in answers] == [201] + [200] * 7
    assert [answer.text for answer in answers if "verysecret" in answer.text] == []


WHOLE = [
    "/api/v1/sources",
    "/api/v1/sources/secret",
    "/api/v1/sources/export.opml",
    "/export/sources.opml",
    "/sources/export.opml",
    "/sources/secret",
]


@pytest.mark.parametrize("path", WHOLE)
async def test_an_admin_who_asks_for_secrets_sees_them_and_nobody_else_does(database, path):
    async with visiting(database) as admin, visiting(database, role="editor") as editor:
        await added(admin, target=SECRET, slug="secret")
        shown = await admin.get(f"{path}?secrets=show")
        refused = await editor.get(f"{path}?secrets=show")
    assert (shown.status, "verysecret" in shown.text) == (200, True)
    assert (refused.status, "verysecret" in refused.text) == (403, False)


async def test_what_an_admin_read_with_secrets_can_be_changed_by_its_etag(database):
    async with visiting(database) as admin:
        await added(admin, target=SECRET, slug="secret")
        tag = (await admin.get("/api/v1/sources/secret?secrets=show")).headers["ETag"]
        path = "/api/v1/sources/secret?secrets=show"
        changed = await admin.ask("PATCH", path, {"name": "New"}, **{"If-Match": tag})
        late = await admin.ask("PATCH", path, {"name": "Newer"}, **{"If-Match": tag})
    assert (changed.status, changed.json["base_url"], late.status) == (200, SECRET, 412)


@pytest.mark.parametrize("role", ["reader", "editor"])
async def test_addresses_of_the_own_network_are_shown_to_admins_only(database, role):
    inward = {
        "sent": {"target": "https://tribune.example/feed", "options": {"connect_to": "10.9.8.7:80"}},
        "allowed": {"target": "http://10.9.8.7/feed", "options": {"allow_private": True}},
    }
    async with visiting(database) as admin:
        for slug, given in inward.items():
            await added(admin, slug=slug, name=slug, **given)
        whole = await admin.get("/api/v1/sources")
    async with database.connection() as conn:
        await conn.execute(
            "UPDATE sources SET health = 'http_error', health_note = 'http://10.9.8.7/feed answered 503'"
            " WHERE slug = 'allowed'"
        )
    paths = ["/api/v1/sources", "/sources", "/export/sources.opml"]
    paths += [f"{place}/{slug}" for place in ("/api/v1/sources", "/sources") for slug in inward]
    async with visiting(database, role=role) as visitor:
        answers = [await visitor.get(path) for path in paths]
    assert [source["options"] for source in whole.json["items"]] == [
        {"allow_private": True},
        {"connect_to": "10.9.8.7:80"},
    ]
    assert [answer.status for answer in answers] == [200] * len(paths)
    assert [answer.text for answer in answers if "10.9.8.7" in answer.text] == []
    assert [source["options"] for source in answers[0].json["items"]] == [{}, {}]


async def test_a_source_is_visited_now_and_rests(database):
    async with visiting(database, role="editor") as visitor:
        await added(visitor, slug="tribune")
        async with database.connection() as conn:
            await conn.execute("UPDATE sources SET next_visit_at = now() + interval '1 day'")
        asked = await visitor.ask("POST", "/api/v1/sources/tribune/run")
        async with database.connection() as conn:
            counts = await work.counts(conn)
        rests = await visitor.ask("POST", "/api/v1/sources/tribune/disable")
        again = await visitor.ask("POST", "/api/v1/sources/tribune/enable")
    assert (asked.status, asked.json) == (202, {"slug": "tribune"})
    assert [(count.stage, count.state, count.count) for count in counts] == [("ingest", "waiting", 1)]
    assert (rests.json["enabled"], again.json["enabled"]) == (False, True)


async def test_a_source_whose_topics_let_it_rest_is_not_visited(database):
    async with visiting(database, role="editor", np_write_raw_ledger=False) as visitor:
        await added(visitor, slug="tribune")
        asked = await visitor.ask("POST", "/api/v1/sources/tribune/run")
    assert asked.status == 409


async def test_a_list_of_feeds_comes_in_and_goes_out(database):
    headers = {"Content-Type": "text/x-opml"}
    async with visiting(database, role="editor") as visitor:
        url = f"{visitor.address}/api/v1/sources/import?schedule=2h&collection=loose"
        own = {"Origin": visitor.address}
        async with visitor.session.post(url, data=LIST, headers=headers | own) as response:
            first = await response.json()
        async with visitor.session.post(url, data=LIST, headers=headers | own) as response:
            again = await response.json()
        async with visitor.session.post(url, data=b"<html>", headers=headers | own) as response:
            no_list = response.status, (await response.json())["error"]["message"]
        async with visitor.session.post(url, data=LIST, headers=own | {"Content-Type": "text/plain"}) as response:
            other = response.status
        out = await visitor.get("/api/v1/sources/export.opml")
    assert [(feed["title"], feed["status"], feed["slug"]) for feed in first["feeds"]] == [
        ("Tribune", "added", "tribune"),
        ("Gone", "added", "gone"),
    ]
    assert len(first["problems"]) == 1
    assert "javascript" in first["problems"][0]
    assert [feed["status"] for feed in again["feeds"]] == ["known", "known"]
    assert no_list == (400, "body: there is no feed in the list: no outline has an xmlUrl")
    assert other == 415
    assert out.headers["Content-Type"].startswith("text/x-opml")
    assert {feed.url for feed in opml.read(out.text.encode()).feeds} == {
        "https://tribune.example/feed",
        "https://gone.example/feed",
    }


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", ""),
        ("PATCH", ""),
        ("DELETE", ""),
        ("POST", "/test"),
        ("POST", "/run"),
        ("POST", "/enable"),
        ("POST", "/disable"),
    ],
)
async def test_a_source_that_nobody_has_is_not_found(database, method, path):
    async with visiting(database) as visitor:
        body = {} if method == "PATCH" else None
        missing = await visitor.ask(method, f"/api/v1/sources/nobody{path}", body)
        odd = await visitor.ask(method, f"/api/v1/sources/%00%ff{path}", body)
    assert (missing.status, missing.json["error"]["code"]) == (404, "NOT_FOUND")
    assert (odd.status, odd.json["error"]["details"][0]["field"]) == (400, "path.slug")


async def test_hostile_text_stays_what_it_is(database):
    hostile = "<script>alert(1)</script>{{ 7*7 }}'; DROP TABLE sources; --"
    async with visiting(database, role="editor") as visitor:
        made = await added(visitor, name=hostile, collection=hostile, category=hostile)
        listed = await visitor.get("/api/v1/sources")
    assert (made.json["name"], made.json["collection"]) == (hostile, hostile)
    assert listed.json["items"][0]["category"] == hostile
    assert listed.headers["Content-Type"] == "application/json"
