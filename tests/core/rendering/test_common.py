import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.rendering.digests import ADDRESSES, a_telling, wild_texts
from scoop.core.rendering import common


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("two\nlines\u2028more", "two lines more"),
        ("a\u202eb\u2066c\u200fd\u061ce", "abcde"),
        ("a\u200bb\ufeffc\u200dd\u200ce", "abcde"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("می\u200c\u200c\u200cخواهم\u200c", "می\u200cخواهم"),
        ("👩\u200d🚀", "👩\u200d🚀"),
        ("\u3164 \u2800 x", "x"),
    ],
)
def test_readers_see_the_text_and_nothing_hidden(written, shown):
    assert common.shown(written) == shown


@pytest.mark.parametrize("title", ["", " \n", "\u200b\u202e", "\u3164", "\ufe0f", "\u0301"])
def test_a_title_of_nothing_visible_is_untitled(title):
    assert common.headline(a_telling(title=title)) == "Untitled"


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        ("Short enough.", 13, "Short enough."),
        ("It rained. It poured. It stopped then.", 30, "It rained. It poured. …"),
        ("A long sentence with, in the middle", 25, "A long sentence with …"),
        ("雨が降った。風も吹いた。やがて止んだ。", 15, "雨が降った。風も吹いた。 …"),
        ("あいうえおかきくけこさしすせそ", 10, "あいうえおかきく…"),
        ("aaaae\u0301e\u0301e\u0301e\u0301", 9, "aaaae\u0301…"),
    ],
)
def test_a_text_is_cut_where_a_sentence_or_a_word_ends(text, limit, cut):
    assert common.cut(text, limit) == cut


@given(wild_texts, st.integers(20, 300))
def test_a_cut_text_is_within_its_limit(text, limit):
    assert len(common.cut(common.shown(text), limit)) <= limit


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "ftp://a.example/", "//a.example", "https://bank.example@evil.example/", "", None],
)
def test_only_a_plain_web_address_is_a_link(url):
    assert common.link(url) is None


@pytest.mark.parametrize("url", ADDRESSES)
def test_nothing_breaks_out_of_a_link(url):
    link = common.link(url)
    if link:
        assert link.host.isascii()
        assert not set(common.destination(link)) & set(" ()<>[]\\\n\t")


@pytest.mark.parametrize(
    ("publishers", "said"),
    [
        ((), ""),
        (("The Paper",), "covered by The Paper"),
        (("paper.example",), ""),
        (("A", "B"), "covered by 2 independent publishers: A and B"),
        (("A", "\u200b", "B", "C"), "covered by 3 independent publishers: A, B and C"),
        (tuple("ABCDEFG"), "covered by 7 independent publishers: A, B, C, D, E and 2 more"),
    ],
)
def test_the_publishers_are_counted_and_named(publishers, said):
    assert common.told_by(a_telling(url="https://www.paper.example/1", publishers=publishers)) == said


def test_a_summary_that_repeats_the_title_is_not_shown():
    assert common.summary(a_telling(title="It rains", summary=" It\nrains ")) == ""


def test_publishers_are_called_by_their_names():
    telling = a_telling(publishers=("abc_news_us", "bbc"), publisher_names=("ABC News (US)", "BBC"))
    assert common.told_by(telling) == "covered by 2 independent publishers: ABC News (US) and BBC"
