"""Metrics: what processes count is added up in the database."""

import pytest

from scoop import metrics
from scoop.errors import DatabaseUnavailable
from scoop.metrics import recording
from scoop.store import metrics as store
from web.visitor import disconnect


@pytest.fixture(autouse=True)
def _nothing_counted():
    """Nothing counted before a test or after it: a full metric counts the codes of later tests as others."""
    _forget()
    yield
    _forget()


def _forget():
    recording.take()
    for metric in metrics.METRICS:
        metric.seen.clear()


async def rows(database, name=None):
    async with database.connection() as conn:
        found = await conn.fetch("SELECT name, labels, value FROM metrics ORDER BY name, labels")
    return {(row["name"], *row["labels"].values()): row["value"] for row in found if name in (None, row["name"])}


async def samples(database, name):
    async with database.connection() as conn:
        families = {family.name: family for family in metrics.families(await store.list_samples(conn))}
    return [(sample.name.removeprefix(name), sample.labels, sample.value) for sample in families[name].samples]


async def test_counts_of_several_flushes_add_up(database):
    for _ in range(2):
        metrics.FIRESTORE_READS.add(3, collection="notified_articles")
        metrics.FIRESTORE_LATENCY.observe(0.2, operation="get_all")
        await store.flush(database)
    assert await rows(database) == {
        ("firestore_latency_seconds_bucket", "0.25", "get_all"): 2,
        ("firestore_latency_seconds_sum", "get_all"): 0.4,
        ("firestore_reads_total", "notified_articles"): 6,
    }


async def test_the_buckets_of_a_histogram_are_cumulative(database):
    for seconds in (0.001, 0.2, 0.25, 61.0):
        metrics.FIRESTORE_LATENCY.observe(seconds, operation="get_all")
    await store.flush(database)
    found = await samples(database, "firestore_latency_seconds")
    counts = {labels["le"]: value for kind, labels, value in found if kind == "_bucket"}
    assert list(counts.values()) == sorted(counts.values())
    assert (counts["0.005"], counts["0.1"], counts["0.25"], counts["60"], counts["+Inf"]) == (1, 1, 3, 3, 4)
    assert found[-1] == ("_count", {"operation": "get_all"}, 4)
    assert found[-2][2] == pytest.approx(61.451)


async def test_a_hostile_server_cannot_add_series_without_end(database):
    for code in ("x" * 10_000, "a\nb", "", *map(str, range(500))):
        metrics.FIRESTORE_ERRORS.add(code=code)
    await store.flush(database)
    found = await rows(database)
    assert len(found) <= recording.MAX_SERIES + 1
    assert found["firestore_errors_total", recording.OTHER] == 503 - recording.MAX_SERIES + 1
    assert sum(found.values()) == 503


async def test_many_processes_together_cannot_either(database, monkeypatch):
    monkeypatch.setattr(store, "MAX_ROWS", 10)
    for process in range(5):
        metrics.FIRESTORE_ERRORS.seen.clear()  # as another process begins
        for code in range(8):
            metrics.FIRESTORE_ERRORS.add(code=f"{process} {code}")
        await store.flush(database)
    found = await rows(database)
    assert len(found) == 17  # 8, then 8 more as the limit was not reached, and `other`
    assert sum(found.values()) == 40


async def test_counts_are_kept_while_the_database_is_away(database):
    metrics.FIRESTORE_READS.add(2, collection="notified_articles")
    await disconnect(database)
    with pytest.raises(DatabaseUnavailable):
        await store.flush(database)
    metrics.FIRESTORE_READS.add(1, collection="notified_articles")
    assert recording.take() == {("firestore_reads_total", (("collection", "notified_articles"),)): 3}


async def test_counts_that_may_have_been_committed_are_not_counted_twice(database):
    metrics.FIRESTORE_READS.add(2, collection="notified_articles")
    async with database.connection() as conn:
        await conn.execute("ALTER TABLE metrics ADD CHECK (pg_terminate_backend(pg_backend_pid()))")
    with pytest.raises(store.db.SHUTTING_DOWN):
        await store.flush(database)
    assert recording.take() == {}


async def test_the_day_of_a_quota_begins_at_midnight_in_california(database):
    metrics.FIRESTORE_READS.add(5, collection="notified_articles")
    await store.flush(database)
    async with database.connection() as conn:
        await conn.execute("UPDATE metrics SET day = day - 1")
    metrics.FIRESTORE_READS.add(2, collection="notified_articles")
    await store.flush(database)
    async with database.connection() as conn:
        row = await conn.fetchrow(
            "SELECT value, day_value, day = (now() AT TIME ZONE 'America/Los_Angeles')::date AS is_today FROM metrics"
        )
    assert tuple(row) == (7, 2, True)


async def test_wrong_labels_are_an_error_of_the_program():
    with pytest.raises((KeyError, ValueError)):
        metrics.FIRESTORE_READS.add(operation="get_all")
    with pytest.raises(ValueError, match="has the labels collection"):
        metrics.FIRESTORE_READS.add(collection="notified_articles", operation="get_all")
