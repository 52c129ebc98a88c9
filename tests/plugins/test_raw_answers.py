"""Answers that break the protocol are told in a sentence, and are never taken for whole."""

from contextlib import suppress
from itertools import repeat

import pytest

from plugins.raw_server import sending
from scoop.errors import FetchFailed
from scoop.fetch.client import open_client

OK = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param([OK, b"Content-Length: 100\r\n\r\n", b"<rss>"], id="shorter than it says"),
        pytest.param([OK, b"Content-Length: -5\r\n\r\n", b"<rss>"], id="negative length"),
        pytest.param([OK, b"Content-Length: 1e9\r\n\r\n", b"<rss>"], id="no length"),
        pytest.param([OK, b"Transfer-Encoding: chunked\r\n\r\n", b"5\r\n<rss>\r\n"], id="cut between chunks"),
        pytest.param([OK, b"Transfer-Encoding: chunked\r\n\r\n", b"50\r\n<rss>"], id="cut inside a chunk"),
        pytest.param([OK, b"Transfer-Encoding: chunked\r\n\r\n", b"zz\r\n<rss>\r\n"], id="no chunk"),
        pytest.param([OK, *repeat(b"X-More: of the same\r\n", 200_000)], id="headers without end"),
        pytest.param([OK, b"X-Long: ", *repeat(b"x" * 1000, 200), b"\r\n\r\n"], id="one header without end"),
        pytest.param([OK, b"Content-Ty"], id="cut inside the headers"),
        pytest.param([b"<html>not HTTP at all</html>"], id="not HTTP"),
        pytest.param([], id="hung up"),
    ],
)
async def test_a_broken_answer_is_a_failed_fetch(pieces):
    async with sending(pieces) as address, open_client() as client:
        with pytest.raises(FetchFailed) as failed:
            await client.get("http://broken.example/feed.xml", connect_to=address)
    assert str(failed.value).startswith("http://broken.example/feed.xml ")


async def test_what_follows_the_promised_length_is_never_part_of_the_answer():
    body = b""
    async with sending([OK, b"Content-Length: 5\r\n\r\n", b"<rss><evil>"]) as address, open_client() as client:
        with suppress(FetchFailed):
            body = (await client.get("http://broken.example/feed.xml", connect_to=address)).body
    assert b"evil" not in body
