"""Computes the embeddings and signals by which documents are compared."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from scoop.core import embedding_text, hashes, signals
from scoop.core.signals import Signals
from scoop.embedders import BATCH, Embedder
from scoop.errors import FetchFailed, Retry
from scoop.stage_names import StageName
from scoop.stages import services
from scoop.stages import stage as stage_loop
from scoop.stages.services import ServiceStop
from scoop.stages.stage import Outcome, Stage
from scoop.store import embeddings, work
from scoop.store import signals as store
from scoop.store.db import Connection, Database
from scoop.store.embeddings import EmbeddableDocument, EmbeddingModel, VectorBatch
from scoop.store.work import Subject

TURNS = 8  # calls of the model before `link` and `group` run once for all of them
NEVER_GIVE_UP = 1_000_000  # attempts: a server that is down is not the documents' fault; the delay grows to a day
ABOUT_THE_TEXTS = frozenset({400, 413, 422, 500})  # statuses by which servers refuse one text
BACKFILL_RETRIES = 3  # of a batch while the server is down
LONGEST_PAUSE = timedelta(minutes=2)  # before such a retry


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedBatch:
    """The documents of a batch that are done, their signals, the new embeddings, and why there are none."""

    documents: Sequence[EmbeddableDocument]
    signals: Mapping[int, Signals]
    embedded: VectorBatch | None = None
    failure: Retry | None = None


@dataclass(frozen=True, slots=True)
class Embedding:
    """Embeds documents with one embedder; `room` is how many vectors each collection takes before it gets an index."""

    embedder: Embedder
    room: dict[str, int | None] = field(default_factory=dict)
    stop: ServiceStop = field(default_factory=ServiceStop)

    @property
    def model_name(self) -> str:
        return self.embedder.model.name

    @property
    def model_version(self) -> str:
        return embedding_text.with_recipe(self.embedder.model.version)

    async def load(self, conn: Connection, ids: Sequence[int]) -> list[EmbeddableDocument]:
        return await embeddings.load_documents(conn, self.model_name, self.model_version, ids)

    async def work(self, documents: Sequence[EmbeddableDocument]) -> Outcome[EmbeddedBatch]:
        """Embed new and changed texts. If the server is down they fail together, without a call for each."""
        texts = {
            document.document_id: embedding_text.embedding_text(document.title, document.body_text)
            for document in documents
        }
        hash_by_id = {document_id: hashes.sha256(text) for document_id, text in texts.items()}
        due = [document.document_id for document in documents if document.text_hash != hash_by_id[document.document_id]]
        if not due:
            return Outcome(output=_with_signals(documents))
        unchanged = [document for document in documents if document.document_id not in due]
        if stopped := self.stop.find(now=datetime.now(UTC)):
            return Outcome(output=_with_signals(unchanged), failures=dict.fromkeys(due, stopped))
        began = time.perf_counter()
        try:
            vectors = await self.embedder.embed([texts[document_id] for document_id in due])
        except FetchFailed as failed:
            if not _is_down(failed):
                raise
            self.stop.note(failed, now=datetime.now(UTC))
            return Outcome(output=_with_signals(unchanged, failure=failed), failures=dict.fromkeys(due, failed))
        embedded = VectorBatch(
            document_ids=due,
            text_hashes=[hash_by_id[document_id] for document_id in due],
            vectors=vectors,
            service_endpoint=self.embedder.endpoint,
            latency_ms=round((time.perf_counter() - began) * 1000),
        )
        return Outcome(output=_with_signals(documents, embedded))

    async def save(self, conn: Connection, made: EmbeddedBatch) -> list[Subject]:
        if made.embedded is not None:
            model = await embeddings.get_or_create(
                conn, self.model_name, self.model_version, dimensions=made.embedded.vectors.shape[1]
            )
            await embeddings.put(conn, model, made.embedded)
            await self._index(conn, model, Counter(document.collection for document in made.documents))
        if self.embedder.waits and (made.embedded or made.failure):
            await services.settle_alerts(conn, f"embedder {self.embedder.name}", made.failure)
        await store.put(conn, made.signals)
        await embeddings.update_dates(conn, [document.document_id for document in made.documents])
        return [Subject(document.document_id, document.collection) for document in made.documents]

    async def _index(self, conn: Connection, model: EmbeddingModel, grown_by: Mapping[str, int]) -> None:
        """Index the collections that have become large; count only those that may have."""
        for collection, count in grown_by.items():
            left = self.room.get(collection, 0)
            if left is not None:
                may_be_full = left <= count
                self.room[collection] = (
                    await embeddings.ensure_index(conn, model, collection) if may_be_full else left - count
                )


def _with_signals(
    documents: Sequence[EmbeddableDocument], embedded: VectorBatch | None = None, *, failure: Retry | None = None
) -> EmbeddedBatch:
    signals_by_id = {
        document.document_id: signals.extract(document.title, document.body_text) for document in documents
    }
    return EmbeddedBatch(documents=documents, signals=signals_by_id, embedded=embedded, failure=failure)


def _is_down(error: Exception) -> bool:
    """Whether the server can embed nothing at present, whatever the text."""
    return isinstance(error, FetchFailed) and error.status not in ABOUT_THE_TEXTS


def stage(embedder: Embedder, *, then: tuple[StageName, ...]) -> Stage[Any, Any]:
    embedding = Embedding(embedder)
    return Stage(
        name=StageName.EMBED,
        load=embedding.load,
        work=embedding.work,
        save=embedding.save,
        then=then,
        batch=BATCH,
        turns=TURNS,
        max_attempts=NEVER_GIVE_UP,
        waits=embedder.waits,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Backfilled:
    """The result of a backfill: how many documents were embedded, and which failed, with the reason."""

    model_name: str
    model_version: str
    embedded: int
    failures: Mapping[int, Exception]
    is_complete: bool


async def backfill(
    embedder: Embedder, database: Database, *, batch: int, stop: asyncio.Event, progress: Callable[[int], None]
) -> Backfilled:
    """Embed all documents that lack an embedding, committing each batch; `progress` gets the size of each."""
    embedding, after, embedded = Embedding(embedder), 0, 0
    failures: dict[int, Exception] = {}
    async with database.connection() as conn:
        while not stop.is_set():
            ids = await embeddings.list_outdated(
                conn, embedding.model_name, embedding.model_version, after=after, limit=batch
            )
            if not ids:
                break
            failed = await _embed_with_retries(embedding, conn, ids, stop=stop)
            failures |= failed
            embedded += len(ids) - len(failed)
            after = ids[-1]
            progress(len(ids))
    return Backfilled(
        model_name=embedding.model_name,
        model_version=embedding.model_version,
        embedded=embedded,
        failures=failures,
        is_complete=not stop.is_set() and not failures,
    )


async def _embed_with_retries(
    embedding: Embedding, conn: Connection, ids: Sequence[int], *, stop: asyncio.Event
) -> dict[int, Exception]:
    """Embed a batch, waiting for a server that is down; give the failures, or raise if all failed."""
    failures = await _attempt(embedding, conn, ids)
    for attempt in range(BACKFILL_RETRIES):
        down = next(filter(_is_down, failures.values()), None)
        if down is None or stop.is_set():
            break
        await _pause(stop, min(stage_loop.delay_after(attempt, down), LONGEST_PAUSE))
        failures = await _attempt(embedding, conn, ids)
    is_useless = any(map(_is_down, failures.values())) or len(failures) == len(ids) > 1
    if is_useless and not stop.is_set():
        error = next(iter(failures.values()))
        raise Retry(f"{error}; finished embeddings are kept: run the command again to continue") from error
    return failures


async def _attempt(embedding: Embedding, conn: Connection, ids: Sequence[int]) -> dict[int, Exception]:
    """Embed and store a batch; if it fails, one document at a time, so that only bad ones fail."""
    try:
        outcome = await embedding.work(await embedding.load(conn, ids))
        async with conn.transaction():
            await embedding.save(conn, outcome.output)
        return dict(outcome.failures)
    except Retry as error:
        if len(ids) == 1:
            return {ids[0]: error}
    failures: dict[int, Exception] = {}
    for document_id in ids:
        failures |= await _attempt(embedding, conn, [document_id])
    return failures


async def _pause(stop: asyncio.Event, span: timedelta) -> None:
    try:
        await asyncio.wait_for(stop.wait(), span.total_seconds())
    except TimeoutError:
        return


async def activate(conn: Connection, model_name: str, model_version: str) -> None:
    """Make a model the active one, which decides about stories, and link all documents again."""
    async with conn.transaction():
        model = await embeddings.find(conn, model_name, model_version)
        if model is None or model.is_active:
            return
        await embeddings.activate(conn, model)
        async for page in embeddings.iterate_documents(conn):
            await work.enqueue(conn, StageName.LINK, page)
