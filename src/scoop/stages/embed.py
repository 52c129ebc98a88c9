"""Documents get what they are compared by: their embeddings and their signals."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from scoop.core import embedding_text, hashes, signals
from scoop.core.signals import Signals
from scoop.embedders import BATCH, Embedder
from scoop.errors import FetchFailed, Retry
from scoop.stage_names import StageName
from scoop.stages import stage as stage_loop
from scoop.stages.stage import Outcome, Stage
from scoop.store import embeddings, work
from scoop.store import signals as store
from scoop.store.db import Connection, Database
from scoop.store.embeddings import EmbeddedBatchRow, EmbeddingModel, Written
from scoop.store.work import Subject

TURNS = 8  # calls of the model; links are weighed and grouped for all of them in one go
NEVER_GIVE_UP = 1_000_000  # a server that is away is no fault of the documents: they wait ever longer, to a day
ABOUT_THE_TEXTS = frozenset({400, 413, 422, 500})  # statuses by which servers refuse a text rather than all work
BACKFILL_RETRIES = 3  # of a batch whose server is away
LONGEST_PAUSE = timedelta(minutes=2)  # before such a retry; one that comes too early for the server is not sent


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedBatch:
    """What became of a batch: who is handed on, and what is new."""

    documents: Sequence[Written]
    signals: Mapping[int, Signals]
    embedded: EmbeddedBatchRow | None = None


@dataclass(frozen=True, slots=True)
class Embedding:
    """Embeds documents with one embedder; `room` is how many more vectors each collection takes without an index."""

    embedder: Embedder
    room: dict[str, int | None] = field(default_factory=dict)

    @property
    def model_name(self) -> str:
        return self.embedder.model.name

    @property
    def model_version(self) -> str:
        return embedding_text.with_recipe(self.embedder.model.version)

    async def load(self, conn: Connection, ids: Sequence[int]) -> list[Written]:
        return await embeddings.written(conn, self.model_name, self.model_version, ids)

    async def work(self, documents: Sequence[Written]) -> Outcome[EmbeddedBatch]:
        """Embed what is new or has changed; when the server is away, only that fails, and no text is tried singly."""
        texts = {each.document_id: embedding_text.embedding_text(each.title, each.body_text) for each in documents}
        hash_by_id = {document_id: hashes.sha256(text) for document_id, text in texts.items()}
        due = [each.document_id for each in documents if each.text_hash != hash_by_id[each.document_id]]
        if not due:
            return Outcome(output=_made(documents))
        began = time.perf_counter()
        try:
            vectors = await self.embedder.embed([texts[document_id] for document_id in due])
        except FetchFailed as failed:
            if not _is_away(failed):
                raise
            kept = [each for each in documents if each.document_id not in due]
            return Outcome(output=_made(kept), failures=dict.fromkeys(due, failed))
        embedded = EmbeddedBatchRow(
            document_ids=due,
            text_hashes=[hash_by_id[document_id] for document_id in due],
            vectors=vectors,
            service_endpoint=self.embedder.endpoint,
            latency_ms=round((time.perf_counter() - began) * 1000),
        )
        return Outcome(output=_made(documents, embedded))

    async def save(self, conn: Connection, made: EmbeddedBatch) -> list[Subject]:
        if made.embedded is not None:
            model = await embeddings.get_or_create(
                conn, self.model_name, self.model_version, dimensions=made.embedded.vectors.shape[1]
            )
            await embeddings.put(conn, model, made.embedded)
            await self._index(conn, model, Counter(each.collection for each in made.documents))
        await store.put(conn, made.signals)
        await embeddings.follow_dates(conn, [each.document_id for each in made.documents])
        return [Subject(each.document_id, each.collection) for each in made.documents]

    async def _index(self, conn: Connection, model: EmbeddingModel, grown_by: Mapping[str, int]) -> None:
        """Index the collections that have become large; only those are counted that may have."""
        for collection, count in grown_by.items():
            left = self.room.get(collection, 0)
            if left is not None:
                may_be_full = left <= count
                self.room[collection] = await embeddings.room(conn, model, collection) if may_be_full else left - count


def _made(documents: Sequence[Written], embedded: EmbeddedBatchRow | None = None) -> EmbeddedBatch:
    read = {each.document_id: signals.of(each.title, each.body_text) for each in documents}
    return EmbeddedBatch(documents=documents, signals=read, embedded=embedded)


def _is_away(error: Exception) -> bool:
    """Whether nobody can be served at present, whatever the text."""
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
    """How far a backfill came: documents embedded, and those that could not be, with the reason."""

    model_name: str
    model_version: str
    embedded: int
    failures: Mapping[int, Exception]
    is_complete: bool


async def backfill(
    embedder: Embedder, database: Database, *, batch: int, stop: asyncio.Event, progress: Callable[[int], None]
) -> Backfilled:
    """Embed all documents that lack it, batch by batch, each committed; `progress` is told how many."""
    embedding, after, embedded = Embedding(embedder), 0, 0
    failures: dict[int, Exception] = {}
    async with database.connection() as conn:
        while not stop.is_set():
            ids = await embeddings.lacking(
                conn, embedding.model_name, embedding.model_version, after=after, limit=batch
            )
            if not ids:
                break
            failed = await _patiently(embedding, conn, ids, stop=stop)
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


async def _patiently(
    embedding: Embedding, conn: Connection, ids: Sequence[int], *, stop: asyncio.Event
) -> dict[int, Exception]:
    """Embed a batch, waiting some time for a server that is away; give who failed, unless that is everybody."""
    failures = await _attempt(embedding, conn, ids)
    for tried in range(BACKFILL_RETRIES):
        away = next(filter(_is_away, failures.values()), None)
        if away is None or stop.is_set():
            break
        await _pause(stop, min(stage_loop.delay_after(tried, away), LONGEST_PAUSE))
        failures = await _attempt(embedding, conn, ids)
    is_useless = any(map(_is_away, failures.values())) or len(failures) == len(ids) > 1
    if is_useless and not stop.is_set():
        error = next(iter(failures.values()))
        raise Retry(f"{error}; what was embedded is kept: run it again to go on") from error
    return failures


async def _attempt(embedding: Embedding, conn: Connection, ids: Sequence[int]) -> dict[int, Exception]:
    """Embed and store a batch; one that fails is redone singly, so that only the culprit pays."""
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
    """Let a model decide about stories from now on, and link all documents again."""
    async with conn.transaction():
        model = await embeddings.find(conn, model_name, model_version)
        if model is None or model.is_active:
            return
        await embeddings.activate(conn, model)
        async for page in embeddings.subjects(conn):
            await work.enqueue(conn, StageName.LINK, page)
