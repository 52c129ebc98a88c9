"""How a source is, since when, and when somebody should look."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core import health
from scoop.core.health import Condition, Finding
from scoop.model import Health, Source

START = datetime(2026, 11, 1, tzinfo=UTC)
FAILING = [state for state in get_args(Health) if state not in health.ANSWERED and state != "new"]


def a_source(**changes) -> Source:
    given = {
        "source_id": 1,
        "slug": "tribune",
        "name": "Tribune",
        "kind": "rss",
        "collection": "world_news",
        "base_url": "https://tribune.example/feed",
        "next_visit_at": START,
        "health_since": START,
    }
    return Source(**(given | changes))


def visited(source: Source, finding: Finding, *, days: float) -> tuple[Source, Condition]:
    """The source after a visit so many days from the start."""
    condition = health.after(source, finding, now=START + timedelta(days=days))
    names = ("health", "health_note", "health_since", "failures", "last_item_at", "base_url", "moved_to", "moves")
    return replace(source, enabled=condition.enabled, **{n: getattr(condition, n) for n in names}), condition


def test_since_tells_when_a_good_time_began_though_the_answers_differ():
    source, _ = visited(a_source(), Finding(health="ok", new_items=3), days=1)
    source, condition = visited(source, Finding(health="not_modified"), days=2)
    assert condition.health == "not_modified"
    assert condition.health_since == START + timedelta(days=1)


def test_a_plain_sentence_is_told_and_the_failures_own_words_where_there_are_any():
    assert health.after(a_source(), Finding(health="empty"), now=START).health_note == "it answers, but has no items"
    failed = Finding(health="timeout", note="it took 30 seconds")
    assert health.after(a_source(), failed, now=START).health_note == "it took 30 seconds"


def test_a_source_that_fails_for_a_day_has_died_and_one_that_recovers_has_not():
    source, condition = a_source(), None
    for hours in (0, 1, 3, 7, 15, 24):
        assert condition is None or condition.alarm is None
        source, condition = visited(source, Finding(health="http_error" if hours % 2 else "timeout"), days=hours / 24)
    assert condition.alarm == "source_died"
    _, condition = visited(source, Finding(health="ok", new_items=1), days=2)
    assert condition.alarm is None
    assert condition.failures == 0


def test_many_failures_within_minutes_are_no_death():
    source = a_source()
    for minute in range(10):
        source, condition = visited(source, Finding(health="timeout"), days=minute / 1440)
    assert condition.alarm is None


def test_a_source_that_is_gone_is_not_visited_again():
    condition = health.after(a_source(), Finding(health="gone"), now=START)
    assert not condition.enabled
    assert condition.alarm == "source_died"


def test_a_source_that_answers_but_tells_nothing_new_for_two_weeks_is_stale():
    source, _ = visited(a_source(), Finding(health="ok", new_items=1), days=0)
    source, condition = visited(source, Finding(health="not_modified"), days=13)
    assert condition.health == "not_modified"
    source, condition = visited(source, Finding(health="not_modified"), days=15)
    assert (condition.health, condition.alarm) == ("stale", "source_quiet")
    _, condition = visited(source, Finding(health="ok", new_items=1), days=16)
    assert (condition.health, condition.alarm) == ("ok", None)


def test_a_move_is_believed_after_three_visits_that_agree():
    source = a_source()
    for day in range(2):
        source, condition = visited(source, Finding(health="ok", moved_to="https://new.example/feed"), days=day)
        assert condition.base_url == "https://tribune.example/feed"
    source, condition = visited(source, Finding(health="ok", moved_to="https://new.example/feed"), days=2)
    assert condition.base_url == "https://new.example/feed"


def test_moves_that_disagree_or_fail_are_not_believed():
    source = a_source()
    for day, place in enumerate(("a", "b", "a", "b", "a")):
        source, condition = visited(source, Finding(health="ok", moved_to=f"https://{place}.example/"), days=day)
    assert condition.base_url == "https://tribune.example/feed"
    for day in range(5, 10):
        source, condition = visited(source, Finding(health="http_error", moved_to="https://a.example/"), days=day)
    assert condition.base_url == "https://tribune.example/feed"


@pytest.mark.parametrize("state", FAILING)
def test_every_failure_counts(state):
    assert health.after(a_source(failures=2), Finding(health=state, note="why"), now=START).failures == 3


@given(st.lists(st.sampled_from(get_args(Health)).filter(lambda state: state not in {"new", "stale"}), max_size=30))
def test_whatever_happens_there_is_a_sentence_and_a_beginning_in_the_past(states):
    source = a_source()
    for day, state in enumerate(states):
        note = "" if state in health.ANSWERED else "why"
        source, condition = visited(source, Finding(health=state, note=note), days=day)
        assert condition.health_note
        assert condition.health_since <= START + timedelta(days=day)


@pytest.mark.parametrize(
    ("moved_to", "is_believed"),
    [("http://10.0.0.5/new", True), ("http://10.0.0.5:81/feed", False), ("https://public.example/feed", False)],
)
def test_a_move_does_not_carry_the_permission_for_a_private_host_to_another_host(moved_to, is_believed):
    source = a_source(base_url="http://10.0.0.5/feed", options={"allow_private": True})
    for day in range(4):
        source, _ = visited(source, Finding(health="ok", moved_to=moved_to), days=day)
    assert (source.base_url == moved_to) is is_believed
