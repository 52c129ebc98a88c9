from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core import front_page
from scoop.core.front_page import EventTally

NOW = datetime(2024, 5, 16, 12, 0, tzinfo=UTC)


def tally(collection, wide=0, events=1):
    return EventTally(collection=collection, events=events, wide_events=wide)


@pytest.mark.parametrize(
    ("preferred", "order"),
    [
        ([], ["world", "blogs", "art", "tech"]),
        (["tech", "unknown", "art"], ["tech", "art", "world", "blogs"]),
    ],
)
def test_collections_follow_the_operator_then_the_breadth_of_their_news(preferred, order):
    tallies = [tally("art"), tally("blogs", events=90), tally("tech"), tally("world", wide=5, events=40)]
    ordered = front_page.order_collections(tallies, preferred)
    assert [each.collection for each in ordered] == order


@given(st.lists(st.builds(tally, st.text(), st.integers(0, 3), st.integers(0, 3))), st.lists(st.text()))
def test_ordering_loses_no_collection_and_does_not_depend_on_the_input_order(tallies, preferred):
    ordered = front_page.order_collections(tallies, preferred)
    assert sorted(map(repr, ordered)) == sorted(map(repr, tallies))
    assert front_page.order_collections(reversed(tallies), preferred) == ordered


@pytest.mark.parametrize(
    ("text", "collections"), [("", []), (" , ", []), ("world, ai_news ,world", ["world", "ai_news"])]
)
def test_the_order_is_written_with_commas(text, collections):
    assert front_page.parse_order(text) == collections


@pytest.mark.parametrize(("minutes", "is_same"), [(0, True), (29, True), (30, False), (600, False)])
def test_a_visit_ends_after_half_an_hour_without_a_request(minutes, is_same):
    assert front_page.is_same_visit(NOW - timedelta(minutes=minutes), now=NOW) is is_same


@pytest.mark.parametrize(
    ("created", "developed", "since", "change"),
    [
        (1, 1, 2, "new"),
        (3, 1, 2, "developed"),
        (3, 3, 2, None),
        (2, 2, 2, None),
        (1, 1, None, None),
    ],
)
def test_an_event_is_new_or_developed_since_the_last_visit(created, developed, since, change):
    def ago(hours):
        return None if hours is None else NOW - timedelta(hours=hours)

    assert front_page.change_since(created_at=ago(created), developed_at=ago(developed), since=ago(since)) == change
