"""How fast feeds are polled into the ledger: 2,000 feeds on 200 hosts of the loopback, cold and when nothing changed.

make bench, or: .venv/bin/python bench/poll.py [--feeds 2000]
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from scoop.model import SourceSettings
from scoop.store import db, migrations, sources
from scoop.store.embedded import Embedded

HOSTS = 200
ITEMS = 10
PORT = 8799
WORDS = "the council said on Tuesday that the old bridge will stay closed until every cable has been checked twice " * 6


def figure(name: str, value: float, unit: str, **more: Any) -> None:
    print(json.dumps({"figure": name, "value": round(value, 4), "unit": unit, **more}), flush=True)


@cache
def feed(number: int) -> bytes:
    items = "".join(
        f"<item><title>Bridge {number} {item}</title><link>http://h{number % HOSTS}.example/{number}/{item}</link>"
        f"<guid>{number}-{item}</guid><pubDate>Mon, 16 Nov 2026 0{item}:00:00 GMT</pubDate>"
        f"<description>{WORDS}</description></item>"
        for item in range(ITEMS)
    )
    return f'<rss version="2.0"><channel><title>Feed {number}</title><link>http://x.example/</link>{items}</channel></rss>'.encode()


async def answer(request: Request) -> Response:
    number = request.path_params["number"]
    etag = f'"{number}"'
    if request.headers.get("if-none-match") == etag:
        return Response(status_code=304, headers={"etag": etag})
    return Response(feed(number), media_type="application/rss+xml", headers={"etag": etag})


async def robots(_request: Request) -> Response:
    return PlainTextResponse("User-agent: *\nAllow: /\n")


def serve() -> None:
    for number in range(2_000):
        feed(number)  # so that the server costs little
    app = Starlette(routes=[Route("/feed/{number:int}", answer), Route("/robots.txt", robots)])
    uvicorn.run(app, port=PORT, log_level="error", access_log=False)


async def add(database: db.Database, count: int) -> None:
    async with database.connection() as conn, conn.transaction():
        for number in range(count):
            await sources.put(
                conn,
                SourceSettings(
                    slug=f"feed_{number}", name=f"Feed {number}", kind="rss", collection="bench",
                    base_url=f"http://h{number % HOSTS}.example/feed/{number}",
                    options={"connect_to": f"127.0.0.1:{PORT}"},
                ),
            )  # fmt: skip


def poll(home: Path, count: int) -> float:
    """Seconds until all sources have been visited by two processes, their start included; each names a half."""
    began = time.perf_counter()
    both = [
        subprocess.Popen(
            [sys.executable, "-m", "scoop", "ingest", "--json", *(f"--source=feed_{n}" for n in range(half, count, 2))],
            env={**os.environ, "SCOOP_HOME": str(home), "SCOOP_LOG_LEVEL": "error"}, stdout=subprocess.DEVNULL,
        )
        for half in range(2)
    ]  # fmt: skip
    assert not any(process.wait() for process in both)
    return time.perf_counter() - began


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--feeds", type=int, default=2_000)
    count = parser.parse_args().feeds
    folder = Path(tempfile.mkdtemp(prefix="scoop-bench-"))
    folder.chmod(0o711)
    server = multiprocessing.get_context("spawn").Process(target=serve, daemon=True)
    server.start()
    time.sleep(3)
    database = await db.connect(Embedded(folder / "home"), size=2)
    await migrations.migrate(database)
    try:
        await add(database, count)
        figure("poll, cold", count / poll(folder / "home", count), "feeds/s", items=count * ITEMS)
        figure("poll, not modified", count / poll(folder / "home", count), "feeds/s")
        figure("poll, memory", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, "MiB")
        async with database.connection() as conn:
            arrived = await conn.fetchval("SELECT count(*) FROM raw_arrivals")
        assert arrived == count * ITEMS, f"{arrived} of {count * ITEMS} items arrived"
    finally:
        await database.close()
        Embedded(folder / "home").stop()
        server.terminate()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    asyncio.run(main())
