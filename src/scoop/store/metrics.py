"""Metrics of the whole desk: processes add their counts to a table, which outlives them."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress

from scoop.core.prometheus_text import Sample
from scoop.errors import DatabaseUnavailable
from scoop.metrics import CURATOR_MEMORY, recording
from scoop.metrics.recording import Gauge, Series
from scoop.store import db
from scoop.store.db import Connection, Database

SQL = db.blocks(__name__)
FLUSH_SECONDS = 5.0  # what a process counted since is lost if it is killed
MAX_ROWS = 1_500  # of a name: all series of a histogram that one process may have, each with 14 buckets


@asynccontextmanager
async def flushing(database: Database) -> AsyncIterator[None]:
    """Write what this process counts to the database every few seconds, and at the end."""
    stop = asyncio.Event()
    task = asyncio.create_task(_flush_until(stop, database))
    try:
        yield
    finally:
        stop.set()  # not cancelled: nobody would know whether a write that is cut short was committed
        await task


async def _flush_until(stop: asyncio.Event, database: Database) -> None:
    while not stop.is_set():
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), FLUSH_SECONDS)
        try:
            await flush(database)
        except (DatabaseUnavailable, *db.GONE, db.ServerError) as error:
            import structlog  # slow to import, and every command flushes

            structlog.get_logger().debug("metrics not written", error=str(error) or type(error).__name__)


async def list_samples(conn: Connection) -> list[Sample]:
    """What all processes have counted, and the states that the database knows."""
    return [Sample(**row) for row in await conn.fetch(SQL["samples"])]


async def count_today(conn: Connection, names: Sequence[str]) -> dict[str, float]:
    """What was counted since midnight in California, by name and over all labels."""
    return {row["name"]: row["count"] for row in await conn.fetch(SQL["count_today"], names)}


async def measure_memory(conn: Connection) -> None:
    """Store how many articles each curator remembers: counting a million for every scrape would take too long."""
    rows = await conn.fetch(SQL["memory"])
    measured = [({"curator": row["curator"], "state": row["state"]}, row["articles"]) for row in rows]
    await set_gauge(conn, CURATOR_MEMORY, measured)


async def set_gauge(conn: Connection, gauge: Gauge, measured: Sequence[tuple[Mapping[str, str], float]]) -> None:
    """Replace all numbers of a gauge, each with its labels."""
    labels = [dict(gauge.bounded(each)) for each, _ in measured]
    await conn.execute(SQL["set_gauges"], gauge.name, labels, [value for _, value in measured])


async def flush(database: Database) -> None:
    """Write what this process counted since the last time.

    Counts are kept while the database is away. If the connection breaks during the write, they are lost: the server may
    have committed them, and a count that is too low is better than one that is too high for ever.
    """
    if not (taken := recording.take()):
        return
    try:
        async with database.connection(waits=False) as conn:
            await _add(conn, taken)
    except (*db.GONE, *db.SHUTTING_DOWN):
        raise
    except (DatabaseUnavailable, db.ServerError):
        recording.give_back(taken)
        raise


async def _add(conn: Connection, taken: dict[Series, float]) -> None:
    labels = [dict(series_labels) for _, series_labels in taken]
    others = [{name: value if name == "le" else recording.OTHER for name, value in each.items()} for each in labels]
    await conn.execute(SQL["add"], [name for name, _ in taken], labels, others, list(taken.values()), MAX_ROWS)
