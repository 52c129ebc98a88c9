"""The probability that two documents cover one event: the features of a pair, and the model that scores them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoop.core import editions, signals
from scoop.core.editions import DatedTitle
from scoop.core.signals import Signals, WordIds
from scoop.errors import ConfigError

Table = NDArray[np.float32]
Rows = NDArray[np.int64]

PAIR_FEATURES = (
    "cosine",
    "title_terms",
    "body_terms",
    "lead_terms",
    "title_words",
    "names",
    "title_numbers",
    "numbers",
    "numbers_differ",
    "days_apart",
    "date_unknown",
    "containment",
    "same_publisher",
    "length_ratio",
    "other_language",
    "shorter",
    "title_in_lead",
    "titles_in_leads",
    "many_events",
)
NEIGHBOURHOOD_FEATURES = ("less_near", "more_near", "low_rank", "high_rank", "crowding", "common")
FEATURES = (*PAIR_FEATURES, *NEIGHBOURHOOD_FEATURES)
NEAR = 10  # documents in a neighbourhood
MAX_DAYS = 30.0
DISTANT_COSINE = 0.5  # assumed for missing neighbours: the median of the tenth neighbour in the training sets


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A document as pair features see it; `day` is NaN and `publisher` empty if unknown.

    `boilerplate` is the hash of its text if that is no article but a notice that many documents have;
    `is_of_many_events` says that its genre is one of `genres.OF_MANY_EVENTS`; `dated_title` is None if its title names
    no day.
    """

    signals: Signals
    day: float
    publisher: str
    language: str
    words: int
    is_of_many_events: bool
    boilerplate: int | None = None
    dated_title: DatedTitle | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """The nearest documents of a document, the nearest first, with their cosines."""

    ids: NDArray[np.int64]
    cosines: Table


def features_by_name(row: Iterable[float]) -> dict[str, float]:
    """A row of features by name."""
    return {name: float(value) for name, value in zip(FEATURES, row, strict=True)}


def pair_features(one: Compared, others: Sequence[Compared], cosines: Table) -> Table:
    """The features of pairs by themselves: a row for each other document, a column for each of PAIR_FEATURES."""
    shared = _shared(one.signals, [other.signals for other in others])
    days = np.abs(np.array([other.day for other in others]) - one.day)
    is_unknown = np.isnan(days)
    words = np.array([other.words for other in others]) + 1
    title_numbers = shared.jaccard(TITLE_NUMBERS)
    have_numbers = (shared.ours[TITLE_NUMBERS] > 0) & (shared.theirs[:, TITLE_NUMBERS] > 0)
    columns = (
        cosines,
        shared.products[:, TITLE],
        shared.products[:, BODY],
        shared.products[:, LEAD],
        shared.jaccard(TITLE),
        shared.names(),
        title_numbers,
        shared.jaccard(NUMBERS),
        have_numbers & (title_numbers == 0),
        np.where(is_unknown, 0.0, np.minimum(days, MAX_DAYS)),
        is_unknown,
        shared.contained,
        np.array([bool(one.publisher) and one.publisher == other.publisher for other in others]),
        np.minimum(words, one.words + 1) / np.maximum(words, one.words + 1),
        np.array([one.language != other.language for other in others]),
        np.log(np.minimum(words, one.words + 1)),
        shared.titles_in_leads.max(axis=0),
        shared.titles_in_leads.min(axis=0),
        _have_other_figures(shared) | np.array([_has_many_events(one, other) for other in others]),
    )
    return np.stack([np.asarray(column, dtype=np.float32) for column in columns], axis=1)


def _has_many_events(one: Compared, other: Compared) -> bool:
    """Whether what two documents share is of many events: a round-up, a daily series, or a notice for an article."""
    return one.is_of_many_events or other.is_of_many_events or _share_no_report(one, other)


def _share_no_report(one: Compared, other: Compared) -> bool:
    return _have_one_notice(one, other) or editions.are_two_editions(one.dated_title, other.dated_title)


def _have_one_notice(one: Compared, other: Compared) -> bool:
    return one.boilerplate is not None and one.boilerplate == other.boilerplate


TITLE, LEAD, BODY, NAMES_OF, TITLE_NUMBERS, NUMBERS, SKETCH = range(len(signals.KINDS))

# One template with other figures, such as closing prices of two days. In the labelled sets, 177 pairs of one story have
# so many numbers; 7 of these share fewer, and their texts are alike by at most 0.47.
MANY_NUMBERS = 8
FEW_SHARED_NUMBERS = 0.1
LIKE_TEXTS = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shared:
    """The words that one document shares with each of the others, by kind: their count and products of weights.

    `ours` and `theirs` count the words of each kind; `name_weights` are the summed squares of the weights of names.
    """

    ours: tuple[int, ...]
    theirs: NDArray[np.int64]
    counts: Table
    products: Table
    name_weights: tuple[float, Table]
    contained: Table
    titles_in_leads: Table

    def jaccard(self, kind: int) -> Table:
        either = self.ours[kind] + self.theirs[:, kind] - self.counts[:, kind]
        share: Table = (self.counts[:, kind] / np.maximum(either, 1)).astype(np.float32)
        return share

    def names(self) -> Table:
        """The weight of the shared names, as a share of the document with less weight."""
        lesser = np.minimum(*self.name_weights)
        return np.where(lesser > 0, self.products[:, NAMES_OF] / np.maximum(lesser, 1e-6), 0).astype(np.float32)


def _shared(one: Signals, others: Sequence[Signals]) -> _Shared:
    """Compare all kinds of words at once: the arrays are short, so the calls cost more than the arithmetic."""
    words, weights = (np.concatenate([getattr(other, name) for other in others]) for name in ("words", "weights"))
    theirs = np.array([other.lengths for other in others])
    places, is_hit = _hits(one.words, words)
    own_weights = one.weights if len(one.weights) else np.zeros(1, dtype=np.float32)
    products = _sums(np.where(is_hit, weights * own_weights[places], 0), theirs)
    counts = _sums(is_hit, theirs)
    names = one.of_kind("names")[1]
    return _Shared(
        ours=one.lengths,
        theirs=theirs,
        counts=counts,
        products=products,
        name_weights=(float(names @ names), _sums(weights * weights, theirs)[:, NAMES_OF]),
        contained=_sketched_containment(one, words, theirs, counts[:, SKETCH]),
        titles_in_leads=_titles_in_leads(one, words, weights, theirs),
    )


def _titles_in_leads(one: Signals, words: WordIds, weights: Table, theirs: NDArray[np.int64]) -> Table:
    """The weight of the title's words that are in the other document's lead, as a share: of our title, of theirs."""
    titled, led = one.lengths[TITLE], one.lengths[TITLE] + one.lengths[LEAD]
    places, is_hit = _hits(one.words[:titled] ^ signals.TITLE_TO_LEAD, words)
    own_weights = one.weights[:titled] if titled else np.zeros(1, dtype=np.float32)
    ours = _sums(np.where(is_hit, own_weights[places] ** 2, 0), theirs)[:, LEAD]
    _, is_hit = _hits(one.words[titled:led], words ^ signals.TITLE_TO_LEAD)
    return np.stack([ours, _sums(np.where(is_hit, weights**2, 0), theirs)[:, TITLE]])


def _sketched_containment(one: Signals, words: WordIds, theirs: NDArray[np.int64], shared: Table) -> Table:
    """The containment estimated from samples, both up to the end of the denser one."""
    if not one.lengths[SKETCH]:
        return np.zeros(len(theirs), dtype=np.float32)
    sketch = one.words[-one.lengths[SKETCH] :]
    last = np.cumsum(theirs.sum(axis=1)) - 1  # a sketch is at the end
    ends = np.where(theirs[:, SKETCH] > 0, words[np.maximum(last, 0)], 0).astype(np.uint32)
    within = np.searchsorted(sketch, np.minimum(ends, sketch[-1]), "right")
    shorter = np.minimum(within, _sums(words <= sketch[-1], theirs)[:, SKETCH])
    return np.where(shorter > 0, shared / np.maximum(shorter, 1), 0).astype(np.float32)


def have_other_figures(one: Signals, other: Signals) -> bool:
    """Whether two like texts are full of figures of which they share hardly any: two editions of a series."""
    return bool(_have_other_figures(_shared(one, [other]))[0])


def _have_other_figures(shared: _Shared) -> NDArray[np.bool_]:
    least = np.minimum(shared.ours[NUMBERS], shared.theirs[:, NUMBERS])
    is_other = (least >= MANY_NUMBERS) & (shared.jaccard(NUMBERS) < FEW_SHARED_NUMBERS)
    either: NDArray[np.bool_] = is_other & (shared.products[:, BODY] >= LIKE_TEXTS)
    return either


def shared_beside_title(one: Signals, other: Signals) -> float:
    """How much two texts share by their informative words, without those of their titles."""
    ours, weights = one.of_kind("body")
    theirs, their_weights = other.of_kind("body")
    shared, left, right = np.intersect1d(ours, theirs, assume_unique=True, return_indices=True)
    is_beside = ~np.isin(shared, np.concatenate([one.of_kind("title")[0], other.of_kind("title")[0]]))
    return float(weights[left][is_beside] @ their_weights[right][is_beside])


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhoods:
    """Neighbourhoods as rows of one length; a missing neighbour has the id -1 and DISTANT_COSINE."""

    ids: NDArray[np.int64]
    cosines: Table


def stack_neighbourhoods(lists: Sequence[Neighbourhood]) -> Neighbourhoods:
    ids = np.full((len(lists), NEAR), -1, dtype=np.int64)
    cosines = np.full((len(lists), NEAR), DISTANT_COSINE, dtype=np.float32)
    for row, near in enumerate(lists):
        count = min(NEAR, len(near.ids))
        ids[row, :count] = near.ids[:count]
        cosines[row, :count] = near.cosines[:count]
    return Neighbourhoods(ids=ids, cosines=-np.sort(-cosines, axis=1))


def neighbourhood_features(cosines: Table, stacked: Neighbourhoods, ones: Rows, others: Rows) -> Table:
    """The features of pairs by both neighbourhoods: a column for each of NEIGHBOURHOOD_FEATURES."""
    left, right = stacked.cosines[ones], stacked.cosines[others]
    near = np.stack([cosines - _mean_beside(left, cosines), cosines - _mean_beside(right, cosines)])
    ranks = np.log1p(np.stack([(side > cosines[:, None] + 1e-6).sum(axis=1) for side in (left, right)]))
    ours, theirs = stacked.ids[ones], stacked.ids[others]
    is_common = (ours[:, :, None] == theirs[:, None, :]) & (ours >= 0)[:, :, None]
    common = is_common.sum(axis=(1, 2)) / NEAR
    crowding = (left[:, 0] + right[:, 0]) / 2
    columns = (near.min(axis=0), near.max(axis=0), ranks.min(axis=0), ranks.max(axis=0), crowding, common)
    return np.stack([np.asarray(column, dtype=np.float32) for column in columns], axis=1)


def _mean_beside(side: Table, cosines: Table) -> Table:
    """The mean cosine of a neighbourhood, without the other document of the pair."""
    is_inside = cosines >= side[:, -1] - 1e-6
    total = side.sum(axis=1)
    beside: Table = np.where(is_inside, (total - cosines) / (NEAR - 1), total / NEAR).astype(np.float32)
    return beside


def _sums(values: NDArray[Any], lengths: NDArray[np.int64]) -> Table:
    """The sum of each stretch of values, in the shape of the lengths; 0 for an empty one."""
    flat = lengths.ravel()
    padded = np.append(values, 0).astype(np.float32)
    sums = np.add.reduceat(padded, np.cumsum(flat) - flat)
    return np.where(flat > 0, sums, 0).astype(np.float32).reshape(lengths.shape)


_SLOTS = 1 << 16


def _hits(words: WordIds, joined: WordIds) -> tuple[NDArray[np.uint16], NDArray[np.bool_]]:
    """The index of each joined word among the words, and whether it is one of them."""
    if not len(words):
        return np.zeros(len(joined), dtype=np.uint16), np.zeros(len(joined), dtype=bool)
    own, slots = np.arange(len(words), dtype=np.uint16), np.zeros(_SLOTS, dtype=np.uint16)
    slots[words & (_SLOTS - 1)] = own
    places = slots[joined & (_SLOTS - 1)]
    for place in np.flatnonzero(slots[words & (_SLOTS - 1)] != own).tolist():  # two words share a slot
        places[joined == words[place]] = place
    return places, words[places] == joined


MIN_TITLE_OVERLAP = 0.30
MIN_SHARED_BODY = 0.50
MIN_COMMON_GROUND = (0.2, 0.5)  # of texts or names: models give like vectors to all texts of an unknown script
LONG_BODY_WORDS = 40  # shorter bodies are never merged by meaning


def are_one(one: Compared, other: Compared, row: Table, fit: "LinkModel") -> bool:
    """Whether two documents are surely one story, by their own features alone."""
    if _share_no_report(one, other):
        return False
    features = features_by_name(row)
    if features["numbers_differ"] or features["same_publisher"] or min(one.words, other.words) < LONG_BODY_WORDS:
        return False
    has_common_ground = features["body_terms"] >= MIN_COMMON_GROUND[0] or features["names"] >= MIN_COMMON_GROUND[1]
    is_like = features["title_words"] >= MIN_TITLE_OVERLAP and features["body_terms"] >= MIN_SHARED_BODY
    is_sure = has_common_ground and features["cosine"] >= fit.sure_at
    if not is_sure and not (is_like and features["cosine"] >= fit.merge_at):
        return False
    return not have_other_figures(one.signals, other.signals)


RELATED = 0.75  # of the threshold of coverage: such a pair connects no stories, see event_groups.connects_at()
_RELATED_ONLY = [FEATURES.index("same_publisher"), FEATURES.index("many_events")]
THRESHOLDS = ("merge_at", "sure_at", "coverage_at")


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkModel:
    """Boosted trees as plain arrays, with the thresholds for their probabilities and for the cosine.

    A pair that scores less than `hopeless_at` by the first `glance` trees skips the others. From the probability
    `coverage_at` on, two documents are grouped; from the cosine `merge_at` on with like titles, or `sure_at` with any,
    they are one story.
    """

    features: NDArray[np.int16]
    thresholds: Table
    left: NDArray[np.int16]
    right: NDArray[np.int16]
    values: Table
    start: float
    depth: int
    glance: int
    hopeless_at: float
    coverage_at: float
    merge_at: float
    sure_at: float

    def probabilities(self, table: Table) -> Table:
        """The probability that a pair covers one event, for each row of FEATURES.

        A pair of one publisher, or with a document of many events, is related at most: a publisher reports the parts of
        a series in like words, and a round-up has the words of every event.
        """
        most = np.where(table[:, _RELATED_ONLY].any(axis=1), RELATED * self.coverage_at, 1.0)
        probabilities: Table = np.minimum(self._probabilities(table), most).astype(np.float32)
        return probabilities

    def _probabilities(self, table: Table) -> Table:
        score = self._score(table, slice(0, self.glance)) + np.float32(self.start)
        hopeful = np.flatnonzero(score >= self.hopeless_at)
        score[hopeful] += self._score(table[hopeful], slice(self.glance, None))
        probabilities: Table = (1 / (1 + np.exp(-score))).astype(np.float32)
        return probabilities

    def _score(self, table: Table, trees: slice) -> Table:
        """The sum of the values of these trees for each row."""
        score = np.zeros(len(table), dtype=np.float32)
        flat, starts = np.ascontiguousarray(table).ravel(), np.arange(len(table)) * table.shape[1]
        parts = (part[trees] for part in (self.features, self.thresholds, self.left, self.right, self.values))
        for features, thresholds, left, right, values in zip(*parts, strict=True):
            node = np.zeros(len(table), dtype=np.intp)
            for _ in range(self.depth):
                is_low = flat.take(starts + features.take(node)) <= thresholds.take(node)
                node = np.where(is_low, left.take(node), right.take(node))
            score += values.take(node)
        return score


def calibrated(fit: LinkModel, calibration: Mapping[str, float]) -> LinkModel:
    """The model with calibrated thresholds; ConfigError for an unknown name or a value outside 0 to 1."""
    for name, value in calibration.items():
        if name not in THRESHOLDS or type(value) not in {int, float} or not 0 <= value <= 1:
            raise ConfigError(
                f"the calibration of the embedding model has {name} = {value!r}; it may have only "
                f"{', '.join(THRESHOLDS)}, each from 0 to 1; `scoop calibrate --reset` removes it"
            )
    changes: dict[str, Any] = dict(calibration)
    return replace(fit, **changes)


def file_name(model_name: str, model_version: str) -> str:
    return f"{re.sub(r'[^A-Za-z0-9.+-]', '_', f'{model_name}-{model_version}').strip('.')}.npz"


@cache
def load_model(model_name: str, model_version: str) -> LinkModel | None:
    """The link model fitted to an embedding model, if there is one."""
    stored = files(__package__).joinpath("link_models", file_name(model_name, model_version))
    if not stored.is_file():
        return None
    with np.load(BytesIO(stored.read_bytes()), allow_pickle=False) as arrays:
        return LinkModel(
            features=arrays["features"],
            thresholds=arrays["thresholds"],
            left=arrays["left"],
            right=arrays["right"],
            values=arrays["values"],
            start=float(arrays["start"]),
            depth=int(arrays["depth"]),
            glance=int(arrays["glance"]),
            hopeless_at=float(arrays["hopeless_at"]),
            coverage_at=float(arrays["coverage_at"]),
            merge_at=float(arrays["merge_at"]),
            sure_at=float(arrays["sure_at"]),
        )
