"""The fitted models of sentiment: one for each kind of source and language that has data, and pooled ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from scoop.core.sentiment import TextKind, features
from scoop.core.sentiment.features import HashedRows

Table = NDArray[np.float32]

POOLED_ENGLISH, POOLED_ENGLISH_TARGET, POOLED = "pooled-en", "pooled-en-target", "pooled"
_OF_TARGETS = {
    ("news", "en"): "news-en-target",
    ("headline", "en"): "headline-en-target",
    ("news", "de"): "news-de-target",
    ("news", "ru"): "news-ru-target",
    ("report", "ja"): "report-ja-target",
    ("social", "zh"): "social-zh-target",
}
_OF_TEXTS = {
    ("developer", "en"): "developer-en",
    ("social", "en"): "social-en",
    ("news", "en"): "graded-en",
    ("review", "en"): "graded-en",
    ("review", "ko"): "review-ko",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorModel:
    """A linear model of vectors, its last row the intercept, and of products of their main directions, if any."""

    linear: Table
    directions: Table
    products: Table

    def margins(self, vectors: Table) -> Table:
        margins: Table = vectors @ self.linear[:-1] + self.linear[-1]
        if self.products.size:
            found = vectors @ self.directions
            for column, weights in enumerate(self.products):
                margins[:, column] += np.sum(found @ weights * found, axis=1)
        return margins


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The models of a head: of hashed features (`roots` of weights), of vectors, and how both are combined."""

    name: str
    roots: NDArray[np.int8]
    scale: Table
    encoder: VectorModel
    combined: Table
    combined_without_encoder: Table

    @property
    def has_targets(self) -> bool:
        return self.name.endswith("-target")

    @property
    def is_english(self) -> bool:
        return "-en" in self.name

    @property
    def has_words(self) -> bool:
        return len(self.roots) > 0

    def margins(self, rows: HashedRows) -> Table:
        """The margin of each class by the hashed features."""
        sums = [
            np.bincount(rows.rows, weights=signed_squares(self.roots[rows.buckets, column]), minlength=len(rows.scales))
            for column in range(self.scale.shape[1])
        ]
        margins: Table = (np.stack(sums, axis=1) * rows.scales[:, None] * self.scale[0] + self.scale[1]).astype(
            np.float32
        )
        return margins


def signed_squares(roots: NDArray[np.int8]) -> Table:
    """The weights of the hashed features, which are stored as roots: few are large, and most are small."""
    values = roots.astype(np.float32)
    return values * np.abs(values)


def probabilities(combined: Table, parts: Sequence[Table]) -> Table:
    """The probability of negative, neutral and positive from the margins and valences."""
    odds = np.hstack(parts) @ combined[:-1] + combined[-1]
    odds = np.exp(odds - odds.max(axis=1, keepdims=True))
    shares: Table = odds / odds.sum(axis=1, keepdims=True)
    return shares


def name_of(kind: TextKind, language: str, *, has_target: bool) -> str:
    """The head of a text: that of its kind and language, or a pooled one."""
    key = kind, language.split("-")[0].lower()
    if has_target and key in _OF_TARGETS:
        return _OF_TARGETS[key]
    if key in _OF_TEXTS:
        return _OF_TEXTS[key]
    if key[1] == "en":
        return POOLED_ENGLISH_TARGET if has_target else POOLED_ENGLISH
    return POOLED


@cache
def head(name: str) -> Head:
    stored = files(__package__).joinpath("models", f"{name}.npz").read_bytes()
    with np.load(BytesIO(stored), allow_pickle=False) as arrays:
        return Head(
            name=name,
            roots=_unpacked(arrays),
            scale=arrays["scale"],
            encoder=_vector_model(arrays),
            combined=arrays["combined"],
            combined_without_encoder=arrays["combined_without_encoder"],
        )


def _vector_model(arrays: "np.lib.npyio.NpzFile") -> VectorModel:
    """Directions are stored as whole numbers with a step for each, as they are many."""
    return VectorModel(
        linear=arrays["encoder"].astype(np.float32),
        directions=arrays["directions"] * arrays["steps"],
        products=arrays["products"].astype(np.float32),
    )


def _unpacked(arrays: "np.lib.npyio.NpzFile") -> NDArray[np.int8]:
    """The roots of all buckets; only those that are not zero are stored."""
    if not len(arrays["used"]):
        return np.zeros((0, 3), dtype=np.int8)
    roots = np.zeros((1 << features.BITS, 3), dtype=np.int8)
    roots[np.unpackbits(arrays["used"]).astype(bool)] = arrays["values"]
    return roots
