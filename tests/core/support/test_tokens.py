"""Tokens compare equal across the spellings of numbers, dates and units."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core.support.tokens import tokenize


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "1,000 ships", "1000 ships"),
        ("en", "12 %", "12 percent"),
        ("en", "five ships", "5 ships"),
        ("en", "twenty-one ships", "21 ships"),
        ("en", "two hundred fifty ships", "250 ships"),
        ("en", "$15 billion", "15 billion dollars"),
        ("en", "17 November 2009", "November 17, 2009"),
        ("en", "2009-11-17", "17 November 2009"),
        ("en", "didn't", "did not"),
        ("de", "1.000 Schiffe", "1000 Schiffe"),
        ("de", "2,5 Prozent", "2,5 %"),
        ("de", "einundzwanzig Schiffe", "21 Schiffe"),
        ("de", "vier Millionen Euro", "4 Mio. Euro"),
        ("de", "am 30.4.2009", "am 30. April 2009"),
        ("ja", "５万人", "50000人"),
        ("ja", "3億3000万円", "330,000,000円"),
        ("ja", "五十人", "50人"),
        ("ja", "８パーセント", "8%"),
        ("zh", "5万", "50000"),
        ("zh", "二〇〇九年", "2009年"),
        ("zh", "１２００名", "1,200名"),
        ("zh", "500余万人", "5000000人"),
    ],
)
def test_two_spellings_of_a_quantity_are_one(language, one, other):
    assert tokenize(one, language).texts == tokenize(other, language).texts


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "27 million", "27 billion"),
        ("en", "1.5 ships", "15 ships"),
        ("de", "1.500 Euro", "1,500 Euro"),
        ("de", "12 Millionen", "12 Milliarden"),
        ("ja", "12万円", "12億円"),
        ("ja", "月曜日", "火曜日"),
        ("zh", "星期一", "星期二"),
        ("en", "$5", "€5"),
    ],
)
def test_two_quantities_are_two(language, one, other):
    assert tokenize(one, language).texts != tokenize(other, language).texts


def test_addresses_are_no_tokens():
    assert tokenize("see https://a.example/b?c=1 now", "en").texts == ["see", "now"]


@given(st.text(max_size=300), st.sampled_from(["en", "de", "ja", "zh", "und", ""]))
def test_tokens_have_their_ranges_in_the_text(text, language):
    tokens = tokenize(text, language)
    assert all(0 <= start < end <= len(text) for start, end in zip(tokens.starts, tokens.ends, strict=True))
    assert len(tokens.texts) == len(tokens.kinds) == len(tokens.starts)


@given(
    st.text(alphabet="0123456789.,'万億亿千百十一二三五〇 %$€-/月日年", max_size=60),
    st.sampled_from(["en", "de", "ja", "zh"]),
)
def test_odd_numbers_are_read_without_a_failure(text, language):
    tokenize(text, language)
