"""What documents are compared by."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scoop.core import hashes, signals

WORDS = [
    "the",
    "harbour",
    "council",
    "voted",
    "on",
    "Tuesday",
    "to",
    "close",
    "the",
    "old",
    "bridge",
    "until",
    "every",
    "cable",
    "has",
    "been",
    "checked",
]


def phrases(words):
    return signals.phrases(hashes.digests(words))


@given(st.text(max_size=300), st.text(max_size=2000))
def test_any_text_has_signals_that_come_back_as_they_were_packed(title, body):
    packed = signals.extract(title, body).packed()
    again = signals.unpack(packed)
    assert again.packed() == packed
    for kind in ("title", "lead", "body", "names", "sketch"):
        words, weights = again.of_kind(kind)
        assert np.all(words[:-1] < words[1:])
        assert len(words) == len(weights)


def test_words_of_every_text_weigh_nothing():
    assert signals.informative_terms(["the", "and", "of"]) == frozenset()
    assert (
        signals.informative_terms(["bridges"]) == signals.informative_terms(["bridge"])
        or len(signals.informative_terms(["bridge"])) == 1
    )


def test_a_text_inside_a_longer_one_is_contained_in_it():
    long = phrases([*WORDS, "and", "then", *reversed(WORDS)])
    assert signals.containment(phrases(WORDS), long) == 1
    assert signals.containment(long, phrases(["entirely", "other", "words", "stand", "in", "here"])) == 0


def test_fewer_than_five_words_have_no_phrase():
    assert len(phrases(["too", "few", "words"])) == 0


def test_names_are_seen_in_the_middle_of_a_sentence_only():
    with_name = signals.extract("x", "Yesterday the mayor met Corvane in the harbour.")
    without = signals.extract("x", "Yesterday the mayor met people in the harbour.")
    assert len(with_name.of_kind("names")[0]) == 1
    assert len(without.of_kind("names")[0]) == 0
