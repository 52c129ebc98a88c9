"""Admission control: requests above the limit are refused early, with Retry-After; slow clients hold no place."""

import asyncio
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import aiohttp
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route

from scoop.http import admission
from scoop.http.admission import Admission, Places
from scoop.http.middleware import Guard
from scoop.serve import serving

HALF = b"POST /body HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\nAuthorization: x\r\n\r\nhalf "


class Work:
    """Handlers that go on when they are let; counts how many run at once."""

    def __init__(self):
        self.gate = asyncio.Event()
        self.running = self.most = 0

    async def slow(self, request: Request):
        self.running += 1
        self.most = max(self.most, self.running)
        await self.gate.wait()
        self.running -= 1
        return PlainTextResponse("done")

    async def quick(self, request: Request):
        return PlainTextResponse("done")

    async def body(self, request: Request):
        return PlainTextResponse(str(len(await request.body())))

    async def endless(self, request: Request):
        async def lines():
            while not request.state.stopping.is_set():
                yield b"x\n"
                await asyncio.sleep(0.01)

        return StreamingResponse(lines())


@asynccontextmanager
async def server(**limits):
    work = Work()
    routes = [
        Route("/slow", work.slow),
        Route("/quick", work.quick),
        Route("/healthz", work.quick),
        Route("/body", work.body, methods=["POST"]),
        Route("/endless", work.endless),
    ]
    app = Starlette(routes=routes, middleware=[Middleware(Guard), Middleware(Admission, **limits)])
    app.state.error_page = lambda request, problem: problem.message
    async with serving(app) as url, aiohttp.ClientSession(url) as client:
        yield work, client
        work.gate.set()


async def status(client, path):
    async with client.get(path) as response:
        await response.read()
        return response.status, response.headers.get("Retry-After")


async def until(is_true):
    async with asyncio.timeout(10):
        while not is_true():
            await asyncio.sleep(0.01)


async def test_a_crowd_is_refused_at_once_and_told_when_to_come_back():
    async with server(running=3, waiting=5) as (work, client):
        crowd = [asyncio.create_task(status(client, "/slow")) for _ in range(40)]
        await until(lambda: sum(task.done() for task in crowd) == 32)
        work.gate.set()
        answers = await asyncio.gather(*crowd)
    assert sorted(answers, key=str) == [(200, None)] * 8 + [(503, "2")] * 32
    assert work.most == 3


async def test_probes_are_answered_by_a_full_server():
    async with server(running=1, waiting=0) as (work, client):
        full = asyncio.create_task(status(client, "/slow"))
        await until(lambda: work.running == 1)
        assert await status(client, "/quick") == (503, "2")
        assert await status(client, "/healthz") == (200, None)
        work.gate.set()
        assert await full == (200, None)


async def test_a_request_that_waits_too_long_is_refused(monkeypatch):
    places = Places(running=1, waiting=1)
    monkeypatch.setattr("scoop.http.admission.MAX_WAIT", admission.RETRY_AFTER / 10)
    assert await places.take()
    assert not await places.take()
    places.give()
    assert await places.take()


async def test_slow_uploads_hold_no_place():
    async with server(running=2, waiting=0) as (_, client):
        port = urlsplit(str(client._base_url)).port
        uploads = [await asyncio.open_connection("127.0.0.1", port) for _ in range(5)]
        for _, writer in uploads:
            writer.write(HALF)
            await asyncio.sleep(0.05)
        assert await status(client, "/quick") == (200, None)
        for reader, writer in uploads:
            writer.write(b"whole")
            assert b"200 OK" in await reader.readline()
            writer.close()


async def test_streams_without_end_hold_no_place():
    async with server(running=2, waiting=0) as (_, client):
        streams = []
        for _ in range(5):
            stream = await client.get("/endless")
            assert stream.status == 200
            streams.append(stream)
        assert await status(client, "/quick") == (200, None)
        for stream in streams:
            stream.close()


async def test_a_client_that_leaves_while_it_waits_gives_its_turn_to_the_next():
    places = Places(running=1, waiting=5)
    assert await places.take()
    waiting = [asyncio.create_task(places.take()) for _ in range(3)]
    await asyncio.sleep(0)
    places.give()  # to the first, which leaves before it hears of it
    waiting[0].cancel()
    assert await waiting[1]
    places.give()
    assert await waiting[2]
    with pytest.raises(asyncio.CancelledError):
        await waiting[0]
