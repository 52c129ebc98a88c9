"""When two headlines are the same one."""

import pytest

from scoop.core import hashes, text, titles


def bands(title):
    return set(titles.bands(title, hashes.simhash(text.words(text.normalized(title)))))


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
    assert bands("Old bridge stays closed for the winter") & bands(other)


def test_bands_fit_into_the_integers_of_the_database():
    assert all(-(2**31) <= band < 2**31 for band in bands("Old bridge stays closed for the winter"))


def test_overlap_counts_runs_of_three_characters():
    assert titles.overlap("bridge closed", "bridge closed") == 1
    assert titles.overlap("bridge closed", "harbour open") < 0.2
    assert titles.overlap("", "") < 1.01
