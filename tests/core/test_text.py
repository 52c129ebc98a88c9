import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core.text import normalized, one_line, readable, truncated, word_count, words

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Cafe\u0301", "Café"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("a\x85b\u2028c\x0bd", "a\nb\nc\nd"),
        ("a\x00b\x07c\x7fd\x9fe", "abcde"),
        ("a\ttab", "a\ttab"),
        ("a  \t\nb \u3000\n", "a\nb"),
        ("a\n\n\n\n\nb", "a\n\nb"),
        ("a\n \n \nb", "a\n\nb"),
        ("\ufeffstart\u200b", "start"),
        ("safe\u202egpj.exe", "safegpj.exe"),
        ("lone \ud800 half", "lone  half"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👩\u200d🚀", "👩\u200d🚀"),
        ("hid\U000e0068\U000e0069den", "hidden"),
    ],
)
def test_readers_see_the_text_and_nothing_hidden(written, shown):
    assert readable(written) == shown


def test_a_title_is_one_line():
    assert one_line("  A\n\ttitle\u3000in\xa0parts ") == "A title in parts"


@pytest.mark.parametrize(
    ("written", "matched"),
    [
        ("The  NEWS\n\ttoday ", "the news today"),
        ("ＡＢＣ　１２３", "abc 123"),
        ("Straße", "strasse"),
        ("ﬁnance", "finance"),
        ("a\x00b", "a b"),
        ("soft\xadhyphen", "softhyphen"),
        ("ｶﾞｿﾘﾝ", "ガソリン"),
        ("❤\ufe0f", "❤"),
        ("\u200b\ufeff \x00", ""),
    ],
)
def test_matching_ignores_how_a_text_is_typed(written, matched):
    assert normalized(written) == matched


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("the 3 news", ["the", "3", "news"]),
        ("don't don’t donʼt 'quoted'", ["dont", "dont", "dont", "quoted"]),
        ("snake_case, e-mail", ["snake", "case", "e", "mail"]),
        ("été übung", ["été", "übung"]),
        ("हिन्दी समाचार।", ["हिन्दी", "समाचार"]),
        ("мир и труд", ["мир", "и", "труд"]),
        ("한국 뉴스", ["한국", "뉴스"]),
        ("東京タワー", ["東京", "京タ", "タワ", "ワー"]),
        ("5月、gpt-5を", ["5", "月", "gpt", "5", "を"]),
        ("ข่าว", ["ข่", "่า", "าว"]),
        ("中国 news", ["中国", "news"]),
    ],
)
def test_words_are_found_in_every_script(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("… — !", 0),
        ("It's five o'clock, isn't it?", 5),
        ("日本の首相は東京で会見を開いた。", 8),
        ("中国经济今年增长百分之五", 6),
        ("OpenAIがGPT-5を公開", 5),
        ("ข่าววันนี้", 3),
        ("猫", 1),
    ],
)
def test_words_are_counted_where_no_spaces_are_written(text, count):
    assert word_count(text) == count


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        ("one two", 20, "one two"),
        ("one two three four five", 20, "one two three four"),
        ("one two three four fi", 18, "one two three four"),
        ("あ" * 30, 20, "あ" * 20),
        ("word " + "x" * 100, 20, "word " + "x" * 15),
    ],
)
def test_a_long_text_is_cut_between_words_where_it_can_be(text, limit, cut):
    assert truncated(text, limit) == cut


@given(ANY_TEXT)
def test_readable_text_is_stable_and_can_be_stored(text):
    shown = readable(text)
    assert readable(shown) == shown
    assert unicodedata.is_normalized("NFC", shown)
    assert "\0" not in shown
    assert shown.encode().decode() == shown


@given(ANY_TEXT)
def test_normalized_text_is_stable_and_single_spaced(text):
    matched = normalized(text)
    assert normalized(matched) == matched
    assert matched == " ".join(matched.split())
    assert matched.isprintable() or not any(unicodedata.category(sign) in {"Cc", "Cs"} for sign in matched)


@given(ANY_TEXT)
def test_words_of_any_text_are_never_empty_and_counted_from_zero(text):
    assert all(words(normalized(text)))
    assert word_count(text) >= 0


@given(ANY_TEXT, st.integers(min_value=1, max_value=50))
def test_a_cut_text_is_a_beginning_within_the_limit(text, limit):
    cut = truncated(text, limit)
    assert len(cut) <= limit
    assert text.startswith(cut)
