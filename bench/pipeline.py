"""Throughput of the pipeline from a file of items to stories; figures as JSON lines.

It runs twice: with all rules that need no embedding, and with the exact rules alone.

python bench/pipeline.py                      100,000 items, the shares of bare COPY, growth to 1,000,000
python bench/pipeline.py --items 20000 --grow-to 0
python bench/pipeline.py --items 0 --grow-to 0 --crowd 20000      one notice under 20,000 titles, alone
"""

import argparse
import asyncio
import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from common import figure, fresh_database, run, two_exact_workers, two_workers
from scoop.stage_names import StageName
from scoop.stages.push import push
from scoop.store import arrivals, db, work

WORDS = """
    the of minister bridge said tuesday market engineers report river company model price rises falls new data after
    before when which city world energy power plan law court first second third launch team game final match vote party
    leader people water storm coast rail line open closed harbour council budget school hospital research found study
    early late station border tariff export import growth inflation bank rate loan housing rent wage strike union talks
""".split()  # noqa: SIM905
BODY_WORDS = 190  # about 1,200 characters, the length of a wire report
MARKS = (10_000, 100_000, 300_000, 1_000_000)  # sizes at which the cost per document is measured
STEP = 20_000  # documents of one such measurement
STAGES = (StageName.NORMALIZE, StageName.DEDUP)  # the others need an embedding model: bench/stories.py
COPIES = 0.15  # share of items that repeat an earlier text under another URL
RELINKS = 0.10  # share of items that point at an earlier URL
MakeItems = Callable[..., Iterator[dict[str, Any]]]
WORKERS = {"all rules": two_workers, "exact rules alone": two_exact_workers}


def items(count: int, *, start: int = 0) -> Iterator[dict[str, Any]]:
    """Synthetic items: most are new, some copy or link to an earlier one."""
    chance = random.Random(start)
    for number in range(start, start + count):
        text_of = number if chance.random() > COPIES else max(start, number - chance.randrange(1, 5000))
        link_to = number if chance.random() > RELINKS else max(start, number - chance.randrange(1, 5000))
        words = random.Random(text_of).choices(WORDS, k=BODY_WORDS + 9)
        yield {
            "payload_version": "v1",
            "source": f"source{number % 97}",
            "source_item_id": f"item-{number}",
            "title": " ".join(words[:9]).capitalize() + f" {text_of}",
            "canonical_url": f"https://host{link_to % 997}.example/2026/11/{link_to}?utm_source=feed",
            "published_at": f"2026-11-{1 + number % 14:02}T{number % 24:02}:{number % 60:02}:00Z",
            "body_text": " ".join(words[9:]) + ".",
            "language": "en",
            "source_metadata": {
                "collection": "bench",
                "job_name": "bench",
                "job_run_id": "1",
                "scraped_at": "2026-11-15T00:00:00Z",
            },
        }


def walled(count: int, *, start: int = 0) -> Iterator[dict[str, Any]]:
    """The same items behind one notice: every text is that of the first item."""
    notice = next(items(1))["body_text"]
    for item in items(count, start=start):
        host = f"host{item['source_item_id']}.example"
        yield item | {"body_text": notice, "canonical_url": f"https://{host}/", "source": host}


def write(path: Path, count: int, *, start: int = 0, make: MakeItems = items) -> None:
    with open(path, "w") as file:
        file.writelines(json.dumps(item) + "\n" for item in make(count, start=start))


async def bare_copy(database: db.Database, count: int) -> float:
    """Rows a second of a plain COPY of the same ledger rows into a table without any index."""
    async with database.connection() as conn:
        await conn.execute(
            "DROP TABLE IF EXISTS bare; CREATE UNLOGGED TABLE bare AS SELECT * FROM raw_arrivals LIMIT 0"
        )
        await conn.execute("ALTER TABLE bare SET LOGGED")
        columns = arrivals.COLUMNS
        rows = [
            tuple(row)
            for row in await conn.fetch(
                f"SELECT {', '.join(columns)} FROM raw_arrivals ORDER BY raw_arrival_id LIMIT $1", count
            )
        ]
        began = time.perf_counter()
        await conn.copy_records_to_table("bare", records=rows, columns=columns)
        took = time.perf_counter() - began
        await conn.execute("DROP TABLE bare")
    return len(rows) / took


async def ingest(database: db.Database, path: Path) -> float:
    """Seconds to ingest the file."""
    began = time.perf_counter()
    with open(path, "rb") as stream:
        await push(database, stream, name=path.name, now=datetime.now(UTC), progress=lambda _count: None)
    return time.perf_counter() - began


def cpu_of(*arguments: str) -> float:
    """Seconds of CPU that a command takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "scoop", *arguments], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


async def stages(database: db.Database, path: Path, count: int) -> None:
    """Each stage by itself, in one process."""
    home = database.server.home  # type: ignore[attr-defined]
    took = await ingest(database, path)
    floor = await bare_copy(database, count)
    figure("bare COPY", floor, "rows/s")
    figure("ingest", count / took, "documents/s", share_of_bare_copy=round(count / took / floor, 3))
    for stage in STAGES:
        took = run(home, stage).seconds
        figure(stage, count / took, "documents/s", share_of_bare_copy=round(count / took / floor, 3))


async def run_pipeline(database: db.Database, path: Path) -> float:
    """Seconds from the start of the ingest until nothing is due."""
    began = time.perf_counter()
    run(database.server.home, "ingest", "--items", str(path))  # type: ignore[attr-defined]
    async with database.connection() as conn:
        while await work.is_busy(conn, STAGES):
            await asyncio.sleep(0.05)
    return time.perf_counter() - began


async def whole_pipeline(database: db.Database, folder: Path, count: int, *, rules: str) -> None:
    """One process ingests while two workers run the stages."""
    write(folder / "warm.ndjson", 1000, start=50_000_000)
    with WORKERS[rules](folder / "home", *STAGES):
        await run_pipeline(database, folder / "warm.ndjson")
        took = await run_pipeline(database, folder / "items.ndjson")
        figure("whole pipeline, two workers", count / took, "documents/s", rules=rules)


async def growth(database: db.Database, folder: Path, target: int, *, rules: str) -> None:
    """Cost per document at several sizes of the database, as a multiple of the first."""
    path, first, size = folder / "grow.ndjson", 0.0, 0
    with WORKERS[rules](folder / "home", *STAGES):
        for mark in (mark for mark in MARKS if mark <= target):
            write(path, mark - size, start=size)
            await run_pipeline(database, path)
            async with database.connection() as conn:
                await conn.execute("VACUUM ANALYZE")  # so that dead rows of the bulk do not slow the next step
            write(path, STEP, start=mark)
            cost = await run_pipeline(database, path) / STEP
            first, size = first or cost, mark + STEP
            figure(
                "cost per document", cost * 1e6, "µs", documents=mark, times_first=round(cost / first, 3), rules=rules
            )


async def crowd(count: int) -> None:
    """The cost of `dedup` per document if all have one text under different titles, as a multiple of ordinary ones."""
    costs: dict[str, float] = {}
    for name, make in {"ordinary texts": items, "one text under all titles": walled}.items():
        async with fresh_database() as (folder, database):
            write(folder / "items.ndjson", count, make=make)
            await ingest(database, folder / "items.ndjson")
            home = folder / "home"
            run(home, StageName.NORMALIZE)
            took, start_up = (run(home, StageName.DEDUP).seconds for _ in range(2))
        costs[name] = (took - start_up) / count * 1e6
        times = round(costs[name] / costs["ordinary texts"], 3)
        figure("dedup per document", costs[name], "µs", documents=count, texts=name, times_ordinary=times)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--grow-to", type=int, default=1_000_000)
    parser.add_argument("--crowd", type=int, default=20_000, help="documents with one text under different titles")
    options = parser.parse_args()
    figure("scoop --help", cpu_of("--help"), "CPU s")
    if options.crowd:
        await crowd(options.crowd)
    if options.items:
        await throughput(options.items)
    for rules in WORKERS if options.grow_to else ():
        async with fresh_database() as (folder, database):
            await growth(database, folder, options.grow_to, rules=rules)


async def throughput(count: int) -> None:
    """Each stage by itself, the whole pipeline, and the memory of ingest."""
    async with fresh_database() as (folder, database):
        write(folder / "items.ndjson", count)
        await stages(database, folder / "items.ndjson", count)
        figure("scoop stories, warm", run(folder / "home", "stories").seconds, "s")
    for rules in WORKERS:
        async with fresh_database() as (folder, database):
            write(folder / "items.ndjson", count)
            await whole_pipeline(database, folder, count, rules=rules)
    async with fresh_database() as (folder, _database):
        small, large = folder / "small.ndjson", folder / "items.ndjson"
        write(small, count // 10)
        write(large, count)
        low, high = (run(folder / "home", "ingest", "--items", str(path)).peak_mib for path in (small, large))
        figure("ingest memory", high, "MiB", times_of_a_tenth_of_the_file=round(high / low, 3))


if __name__ == "__main__":
    asyncio.run(main())
