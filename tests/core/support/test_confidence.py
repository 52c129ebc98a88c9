"""The confidence of a summary follows its sentences and the documents that they cite."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core.support import Support
from scoop.core.support.confidence import confidence
from scoop.model import Citation


def _support(score: float, document_id: int = 1) -> Support:
    return Support(
        is_supported=score >= 0.5,
        score=score,
        findings=(),
        passages=(Citation(document_id=document_id, start=0, end=9),),
    )


def test_a_summary_without_a_supported_sentence_has_no_confidence():
    assert confidence([], documents=1) == 0
    assert confidence([_support(0.4)], documents=1) == 0


def test_a_sure_sentence_of_the_only_document_has_its_score():
    assert confidence([_support(0.9)], documents=1) == pytest.approx(0.9)


def test_the_weakest_sentence_a_rejected_sentence_and_an_uncited_document_each_reduce_it():
    sure = confidence([_support(0.9), _support(0.9)], documents=1)
    assert confidence([_support(0.9), _support(0.6)], documents=1) < sure
    assert confidence([_support(0.9), _support(0.9), _support(0.1)], documents=1) < sure
    assert confidence([_support(0.9), _support(0.9)], documents=2) < sure
    assert confidence([_support(0.9), _support(0.9, 2)], documents=2) == pytest.approx(sure)


@given(st.lists(st.builds(_support, st.floats(0, 1), st.integers(1, 3)), max_size=8), st.integers(0, 5))
def test_it_is_from_0_to_1(supports, documents):
    assert 0 <= confidence(supports, documents=documents) <= 1
