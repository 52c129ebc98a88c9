"""What changed between two versions of a text, as the page of versions marks it."""

from datetime import UTC, datetime

from hypothesis import assume, given
from hypothesis import strategies as st

from scoop.core import text_changes
from scoop.core.text_changes import DocumentText

NOW = datetime(2024, 5, 16, 12, 0, tzinfo=UTC)


def a_text(body, title="T"):
    return DocumentText(title=title, body_text=body, since=NOW)


def said(spans, *kinds):
    return "".join(span.text for span in spans if span.kind in kinds)


def test_a_change_marks_words_not_letters():
    change = text_changes.compare(a_text("closed for nine days"), a_text("closed for ninety days"))
    assert [(span.kind, span.text) for span in change.body] == [
        ("same", "closed for "),
        ("removed", "nine"),
        ("added", "ninety"),
        ("same", " days"),
    ]


def test_a_change_of_a_text_without_spaces_marks_signs():
    change = text_changes.compare(a_text("橋は月曜日まで閉鎖"), a_text("橋は金曜日まで閉鎖"))
    assert (said(change.body, "removed"), said(change.body, "added")) == ("月", "金")


def test_what_stands_far_from_a_change_is_left_out():
    body = " ".join(f"word{n}" for n in range(500))
    change = text_changes.compare(a_text(body), a_text(f"{body} more"))
    assert len(said(change.body, "same")) < 200
    assert said(change.body, "same").startswith(text_changes.LEFT_OUT)
    assert said(change.body, "added") == " more"


def test_texts_that_have_little_in_common_are_compared_as_far_as_the_limit():
    one = " ".join(f"a{n} x" for n in range(20_000))
    other = " ".join(f"b{n} x" for n in range(20_000, 0, -1))
    change = text_changes.compare(a_text(one), a_text(other))
    assert change.is_cut
    assert len(said(change.body, "removed", "added")) < text_changes.MAX_TOKENS * 12


def test_a_text_that_stayed_as_it_was_is_not_shown_again():
    change = text_changes.compare(a_text("closed", title="Bridge"), a_text("closed", title="Old bridge"))
    assert (said(change.title, "added"), change.body) == ("Old bridge", [])


@given(st.text(max_size=20), st.text(max_size=20))
def test_what_is_shown_of_two_short_texts_is_all_of_both(one, other):
    assume(one != other)
    body = text_changes.compare(a_text(one), a_text(other)).body
    assert said(body, "same", "removed") == one
    assert said(body, "same", "added") == other
