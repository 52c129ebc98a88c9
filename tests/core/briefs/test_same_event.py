"""Judgements about pairs: what supports them, and what is refused."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core.briefs import BadReply, Order, SourceText, same_event


def a_document(number, title, body):
    return SourceText(document_id=number, title=title, body_text=body, language="en", publisher="Tribune")


ORDER = Order(
    kind="same_event",
    language="",
    documents=(
        a_document(1, "Fire in Ostburg", "12 people were hurt on Monday."),
        a_document(2, "Fire in Haarlem", "14 people were hurt on Tuesday."),
    ),
)


def read(verdict="different", reason="Two towns.", differences=None):
    facts = [{"fact": "town", "one": "Ostburg", "other": "Haarlem"}] if differences is None else differences
    reply = json.dumps({"verdict": verdict, "reason": reason, "differences": facts})
    return same_event.check(same_event.parse(reply), ORDER)


def test_differences_are_kept_if_both_documents_have_their_words():
    judged = read(
        differences=[
            {"fact": "town", "one": "Ostburg", "other": "Haarlem"},
            {"fact": "invented", "one": "Ostburg", "other": "Delft"},
            {"fact": "swapped", "one": "Haarlem", "other": "Ostburg"},
            {"fact": "equal", "one": "people", "other": "people"},
        ]
    )
    assert [each.fact for each in judged.differences] == ["town"]


@pytest.mark.parametrize(
    "change",
    [
        {"differences": []},
        {"differences": [{"fact": "colour", "one": "mauve", "other": "teal"}]},
        {"reason": "See https://evil.example/"},
        {"reason": "@everyone must read this"},
        {"reason": ""},
        {"reason": "x" * 500},
        {"verdict": "perhaps"},
    ],
)
def test_a_judgement_without_support_is_refused(change):
    with pytest.raises(BadReply):
        read(**change)


def test_two_reports_of_one_event_need_no_difference():
    assert read(verdict="same", differences=[]).verdict == "same"


@given(st.text(max_size=300))
def test_no_reply_of_any_form_raises_anything_but_a_bad_reply(reply):
    with suppress(BadReply):
        same_event.check(same_event.parse(reply), ORDER)
