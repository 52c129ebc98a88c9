"""Documents and their embeddings, through the real stage, a real database and a real server on the loopback address."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta

import msgspec
import pytest
from starlette.requests import Request
from starlette.responses import Response

from builders import an_item, ingest
from scoop import worker
from scoop.cli.progress import Silent
from scoop.embedders.openai import OpenAI
from scoop.errors import Retry
from scoop.fetch.client import Client, open_client
from scoop.newsstand.sites import embeddings as face
from scoop.serve import serving
from scoop.stages import dedup, embed, normalize
from scoop.stages.embed import Backfilled
from scoop.stages.stage import Worker
from scoop.store import embeddings, work
from scoop.store.db import Database
from scoop.store.work import Subject

SAME_TEXT = {"title": "Bridge closed", "body_text": "Until Tuesday."}


@dataclass
class Office:
    """A desk with an embedding server: it makes toy vectors, notes what it was asked, and fails when it is told to."""

    database: Database
    client: Client
    address: str = ""
    asked: list[str] = field(default_factory=list)
    dimensions: int = face.DIMENSIONS
    refuses: str | None = None  # a word in a text
    answers: int = 1_000_000  # before it dies

    async def __call__(self, scope, receive, send) -> None:
        texts = msgspec.json.decode(await Request(scope, receive).body())["texts"]
        self.answers -= 1
        if self.answers < 0:
            return await Response(status_code=502)(scope, receive, send)
        if self.refuses and any(self.refuses in text for text in texts):
            return await Response(status_code=400)(scope, receive, send)
        self.asked.extend(texts)
        made = [face.vector(text, self.dimensions) for text in texts]
        return await Response(msgspec.json.encode({"embeddings": made}))(scope, receive, send)

    def embedder(self, model: str = "toy") -> OpenAI:
        return OpenAI(OpenAI.Options(base_url=f"{self.address}/embed", model=model), self.client)

    async def read(self, *items) -> None:
        """Take items in, up to documents that wait to be embedded."""
        await ingest(self.database, items)
        await self._drain(normalize.stage(then=("dedup",)))
        await self._drain(dedup.stage(then=("embed",)))

    async def run(self, model: str = "toy") -> None:
        await self._drain(embed.stage(self.embedder(model), then=("link",)))

    async def _drain(self, stage) -> None:
        async with self.database.connection() as conn:
            member = Worker(await work.register_worker(conn), conn)
            await worker.drain(stage, member, stop=asyncio.Event(), report=Silent())

    async def rows(self, query: str, *values) -> list[dict]:
        async with self.database.connection() as conn:
            return [dict(row) for row in await conn.fetch(query, *values)]

    async def value(self, query: str, *values):
        async with self.database.connection() as conn:
            return await conn.fetchval(query, *values)

    async def backfill(self, model: str = "toy", *, batch: int = 32) -> Backfilled:
        return await embed.backfill(
            self.embedder(model), self.database, batch=batch, stop=asyncio.Event(), progress=lambda _count: None
        )


@asynccontextmanager
async def open_office(database: Database) -> AsyncIterator[Office]:
    async with open_client() as client:
        office = Office(database=database, client=client)
        async with serving(office) as address:
            office.address = address
            yield office


@pytest.fixture
async def office(database):
    async with open_office(database) as opened:
        yield opened


async def test_a_document_gets_the_embedding_of_its_title_and_lead(office):
    await office.read(an_item(1, title="Bridge closed", body_text="Until Tuesday.", metadata={"collection": "ai_news"}))
    await office.run()
    (row,) = await office.rows(
        "SELECT model_name, model_version, service_endpoint, collection, embedding::text, latency_ms >= 0 AS is_timed,"
        " document_embeddings.seen_at = documents.seen_at AS is_dated"
        " FROM document_embeddings JOIN documents USING (document_id, collection)"
    )
    assert office.asked == ["Bridge closed. Until Tuesday."]
    assert msgspec.json.decode(row.pop("embedding")) == pytest.approx(face.vector(*office.asked), abs=1e-6)
    assert row == {
        "model_name": "toy",
        "model_version": "v1+lead400",
        "service_endpoint": f"{office.address}/embed",
        "collection": "ai_news",
        "is_timed": True,
        "is_dated": True,
    }
    assert await office.rows("SELECT stage, lane FROM work") == [{"stage": "link", "lane": "ai_news"}]


async def test_a_document_is_embedded_anew_only_when_what_is_embedded_has_changed(office):
    await office.read(an_item(1, **SAME_TEXT), an_item(2, title="Ferry sails"))
    await office.run()
    await office.read(an_item(1, **SAME_TEXT, tags=["bridges"]), an_item(2, title="Ferry sinks"))
    await office.run()
    assert [text.partition(".")[0] for text in office.asked] == ["Bridge closed", "Ferry sails", "Ferry sinks"]
    assert await office.value("SELECT count(*) FROM document_embeddings") == 2
    assert await office.value("SELECT count(*) FROM work WHERE stage = 'link'") == 2


async def test_a_corrected_date_reaches_the_embedding_though_the_text_stays(office):
    await office.read(an_item(1, published_at="2026-11-14T12:00:00Z"))
    await office.run()
    await office.read(an_item(1, published_at="2026-11-10T12:00:00Z"))
    await office.run()
    assert len(office.asked) == 1
    assert (await office.value("SELECT seen_at FROM document_embeddings")).day == 10


async def test_two_models_live_side_by_side_and_the_first_decides(office):
    await office.read(an_item(1), an_item(2))
    await office.run("toy")
    office.dimensions = 32
    await office.backfill("other")
    async with office.database.connection() as conn:
        found = [(m.model_name, m.dimensions, m.documents, m.is_active) for m in await embeddings.list_models(conn)]
    assert found == [("toy", 64, 2, True), ("other", 32, 2, False)]


async def test_vectors_of_another_dimension_under_the_same_name_are_refused_and_nothing_is_stored(office):
    await office.read(an_item(1))
    await office.run()
    office.dimensions = 32
    await office.read(an_item(2), an_item(3))
    await office.run()
    assert await office.value("SELECT count(*) FROM document_embeddings") == 1
    (error,) = {row["error"] for row in await office.rows("SELECT error FROM work WHERE stage = 'embed'")}
    assert "has 64 dimensions, and its embedder now gives 32" in error


async def test_a_server_that_dies_in_the_middle_loses_nothing(office):
    await office.read(*(an_item(number) for number in range(100)))
    office.answers = 2
    await office.run()
    assert await office.value("SELECT count(*) FROM document_embeddings") == 64
    assert await office.value("SELECT count(*) FROM work WHERE stage = 'embed' AND state = 'waiting'") == 36
    office.answers = 100
    await office.value("UPDATE work SET due_at = now()")
    await office.run()
    assert await office.value("SELECT count(*) FROM document_embeddings") == 100
    assert await office.value("SELECT count(*) FROM work WHERE stage = 'embed'") == 0


async def test_a_server_that_is_away_is_asked_once_for_a_batch_and_never_given_up(office):
    await office.read(*(an_item(number) for number in range(32)))
    office.answers = 0
    for _ in range(8):
        await office.value("UPDATE work SET due_at = now()")
        await office.run()
    assert office.answers == -8
    assert await office.rows("SELECT DISTINCT state::text, attempts FROM work") == [{"state": "waiting", "attempts": 8}]


async def test_a_text_that_the_server_refuses_holds_up_no_other(office):
    await office.read(*(an_item(number, title=f"Bridge b{number:02} closed") for number in range(10)))
    office.refuses = "b07"
    await office.run()
    assert await office.value("SELECT count(*) FROM document_embeddings") == 9
    assert await office.value("SELECT count(*) FROM work WHERE stage = 'embed' AND error LIKE '%answered 400'") == 1


async def test_a_document_that_is_no_more_is_passed_over(office):
    async with office.database.connection() as conn:
        await work.enqueue(conn, "embed", [Subject(4711)])
    await office.run()
    assert await office.rows("SELECT * FROM work") == []


async def test_a_collection_gets_its_index_when_it_has_become_large(office, monkeypatch):
    monkeypatch.setattr(embeddings, "INDEX_AT", 40)
    large, small = {"collection": "ai_news"}, {"collection": "world_news"}
    items = [an_item(number, metadata=small if number % 4 == 0 else large) for number in range(64)]
    indexes = "SELECT indexdef FROM pg_indexes WHERE indexname LIKE 'idx_embeddings_hnsw%'"
    await office.read(*items[:32])
    await office.run()
    assert await office.rows(indexes) == []
    await office.read(*items[32:])
    await office.run()
    (index,) = await office.rows(indexes)
    assert "'ai_news'" in index["indexdef"]
    assert "halfvec(64)" in index["indexdef"]


async def test_one_that_grows_in_small_steps_is_counted_only_when_it_may_be_large_enough(office, monkeypatch):
    monkeypatch.setattr(embeddings, "INDEX_AT", 40)
    step = embed.stage(office.embedder(), then=())
    for number in range(5):
        await office.read(*(an_item(number * 10 + each) for each in range(10)))
        await office._drain(step)
    made = await office.value("SELECT count(*) FROM pg_indexes WHERE indexname LIKE 'idx_embeddings_hnsw%'")
    assert made == 1


# The backfill


async def test_a_backfill_embeds_what_lacks_it_and_a_second_one_nothing(office):
    await office.read(*(an_item(number) for number in range(5)))
    first, second = await office.backfill(batch=2), await office.backfill(batch=2)
    assert (first.embedded, first.is_complete) == (5, True)
    assert (second.embedded, second.is_complete) == (0, True)
    assert len(office.asked) == 5


async def test_a_backfill_that_was_stopped_goes_on_where_it_was(office):
    await office.read(*(an_item(number) for number in range(5)))
    stop = asyncio.Event()
    stopped = await embed.backfill(
        office.embedder(), office.database, batch=2, stop=stop, progress=lambda _count: stop.set()
    )
    assert (stopped.embedded, stopped.is_complete) == (2, False)
    assert (await office.backfill()).embedded == 3


async def test_a_backfill_embeds_anew_what_changed_under_another_model(office):
    await office.read(an_item(1, title="Ferry sails"))
    await office.backfill("other")
    await office.read(an_item(1, title="Ferry sinks"))
    await office.run("toy")
    await office.backfill("other")
    hashes = await office.rows("SELECT DISTINCT text_hash FROM document_embeddings")
    assert len(hashes) == 1


async def test_a_backfill_tells_which_document_the_server_refuses(office):
    await office.read(*(an_item(number, title=f"Bridge b{number} closed") for number in range(5)))
    office.refuses = "b3"
    done = await office.backfill()
    assert (done.embedded, len(done.failures), done.is_complete) == (4, 1, False)


async def test_a_backfill_waits_a_little_for_its_server_and_then_says_what_to_do(office, monkeypatch):
    monkeypatch.setattr(embed, "LONGEST_PAUSE", timedelta())
    await office.read(*(an_item(number) for number in range(5)))
    office.answers = 1
    with pytest.raises(Retry, match="answered 502; finished embeddings are kept: run the command again to continue"):
        await office.backfill(batch=3)
    assert await office.value("SELECT count(*) FROM document_embeddings") == 3


async def test_a_model_that_becomes_active_has_all_documents_judged_anew(office):
    await office.read(an_item(1), an_item(2, metadata={"collection": "ai_news"}))
    await office.run("toy")
    await office.backfill("other")
    await office.value("DELETE FROM work")
    async with office.database.connection() as conn:
        await embed.activate(conn, "other", "v1+lead400")
        assert (await embeddings.find_active(conn)).model_name == "other"
    queued = await office.rows("SELECT stage, lane FROM work ORDER BY lane")
    assert queued == [{"stage": "link", "lane": "ai_news"}, {"stage": "link", "lane": "world_news"}]
