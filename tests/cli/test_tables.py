"""Tables on terminals of any width."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.cli import tables

COLUMNS = ("source", "kind", "problem")
LONG = "the server answered 503 three times, so the next visit is in an hour"


def made(rows, *, width, **options):
    return list(tables.lines(COLUMNS, rows, width=width, **options))


def test_a_table_that_fits_has_a_heading_a_rule_and_a_line_a_row():
    assert made([("akari", "rss", "ok")], width=80) == [
        "source   kind   problem",
        "───────────────────────",
        "akari    rss    ok",
    ]


def test_the_last_column_is_wrapped_and_not_cut_to_a_letter():
    lines = made([("akari", "rss", LONG), ("b", "site", "ok")], width=60)
    assert max(map(len, lines)) <= 60
    assert "…" not in "".join(lines)
    assert " ".join(" ".join(lines[2:4]).split()) == f"akari rss {LONG}"
    assert lines[-1] == "b        site   ok"


def test_a_last_column_without_room_is_printed_below_its_row():
    lines = made([("a_very_long_name_of_a_source", "hackernews", LONG)], width=50)
    assert lines[2] == "a_very_long_name_of_a_source   hackernews"
    assert all(line.startswith(tables.BELOW) for line in lines[3:])
    assert " ".join(" ".join(lines[3:]).split()) == LONG


def test_a_column_to_cut_is_cut_to_the_rest_of_the_width():
    lines = made([(LONG, "rss", "ok")], width=40, cut=0)
    assert max(map(len, lines)) == 40
    assert lines[2].endswith("…   rss    ok")


def test_numbers_are_aligned_on_the_right():
    assert made([("a", "7", "x"), ("b", "1234", "y")], width=80, right={1})[2:] == [
        "a           7   x",
        "b        1234   y",
    ]


def test_wide_characters_take_two_columns():
    lines = made([("バサルティン", "rss", "ok"), ("akari", "rss", "ok")], width=80)
    assert [tables.cell_width(line) for line in lines[2:]] == [tables.cell_width("バサルティン   rss    ok")] * 2
    assert tables.fit("バサルティン", 5) == "バサ…"


@pytest.mark.parametrize(("text", "width"), [("a\u0301bc", 3), ("日本", 4), ("abc", 3), ("\u200d", 0)])
def test_the_width_of_text(text, width):
    assert tables.cell_width(text) == width


@given(
    st.lists(st.tuples(*[st.text(st.characters(min_codepoint=32), max_size=40)] * 3), min_size=1), st.integers(30, 120)
)
def test_no_line_is_wider_than_the_terminal(rows, width):
    assert all(tables.cell_width(line) <= width for line in made(rows, width=width))


@given(st.text(st.characters(min_codepoint=32), max_size=200), st.integers(2, 40))
def test_wrapping_loses_nothing_but_spaces(text, width):
    lines = tables.wrap(text, width)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(tables.cell_width(line) <= width for line in lines)


def test_a_column_that_is_typed_into_other_commands_is_never_shortened():
    lines = made([("a_very_long_name_of_a_source", "an even longer text than that", LONG)], width=50, whole={0})
    assert lines[2].startswith("a_very_long_name_of_a_source   an even")
    assert max(map(len, lines)) <= 50
