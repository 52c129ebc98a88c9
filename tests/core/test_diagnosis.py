"""What the facts of an installation mean."""

from datetime import UTC, datetime, timedelta

import pytest

from scoop.core import diagnosis
from scoop.core.diagnosis import DeskFacts

NOW = datetime(2026, 11, 17, 12, tzinfo=UTC)
AN_HOUR_AGO = NOW - timedelta(hours=1)


def facts(**changes):
    well = {
        "workers": 2,
        "due": 0,
        "oldest_due_at": None,
        "last_run_at": AN_HOUR_AGO,
        "quarantined": 0,
        "held_posts": 0,
        "has_account": True,
        "sources": 3,
        "failing": {},
        "late_digests": (),
    }
    return DeskFacts(**(well | changes))


def test_a_desk_that_is_well_has_no_advice():
    checks = diagnosis.check_desk(facts(), now=NOW)
    assert {check.outcome for check in checks} == {"ok"}
    assert not any(check.advice for check in checks)


@pytest.mark.parametrize(
    ("name", "changes", "outcome", "words"),
    [
        ("workers", {"workers": 0}, "ok", "in the last 24 hours"),
        ("workers", {"workers": 0, "last_run_at": None}, "warn", "nothing has run"),
        ("workers", {"workers": 0, "due": 1, "oldest_due_at": AN_HOUR_AGO}, "fail", "1 subject due, the oldest for 60"),
        ("workers", {"due": 1200, "oldest_due_at": AN_HOUR_AGO}, "fail", "2 workers running, and 1,200 subjects due"),
        ("workers", {"due": 5, "oldest_due_at": NOW - timedelta(minutes=1)}, "ok", "2 workers"),
        ("queue", {"quarantined": 1}, "warn", "1 subject quarantined"),
        ("sources", {"sources": 0}, "warn", "there are none"),
        ("sources", {"failing": {"a": "http_error"}}, "warn", "1 of 3 failing: a (http error)"),
        ("sources", {"sources": 9, "failing": dict.fromkeys("abcde", "gone")}, "warn", "c (gone), 2 more"),
        ("digests", {"late_digests": ["the digest of x is late"]}, "warn", "the digest of x is late"),
        ("posts", {"held_posts": 2}, "warn", "2 posts may have been delivered"),
        ("accounts", {"has_account": False}, "warn", "there is no account"),
    ],
)
def test_each_problem_is_named_with_what_to_do(name, changes, outcome, words):
    (check,) = [check for check in diagnosis.check_desk(facts(**changes), now=NOW) if check.name == name]
    assert (check.outcome, bool(check.advice)) == (outcome, outcome != "ok")
    assert words in check.finding


@pytest.mark.parametrize(
    ("free", "outcome", "finding"),
    [(77 << 30, "ok", "77.0 GB free"), (500 << 20, "warn", "500 MB free"), (9 << 20, "fail", "9 MB free")],
)
def test_a_disk_that_fills_up_is_reported_before_it_is_full(free, outcome, finding):
    check = diagnosis.check_disk(free)
    assert (check.outcome, check.finding) == (outcome, finding)


def test_settings_that_cannot_be_used_are_a_failure_and_others_a_warning():
    assert diagnosis.check_settings([], are_usable=True).outcome == "ok"
    assert diagnosis.check_settings(["SCOOP_X is not a setting"], are_usable=True).outcome == "warn"
    assert diagnosis.check_settings(["the port is wrong"], are_usable=False).outcome == "fail"
