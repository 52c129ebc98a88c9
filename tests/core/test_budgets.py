"""Budgets: when one more request may be sent, and how long to wait if not."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core import budgets
from scoop.core.budgets import Budget, Usage

NOON = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)
NO_LIMITS = {"requests_per_day": 0, "tokens_per_day": 0, "money_per_day": 0.0, "requests_per_minute": 0}


def denied(used=None, **limits):
    usage = Usage(**({"requests": 0, "tokens": 0, "money": Decimal(0), "last_minute": 0} | (used or {})))
    return budgets.deny(Budget(**(NO_LIMITS | limits)), usage, now=NOON, timezone="Europe/Berlin")


def test_without_limits_everything_is_allowed():
    assert denied({"requests": 10**9, "tokens": 10**12, "money": Decimal(10**6), "last_minute": 10**6}) is None


@pytest.mark.parametrize(
    ("limit", "used"),
    [
        ({"requests_per_day": 5}, {"requests": 5}),
        ({"tokens_per_day": 1000}, {"tokens": 1000}),
        ({"money_per_day": 0.5}, {"money": Decimal("0.5")}),
    ],
)
def test_a_source_that_used_its_share_waits_for_the_next_day_and_others_go_on(limit, used):
    of_source = {f"source_{name}": value for name, value in used.items()}
    half = {name: value * 2 for name, value in limit.items()}
    refusal = denied(used | of_source, share_per_source=0.5, **half)
    assert refusal.is_spent
    assert "the source has used its share of the budget" in refusal.reason
    assert refusal.after == timedelta(hours=11)
    assert denied(used, share_per_source=0.5, **half) is None
    assert denied(used | of_source, **half) is None


@pytest.mark.parametrize(
    ("limit", "used"),
    [
        ({"requests_per_day": 5}, {"requests": 5}),
        ({"tokens_per_day": 1000}, {"tokens": 1000}),
        ({"money_per_day": 0.5}, {"money": Decimal("0.5")}),
    ],
)
def test_a_spent_budget_waits_for_the_next_day_of_the_desk(limit, used):
    refusal = denied(used, **limit)
    assert refusal.is_spent
    assert refusal.after == timedelta(hours=11)  # midnight in Berlin


def test_requests_a_minute_wait_for_seconds():
    refusal = denied({"last_minute": 60}, requests_per_minute=60)
    assert not refusal.is_spent
    assert refusal.after <= timedelta(minutes=1)


def test_what_is_left_is_allowed():
    assert denied({"requests": 4, "tokens": 999}, requests_per_day=5, tokens_per_day=1000) is None


@given(st.integers(0, 15 * 366 * 24 * 3600), st.sampled_from(["Europe/Berlin", "Asia/Tokyo", "UTC"]))
def test_tomorrow_begins_at_a_midnight_however_long_the_day_is(seconds, zone):
    now = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    tomorrow = (now + budgets.until_tomorrow(now, zone)).astimezone(ZoneInfo(zone))
    start = budgets.day_start(now, zone)
    assert (tomorrow.hour, tomorrow.minute) == (0, 0)
    assert start <= now < tomorrow
    assert tomorrow.date() == start.date() + timedelta(days=1)
