"""Time from ingest until the stories of teasers are shown and until their pages are read, with some slow hosts.

Two worker processes fetch 40 feeds of the loopback with ten teasers each; four of the hosts take ten seconds a page.

make bench, or: .venv/bin/python bench/teasers.py [--hosts 40]
"""

import argparse
import asyncio
import contextlib
import multiprocessing
import statistics
from collections.abc import Iterator
from multiprocessing.synchronize import Event
from typing import Any

import uvloop

from common import figure, fresh_database, two_workers
from poll import WORDS, answer
from scoop.model import SourceSettings
from scoop.store import db, sources

ITEMS = 10
SLOW_ONE_IN = 10
SLOW_SECONDS = 10.0
PAGE_INTERVAL_MS = 1_000
PORT = 8798
# Seconds from the ledger to the story, and to the page, of each item.
TIMES = """
    SELECT split_part(source, '_', 2)::int AS host, extract(epoch FROM matched_at - arrived_at) AS shown,
        extract(epoch FROM pages.fetched_at - arrived_at) AS read
    FROM (SELECT *, raw_arrivals.created_at AS arrived_at FROM raw_arrivals) AS arrival
    LEFT JOIN pages USING (raw_arrival_id) LEFT JOIN documents USING (source, source_item_id, collection)
    LEFT JOIN story_members USING (document_id)
"""


def feed(host: int) -> bytes:
    items = "".join(
        f"<item><title>{_title(host, item)}</title><link>http://h{host}.example/page/{host}/{item}</link>"
        f"<guid>{host}-{item}</guid><description>The council of town {host} met.</description></item>"
        for item in range(ITEMS)
    )
    return f'<rss version="2.0"><channel><title>Feed {host}</title>{items}</channel></rss>'.encode()


def page(host: int, item: int) -> bytes:
    title = _title(host, item)
    text = "".join(f"<p>{title}, paragraph {number}: {WORDS}</p>" for number in range(4))
    body = f"<article><h1>{title}</h1>{text}</article>"
    return f"<html><head><title>{title}</title></head><body>{body}</body></html>".encode()


def _title(host: int, item: int) -> str:
    return f"Town {host} decides matter {item} of the year"


class Site(asyncio.Protocol):
    """Feeds at once, pages after the time that their host takes."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport
        self._received = b""

    def data_received(self, data: bytes) -> None:
        *requests, self._received = (self._received + data).split(b"\r\n\r\n")
        for request in requests:
            response, seconds = _response(request.split(b" ", 2)[1].decode())
            asyncio.get_running_loop().call_later(seconds, self._write, response)

    def _write(self, response: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(response)


def _response(path: str) -> tuple[bytes, float]:
    match path.split("/")[1:]:
        case ["feed", host]:
            return answer(feed(int(host)), "application/rss+xml", f'"{host}"'), 0.0
        case ["page", host, item]:
            seconds = SLOW_SECONDS if int(host) % SLOW_ONE_IN == 0 else 0.05
            return answer(page(int(host), int(item)), "text/html", f'"{host}-{item}"'), seconds
        case _:
            return answer(b"User-agent: *\nAllow: /\n", "text/plain", '"rules"'), 0.0


async def serve(ready: Event) -> None:
    site = await asyncio.get_running_loop().create_server(Site, "127.0.0.1", PORT)
    ready.set()
    await site.serve_forever()


def serving(ready: Event) -> None:
    uvloop.run(serve(ready))


@contextlib.contextmanager
def site() -> Iterator[None]:
    spawn = multiprocessing.get_context("spawn")
    ready = spawn.Event()
    server = spawn.Process(target=serving, args=(ready,), daemon=True)
    server.start()
    try:
        assert ready.wait(timeout=30), f"the server did not start; is port {PORT} in use?"
        yield
    finally:
        server.terminate()


async def add(database: db.Database, hosts: int) -> None:
    async with database.connection() as conn, conn.transaction():
        for host in range(hosts):
            await sources.put(
                conn,
                SourceSettings(
                    slug=f"host_{host}",
                    name=f"Host {host}",
                    kind="rss",
                    collection="bench",
                    base_url=f"http://h{host}.example/feed/{host}",
                    options={"connect_to": f"127.0.0.1:{PORT}"},
                    request_interval_ms=PAGE_INTERVAL_MS,
                ),
            )


async def wait_for_pages(database: db.Database, count: int) -> None:
    async with database.connection() as conn:
        while await conn.fetchval("SELECT count(*) FROM pages") < count or await conn.fetchval(
            "SELECT EXISTS (SELECT FROM work WHERE stage IN ('pages', 'normalize', 'dedup'))"
        ):
            await asyncio.sleep(0.25)


def report(name: str, seconds: list[float]) -> None:
    figure(f"{name}, median", statistics.median(seconds), "s", items=len(seconds))
    figure(f"{name}, p90", statistics.quantiles(seconds, n=10)[-1], "s")


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=40)
    hosts = parser.parse_args().hosts
    async with fresh_database() as (folder, database):
        await add(database, hosts)
        with site(), two_workers(folder / "home"):
            await wait_for_pages(database, hosts * ITEMS)
        async with database.connection() as conn:
            rows = [(row["host"], float(row["shown"]), float(row["read"])) for row in await conn.fetch(TIMES)]
    report("teaser shown", [shown for _, shown, _ in rows])
    report("page read", [read for _, _, read in rows])
    report("page read, quick hosts", [read for host, _, read in rows if host % SLOW_ONE_IN])


if __name__ == "__main__":
    asyncio.run(main())
