"""The passage of a mention, divided at the sentence that has it."""

import pytest

from scoop.core import mention_texts


@pytest.mark.parametrize(
    ("before", "after", "language", "lead", "trail"),
    [
        ("It is late. We love ", " a lot. Goodbye.", "en", "It is late. ", " Goodbye."),
        ("", " is fast", "en", "", ""),
        (
            "Title about nothing\n\nThe editor ",
            " is slow.\nNext line.",
            "en",
            "Title about nothing\n\n",
            "\nNext line.",
        ),
        ("雨です。", "は素晴らしいです。次です。", "ja", "雨です。", "次です。"),
        ("", "", "en", "", ""),
    ],
)
def test_the_sentence_of_a_mention_is_apart_from_the_rest_of_its_passage(before, after, language, lead, trail):
    parts = mention_texts.sentence_parts(before, "Tussock", after, language)
    assert (parts.lead, parts.trail) == (lead, trail)
    assert parts.lead + parts.before + parts.mention + parts.after + parts.trail == f"{before}Tussock{after}"


def test_a_mention_that_crosses_the_end_of_a_sentence_is_kept_whole():
    parts = mention_texts.sentence_parts("Use ", "Yahoo! Mail", " now. Or not.", "en")
    assert parts.before.endswith("Use ")
    assert parts.after.startswith(" now.")
