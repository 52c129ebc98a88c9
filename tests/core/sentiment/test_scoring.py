"""Scores of texts and mentions: labels, targets, and what has no words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core.sentiment import SentimentTarget, label_of, passages, scoring


def target(text, name=None, **fields):
    start = text.index(name) if name else None
    return SentimentTarget(text=text, start=start, end=start + len(name) if name else None, **fields)


def label(text, name=None, **fields):
    (one,) = scoring.score([target(text, name, **fields)])
    assert label_of(one.compound) == one.label
    return one.label


@pytest.mark.parametrize(("compound", "expected"), [
    (0.05, "positive"), (0.0499, "neutral"), (-0.0499, "neutral"), (-0.05, "negative"), (1, "positive"),
])  # fmt: skip
def test_a_score_becomes_a_label_by_the_rule_of_the_product(compound, expected):
    assert label_of(compound) == expected


def test_praise_and_complaints_of_developers_are_told_apart():
    assert label("Thanks a lot, this is great and works perfectly!", language="en", kind="developer") == "positive"
    assert label("I hate this, it is a horrible mess.", language="en", kind="developer") == "negative"
    assert label("Which version has this function?", language="en", kind="developer") == "neutral"


def test_good_and_bad_news_of_a_company_are_told_apart():
    assert label("Infosys shares surge to record high on strong profit", "Infosys", language="en", kind="headline") == (
        "positive"
    )
    assert label("Infosys shares tumble on weak results", "Infosys", language="en", kind="headline") == "negative"


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_a_text_without_words_is_neutral(text):
    assert label(text) == "neutral"


def test_scores_do_not_depend_on_the_other_texts_of_a_batch():
    texts = [target("I love Docker", "Docker", language="en"), target("Docker ist schlecht", "Docker", language="de"),
             target("Awful.", language="en", kind="social")]  # fmt: skip
    together = scoring.score(texts)
    alone = [scoring.score([one])[0] for one in texts]
    assert [one.label for one in together] == [one.label for one in alone]
    assert np.allclose([one.compound for one in together], [one.compound for one in alone], atol=1e-5)


def test_the_method_names_the_model_and_whether_the_encoder_was_used():
    one = target("All good", language="en", kind="social")
    plain, encoded = scoring.score([one])[0], scoring.score([one], embed=lambda texts: np.zeros((len(texts), 512)))[0]
    assert (plain.method, encoded.method) == ("linear/social-en", "linear+encoder/social-en")


def test_no_targets_have_no_scores():
    assert scoring.score([]) == []


def test_a_long_text_is_scored_by_the_sentences_about_the_target():
    text = f"{'Nothing happens here at all. ' * 60}I love Docker. {'Nothing more happens. ' * 60}"
    start = text.index("Docker")
    first, last = passages.passage_of(text, start, start + 6, "en")
    assert "I love Docker." in text[first:last]
    assert last - first <= 2 * passages.MAX_PASSAGE


@given(st.text(min_size=1, max_size=120), st.data())
def test_a_clause_holds_its_mention(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    first, last = passages.clause_of(text, start, end)
    assert 0 <= first <= start < end <= last <= len(text)
