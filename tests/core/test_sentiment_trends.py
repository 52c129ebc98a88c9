"""How mentions move: velocity, spikes against the usual hour, moves of an average, titles of releases."""

from datetime import UTC, datetime, timedelta

import pytest

from scoop.core import sentiment_trends as trends

HOUR = datetime(2026, 11, 18, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Tussock 4.2 brings folding", True),
        ("tussock v1.0.3", True),
        ("Linnet is released for Windows", True),
        ("Sable launches a free plan", True),
        ("Kilnrun grew 3.2 % in May", False),
        ("Ferrypack raises $1.5 million", False),
        ("Why I left Tussock", False),
    ],
)
def test_a_title_with_a_version_or_a_launch_is_a_release(title, expected):
    assert trends.is_release(title) is expected


def weeks(mentions, *, number=4):
    return {HOUR - timedelta(weeks=week): mentions for week in range(1, number + 1)}


@pytest.mark.parametrize(
    ("now", "history", "is_spike"),
    [(40, weeks(5), True), (9, weeks(0), False), (12, weeks(10), False), (40, weeks(5, number=2), False)],
)
def test_an_hour_spikes_against_the_same_hour_of_the_weeks_before(now, history, is_spike):
    found = trends.find_spike({HOUR: now, **history}, HOUR, first=min(history))
    assert (found is not None) is is_spike


def test_an_average_moves_only_on_enough_mentions_and_if_alerts_are_wanted():
    assert trends.has_moved(0.3, 0.1, mentions=20, previous=20, by=0.2)
    assert not trends.has_moved(0.3, 0.1, mentions=19, previous=90, by=0.2)
    assert not trends.has_moved(0.3, 0.1, mentions=90, previous=90, by=0)


def test_growth_from_nothing_is_finite():
    assert trends.velocity(7, 0) == 7
    assert (trends.change(5, 0), trends.change(0, 0)) == (1.0, 0.0)


@pytest.mark.parametrize(("difference", "expected"), [(0.3 - 0.2, True), (-0.1, True), (0.0999, False), (0.0, False)])
def test_a_difference_is_marked_from_a_tenth(difference, expected):
    assert trends.is_marked(difference) is expected
