import asyncio
import json
import time

import aiohttp

from builders import an_item, ingest, run_all
from scoop.api import progress
from scoop.asgi import create_app
from scoop.config import Config
from scoop.http import auth
from scoop.serve import serving
from web.visitor import NOW, signed_in, visiting

PROGRESS = "/api/v1/progress"


async def event(stream):
    """The next event: its name and its data; a comment has no name."""
    name, data = None, None
    while line := (await asyncio.wait_for(stream.content.readline(), 20)).decode():
        if line == "\n":
            return name, data
        if line.startswith("event: "):
            name = line.removeprefix("event: ").strip()
        elif line.startswith("data: "):
            data = json.loads(line.removeprefix("data: "))
        elif line.startswith(":"):
            data = line
    return None, None


def listening(visitor):
    return visitor.session.get(f"{visitor.address}{PROGRESS}")


async def test_the_queue_is_told_at_once_and_again_when_it_changes(database):
    await ingest(database, [an_item(1), an_item(2)])
    async with visiting(database, role="reader") as visitor, listening(visitor) as stream:
        assert stream.headers["Content-Type"].startswith("text/event-stream")
        assert stream.headers["Cache-Control"] == "no-store"
        name, first = await event(stream)
        await ingest(database, [an_item(3)])
        _, second = await event(stream)
    assert name == "work"
    [counts] = first
    assert (counts["stage"], counts["state"], counts["count"]) == ("normalize", "waiting", 2)
    assert counts.keys() == {"stage", "subject_kind", "state", "count", "due", "failed", "next_time"}
    assert second[0]["count"] == 3


async def test_a_quiet_line_is_kept_open(database, monkeypatch):
    monkeypatch.setattr(progress, "HEARTBEAT_SECONDS", 0.2)
    monkeypatch.setattr(progress, "POLL_SECONDS", 0.1)
    async with visiting(database) as visitor, listening(visitor) as stream:
        assert await event(stream) == ("work", [])
        name, comment = await event(stream)
    assert name is None
    assert comment.startswith(":")


async def test_the_stream_ends_with_the_server(database):
    app = create_app(Config(), database, clock=lambda: NOW)
    cookies = {auth.COOKIE: await signed_in(database, "reader", now=NOW)}
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(cookies=cookies, cookie_jar=jar) as session:
        async with serving(app) as address:
            streams = [await session.get(f"{address}{PROGRESS}") for _ in range(3)]
            for stream in streams:
                assert (await event(stream))[0] == "work"
            began_at = time.monotonic()
        took = time.monotonic() - began_at
        assert [await stream.content.read() for stream in streams] == [b"", b"", b""]
    assert took < 10  # and not the ten minutes that a stream may last


async def test_the_stream_ends_after_a_while_so_that_rights_are_asked_for_anew(database, monkeypatch):
    monkeypatch.setattr(progress, "MAX_SECONDS", 0.3)
    monkeypatch.setattr(progress, "POLL_SECONDS", 0.1)
    async with visiting(database) as visitor, listening(visitor) as stream:
        assert await event(stream) == ("work", [])
        assert await asyncio.wait_for(stream.content.read(), 20) == b""


async def test_only_so_many_listen_and_who_leaves_makes_room(database, monkeypatch):
    monkeypatch.setattr(progress, "MAX_STREAMS_PER_LISTENER", 2)
    async with visiting(database) as visitor:
        streams = [await listening(visitor) for _ in range(2)]
        for stream in streams:
            await event(stream)
        async with listening(visitor) as one_too_many:
            refused = one_too_many.status, one_too_many.headers["Retry-After"], await one_too_many.json()
        for stream in streams:
            stream.close()
        async with asyncio.timeout(20):
            while (answer := await listening(visitor)).status != 200:
                answer.release()
                await asyncio.sleep(0.05)
        answer.close()
    assert refused[:2] == (429, "10")
    assert refused[2]["error"]["code"] == "TOO_MANY_REQUESTS"


async def test_the_database_may_go_away_for_a_while(database, monkeypatch):
    monkeypatch.setattr(progress, "POLL_SECONDS", 0.1)
    async with visiting(database) as visitor, listening(visitor) as stream:
        assert await event(stream) == ("work", [])
        async with database.connection() as conn:
            await conn.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        await ingest(database, [an_item(1)])
        _, counts = await event(stream)
    assert counts[0]["count"] == 1


async def test_the_figures_are_read_once_for_all_who_listen(database, monkeypatch):
    reads = []

    async def counts(conn):
        reads.append(time.monotonic())
        return []

    monkeypatch.setattr(progress.work, "counts", counts)
    async with visiting(database) as visitor:
        streams = [await listening(visitor) for _ in range(6)]
        for stream in streams:
            await event(stream)
        seen = len(reads)
        for stream in streams:
            stream.close()
    assert seen <= 2


async def test_head_is_answered_and_ends(database):
    async with visiting(database) as visitor:
        answer = await asyncio.wait_for(visitor.get(PROGRESS, method="HEAD"), 10)
        again = await asyncio.wait_for(visitor.get("/healthz"), 10)  # on the same line
    assert (answer.status, answer.text, again.status) == (200, "", 200)


async def test_nobody_listens(database):
    async with visiting(database, role=None) as visitor:
        answer = await visitor.get(PROGRESS)
    assert (answer.status, answer.json["error"]["code"]) == (401, "UNAUTHENTICATED")


async def test_an_empty_queue_is_told_as_one(database):
    await ingest(database, [an_item(1)])
    await run_all(database)
    async with visiting(database) as visitor, listening(visitor) as stream:
        assert await event(stream) == ("work", [])
