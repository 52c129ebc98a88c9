"""Fetched feeds are parsed where they cannot stop the worker."""

import json
import time

import pytest

from scoop.core import feed_reading
from scoop.errors import FetchFailed
from scoop.fetch import feeds
from scoop.fetch import sandbox as limits
from scoop.fetch.client import Response
from scoop.fetch.sandbox import Sandbox, open_sandbox

MARKUP = "<b>x</b>&notit;" * 250


@pytest.fixture(scope="module")
def sandbox():
    opened = Sandbox()
    yield opened
    opened.close()


def a_json_feed(count: int) -> bytes:
    items = [{"id": str(number), "title": MARKUP, "content_html": MARKUP} for number in range(count)]
    return json.dumps({"version": "https://jsonfeed.org/version/1.1", "items": items}).encode()


def an_rss_feed(count: int) -> bytes:
    entry = f"<item><description>{'<b>x</b>' * 900}</description></item>"
    return f"<rss><channel>{entry * count}</channel></rss>".encode()


def answering(body: bytes) -> Response:
    return Response(status=200, url="https://hostile.example/feed", headers={}, body=body)


@pytest.mark.parametrize("document", [a_json_feed(500), an_rss_feed(500)], ids=["json", "rss"])
async def test_a_hostile_feed_takes_no_time_of_the_event_loop(sandbox, document):
    """Parsed here, each takes about a second, during which the worker would do nothing else."""
    await sandbox.run(feed_reading.parse_fast, b"")  # starts the process
    started = time.thread_time()
    feed = await feeds.parse(answering(document), sandbox)
    assert time.thread_time() - started < 0.3
    assert len(feed.items) == 500


@pytest.mark.parametrize("document", [a_json_feed(8), an_rss_feed(9), b"<rss><channel>" + b"<item/>" * 9_000])
async def test_a_hostile_feed_that_is_parsed_in_the_event_loop_is_too_small_to_stop_it(sandbox, document):
    document = document[: feeds.MAX_BYTES_IN_PROCESS]
    started = time.thread_time()
    await feeds.parse_well_formed(answering(document), sandbox)
    assert time.thread_time() - started < 0.3


async def test_a_large_broken_feed_is_repaired(sandbox):
    body = an_rss_feed(20).replace(b"</channel>", b"<item><title>R & D</title></item></channel>")
    assert (await feeds.parse(answering(body), sandbox)).items[-1]["title"] == "R & D"


async def test_a_feed_that_takes_too_long_is_a_failure_of_its_source(monkeypatch):
    monkeypatch.setattr(limits, "SECONDS", 0.05)
    async with open_sandbox() as sandbox:
        with pytest.raises(FetchFailed, match="cannot be parsed: it took more than") as failed:
            await feeds.parse(answering(a_json_feed(500)), sandbox)
    assert failed.value.health == "parse_error"
