import json
import re
import signal
import socket
from email.utils import parsedate_to_datetime
from html import unescape

import feedparser
import pytest
from newsstand_builders import ANCHOR, Clock, a_world, an_article, an_outlet, visiting

from scoop.newsstand import server
from scoop.newsstand.server import RequestLogLine
from scoop.newsstand.world import Update
from scoop.serve import serving

TRIBUNE = "tribune.example"
FLOOD = "/2026/03/14/flood"
SITE_PATHS = ["/", "/feed.xml", "/robots.txt", "/sitemap.xml", FLOOD]


def a_small_world():
    outlets = (an_outlet(), an_outlet("gazette", feed="json"), an_outlet("pile", category="link_blog", feed="atom"))
    post = an_article("look", outlet="pile", kind="link", links_to="flood", hours_ago=1)
    return a_world(an_article(), an_article("drought", outlet="gazette"), post, outlets=outlets)


@pytest.mark.parametrize("path", ["/feed.xml", "/robots.txt", "/sitemap.xml"])
async def test_host_and_path_lead_to_the_same_text(path):
    async with visiting(a_small_world()) as visitor:
        by_host = await visitor.get(path, host=TRIBUNE)
        by_path = await visitor.get(f"/{TRIBUNE}{path}")
    assert by_host.status == by_path.status == 200
    assert by_host.text == by_path.text
    assert by_host.headers["etag"] == by_path.headers["etag"]


async def test_host_and_path_lead_to_the_same_pages_but_for_their_links():
    async with visiting(a_small_world()) as visitor:
        for path in ("/", FLOOD):
            by_host = await visitor.get(path, host=TRIBUNE)
            by_path = await visitor.get(f"/{TRIBUNE}{path}")
            assert by_path.text.replace('href="/', 'href="http://') == by_host.text


async def test_a_host_may_come_with_its_port_and_links_keep_it():
    async with visiting(a_small_world()) as visitor:
        page = await visitor.get("/2026/03/14/look", host="Pile.example:8080")
    assert 'href="http://pile.example:8080/feed.xml"' in page.text
    assert f'href="http://{TRIBUNE}:8080{FLOOD}"' in page.text


async def test_every_link_of_a_page_reached_by_path_works():
    async with visiting(a_small_world()) as visitor:
        seen, waiting = set(), ["/"]
        while waiting:
            page = await visitor.get(path := waiting.pop())
            assert page.status == (403 if path.endswith("/private/") else 200), path
            seen.add(path)
            found = {unescape(link) for link in re.findall(r'<a [^>]*href="(/[^"#]*)', page.text)}
            waiting.extend(found - seen - set(waiting))
    assert {"/items.ndjson", "/gazette.example/feed.json", f"/{TRIBUNE}{FLOOD}"} < seen


async def test_an_unknown_host_sees_the_list_of_outlets():
    async with visiting(a_small_world()) as visitor:
        page = await visitor.get("/", host="nowhere.example")
    assert page.status == 200
    assert all(host in page.text for host in (TRIBUNE, "gazette.example", "pile.example"))


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/items.ndjson", "application/x-ndjson"),
        ("/tribune.example/", "text/html; charset=utf-8"),
        ("/tribune.example/feed.xml", "application/rss+xml"),
        ("/pile.example/feed.xml", "application/atom+xml"),
        ("/gazette.example/feed.json", "application/feed+json"),
        ("/tribune.example/robots.txt", "text/plain; charset=utf-8"),
        ("/tribune.example/sitemap.xml", "application/xml"),
    ],
)
async def test_every_answer_says_what_it_is(path, content_type):
    async with visiting(a_small_world()) as visitor:
        answer = await visitor.get(path)
    assert answer.headers["content-type"] == content_type


@pytest.mark.parametrize("path", SITE_PATHS)
async def test_what_has_not_changed_is_not_sent_again(path):
    async with visiting(a_small_world()) as visitor:
        full = await visitor.get(path, host=TRIBUNE)
        etag, modified = full.headers["etag"], full.headers["last-modified"]
        again = [
            await visitor.get(path, host=TRIBUNE, if_none_match=etag),
            await visitor.get(path, host=TRIBUNE, if_none_match=f'"other", W/{etag}'),
            await visitor.get(path, host=TRIBUNE, if_none_match="*"),
            await visitor.get(path, host=TRIBUNE, if_modified_since=modified),
            await visitor.get(path, host=TRIBUNE, if_modified_since="Sat, 14 Mar 2026 13:00:00 GMT"),
        ]
    assert {answer.status for answer in again} == {304}
    assert {answer.text for answer in again} == {""}
    assert {answer.headers["etag"] for answer in again} == {etag}


@pytest.mark.parametrize(
    "headers",
    [
        {"if_none_match": '"other"'},
        {"if_none_match": '"other"', "if_modified_since": "Sat, 14 Mar 2026 13:00:00 GMT"},
        {"if_modified_since": "Sat, 14 Mar 2026 06:59:59 GMT"},
        {"if_modified_since": "yesterday, or so"},
    ],
)
async def test_what_the_reader_does_not_have_is_sent(headers):
    async with visiting(a_small_world()) as visitor:
        answer = await visitor.get(FLOOD, host=TRIBUNE, **headers)
    assert answer.status == 200


async def test_an_update_appears_when_the_clock_passes_it():
    clock = Clock()
    told = a_world(an_article(update=(Update(hours_ago=-2, title="River falls", body="It stopped."),)))
    async with visiting(told, clock) as visitor:
        before = await visitor.get("/feed.xml", host=TRIBUNE)
        clock.turn(hours=2)
        after = await visitor.get("/feed.xml", host=TRIBUNE, if_none_match=before.headers["etag"])
        page = await visitor.get(FLOOD, host=TRIBUNE)
    assert [feedparser.parse(answer.text).entries[0].title for answer in (before, after)] == [
        "River rises",
        "River falls",
    ]
    assert parsedate_to_datetime(after.headers["last-modified"]) == clock.now
    assert "It stopped." in page.text


async def test_an_article_cannot_be_read_before_it_is_out():
    clock = Clock()
    async with visiting(a_world(an_article(hours_ago=-1)), clock) as visitor:
        early = await visitor.get(FLOOD, host=TRIBUNE)
        clock.turn(hours=1)
        late = await visitor.get(FLOOD, host=TRIBUNE)
    assert (early.status, late.status) == (404, 200)


async def test_an_outlet_with_nothing_out_yet_answers_all_the_same():
    async with visiting(a_world()) as visitor:
        statuses = {(await visitor.get(path, host=TRIBUNE)).status for path in ("/", "/feed.xml", "/sitemap.xml")}
    assert statuses == {200}


@pytest.mark.parametrize("path", SITE_PATHS)
async def test_head_gives_the_headers_alone(path):
    async with visiting(a_small_world()) as visitor:
        head = await visitor.get(path, host=TRIBUNE, method="HEAD")
        full = await visitor.get(path, host=TRIBUNE)
    assert head.text == ""
    assert head.headers["etag"] == full.headers["etag"]
    assert head.headers["content-length"] == str(len(full.text.encode()))


@pytest.mark.parametrize("path", ["/2026/03/13/flood", "/feed.json", "/2026/03/14/drought", "/gazette.example/"])
async def test_what_an_outlet_does_not_have_is_a_404_page(path):
    async with visiting(a_small_world()) as visitor:
        missing = await visitor.get(path, host=TRIBUNE)
    assert missing.status == 404
    assert "404 Not Found" in missing.text


async def test_a_404_page_leads_back_the_way_one_came():
    async with visiting(a_small_world()) as visitor:
        missing = await visitor.get(f"/{TRIBUNE}/nothing")
    assert f'href="/{TRIBUNE}/"' in missing.text


async def test_all_items_come_line_by_line_and_stay_the_same_until_the_world_changes():
    clock = Clock()
    told = a_world(an_article(), an_article("later", hours_ago=-3))
    async with visiting(told, clock) as visitor:
        first = await visitor.get("/items.ndjson")
        clock.turn(hours=2)
        unchanged = await visitor.get("/items.ndjson", if_none_match=first.headers["etag"])
        clock.turn(hours=2)
        changed = await visitor.get("/items.ndjson", if_none_match=first.headers["etag"])
    assert [json.loads(line)["source_item_id"] for line in first.text.splitlines()] == ["flood"]
    assert unchanged.status == 304
    assert [json.loads(line)["source_item_id"] for line in changed.text.splitlines()] == ["later", "flood"]


async def test_every_visit_is_noted():
    async with visiting(a_small_world()) as visitor:
        await visitor.get("/feed.xml", host=TRIBUNE)
        await visitor.get("/private/desk", host=TRIBUNE)
    assert list(visitor.app.state.requests) == [
        RequestLogLine(path="/feed.xml", host=TRIBUNE, status=200),
        RequestLogLine(path="/private/desk", host=TRIBUNE, status=403),
    ]


async def test_a_taken_port_is_an_error_at_once():
    app = server.create_app(a_world(), ANCHOR, lambda: ANCHOR)
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match="in use"):
        async with serving(app, port=taken.getsockname()[1]):
            pytest.fail("served on a taken port")


async def test_the_port_is_free_again_after_serving():
    app = server.create_app(a_world(), ANCHOR, lambda: ANCHOR)
    async with serving(app) as address:
        port = int(address.rpartition(":")[2])
    with socket.create_server(("127.0.0.1", port)):
        pass


async def test_serving_leaves_signals_alone():
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    async with visiting(a_world()) as visitor:
        await visitor.get("/")
        assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
