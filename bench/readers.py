"""Success rate and latency for many readers while items are ingested, and the memory of the server.

python bench/readers.py                                         300 readers for 60 seconds, 50,000 items
python bench/readers.py --readers 50 --seconds 20 --items 5000
"""

import argparse
import asyncio
import itertools
import json
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import uvloop

from common import figure, fresh_database, run, two_workers
from pipeline import STAGES, items
from scoop.store import work
from server_process import a_key, memory, server

PATHS = ("/", "/days/2026-11-14", "/api/v1/stories?limit=50", "/api/v1/stories?limit=50&collection=bench", "/runs")
WARM_ITEMS = 2_000
REST_SECONDS = 10  # before memory is measured again
REQUEST_SECONDS = 60.0


@dataclass(slots=True)
class Readings:
    """The responses to all readers."""

    latencies: list[float] = field(default_factory=list)
    waits_for_refusal: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    without_retry_after: int = 0

    def add(self, status: int, seconds: float, retry_after: float | None) -> None:
        self.statuses[status] += 1
        self.without_retry_after += status == 503 and retry_after is None
        (self.latencies if 200 <= status < 300 else self.waits_for_refusal).append(seconds)


class Reader:
    """A client with one keep-alive connection, reopened when the server closes it."""

    def __init__(self, url: str, key: str) -> None:
        self.host, self.port = urlsplit(url).hostname, urlsplit(url).port
        self.headers = f"Host: {self.host}:{self.port}\r\nAuthorization: Bearer {key}\r\n\r\n"
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def get(self, path: str) -> tuple[int, float | None]:
        """Status and Retry-After of a response; the status is 0 if there was none."""
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                return await self._get(path)
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            self.close()
            return 0, None

    async def _get(self, path: str) -> tuple[int, float | None]:
        self.streams = self.streams or await asyncio.open_connection(self.host, self.port)
        reader, writer = self.streams
        writer.write(f"GET {path} HTTP/1.1\r\n{self.headers}".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = re.search(r"\r\ncontent-length: (\d+)", head)
        await reader.readexactly(int(length[1]) if length else 0)
        if "\r\nconnection: close" in head:
            self.close()
        retry_after = re.search(r"\r\nretry-after: (\d+)", head)
        return int(head.split(" ", 2)[1]), float(retry_after[1]) if retry_after else None

    def close(self) -> None:
        if self.streams:
            self.streams[1].close()
        self.streams = None


async def read(url: str, key: str, readings: Readings, *, until: float) -> None:
    """Request one page after the other; pause only if the server asks for it."""
    reader = Reader(url, key)
    for path in itertools.cycle(random.sample(PATHS, len(PATHS))):
        began = time.perf_counter()
        if began >= until:
            break
        status, retry_after = await reader.get(path)
        readings.add(status, time.perf_counter() - began, retry_after)
        if status in {0, 503}:
            await asyncio.sleep((retry_after or 0.1) * random.uniform(1, 1.5))
    reader.close()


@contextmanager
def ingesting(home: Path, path: Path) -> Iterator[None]:
    """Run a process that ingests a file, and two workers."""
    with two_workers(home, *STAGES):
        command = [sys.executable, "-m", "scoop", "ingest", "--items", str(path)]
        process = subprocess.Popen(command, env=environment(home), stdout=subprocess.DEVNULL)
        try:
            yield
        finally:
            process.kill()
            process.wait()


def environment(home: Path) -> dict[str, str]:
    return {**os.environ, "SCOOP_HOME": str(home), "SCOOP_LOG_LEVEL": "error"}


def write(path: Path, count: int, *, start: int) -> None:
    with open(path, "w") as file:
        file.writelines(json.dumps(item) + "\n" for item in items(count, start=start))


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else 0.0


def report(readings: Readings, *, readers: int, seconds: int) -> None:
    total = readings.statuses.total()
    other = sum(count for status, count in readings.statuses.items() if status >= 500 and status != 503)
    figure("requests", total / seconds, "requests/s", readers=readers, statuses=dict(readings.statuses))
    figure(
        "answered", len(readings.latencies) / total, "share of requests", per_second=len(readings.latencies) / seconds
    )
    figure("503", readings.statuses[503] / total, "share of requests", without_retry_after=readings.without_retry_after)
    figure("other 5xx", other / total, "share of requests")
    figure("no response", readings.statuses[0] / total, "share of requests")
    figure("p50 of responses", percentile(readings.latencies, 0.5), "s")
    figure("p99 of responses", percentile(readings.latencies, 0.99), "s")
    figure("p99 of refusals", percentile(readings.waits_for_refusal, 0.99), "s")


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--readers", type=int, default=300)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--items", type=int, default=50_000)
    options = parser.parse_args()
    async with fresh_database() as (folder, database):
        home = folder / "home"
        write(folder / "warm.ndjson", WARM_ITEMS, start=50_000_000)
        write(folder / "items.ndjson", options.items, start=0)
        run(home, "ingest", "--items", str(folder / "warm.ndjson"))
        for stage in STAGES:
            run(home, stage)
        key = await a_key(database)
        async with server(home) as (url, pid):
            for path in PATHS:
                await Reader(url, key).get(path)
            figure("memory before", memory(pid, "VmRSS"), "MiB")
            readings = Readings()
            with ingesting(home, folder / "items.ndjson"):
                until = time.perf_counter() + options.seconds
                await asyncio.gather(*(read(url, key, readings, until=until) for _ in range(options.readers)))
                async with database.connection() as conn:
                    figure("items still being processed", await work.is_busy(conn, STAGES), "0 or 1")
            report(readings, readers=options.readers, seconds=options.seconds)
            figure("memory at its peak", memory(pid, "VmHWM"), "MiB")
            await asyncio.sleep(REST_SECONDS)
            figure("memory after", memory(pid, "VmRSS"), "MiB")


if __name__ == "__main__":
    uvloop.run(main())
