"""Translations: what is sent, what is read, and what is refused."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core import digits
from scoop.core.briefs import BadReply, Order, SourceText, translation

BODY = "The ferry sails at 15.30 on 12.05.2026.\n\nIt carried 1,500,000 people, 3 dogs and 41 cars."
GERMAN = [
    "Die Fähre fährt am 12. Mai 2026 um 15:30 Uhr ab, und zwar zum 12.05.2026.",
    "Sie beförderte 1,5 Millionen Menschen, drei Hunde und 41 Autos.",
]


def an_order(body=BODY, **changes):
    document = {"document_id": 7, "title": "Ferry sails", "body_text": body, "language": "en", "publisher": "Tribune"}
    return Order(kind="translation", language="de", documents=(SourceText(**document | changes),))


def a_reply(paragraphs=GERMAN, *, title="Die Fähre fährt wieder", summary=""):
    return json.dumps({"title": title, "summary": summary, "paragraphs": paragraphs})


def read(reply, order=None):
    return translation.check(translation.parse(reply), order or an_order())


def test_a_faithful_translation_is_kept():
    assert read(a_reply()).paragraphs == tuple(GERMAN)


def test_the_prompt_numbers_the_paragraphs_and_fences_them():
    prompt = translation.prompt(an_order())
    assert "[1] The ferry sails" in prompt.user
    assert "[2] It carried" in prompt.user
    assert "into German" in prompt.user


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"paragraphs": GERMAN[:1]}, "unfaithful"),
        ({"paragraphs": [GERMAN[0], GERMAN[1].replace("41", "vierzig")]}, "unfaithful"),
        ({"paragraphs": [GERMAN[0], f"{GERMAN[1]} Es waren 4711 Boote."]}, "unfaithful"),
        ({"paragraphs": [GERMAN[0], f"{GERMAN[1]} https://evil.example/"]}, "unfaithful"),
        ({"paragraphs": [GERMAN[0], f"{GERMAN[1]} <b>Eil</b>"]}, "unfaithful"),
        ({"paragraphs": BODY.split("\n\n")}, "wrong_language"),
        ({"paragraphs": ["", ""]}, "empty"),
        ({"title": ""}, "empty"),
        ({"summary": "Eine Fähre."}, "unfaithful"),
    ],
)
def test_a_translation_that_adds_or_loses_something_is_refused(change, problem):
    with pytest.raises(BadReply) as refused:
        read(a_reply(**{"paragraphs": GERMAN} | change))
    assert refused.value.problem == problem


def test_a_link_of_the_original_may_stay():
    order = an_order(f"{BODY} See https://tribune.example/a.")
    assert read(a_reply([GERMAN[0], f"{GERMAN[1]} Siehe https://tribune.example/a"]), order)


@given(st.text(max_size=400))
def test_no_reply_of_any_form_raises_anything_but_a_bad_reply(reply):
    with suppress(BadReply):
        read(reply)


@given(st.text(max_size=30_000))
def test_what_is_sent_is_the_beginning_of_the_text_in_whole_paragraphs(body):
    sent, every = translation.first_paragraphs(body), translation.paragraphs_of(body)
    assert sum(map(len, sent)) <= translation.MAX_CHARACTERS
    assert sent == every[: len(sent)] or len(sent) == 1
    assert bool(sent) == bool(every)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1.5 million", "150万"),
        ("102 million", "1億200万"),
        ("1,234,567 people", "123万4567人"),
        ("12.5 %", "12,5 %"),
        ("3:30 p.m. on 12.05.2026", "2026年5月12日15時30分"),
        ("10 000 Euro", "10,000 euros"),
        ("٤٢ شخصا", "42 people"),
    ],
)
def test_numbers_are_the_same_in_every_spelling(one, other):
    assert digits.lost_numbers(one, other) == []
    assert digits.added_numbers(one, other) == []


@given(st.integers(min_value=11, max_value=10**12), st.integers(min_value=11, max_value=10**12))
def test_a_number_that_became_another_is_lost(one, other):
    is_same = str(one).strip("0") == str(other).strip("0")
    has_one_digit = len(str(one).strip("0")) == 1
    assert bool(digits.lost_numbers(f"It has {one} cars", f"Es hat {other} Autos")) is not (is_same or has_one_digit)
