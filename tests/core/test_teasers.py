"""An article's page is read where the item has only a taste of it."""

import pytest

from builders import an_item
from scoop.core import teasers

LONG = "The council said on Tuesday that the old bridge will stay closed until every cable has been checked. " * 8


def page_url(full_text: str = "auto", /, **changes) -> str | None:
    return teasers.page_url(an_item(**changes), full_text=full_text)


def test_a_short_text_is_a_teaser():
    assert page_url(body_text="The bridge stays closed.") == "https://tribune.example/1"


def test_an_article_is_not_asked_for_again():
    assert page_url(body_text=LONG) is None


@pytest.mark.parametrize("end", ["…", "[...]", "Read more", "続きを読む", "Continue reading →"])
def test_a_text_that_ends_as_if_cut_is_a_teaser(end):
    assert page_url(body_text=f"{LONG} {end}") is not None


def test_japanese_is_counted_in_words_too():
    assert page_url(body_text="市議会は火曜日、古い橋は点検が終わるまで通行止めを続けると発表した。" * 6) is None


def test_what_the_source_was_told_stands():
    assert page_url("never", body_text="Short.") is None
    assert page_url("always", body_text=LONG) is not None


def test_what_the_item_itself_says_comes_first():
    assert page_url("never", metadata={"full_text": "required"}) is not None
    assert page_url("always", metadata={"full_text": "never"}) is None


def test_a_platforms_own_page_says_no_more_than_its_api():
    assert page_url(canonical_url="https://www.youtube.com/watch?v=abcdefghijk", body_text="") is None


def test_without_an_address_there_is_no_page():
    assert page_url(canonical_url=None, body_text="") is None
