"""Fetched feeds are parsed where they cannot stop the worker."""

import json
import time
from collections.abc import Callable

import pytest

from scoop.core import feed_reading
from scoop.errors import FetchFailed
from scoop.fetch import feeds
from scoop.fetch.client import Response
from scoop.fetch.sandbox import Limits, Sandbox

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


def tiny_items(count: int) -> bytes:
    return b"<rss><channel>" + b"<item/>" * count


def a_harmless_feed() -> bytes:
    """64 KiB of articles."""
    entry = f"<item><title>The old bridge stays closed</title><description>{'It is old. ' * 90}</description></item>"
    return f"<rss><channel>{entry * 60}</channel></rss>".encode()


def seconds_here(document: bytes) -> float:
    """The CPU time of this thread to parse a document: the least of three, as other processes only add to it."""
    return min(one_run(document) for _ in range(3))


def one_run(document: bytes) -> float:
    started = time.thread_time()
    feed_reading.parse_fast(document)
    return time.thread_time() - started


@pytest.mark.parametrize("document", [a_json_feed(500), an_rss_feed(500)], ids=["json", "rss"])
async def test_a_hostile_feed_takes_no_time_of_the_event_loop(sandbox, document):
    """Measured: a thousandth of the time that the document takes if it is parsed here."""
    await sandbox.run(feed_reading.parse_fast, b"")  # starts the process
    started = time.thread_time()
    feed = await feeds.parse(answering(document), sandbox)
    assert time.thread_time() - started < one_run(document) / 10
    assert len(feed.items) == 500


@pytest.mark.parametrize("make", [a_json_feed, an_rss_feed, tiny_items])
async def test_a_hostile_feed_that_is_parsed_in_the_event_loop_is_too_small_to_stop_it(make):
    """Measured: at most 22 times as long as a harmless feed."""
    document = largest_in_process(make)
    assert seconds_here(document) < 60 * seconds_here(a_harmless_feed())


def largest_in_process(make: Callable[[int], bytes]) -> bytes:
    size_of_one = len(make(2)) - len(make(1))
    return make(feeds.MAX_BYTES_IN_PROCESS // size_of_one)


async def test_a_large_broken_feed_is_repaired(sandbox):
    body = an_rss_feed(20).replace(b"</channel>", b"<item><title>R & D</title></item></channel>")
    assert (await feeds.parse(answering(body), sandbox)).items[-1]["title"] == "R & D"


async def test_a_feed_that_takes_too_long_is_a_failure_of_its_source():
    impatient = Sandbox(Limits(seconds=0.05))
    with pytest.raises(FetchFailed, match="cannot be parsed: it took more than") as failed:
        await feeds.parse(answering(a_json_feed(500)), impatient)
    impatient.close()
    assert failed.value.health == "parse_error"
