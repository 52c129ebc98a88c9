"""Connections: those that send or read too slowly, or are too many, shut nobody out."""

import asyncio
import time
from contextlib import asynccontextmanager
from datetime import timedelta
from ipaddress import ip_network
from urllib.parse import urlsplit

import pytest
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route

from scoop.serve import ServerLimits, serving

SHORT = timedelta(seconds=0.5)
LONG = timedelta(seconds=30)
GET = b"GET / HTTP/1.1\r\nHost: desk\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: desk\r\nContent-Length: 100000\r\n\r\n"
SECONDS = 10  # for anything that should happen at once, on a busy machine


async def answer(request: Request):
    try:
        return PlainTextResponse(f"{len(await request.body())} bytes")
    except ClientDisconnect:
        return PlainTextResponse("gone")


async def slow(request: Request):
    await asyncio.sleep(1.5)
    return PlainTextResponse("at last")


async def endless(request: Request):
    async def lines():
        while not request.state.stopping.is_set():
            yield b"x" * 100_000
            await asyncio.sleep(0)

    return StreamingResponse(lines())


ROUTES = [Route("/", answer, methods=["GET", "POST"]), Route("/slow", slow), Route("/endless", endless)]


@asynccontextmanager
async def server(**limits):
    async with serving(Starlette(routes=ROUTES), limits=ServerLimits(**limits)) as url:
        port = urlsplit(url).port
        opened = []

        async def connect(sent=b""):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            opened.append(writer)
            writer.write(sent)
            return reader, writer

        yield connect
        for writer in opened:
            writer.close()


async def head(reader):
    """The status line of the next response, empty if the server closed the connection."""
    try:
        async with asyncio.timeout(SECONDS):
            lines = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return b""
    length = next((int(line.partition(b":")[2]) for line in lines if line.startswith(b"content-length:")), 0)
    await reader.readexactly(length)
    return lines[0]


async def closed_after(reader):
    """Seconds until the server closes the connection."""
    began = time.monotonic()
    async with asyncio.timeout(SECONDS):
        try:
            while await reader.read(1 << 16):
                pass
        except ConnectionError:
            pass
    return time.monotonic() - began


OK = b"HTTP/1.1 200 OK"
BUSY = b"HTTP/1.1 503 Service Unavailable"


@pytest.mark.parametrize("half", [b"", b"GET / HT", GET[:-2], b"\r\n", GET[:-2] + b"X: y\r\n"])
async def test_a_head_that_is_never_completed_is_given_up(half):
    async with server(head=SHORT) as connect:
        reader, _ = await connect(half)
        assert await closed_after(reader) > 0.3


async def test_a_head_that_trickles_in_is_given_up_as_a_whole():
    async with server(head=SHORT) as connect:
        reader, writer = await connect()
        closing = asyncio.create_task(closed_after(reader))
        for number in range(100):
            writer.write(b"GET / HTTP/1.1\r\n" if number == 0 else b"X: y\r\n")
            await asyncio.sleep(0.1)
            if closing.done():
                break
        assert number < 50


@pytest.mark.parametrize("half", [b"\r\n", b"GET / HT"])
async def test_a_second_request_that_is_never_completed_is_given_up(half):
    async with server(head=SHORT, keep_alive=LONG) as connect:
        reader, writer = await connect(GET)
        assert await head(reader) == OK
        writer.write(half)
        assert await closed_after(reader) < SECONDS


async def test_a_connection_without_a_further_request_is_closed():
    async with server(keep_alive=timedelta(seconds=1)) as connect:
        reader, _ = await connect(GET)
        assert await head(reader) == OK
        assert await closed_after(reader) < SECONDS


async def test_a_body_that_stops_is_given_up():
    async with server(body=SHORT) as connect:
        reader, writer = await connect(POST)
        writer.write(b"x" * 100)
        assert await closed_after(reader) < SECONDS


async def test_a_body_that_arrives_slowly_but_steadily_is_read():
    async with server(body=SHORT, body_rate=10_000) as connect:
        reader, writer = await connect(POST)
        for _ in range(10):
            await asyncio.sleep(0.1)
            writer.write(b"x" * 10_000)
        assert await head(reader) == OK


async def test_a_slow_answer_is_not_taken_for_a_slow_client():
    async with server(head=SHORT, body=SHORT, unread=SHORT) as connect:
        reader, _ = await connect(GET.replace(b"/ ", b"/slow "))
        assert await head(reader) == OK


async def test_a_response_that_nobody_reads_is_given_up():
    async with server(unread=SHORT) as connect:
        reader, _ = await connect(GET.replace(b"/ ", b"/endless "))
        await asyncio.sleep(2)
        assert await closed_after(reader) < SECONDS


async def test_a_head_without_end_is_refused():
    async with server(head_bytes=10_000) as connect:
        reader, writer = await connect(GET[:-2])
        writer.write(b"".join(b"X-%d: %s\r\n" % (number, b"y" * 100) for number in range(200)))
        assert await head(reader) == b"HTTP/1.1 431 Request Header Fields Too Large"


async def test_half_sent_requests_of_one_address_shut_nobody_out_who_came_before():
    async with server(connections_per_network=10) as connect:
        reader, writer = await connect(GET)
        assert await head(reader) == OK
        for _ in range(30):
            await connect(b"GET / HT")
        writer.write(GET)
        assert await head(reader) == OK


async def test_more_connections_of_one_address_than_its_limit_are_refused_until_one_closes():
    async with server(connections_per_network=3) as connect:
        held = [await connect(GET) for _ in range(3)]
        assert [await head(reader) for reader, _ in held] == [OK] * 3
        assert await head((await connect(GET))[0]) in {BUSY, b""}
        held[0][1].close()
        await asyncio.sleep(0.3)
        assert await head((await connect(GET))[0]) == OK


async def test_an_exempt_network_has_no_limit_of_its_own():
    async with server(connections_per_network=3, exempt=[ip_network("127.0.0.0/8")]) as connect:
        held = [await connect(GET) for _ in range(10)]
        assert [await head(reader) for reader, _ in held] == [OK] * 10


async def test_half_sent_requests_that_fill_the_server_make_room_for_a_whole_one():
    async with server(connections=20, head=LONG) as connect:
        for _ in range(40):
            await connect(b"GET / HT")
        await asyncio.sleep(0.3)
        assert await head((await connect(GET))[0]) == OK


async def test_a_full_server_that_answers_everybody_refuses_more():
    async with server(connections=3) as connect:
        held = [await connect(GET.replace(b"/ ", b"/slow ")) for _ in range(3)]
        await asyncio.sleep(0.3)
        assert await head((await connect(GET))[0]) in {BUSY, b""}
        assert [await head(reader) for reader, _ in held] == [OK] * 3
