"""Embeddings: a vector per document and model, the models, and their vector indexes."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoop.errors import Retry
from scoop.model import PAGE_PENDING
from scoop.store import db
from scoop.store.db import Connection
from scoop.store.work import Subject

SQL = db.blocks(__name__)
INDEX_LOCK = 0x5C03  # advisory lock: one index is built at a time
INDEX_AT = 2_000  # vectors of a model in a collection; fewer are compared without an index in 20 ms
PAGE = 10_000  # documents per fetch


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddableDocument:
    """A document, and the hash of the text that the model embedded before."""

    document_id: int
    collection: str
    title: str
    body_text: str
    text_hash: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingModel:
    """A model that made vectors of this database; the active one decides about stories.

    `calibration` holds the thresholds that differ from those it is shipped with.
    """

    model_id: int
    model_name: str
    model_version: str
    dimensions: int
    is_active: bool
    calibration: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedModel(EmbeddingModel):
    documents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorBatch:
    """The vectors of one call of an embedder, one row per document."""

    document_ids: Sequence[int]
    text_hashes: Sequence[bytes]
    vectors: NDArray[np.float32]
    service_endpoint: str
    latency_ms: int


async def load_documents(
    conn: Connection, model_name: str, model_version: str, ids: Sequence[int]
) -> list[EmbeddableDocument]:
    """Documents to embed; one that awaits its page is left out, so that each text is embedded once."""
    rows = await conn.fetch(SQL["written"], ids, model_name, model_version, PAGE_PENDING)
    return [EmbeddableDocument(**row) for row in rows]


async def list_outdated(conn: Connection, model_name: str, model_version: str, *, after: int, limit: int) -> list[int]:
    """The next ids of documents that the model has not embedded since they last changed."""
    rows = await conn.fetch(SQL["lacking"], model_name, model_version, after, limit, PAGE_PENDING)
    return [row["document_id"] for row in rows]


async def count_missing(conn: Connection, model_name: str, model_version: str) -> int:
    """The number of documents that the model has not embedded."""
    count: int = await conn.fetchval(SQL["missing"], model_name, model_version, PAGE_PENDING)
    return count


async def put(conn: Connection, model: EmbeddingModel, embedded: VectorBatch) -> None:
    """Store vectors; they replace older ones of the same model and documents."""
    await conn.execute(
        SQL["put"],
        model.model_name,
        model.model_version,
        model.dimensions,
        embedded.document_ids,
        embedded.text_hashes,
        embedded.vectors.ravel().tolist(),
        embedded.service_endpoint,
        embedded.latency_ms,
    )


async def update_dates(conn: Connection, ids: Sequence[int]) -> None:
    """Copy the dates of documents to their embeddings."""
    if ids:
        await conn.execute(SQL["date"], ids)


async def get_or_create(conn: Connection, model_name: str, model_version: str, *, dimensions: int) -> EmbeddingModel:
    """The model, stored at its first use; Retry if its vectors had another dimension before."""
    if (model := await find(conn, model_name, model_version)) is None:
        await conn.execute(SQL["add_model"], model_name, model_version, dimensions)
        model = EmbeddingModel(**await conn.fetchrow(SQL["model"], model_name, model_version))
    if model.dimensions != dimensions:
        raise Retry(
            f"the model {model_name} {model_version} has {model.dimensions} dimensions, and its embedder now gives "
            f"{dimensions}; if that is another model, say so by the option version of its embedder"
        )
    return model


async def find(conn: Connection, model_name: str, model_version: str) -> EmbeddingModel | None:
    row = await conn.fetchrow(SQL["model"], model_name, model_version)
    return row and EmbeddingModel(**row)


async def find_active(conn: Connection) -> EmbeddingModel | None:
    """The active model; None before anything was embedded."""
    row = await conn.fetchrow(SQL["active"])
    return row and EmbeddingModel(**row)


async def activate(conn: Connection, model: EmbeddingModel) -> None:
    await conn.execute(SQL["deactivate"], model.model_id)
    await conn.execute(SQL["activate"], model.model_id)


async def calibrate(conn: Connection, model: EmbeddingModel, calibration: Mapping[str, float]) -> None:
    """Set the thresholds of a model; they replace all stored ones."""
    await conn.execute(SQL["calibrate"], model.model_id, calibration)


async def list_models(conn: Connection) -> list[UsedModel]:
    return [UsedModel(**row) for row in await conn.fetch(SQL["models"])]


async def iterate_documents(conn: Connection) -> AsyncIterator[list[Subject]]:
    """All documents, page by page, inside the caller's transaction."""
    cursor = await conn.cursor(SQL["members"])
    while rows := await cursor.fetch(PAGE):
        yield [Subject(row["document_id"], row["collection"]) for row in rows]


async def ensure_index(conn: Connection, model: EmbeddingModel, collection: str) -> int | None:
    """Build the index of a model and collection once it has INDEX_AT vectors.

    Gives the number of vectors that are missing until then, None if there is an index.
    """
    count = await conn.fetchrow(SQL["index_state"], model.model_name, model.model_version, collection, INDEX_AT)
    if count["is_indexed"]:
        return None
    if count["count"] >= INDEX_AT:
        await conn.execute(
            SQL["index"], model.model_name, model.model_version, collection, model.dimensions, INDEX_LOCK
        )
    return INDEX_AT - int(count["count"])
