from builders import an_item, ingest
from scoop.stages import push
from scoop.store import arrivals, runs


async def kept_lines(database):
    async with database.connection() as conn:
        return sorted(refusal.line for refusal in await arrivals.list_refusals(conn, limit=1000))


async def test_a_file_of_many_refused_items_keeps_the_first_rows_and_counts_all(database, monkeypatch):
    monkeypatch.setattr(push, "KEPT_REFUSALS", 10)
    result = await ingest(database, [an_item(1), *[{"nope": number} for number in range(100)], an_item(2)])
    assert (result.items, result.new, result.refused) == (102, 2, 100)
    assert result.problem == "only 10 of 100 refused items are kept; correct these and push again"
    assert await kept_lines(database) == list(range(2, 12))
    async with database.connection() as conn:
        [run] = await runs.latest(conn)
    assert (run.items_failed, run.error_message, run.status) == (100, result.problem, "partial")


async def test_refused_items_are_kept_up_to_a_number_of_bytes(database, monkeypatch):
    monkeypatch.setattr(push, "KEPT_REFUSED_BYTES", 100_000)
    result = await ingest(database, [{"nope": "x" * 30_000} for _ in range(10)])
    assert (result.items, result.refused) == (10, 10)
    assert await kept_lines(database) == [1, 2, 3]
