"""Two editions of a daily series are no event, however alike their headlines are."""

import pytest

from scoop.core import editions
from scoop.core.editions import are_two_editions, dated_title


def two_editions(one, other):
    return are_two_editions(dated_title(one), dated_title(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Markets close higher on Tuesday, index up 0.4 percent",
            "Markets close higher on Thursday, index up 0.2 percent",
        ),
        ("How major stock indexes fared Monday 2/16/2026", "How major stock indexes fared Tuesday 2/17/2026"),
        ("Das Wetter am Dienstag in Bremen", "Das Wetter am Mittwoch in Bremen"),
        ("Les tirages du loto de mercredi", "Les tirages du loto de lundi"),
    ],
)
def test_titles_that_differ_in_the_day_are_two_editions(one, other):
    assert two_editions(one, other)
    assert two_editions(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Markets close higher on Tuesday", "Stocks rise on Tuesday as markets close higher"),
        ("Markets close higher on Tuesday", "Markets close higher"),
        ("Ferry fire: all 214 passengers safe on Tuesday", "Rescuers bring everybody off burning ferry late on Monday"),
        ("Monday", "Tuesday"),
    ],
)
def test_other_titles_are_not(one, other):
    assert not two_editions(one, other)


def test_every_day_has_a_name_of_its_own_in_each_language():
    names = [name for names in editions.WEEKDAYS for name in names.split()]
    assert len(names) == len(set(names))
    assert {next(iter(dated_title(name).days)) for name in names} == set(range(7))
