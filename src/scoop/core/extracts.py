"""Extracts: the sentences of one document, or of all documents of an event, that say what happened."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from scoop.core import extract_features, extract_sentences, signals
from scoop.core.briefs import SourceText
from scoop.core.extract_features import FEATURES, Table
from scoop.core.extract_sentences import Candidate

ENOUGH_WORDS = 30  # of an extract without a limit of characters: a standfirst; 20 to 40 differ little on five sets
NEARLY_AS_GOOD = 0.1  # a sentence whose score is so near to the best one is added all the same
REPETITION = 0.7  # cosine: it says what a chosen sentence says
# Of the weight of its terms, the chosen sentences have so much between them that it adds little. Only in an extract
# that is filled up to a limit of characters: in a standfirst, 0.7 changes nothing and 0.6 costs 0.4 points on events.
SAID_ALREADY = 0.6
LIKENESS_COST = 1.0  # of the score, for a sentence that is equal to a chosen one; 0, 0.4 and 1 were tried
# Words that a sign is worth: Chinese says in one word of 1.5 signs what Japanese adds kana to.
WORDS_PER_HAN, WORDS_PER_KANA = 0.67, 0.25
SAME_PUBLISHER_COST = 0.3  # of the score, for a second sentence of one publisher; set by judgement
NEVER = -1e9

Scores = NDArray[np.float64]

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_KANA = re.compile("[\u3041-\u30ff]")
_SPACED_WORD = re.compile(r"[^\W_\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedSentence:
    """A sentence of an extract; `text` is `body_text[start:end]` of the document with white space collapsed."""

    document_id: int
    start: int
    end: int
    text: str


def extract(
    documents: Sequence[SourceText], *, max_sentences: int, max_characters: int | None = None
) -> list[ExtractedSentence]:
    """The sentences to show, in reading order; with `max_characters` as many as fit, else about a standfirst."""
    candidates = extract_sentences.candidates(documents)
    if not candidates or max_sentences < 1:
        return []
    chosen = _Selection(documents, candidates, max_characters).best(max_sentences)
    return [
        ExtractedSentence(document_id=documents[one.document].document_id, start=one.start, end=one.end, text=one.text)
        for one in sorted((candidates[at] for at in chosen), key=lambda one: (one.document, one.start))
    ]


class _Selection:
    """The greedy choice: the best sentence that is new and understandable, until it is enough."""

    def __init__(
        self, documents: Sequence[SourceText], candidates: Sequence[Candidate], max_characters: int | None
    ) -> None:
        found = extract_features.features(documents, candidates)
        self._candidates = candidates
        self._scores = scores(found.table)
        self._likeness = found.likeness
        self._publishers = [documents[one.document].publisher or str(one.document) for one in candidates]
        self._sizes = np.array([len(one.text) for one in candidates])
        self._room = max_characters
        self._chosen: list[int] = []
        terms = list(frozenset[int]().union(*(one.terms for one in candidates)))
        weights = signals.weight(np.array(terms, dtype=np.uint32)).tolist()
        self._weight_by_term: dict[int, float] = dict(zip(terms, weights, strict=True))

    def best(self, max_sentences: int) -> list[int]:
        while len(self._chosen) < max_sentences:
            values = self._values()
            at = int(values.argmax())
            if values[at] <= NEVER or self._is_enough(at):
                break
            self._chosen.append(at)
        return self._chosen

    def _is_enough(self, at: int) -> bool:
        if not self._chosen or self._room is not None:
            return False
        words = sum(_words_worth(self._candidates[one].text) for one in self._chosen)
        return words >= ENOUGH_WORDS and bool(self._scores[self._chosen[0]] - self._scores[at] > NEARLY_AS_GOOD)

    def _values(self) -> Scores:
        """The score of every sentence after what is chosen; NEVER if it cannot follow."""
        values = self._scores.copy()
        if self._chosen:
            likeness = self._likeness[:, self._chosen].max(axis=1)
            used = {self._publishers[at] for at in self._chosen}
            values -= LIKENESS_COST * likeness
            values -= SAME_PUBLISHER_COST * np.array([publisher in used for publisher in self._publishers])
            values[likeness > REPETITION] = NEVER
            if self._room is not None:
                values[self._said_already() > SAID_ALREADY] = NEVER
            values[self._chosen] = NEVER
        values[self._has_no_room()] = NEVER
        return self._understandable(values)

    def _said_already(self) -> Scores:
        """How much of each sentence's terms, by their weight, the chosen sentences have between them."""
        said = frozenset[int]().union(*(self._candidates[at].terms for at in self._chosen))
        shared = np.array([self._weight(one.terms & said) for one in self._candidates])
        return shared / np.maximum([self._weight(one.terms) for one in self._candidates], 1e-6)

    def _weight(self, terms: frozenset[int]) -> float:
        return sum(self._weight_by_term[term] for term in sorted(terms))  # one order: sums of floats depend on it

    def _has_no_room(self) -> NDArray[np.bool_]:
        if self._room is None:
            return np.zeros(len(self._sizes), dtype=np.bool_)
        left = self._room - int(self._sizes[self._chosen].sum()) - len(self._chosen)  # a space before each
        return self._sizes > left

    def _understandable(self, values: Scores) -> Scores:
        """Without the sentences that need one that is not chosen; if nothing else is left to begin with, with them."""
        places = {(self._candidates[at].document, self._candidates[at].place) for at in self._chosen}
        lost = [one.needs_the_one_before and (one.document, one.place - 1) not in places for one in self._candidates]
        kept = np.where(lost, NEVER, values)
        return kept if self._chosen or kept.max() > NEVER else values


def _words_worth(sentence: str) -> float:
    """The length in words of a language that has spaces between them."""
    han, kana = len(_HAN.findall(sentence)), len(_KANA.findall(sentence))
    return WORDS_PER_HAN * han + WORDS_PER_KANA * kana + len(_SPACED_WORD.findall(sentence))


def scores(table: Table) -> Scores:
    """How much a row of features is like those of sentences that editors' summaries resemble."""
    model = _model()
    scaled = (table - model["means"]) / model["scales"]
    result: Scores = (
        np.tanh(scaled @ model["hidden"] + model["hidden_bias"]) @ model["output"] + scaled @ model["direct"]
    )
    return result


@cache
def _model() -> dict[str, NDArray[np.float64]]:
    packed = files(__package__).joinpath("extract_model.npz").read_bytes()
    with np.load(BytesIO(packed)) as arrays:
        if tuple(arrays["features"].tolist()) != FEATURES:
            raise ValueError("extract_model.npz has other features: fit it again with bench/fit_extracts.py")
        return {name: arrays[name].astype(np.float64) for name in arrays.files if name != "features"}
