"""What the one way out says of a request that failed: it certainly never left, or it may have arrived."""

import asyncio
import socket
import traceback
from datetime import timedelta

import pytest

from channels.posts import CANARY, answer, closed_port, hanging, resetting, saying, serving
from scoop.errors import FetchFailed
from scoop.fetch import client as fetch
from scoop.fetch.client import Request, open_client


async def failed(request: Request) -> FetchFailed:
    async with open_client() as client:
        with pytest.raises(FetchFailed) as caught:
            await client.send(request)
    return caught.value


def a_post(**more) -> Request:
    return Request(**({"url": "http://desk.example/", "method": "POST", "content": b"{}"} | more))


@pytest.mark.parametrize(
    "request_",
    [
        a_post(connect_to=closed_port()),
        a_post(url="http://127.0.0.1:1/"),
        a_post(url="ftp://desk.example/"),
    ],
    ids=["refused port", "private address", "no address"],
)
async def test_what_found_no_connection_was_not_sent(request_):
    assert (await failed(request_)).is_unsent


async def test_what_is_for_a_name_that_nobody_knows_was_not_sent(monkeypatch):
    async def unknown(*_asked, **_more):
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", unknown, raising=False)
    error = await failed(a_post())
    assert error.is_unsent
    assert "cannot be resolved" in str(error)


async def test_what_found_no_encryption_was_not_sent():
    async def greet(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 this is mail\r\n")
        writer.close()

    async with await asyncio.start_server(greet, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        error = await failed(a_post(url=f"https://127.0.0.1:{port}/", private_host=f"127.0.0.1:{port}"))
    assert error.is_unsent


async def test_a_connection_that_takes_too_long_to_begin_carried_nothing():
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes the call, never speaks
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        error = await failed(a_post(url=f"https://{address}/", private_host=address, deadline=timedelta(seconds=0.2)))
    assert (error.health, error.is_unsent) == ("timeout", True)


async def test_a_host_that_rests_is_not_even_asked():
    async with serving(saying(answer(429, Retry_After="90"))) as server, open_client() as client:
        await client.send(a_post(connect_to=server.address))
        with pytest.raises(FetchFailed) as caught:
            await client.send(a_post(connect_to=server.address))
    assert caught.value.is_unsent
    assert timedelta(seconds=80) < caught.value.after <= timedelta(seconds=90)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "script",
    [
        hanging,
        resetting,
        saying(b""),
        saying(b"SSH-2.0-OpenSSH_9\r\n"),
        saying(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf"),
        saying(answer(200, b"x", Content_Encoding="gzip")),
    ],
    ids=["hang", "reset", "hang up", "garbage", "half an answer", "undecodable"],
)
async def test_what_was_written_and_not_answered_may_have_arrived(monkeypatch, script):
    monkeypatch.setattr(fetch, "DEADLINE_SECONDS", 0.3)
    async with serving(script) as server:
        error = await failed(a_post(connect_to=server.address))
    assert not error.is_unsent


async def test_content_is_sent_byte_for_byte_with_its_type():
    content = '{"b": 1,  "ü": "\\u00fc"}'.encode()
    async with serving(saying(answer())) as server, open_client() as client:
        await client.send(
            a_post(content=content, headers={"Content-Type": "application/json"}, connect_to=server.address)
        )
    assert server.asked[0].body == content
    assert server.asked[0].headers["content-type"] == "application/json"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_of_a_post_is_told_and_not_followed(status):
    async with serving(saying(answer(status, Location="/elsewhere"))) as server, open_client() as client:
        given = await client.send(a_post(connect_to=server.address))
    assert (given.status, len(server.asked)) == (status, 1)


@pytest.mark.parametrize("script", [saying(f"{CANARY} what?\r\n".encode()), resetting, saying(answer(404))])
async def test_a_secret_path_is_sent_and_never_told(script):
    async with serving(script) as server, open_client() as client:
        secretly = a_post(url="http://desk.example/hooks", secret_path=f"/{CANARY}", connect_to=server.address)
        (told,) = await asyncio.gather(client.send(secretly), return_exceptions=True)
    assert f"POST /hooks/{CANARY} " in server.asked[0].line
    shown = traceback.format_exception(told) if isinstance(told, Exception) else [told.url]
    assert CANARY not in "".join(shown)
