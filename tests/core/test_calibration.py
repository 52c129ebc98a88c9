"""Thresholds from what people decided."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core import links, signals
from scoop.core.calibration import MERGE_PRECISION, MIN_LABELS, LabelledPair, accuracy, propose
from scoop.core.links import Compared
from scoop.errors import ConfigError

FIT = links.load_model("use-multilingual", "v3+lead400")
NOTHING = signals.extract("", "")
SOMEONE = Compared(signals=NOTHING, day=0.0, publisher="", language="en", words=400, is_of_many_events=False)


def a_label(*, same, cosine=0.5, probability=0.5, alike=True, words=400):
    """A pair whose titles and texts are alike, or share no more than names."""
    signs = dict.fromkeys(links.FEATURES, 0.0) | {"cosine": cosine, "names": 1.0}
    signs |= dict.fromkeys(("title_words", "body_terms"), float(alike))
    talkative = Compared(signals=NOTHING, day=0.0, publisher="", language="en", words=words, is_of_many_events=False)
    return LabelledPair(
        one=SOMEONE,
        other=talkative,
        signs=np.array(list(signs.values()), dtype=np.float32),
        probability=probability,
        is_same=same,
    )


def spread(low, high, *, same, count=MIN_LABELS, of="cosine", **signs):
    return [a_label(same=same, **{of: float(value)}, **signs) for value in np.linspace(low, high, count)]


def proposed(labels, threshold, fit=FIT):
    (found,) = [one for one in propose(labels, fit) if one.threshold == threshold]
    return found


def test_accuracy_is_what_a_person_would_count():
    labels = [
        a_label(same=True, probability=0.9),
        a_label(same=True, probability=0.1),
        a_label(same=False, probability=0.8),
        a_label(same=False, probability=0.2),
    ]
    reached = accuracy("coverage", labels, FIT)
    assert (reached.precision, reached.recall) == (0.5, 0.5)
    assert accuracy("merge", labels, FIT).precision is None


def test_merges_go_down_as_far_as_no_pair_is_wrong():
    labels = spread(0.80, 0.93, same=True) + spread(0.40, 0.60, same=False)
    found = proposed(labels, "merge_at")
    assert 0.60 < found.proposed <= 0.80 < found.now
    assert (found.after.precision, found.after.recall) == (1.0, 1.0)
    assert found.before.recall < 1


def test_merges_go_up_when_they_were_wrong():
    labels = spread(0.95, 0.99, same=True, alike=False) + spread(FIT.sure_at, 0.945, same=False, alike=False)
    found = proposed(labels, "sure_at")
    assert FIT.sure_at < found.proposed <= 0.95
    assert found.before.precision < found.after.precision == 1


def test_coverage_is_where_precision_and_recall_are_best_together():
    labels = spread(0.3, 0.9, same=True, of="probability") + spread(0.05, 0.25, same=False, of="probability")
    assert 0.25 < proposed(labels, "coverage_at").proposed <= 0.3


def test_a_threshold_that_does_as_well_as_any_stays():
    labels = spread(0.7, 0.9, same=True, of="probability") + spread(0.1, 0.3, same=False, of="probability")
    assert proposed(labels, "coverage_at").proposed == FIT.coverage_at


def test_nothing_is_proposed_from_too_few_labels_and_it_is_told_how_many_are_missing():
    labels = spread(0.60, 0.80, same=True, count=MIN_LABELS - 3) + spread(0.40, 0.50, same=False)
    found = proposed(labels, "merge_at")
    assert (found.proposed, found.missing_same, found.missing_apart) == (found.now, 3, 0)


def test_pairs_that_a_threshold_cannot_decide_do_not_count_for_it():
    short = spread(0.60, 0.80, same=True, words=5) + spread(0.40, 0.50, same=False, words=5)
    assert proposed(short, "merge_at").missing_same == MIN_LABELS
    assert proposed(short, "coverage_at").missing_same == 0


LABELS = st.lists(
    st.builds(
        a_label,
        same=st.booleans(),
        cosine=st.floats(-1, 1, width=32),
        probability=st.floats(0, 1, width=32),
        alike=st.booleans(),
        words=st.sampled_from([10, 400]),
    ),
    max_size=20,
).map(lambda labels: labels * MIN_LABELS)


@given(LABELS)
def test_what_is_proposed_can_be_applied_and_does_not_do_worse(labels):
    fit = FIT
    for found in propose(labels, fit):
        assert accuracy(found.tier, labels, fit) == found.before
        fit = links.calibrated(fit, {found.threshold: found.proposed})
        assert accuracy(found.tier, labels, fit) == found.after
        if found.tier == "merge" and (found.before.precision or 1) >= MERGE_PRECISION and found.after.recall:
            assert found.after.recall >= found.before.recall
    assert fit.merge_at <= fit.sure_at


@pytest.mark.parametrize("wrong", [{"merge": 0.5}, {"merge_at": 1.5}, {"sure_at": "high"}, {"sure_at": True}])
def test_a_calibration_that_cannot_be_is_refused_with_the_way_out(wrong):
    with pytest.raises(ConfigError, match="scoop calibrate --reset"):
        links.calibrated(FIT, wrong)


def test_a_calibration_changes_only_what_it_names():
    changed = links.calibrated(FIT, {"coverage_at": 0.25})
    assert (changed.coverage_at, changed.merge_at) == (0.25, FIT.merge_at)
