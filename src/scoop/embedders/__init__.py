"""Embedder plugins, one file each: texts to vectors that are close if the texts have the same meaning."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from scoop.errors import Retry

Vectors = NDArray[np.float32]
BATCH = 32  # texts of one call


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """The model that made a vector; vectors of two models are never compared."""

    name: str
    version: str


class Embedder(Protocol):
    """Makes vectors of length one from texts, in their order; made with its options and the HTTP client.

    `waits`: it waits for the network. `model` and `endpoint` (of an instance) are stored with its vectors.
    """

    name: str
    waits: bool

    @property
    def model(self) -> Model: ...

    @property
    def endpoint(self) -> str: ...

    async def embed(self, texts: Sequence[str]) -> Vectors: ...


VectorCache = dict[str, Vectors]
"""The vector of each text that was embedded."""


class Remembering:
    """An embedder with a cache: each text is embedded once."""

    def __init__(self, embedder: Embedder, memory: VectorCache) -> None:
        self.name, self.model = embedder.name, embedder.model
        self.endpoint, self.waits = embedder.endpoint, embedder.waits
        self._embedder, self._memory = embedder, memory

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if unknown := [text for text in dict.fromkeys(texts) if text not in self._memory]:
            self._memory.update(zip(unknown, await self._embedder.embed(unknown), strict=True))
        return np.stack([self._memory[text] for text in texts])


def unit(rows: Sequence[Sequence[float]] | NDArray[Any], *, count: int, origin: str) -> Vectors:
    """The vectors, each of length one; Retry if they are invalid."""
    try:
        vectors = np.asarray(rows, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise Retry(f"{origin} gave vectors of different lengths") from error
    if vectors.shape[:1] != (count,):
        raise Retry(f"{origin} got {count} texts and gave {len(vectors)} vectors")
    if vectors.ndim != 2 or vectors.shape[1] == 0:
        raise Retry(f"{origin} gave empty vectors")
    with np.errstate(over="ignore"):
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise Retry(f"{origin} gave a vector with NaN, infinity or numbers that are too large")
    if (lengths == 0).any():
        raise Retry(f"{origin} gave a vector of zeros")
    unit_vectors: Vectors = (vectors / lengths).astype(np.float32)
    return unit_vectors
