"""How much of the names of topics is in articles word by word, in any order and with other endings."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from scoop.core import text
from scoop.core.interests import Interests
from scoop.core.relevance import ScoredText

LEAD_CHARACTERS = 500
MIN_STEM = 4  # letters that words with other endings share: "compression" and "compress"
MIN_SHARE = 0.5  # of the letters of the name's word
_LITTLE_WORDS = frozenset(
    ("and", "das", "dem", "den", "der", "die", "for", "from", "im", "in", "is", "of", "on", "the", "to", "und", "von")
)

Table = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class WordMatches:
    """The share of the words of the best name that is there, by article and topic; rarer words weigh more."""

    in_title: Table
    in_lead: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class _Vocabulary:
    """The words of all names, each at its place, and the places by how words begin."""

    weights: NDArray[np.float64]
    names_by_topic: Sequence[Sequence[Sequence[int]]]
    places_by_beginning: Mapping[str, Sequence[tuple[str, int]]]


def find(articles: Sequence[ScoredText], interests: Interests) -> WordMatches:
    vocabulary = _vocabulary(interests)
    shape = len(articles), len(interests.topics)
    in_title, in_lead = np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.float32)
    for row, article in enumerate(articles):
        title = _matches(_words(article.title), vocabulary)
        lead = np.maximum(title, _matches(_words(article.body_text[:LEAD_CHARACTERS]), vocabulary))
        for topic, named in enumerate(vocabulary.names_by_topic):
            in_title[row, topic] = max((_share(name, title, vocabulary) for name in named), default=0)
            in_lead[row, topic] = max((_share(name, lead, vocabulary) for name in named), default=0)
    return WordMatches(in_title=in_title, in_lead=in_lead)


def _vocabulary(interests: Interests) -> _Vocabulary:
    names = [[_words(name) for name in (topic.topic, *topic.aliases)] for topic in interests.topics]
    topics_by_word = Counter(word for named in names for word in {word for name in named for word in name})
    place = {word: at for at, word in enumerate(topics_by_word)}
    by_beginning: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for word, at in place.items():
        by_beginning[word[:MIN_STEM]].append((word, at))
    return _Vocabulary(
        weights=np.array([log(1 + len(names) / count) for count in topics_by_word.values()]),
        names_by_topic=[[[place[word] for word in name] for name in named if name] for named in names],
        places_by_beginning=by_beginning,
    )


def _words(written: str) -> list[str]:
    return [word for word in text.words(text.normalized(written)) if word not in _LITTLE_WORDS]


def _matches(words: Iterable[str], vocabulary: _Vocabulary) -> NDArray[np.float64]:
    """How much of each word of the vocabulary is among these words."""
    found = np.zeros(len(vocabulary.weights))
    for word in set(words):
        for name_word, at in vocabulary.places_by_beginning.get(word[:MIN_STEM], ()):
            found[at] = max(found[at], _likeness(name_word, word))
    return found


def _likeness(name_word: str, word: str) -> float:
    if name_word == word:
        return 1.0
    pairs = zip(name_word, word, strict=False)
    shared = next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(name_word), len(word)))
    share = shared / len(name_word)
    return share if shared >= MIN_STEM and share >= MIN_SHARE else 0.0


def _share(name: Sequence[int], found: NDArray[np.float64], vocabulary: _Vocabulary) -> float:
    weights = vocabulary.weights[name]
    return float((weights * found[name]).sum() / weights.sum())
