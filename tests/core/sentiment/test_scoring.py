"""Scores of texts and mentions: labels, targets, and what has no words."""

from unicodedata import normalize

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


def test_thanks_at_the_end_of_a_long_text_of_a_developer_count():
    question = "The function returns a list of rows and the caller sorts them by date before it prints them. " * 3
    plain, thankful = (scoring.score([target(text, language="en", kind="developer")])[0].compound
                       for text in (question, f"{question}Thanks, you are awesome!"))  # fmt: skip
    assert thankful > plain


def test_korean_has_the_same_score_with_composed_and_with_separate_letters():
    text = "배우들 연기가 정말 좋았고 다시 보고 싶은 영화였다"
    composed, separate = (target(normalize(form, text), language="ko", kind="review") for form in ("NFC", "NFD"))
    assert scoring.score([composed]) == scoring.score([separate])


def test_words_beside_a_mention_are_read_in_spaced_and_unspaced_scripts():
    seen = []

    def embed(texts):
        seen.extend(texts)
        return np.zeros((len(texts), 512))

    english = target("Yesterday we moved everything to Docker and never looked back again", "Docker", language="en")
    chinese = target("荣耀质量和售后比小米好很多吧", "小米", language="zh", kind="social")
    scoring.score([english, chinese], embed=embed)
    assert {"everything to", "and", "everything to Docker and", "和售后比", "好很多吧"} <= set(seen)


@given(st.text(min_size=1, max_size=120), st.sampled_from(["en", "zh", "de"]), st.data())
def test_any_range_of_any_text_is_scored_with_the_encoder(text, language, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    one = SentimentTarget(text=text, language=language, kind="news", start=start, end=end)
    [scored] = scoring.score([one], embed=lambda texts: np.ones((len(texts), 512)))
    assert -1 <= scored.compound <= 1


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
