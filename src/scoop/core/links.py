"""How probable it is that two documents tell of one event: the signs of a pair, and the model that weighs them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoop.core.signals import Signals, Words
from scoop.errors import ConfigError

Table = NDArray[np.float32]

OWN = (
    "cosine", "title_terms", "body_terms", "lead_terms", "title_words", "names", "title_numbers", "numbers",
    "numbers_differ", "days_apart", "date_unknown", "containment", "same_publisher", "length_ratio", "other_language",
)  # fmt: skip
AROUND = ("less_near", "more_near", "low_rank", "high_rank", "crowding", "common")
NAMES = (*OWN, *AROUND)
NEAR = 10  # neighbours that make a neighbourhood
MAX_DAYS = 30.0
STRANGER = 0.5  # the cosine of the tenth neighbour, in the median of the sets that were fitted to


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A document as a pair sees it; `day` is NaN and `publisher` empty where they are unknown."""

    signals: Signals
    day: float
    publisher: str
    language: str
    words: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """The nearest documents, the nearest first, and how near they are."""

    ids: NDArray[np.int64]
    cosines: Table


def named(row: Iterable[float]) -> dict[str, float]:
    """A row of the table by the names of its columns."""
    return {name: float(value) for name, value in zip(NAMES, row, strict=True)}


def own(one: Compared, others: Sequence[Compared], cosines: Table) -> Table:
    """What each pair says by itself: a row for each other, a column for each of OWN."""
    signs, all_signs = one.signals, [other.signals for other in others]
    days = np.abs(np.array([other.day for other in others]) - one.day)
    is_unknown = np.isnan(days)
    words = np.array([other.words for other in others]) + 1
    title_numbers = _jaccard(signs.title_numbers, [other.title_numbers for other in all_signs])
    has_numbers = np.array([len(other.title_numbers) > 0 for other in all_signs]) & (len(signs.title_numbers) > 0)
    columns = (
        cosines,
        _dot(signs.title, signs.title_weights, [(other.title, other.title_weights) for other in all_signs]),
        _dot(signs.body, signs.body_weights, [(other.body, other.body_weights) for other in all_signs]),
        _dot(signs.lead, signs.lead_weights, [(other.lead, other.lead_weights) for other in all_signs]),
        _jaccard(signs.title, [other.title for other in all_signs]),
        _shared_names(signs, all_signs),
        title_numbers,
        _jaccard(signs.numbers, [other.numbers for other in all_signs]),
        has_numbers & (title_numbers == 0),
        np.where(is_unknown, 0.0, np.minimum(days, MAX_DAYS)),
        is_unknown,
        np.array([sketched_containment(signs.sketch, other.sketch) for other in all_signs]),
        np.array([bool(one.publisher) and one.publisher == other.publisher for other in others]),
        np.minimum(words, one.words + 1) / np.maximum(words, one.words + 1),
        np.array([one.language != other.language for other in others]),
    )
    return np.stack([np.asarray(column, dtype=np.float32) for column in columns], axis=1)


def around(cosines: Table, ones: Sequence[Neighbourhood], others: Sequence[Neighbourhood]) -> Table:
    """What the neighbourhoods of both sides say of each pair: a column for each of AROUND."""
    left, right = _padded(ones), _padded(others)
    near = np.stack([cosines - _mean_beside(left, cosines), cosines - _mean_beside(right, cosines)])
    ranks = np.log1p(np.stack([(side > cosines[:, None] + 1e-6).sum(axis=1) for side in (left, right)]))
    common = [
        len(np.intersect1d(one.ids[:NEAR], other.ids[:NEAR])) / NEAR for one, other in zip(ones, others, strict=True)
    ]
    crowding = (left[:, 0] + right[:, 0]) / 2
    columns = (near.min(axis=0), near.max(axis=0), ranks.min(axis=0), ranks.max(axis=0), crowding, common)
    return np.stack([np.asarray(column, dtype=np.float32) for column in columns], axis=1)


def _padded(lists: Sequence[Neighbourhood]) -> Table:
    """The neighbourhoods as rows, the nearest first; a lonely document counts as if strangers were around it."""
    found = np.full((len(lists), NEAR), STRANGER, dtype=np.float32)
    for row, near in zip(found, lists, strict=True):
        row[: min(NEAR, len(near.cosines))] = near.cosines[:NEAR]
    return -np.sort(-found, axis=1)


def _mean_beside(side: Table, cosines: Table) -> Table:
    """The mean nearness of a neighbourhood, the other one of the pair aside."""
    is_inside = cosines >= side[:, -1] - 1e-6
    total = side.sum(axis=1)
    beside: Table = np.where(is_inside, (total - cosines) / (NEAR - 1), total / NEAR).astype(np.float32)
    return beside


def _joined(arrays: Sequence[NDArray[Any]]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """All in one, and where each begins."""
    lengths = np.array([len(array) for array in arrays])
    return np.concatenate(arrays), np.concatenate([[0], np.cumsum(lengths)[:-1]])


def _sums(values: Table, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> Table:
    """The sum of each stretch; nothing for an empty one."""
    padded = np.append(values, np.float32(0))
    return np.where(lengths > 0, np.add.reduceat(padded, starts), 0).astype(np.float32)


def _hits(words: Words, joined: Words) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where each joined word would stand among the words, and whether it does."""
    if not len(words):
        return np.zeros(len(joined), dtype=np.int64), np.zeros(len(joined), dtype=bool)
    places = np.minimum(np.searchsorted(words, joined), len(words) - 1)
    return places, words[places] == joined


def _dot(words: Words, weights: Table, others: Sequence[tuple[Words, Table]]) -> Table:
    joined, starts = _joined([other for other, _ in others])
    other_weights, _ = _joined([weights for _, weights in others])
    places, is_hit = _hits(words, joined)
    products = np.where(is_hit, other_weights * (weights[places] if len(weights) else 0), 0)
    return _sums(products, starts, np.array([len(other) for other, _ in others]))


def shared_beside_title(one: Signals, other: Signals) -> float:
    """How much two texts share by their weighty words, those of the first one's title aside."""
    is_beside = ~np.isin(one.body, one.title)
    return float(_dot(one.body[is_beside], one.body_weights[is_beside], [(other.body, other.body_weights)])[0])


def _jaccard(words: Words, others: Sequence[Words]) -> Table:
    joined, starts = _joined(others)
    lengths = np.array([len(other) for other in others])
    shared = _sums(_hits(words, joined)[1].astype(np.float32), starts, lengths)
    return (shared / np.maximum(lengths + len(words) - shared, 1)).astype(np.float32)


def _shared_names(signs: Signals, others: Sequence[Signals]) -> Table:
    """The weight of the names that both have, as a share of the poorer one's."""
    joined, starts = _joined([other.names for other in others])
    weights, _ = _joined([other.name_weights for other in others])
    lengths = np.array([len(other.names) for other in others])
    shared = _sums(np.where(_hits(signs.names, joined)[1], weights, 0), starts, lengths)
    poorer = np.minimum(_sums(weights, starts, lengths), signs.name_weights.sum())
    return np.where(poorer > 0, shared / np.maximum(poorer, 1e-6), 0).astype(np.float32)


def sketched_containment(one: Words, other: Words) -> float:
    """The containment as two samples tell it: both are looked at as far as the denser one reaches."""
    if not len(one) or not len(other):
        return 0.0
    reach = min(one[-1], other[-1])
    one, other = one[: np.searchsorted(one, reach, "right")], other[: np.searchsorted(other, reach, "right")]
    shorter = min(len(one), len(other))
    return len(np.intersect1d(one, other, assume_unique=True)) / shorter if shorter else 0.0


MIN_TITLE_OVERLAP = 0.30
MIN_SHARED_BODY = 0.50
TALKATIVE = 40  # words of a body from which on it can speak for a merge


def are_one(one: Compared, other: Compared, row: Table, fit: "LinkModel") -> bool:
    """Whether two documents are one story beyond doubt: by what they say, whatever else is around them."""
    signs = named(row)
    if signs["numbers_differ"] or signs["same_publisher"] or min(one.words, other.words) < TALKATIVE:
        return False
    if signs["cosine"] >= fit.sure_at:
        return True
    is_like = signs["title_words"] >= MIN_TITLE_OVERLAP and signs["body_terms"] >= MIN_SHARED_BODY
    return is_like and signs["cosine"] >= fit.merge_at


THRESHOLDS = ("merge_at", "sure_at", "coverage_at")


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkModel:
    """Boosted trees as plain arrays, and where they and the cosines of their embedding model are believed.

    From the probability `coverage_at` on two documents are shown together; from the cosine `merge_at` on, with like
    titles, or `sure_at`, with any, they are one story.
    """

    features: NDArray[np.int16]
    thresholds: Table
    left: NDArray[np.int16]
    right: NDArray[np.int16]
    values: Table
    start: float
    depth: int
    coverage_at: float
    merge_at: float
    sure_at: float

    def probabilities(self, table: Table) -> Table:
        """For each row of NAMES how probable it is that the two tell of one event."""
        score = np.full(len(table), self.start, dtype=np.float32)
        flat, starts = np.ascontiguousarray(table).ravel(), np.arange(len(table)) * table.shape[1]
        for features, thresholds, left, right, values in zip(
            self.features, self.thresholds, self.left, self.right, self.values, strict=True
        ):
            node = np.zeros(len(table), dtype=np.intp)
            for _ in range(self.depth):
                is_low = flat.take(starts + features.take(node)) <= thresholds.take(node)
                node = np.where(is_low, left.take(node), right.take(node))
            score += values.take(node)
        return (1 / (1 + np.exp(-score))).astype(np.float32)


def calibrated(fit: LinkModel, calibration: Mapping[str, float]) -> LinkModel:
    """The model with thresholds that people's decisions gave; ConfigError for what cannot be one."""
    for name, value in calibration.items():
        if name not in THRESHOLDS or not isinstance(value, (int, float)) or not 0 <= value <= 1:
            raise ConfigError(
                f"the calibration of the embedding model has {name} = {value!r}, but knows only {', '.join(THRESHOLDS)} "
                "between 0 and 1; `scoop calibrate --reset` removes it"
            )
    return replace(fit, **calibration)


def file_name(model_name: str, model_version: str) -> str:
    return f"{re.sub(r'[^A-Za-z0-9.+-]', '_', f'{model_name}-{model_version}').strip('.')}.npz"


@cache
def fitted(model_name: str, model_version: str) -> LinkModel | None:
    """The fit for an embedding model; nothing where there is none."""
    stored = files(__package__).joinpath("link_models", file_name(model_name, model_version))
    if not stored.is_file():
        return None
    with np.load(BytesIO(stored.read_bytes()), allow_pickle=False) as arrays:
        return LinkModel(
            features=arrays["features"], thresholds=arrays["thresholds"], left=arrays["left"], right=arrays["right"],
            values=arrays["values"], start=float(arrays["start"]), depth=int(arrays["depth"]),
            coverage_at=float(arrays["coverage_at"]), merge_at=float(arrays["merge_at"]),
            sure_at=float(arrays["sure_at"]),
        )  # fmt: skip
