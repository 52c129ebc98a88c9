"""What only one of two articles says is marked in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core import differences
from scoop.core.differences import ComparedArticle


def an_article(body="", *, title="Bridge closed", language="en"):
    return ComparedArticle(title=title, body=body, language=language)


def only_in(one, other):
    """What is marked in the body of one article that is compared with another, by kind."""
    marked = differences.mark_differences(an_article(one), an_article(other))
    return [(piece.kind, piece.text) for piece in marked.body if piece.kind]


@pytest.mark.parametrize(
    ("one", "other", "marked"),
    [
        ("It hurt 41 people.", "It hurt 38 people.", [("number", "41")]),
        ("It hurt three people.", "It hurt 3 people.", []),
        ("It hurt three people.", "It hurt five people.", [("number", "three")]),
        ("It cost 90,000 euros.", "It cost 90000 euros.", []),
        ("It cost 90,500 euros.", "It cost 90000 euros.", [("number", "90,500")]),
        ("It opens on 14 November 2026.", "It opens on November 14.", []),
        ("It opens on 14 November.", "It opens on 2026-11-14.", []),
        ("It opens on 15 November.", "It opens on 2026-11-14.", [("date", "15 November")]),
        ("It opens on Monday.", "Es öffnet am Montag.", []),
        ("It opens on Monday.", "It opens on Friday.", [("date", "Monday")]),
        ("Open since 1998.", "Open since 2004.", [("date", "1998")]),
        ("11月14日に開く", "11月15日に開く", [("date", "11月14日")]),
        ("The mayor, Erika Braun, spoke.", "The mayor, Jonas Braun, spoke.", [("name", "Erika")]),
        ("They met Braun's friends.", "They met the Brauns.", []),
        ("Growers blame the weather.", "The weather is to blame.", []),
        ("He said I'm sorry.", "He was sorry.", []),
        ('He said "We lost" to them.', "He was sorry.", []),
    ],
)
def test_numbers_dates_and_names_are_marked_where_the_other_has_none_like_them(one, other, marked):
    assert only_in(one, other) == marked


def test_a_name_is_marked_wherever_it_stands_once_it_is_known_to_be_one():
    marked = differences.mark_differences(
        an_article("Ostburg burns. They fled from Ostburg."), an_article("A town burns.")
    )
    assert [piece.text for piece in marked.body if piece.kind] == ["Ostburg", "Ostburg"]


def test_capitals_of_a_headline_or_of_german_make_no_names():
    shouting = differences.mark_differences(an_article(title="Old Bridge Stays Closed For Years"), an_article())
    german = differences.mark_differences(an_article("Die Brücke bleibt zu.", language="de"), an_article())
    assert not [piece for piece in (*shouting.title, *german.body) if piece.kind]


@given(st.text(max_size=200), st.text(max_size=200), st.integers(min_value=0, max_value=250))
def test_no_letter_is_lost_or_added(one, other, at):
    marked = differences.mark_differences(an_article(one, title=other), an_article(other))
    head, rest = differences.split_spans(marked.body, at)
    assert "".join(piece.text for piece in marked.title) == other
    assert "".join(piece.text for piece in marked.body) == one
    assert "".join(piece.text for piece in head) == one[:at]
    assert "".join(piece.text for piece in rest) == one[at:]
