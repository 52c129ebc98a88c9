"""Speed of fetching feeds into the ledger: 2,000 feeds on 200 hosts of the loopback, first new, then unchanged.

Two worker processes are running when the feeds become due.

make bench, or: .venv/bin/python bench/poll.py [--feeds 2000]
"""

import argparse
import asyncio
import contextlib
import multiprocessing
import resource
import time
from collections.abc import Iterator, Sequence
from multiprocessing.synchronize import Event
from typing import Any

import uvloop

from common import figure, fresh_database, two_workers
from scoop.model import SourceSettings
from scoop.store import db, sources

HOSTS = 200
ITEMS = 10
PORT = 8799
WORDS = "the council said on Tuesday that the old bridge will stay closed until every cable has been checked twice " * 6


def feed(number: int) -> bytes:
    items = "".join(
        f"<item><title>Bridge {number} {item}</title><link>http://h{number % HOSTS}.example/{number}/{item}</link>"
        f"<guid>{number}-{item}</guid><pubDate>Mon, 16 Nov 2026 0{item}:00:00 GMT</pubDate>"
        f"<description>{WORDS}</description></item>"
        for item in range(ITEMS)
    )
    return f'<rss version="2.0"><channel><title>Feed {number}</title><link>http://x.example/</link>{items}</channel></rss>'.encode()


def answer(body: bytes, content_type: str, etag: str) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nETag: {etag}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def answers(count: int) -> dict[bytes, tuple[bytes, bytes]]:
    """By path, the full response and the one to a request with a matching ETag."""
    rules = answer(b"User-agent: *\nAllow: /\n", "text/plain", '"rules"')
    feeds = ((number, answer(feed(number), "application/rss+xml", f'"{number}"')) for number in range(count))
    unchanged = 'HTTP/1.1 304 Not Modified\r\nETag: "{}"\r\n\r\n'
    return {b"/robots.txt": (rules, rules)} | {
        f"/feed/{number}".encode(): (whole, unchanged.format(number).encode()) for number, whole in feeds
    }


class Site(asyncio.Protocol):
    """HTTP/1.1 with prepared responses: it shares the cores with the workers, so it does as little as possible."""

    def __init__(self, answer_by_path: dict[bytes, tuple[bytes, bytes]]) -> None:
        self._answer_by_path = answer_by_path
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport

    def data_received(self, data: bytes) -> None:
        *requests, self._received = (self._received + data).split(b"\r\n\r\n")
        for request in requests:
            path = request.split(b" ", 2)[1]
            whole, unchanged = self._answer_by_path[path]
            is_match = b'\r\nif-none-match: "%s"' % path.rpartition(b"/")[2] in request.lower()
            self._transport.write(unchanged if is_match else whole)


async def serve(count: int, ready: Event) -> None:
    answer_by_path = answers(count)
    site = await asyncio.get_running_loop().create_server(lambda: Site(answer_by_path), "127.0.0.1", PORT)
    ready.set()
    await site.serve_forever()


def serving(count: int, ready: Event) -> None:
    uvloop.run(serve(count, ready))


async def add(database: db.Database, count: int) -> None:
    async with database.connection() as conn, conn.transaction():
        for number in range(count):
            await sources.put(
                conn,
                SourceSettings(
                    slug=f"feed_{number}",
                    name=f"Feed {number}",
                    kind="rss",
                    collection="bench",
                    base_url=f"http://h{number % HOSTS}.example/feed/{number}",
                    options={"connect_to": f"127.0.0.1:{PORT}"},
                ),
            )
        await conn.execute("UPDATE sources SET next_visit_at = now() + interval '1 day'")


async def poll(database: db.Database, slugs: Sequence[str]) -> float:
    """Seconds until the workers have fetched these sources."""
    async with database.connection() as conn:
        ids = await sources.list_ids(conn, slugs)
        began = time.perf_counter()
        await sources.enqueue_now(conn, ids, force=False)
        while await sources.count_pending(conn, ids):
            await asyncio.sleep(0.05)
    return time.perf_counter() - began


@contextlib.contextmanager
def sites(count: int) -> Iterator[None]:
    spawn = multiprocessing.get_context("spawn")
    ready = spawn.Event()
    server = spawn.Process(target=serving, args=(count, ready), daemon=True)
    server.start()
    try:
        assert ready.wait(timeout=30), f"the server did not start; is port {PORT} in use?"
        yield
    finally:
        server.terminate()


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--feeds", type=int, default=2_000)
    count = parser.parse_args().feeds
    slugs = [f"feed_{number}" for number in range(count)]
    async with fresh_database() as (folder, database):
        await add(database, count + 2)
        with sites(count + 2), two_workers(folder / "home", "ingest"):
            await poll(database, [f"feed_{count}", f"feed_{count + 1}"])  # waits until the workers are running
            figure("poll, cold", count / await poll(database, slugs), "feeds/s", items=count * ITEMS)
            figure("poll, not modified", count / await poll(database, slugs), "feeds/s")
        figure("poll, memory", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, "MiB")
        async with database.connection() as conn:
            arrived = await conn.fetchval("SELECT count(*) FROM raw_arrivals")
        assert arrived == (count + 2) * ITEMS, f"{arrived} of {(count + 2) * ITEMS} items arrived"


if __name__ == "__main__":
    asyncio.run(main())
