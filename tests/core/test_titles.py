"""When two headlines are the same one."""

import pytest

from scoop.core import titles


@pytest.mark.parametrize(
    ("written", "bare"),
    [
        ("Old bridge stays closed for winter - The Tribune", "Old bridge stays closed for winter"),
        ("Old bridge stays closed for winter | Tribune", "Old bridge stays closed for winter"),
        ("Bridge - closed", "Bridge - closed"),  # too little would be left
        ("Vote: yes to the new harbour wall", "Vote: yes to the new harbour wall"),
    ],
)
def test_the_name_of_the_site_is_no_part_of_a_headline(written, bare):
    assert titles.bare(written) == bare


@pytest.mark.parametrize(
    "other",
    [
        "OLD BRIDGE STAYS CLOSED FOR THE WINTER",
        "Old bridge stays closed for the winter - Herald",
        "Old bridge \u201cstays closed\u201d for the winter",
    ],
)
def test_the_same_headline_typed_otherwise_is_found_by_an_index(other):
    assert titles.headline("Old bridge stays closed for the winter") == titles.headline(other)


def test_a_title_that_says_nothing_has_no_headline():
    assert titles.headline("The and of") is None


def test_overlap_counts_runs_of_three_characters():
    closed, opened, nothing = map(titles.heading, ("bridge closed", "harbour open", ""))
    assert titles.overlap(closed, closed) == 1
    assert titles.overlap(closed, opened) < 0.2
    assert titles.overlap(nothing, nothing) < 1.01
