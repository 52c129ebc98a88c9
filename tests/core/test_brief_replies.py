"""Replies of models: JSON wherever it is, and nothing else."""

from contextlib import suppress

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core.briefs import BadReply, replies


class Form(msgspec.Struct):
    word: str


@pytest.mark.parametrize(
    "reply",
    [
        '{"word": "yes"}',
        'Here it is: {"word": "yes"} I hope it helps.',
        '```json\n{"word": "yes"}\n```',
        '<think>{"word": "no"}? Rather yes.</think>\n{"word": "yes"}',
        '{"word": "yes", "more": [1, 2]}',
    ],
)
def test_json_is_found_among_words(reply):
    assert replies.decode(reply, Form).word == "yes"


@pytest.mark.parametrize(
    "reply",
    ["", "no", "{", "}{", '{"word": 1}', '["yes"]', '{"word": "yes"', "{" * 100_000, '{"a": ' + "[" * 100_000 + "}"],
)
def test_a_reply_of_another_form_is_bad(reply):
    with pytest.raises(BadReply) as bad:
        replies.decode(reply, Form)
    assert bad.value.problem == "not_json"


def test_a_reply_without_end_is_bad():
    with pytest.raises(BadReply, match="characters"):
        replies.decode("x" * (replies.MAX_CHARACTERS + 1), Form)


@given(st.text())
def test_any_text_gives_the_form_or_is_bad(reply):
    with suppress(BadReply):
        assert isinstance(replies.decode(reply, Form), Form)
