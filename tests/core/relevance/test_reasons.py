"""The reasoning of the local scorer, in the language of a curator."""

import string

import pytest

from scoop.core.relevance import reasons
from scoop.core.relevance.rubric import Quality

MANY = Quality(concreteness=1, practicality=1, depth=1, numbers=9, names=0, code=2, words=90)
FEW = Quality(concreteness=1, practicality=1, depth=1, numbers=0, names=0, code=0, words=300)


def a_reasoning(language, *, matching=("Go", "Rust {x}"), named=None, measured=MANY, is_ai_written=False):
    scores = {"Go": 80, "Rust {x}": 60}
    return reasons.reasoning(matching, scores, named or {}, measured, is_ai_written=is_ai_written, language=language)


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", 'It matches Go and Rust {x}: the text has "golang". It has 9 numbers and code.'),
        ("de", "Er passt zu Go und Rust {x}: Im Text steht „golang“. Er enthält 9 Zahlen und Programmcode."),
        ("ja", "GoとRust {x}に該当します。本文に「golang」があります。数値9個とコードを含みます。"),
        ("zh-Hans", "符合主题Go和Rust {x}：正文中有“golang”。含有9个数字和代码。"),
        ("fi", 'It matches Go and Rust {x}: the text has "golang". It has 9 numbers and code.'),
        ("", 'It matches Go and Rust {x}: the text has "golang". It has 9 numbers and code.'),
    ],
)
def test_the_reason_of_a_match_is_in_the_language_of_the_curator(language, expected):
    assert a_reasoning(language, named={"Go": ["golang"]}) == expected


def test_no_match_names_the_nearest_topic_and_an_estimate_says_so():
    written = a_reasoning("ja", matching=(), measured=FEW, is_ai_written=True)
    assert "最も近いのはGoで、100点中80点です" in written
    assert written.endswith("点数には影響しません）。")


@pytest.mark.parametrize("phrases", reasons.BY_LANGUAGE.values(), ids=reasons.BY_LANGUAGE)
def test_every_language_fills_in_the_same_names(phrases):
    def names(template):
        return {name for _, name, _, _ in string.Formatter().parse(template) if name}

    for field in type(phrases).__slots__:
        assert names(getattr(phrases, field)) == names(getattr(reasons.ENGLISH, field)), field
