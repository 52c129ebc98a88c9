"""A feed looked at before it becomes a source."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from click.testing import CliRunner, Result

from scoop import config
from scoop.cli import preview
from scoop.core import items

FEED = b"""<rss version="2.0"><channel><title>Tribune</title><link>https://tribune.example/</link><description>News</description>
<item><title>Older</title><link>https://tribune.example/1</link><pubDate>Sat, 14 Nov 2026 09:00:00 GMT</pubDate></item>
<item><title>Newer</title><link>https://tribune.example/2</link><pubDate>Sun, 15 Nov 2026 09:00:00 GMT</pubDate></item>
</channel></rss>"""
PAGE = b'<html><head><link rel="alternate" type="application/rss+xml" href="/feed.xml"></head><body>Hello</body></html>'


def previewed(*arguments: str, stdin: bytes = b"", allow_private: str = "") -> Result:
    settings = config.load({"SCOOP_ALLOW_PRIVATE": allow_private}, Path("/nowhere"))
    return CliRunner().invoke(preview.command, arguments, input=stdin, obj=settings)


@contextmanager
def website(**pages: bytes) -> Iterator[str]:
    """A site on the loopback address; `feed` is answered at /feed.xml, `page` at /."""
    bodies = {"/feed.xml": pages.get("feed"), "/": pages.get("page")}

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = bodies.get(self.path)
            self.send_response(404 if body is None else 200)
            self.end_headers()
            self.wfile.write(body or b"nothing here")

        def log_message(self, *_words: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def saved(tmp_path) -> str:
    path = tmp_path / "The Tribune.xml"
    path.write_bytes(FEED)
    return str(path)


def test_the_items_of_a_file_are_told_as_the_ledger_would_take_them(saved):
    told = json.loads(previewed(saved, "--json").output)
    assert told["target"] == saved
    assert told["feed"]["title"] == "Tribune"
    assert told["feed"]["description"] == "News"
    assert [item["title"] for item in told["items"]] == ["Older", "Newer"]
    assert told["problems"] == []
    assert all(items.list_problems(item) == [] for item in told["items"])
    assert told["items"][0]["source"] == "the_tribune_xml"


def test_people_see_the_newest_items_first(saved):
    result = previewed(saved)
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[0] == "Tribune"
    assert lines[1] == "rss 2.0 · 2 items · https://tribune.example/"
    assert lines[2] == "2026-11-15 09:00 UTC  Newer"
    assert lines[4] == "2026-11-14 09:00 UTC  Older"


def test_a_long_title_in_any_script_stays_within_the_line(saved):
    Path(saved).write_bytes(FEED.replace(b"Newer", ("橋が再開した" * 20).encode()))
    title = previewed(saved).output.splitlines()[2]
    assert title.endswith("…")
    assert len(title.removeprefix("2026-11-15 09:00 UTC  ")) * 2 <= 64


def test_standard_input_is_read(saved):
    told = json.loads(previewed("-", "--json", stdin=FEED).output)
    assert told["target"] == "-"
    assert len(told["items"]) == 2


def test_every_target_gives_a_line_and_a_bad_one_the_exit_code(saved):
    result = previewed("/no/such/file", saved, "-", "--json", stdin=b"<html></html>")
    missing, good, page = map(json.loads, result.output.splitlines())
    assert result.exit_code == 1
    assert missing["problems"] == ["cannot read /no/such/file: no such file or directory"]
    assert len(good["items"]) == 2
    assert page["problems"] == ["this is an HTML page, not a feed"]


def test_a_page_leads_to_the_feed_that_it_names():
    with website(page=PAGE, feed=FEED) as address:
        result = previewed(f"http://{address}/", "--json", allow_private=address)
    told = json.loads(result.output)
    assert result.exit_code == 0
    assert [item["title"] for item in told["items"]] == ["Older", "Newer"]
    assert f"http://{address}/feed.xml" in told["problems"][1]


def test_a_private_address_is_refused_unless_it_was_allowed():
    with website(feed=FEED) as address:
        result = previewed(f"http://{address}/feed.xml", "--json")
    assert result.exit_code == 1
    assert "private address" in json.loads(result.output)["problems"][0]


def test_an_address_that_answers_an_error_is_no_feed():
    with website() as address:
        result = previewed(f"http://{address}/feed.xml", allow_private=address)
    assert result.exit_code == 1
    assert "answered 404" in result.output


def test_an_address_without_a_scheme_that_does_not_answer_is_called_neither_file_nor_address():
    result = previewed("missing.invalid/feed.xml")
    assert result.exit_code == 1
    assert "missing.invalid/feed.xml is neither a file nor an address that answers" in result.output


def test_a_refused_address_comes_with_the_way_to_allow_it():
    result = previewed("http://127.0.0.1:9/feed")
    assert result.exit_code == 1
    assert "--allow-private" in result.output
    assert "--connect-to" in result.output
