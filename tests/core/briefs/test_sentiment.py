"""Judgements of unsure mentions: what is kept, and what is refused."""

import json

import pytest

from scoop.core.briefs import BadReply, Order, SourceText, sentiment

PASSAGE = "We tried Docker for a week. It kept crashing, so we left."
ORDER = Order(
    kind="sentiment",
    language="",
    documents=(SourceText(document_id=1, title="Docker", body_text=PASSAGE, language="en", publisher=""),),
)


def read(**fields):
    reply = {"label": "negative", "compound": -0.7, "confidence": 0.9, "evidence": "It kept crashing", **fields}
    return sentiment.check(sentiment.parse(json.dumps(reply)), ORDER)


def test_a_judgement_with_its_evidence_is_kept():
    assert read().label == "negative"
    assert read(label="neutral", compound=0, evidence="").label == "neutral"


@pytest.mark.parametrize("fields", [
    {"compound": 0.7}, {"compound": -2}, {"confidence": 1.5}, {"evidence": ""}, {"evidence": "It was wonderful"},
    {"evidence": PASSAGE * 5}, {"label": "angry"},
])  # fmt: skip
def test_a_judgement_that_contradicts_itself_or_the_text_is_refused(fields):
    with pytest.raises(BadReply):
        read(**fields)


def test_the_prompt_fences_the_passage_and_the_name_of_the_target():
    prompt = sentiment.prompt(ORDER)
    assert PASSAGE in prompt.user
    assert "Docker" in prompt.user
    assert sentiment.has_text(ORDER)
