"""Thumbs: they move scores within bounds, in the direction that the reader gave."""

from hypothesis import given
from hypothesis import strategies as st

from scoop.core.relevance import RelevanceLabel
from scoop.core.relevance.labels import MAX_SHIFT, shifts

TOPICS = ("Go", "PostgreSQL", "Keyboards")
POINTS = st.integers(0, 100)
ANY = st.booleans()


def labels(is_wanted=ANY):
    return st.lists(
        st.builds(
            RelevanceLabel,
            is_wanted=is_wanted,
            untuned_score=POINTS,
            untuned_topic_scores=st.dictionaries(st.sampled_from(TOPICS), POINTS),
        ),
        max_size=60,
    )


@given(labels())
def test_no_number_of_labels_moves_a_topic_further_than_the_bound(given_labels):
    assert all(abs(shift) <= MAX_SHIFT for shift in shifts(given_labels, TOPICS))


@given(labels(is_wanted=st.just(True)), labels(is_wanted=st.just(False)))
def test_wanted_articles_never_lower_a_topic_and_unwanted_ones_never_raise_it(wanted, unwanted):
    assert all(shift >= 0 for shift in shifts(wanted, TOPICS))
    assert all(shift <= 0 for shift in shifts(unwanted, TOPICS))


@given(labels(), st.randoms(use_true_random=False))
def test_the_order_of_labels_does_not_matter(given_labels, random):
    shuffled = random.sample(given_labels, len(given_labels))
    assert shifts(shuffled, TOPICS).tolist() == shifts(given_labels, TOPICS).tolist()


def test_without_labels_nothing_moves():
    assert shifts((), TOPICS).tolist() == [0, 0, 0]
