"""Diagnosis of an installation: checks of its facts, each with a finding and advice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

Outcome = Literal["ok", "warn", "fail"]

LITTLE_DISK = 1 << 30  # bytes; a day of 5,000 articles takes about 60 MB
NO_DISK = 100 << 20  # bytes; PostgreSQL stops when it cannot write its log
LATE = timedelta(minutes=15)  # work that is due for longer is not taken by anybody
RECENT = timedelta(hours=24)  # within which a desk that runs from cron has run
NAMED = 3  # examples in a message
START = "start scoop up or scoop worker, or call scoop run-once from cron"


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorCheck:
    """One thing that was looked at; `advice` is a command or an action, where something is wrong."""

    name: str
    outcome: Outcome
    finding: str
    advice: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskFacts:
    """Facts about the desk, read from its database."""

    workers: int
    due: int
    oldest_due_at: datetime | None
    last_run_at: datetime | None
    quarantined: int
    held_posts: int
    has_account: bool
    sources: int
    failing: Mapping[str, str]  # health by the slug of a source
    late_digests: Sequence[str]  # messages


def check_settings(problems: Sequence[str], *, are_usable: bool) -> DoctorCheck:
    """Settings that are not usable stop every command; other problems have no effect, or one when they are used."""
    if not problems:
        return DoctorCheck(name="settings", outcome="ok", finding="every setting is valid")
    outcome: Outcome = "warn" if are_usable else "fail"
    return DoctorCheck(name="settings", outcome=outcome, finding="; ".join(problems), advice="scoop config show")


def check_home(home: str, problem: str | None) -> DoctorCheck:
    if problem is None:
        return DoctorCheck(name="home", outcome="ok", finding=f"{home} is writable")
    return DoctorCheck(
        name="home",
        outcome="fail",
        finding=f"{home} is not writable: {problem}",
        advice="change its owner or mode, or set SCOOP_HOME to a folder of yours",
    )


def check_disk(free: int) -> DoctorCheck:
    outcome: Outcome = "fail" if free < NO_DISK else "warn" if free < LITTLE_DISK else "ok"
    size = f"{free / (1 << 30):,.1f} GB" if free >= LITTLE_DISK else f"{free >> 20} MB"
    advice = "" if outcome == "ok" else "free some space, or set SCOOP_HOME to a folder on a larger disk"
    return DoctorCheck(name="disk", outcome=outcome, finding=f"{size} free", advice=advice)


def check_schema(pending: int) -> DoctorCheck:
    if not pending:
        return DoctorCheck(name="schema", outcome="ok", finding="every migration is applied")
    finding = f"{_count(pending, 'migration')} not applied; the next command does so"
    return DoctorCheck(name="schema", outcome="warn", finding=finding, advice="scoop db migrate")


def check_desk(facts: DeskFacts, *, now: datetime) -> list[DoctorCheck]:
    return [
        check_workers(facts, now=now),
        _check_queue(facts.quarantined),
        _check_sources(facts),
        _check_digests(facts.late_digests),
        _check_posts(facts.held_posts),
        _check_accounts(facts.has_account),
    ]


def check_workers(facts: DeskFacts, *, now: datetime) -> DoctorCheck:
    """A desk without a worker is well if it runs from cron: it ran lately, and nothing is due for long."""
    if facts.oldest_due_at is not None and now - facts.oldest_due_at > LATE:
        minutes = (now - facts.oldest_due_at) // timedelta(minutes=1)
        who = f"{_count(facts.workers, 'worker')} running" if facts.workers else "none runs"
        finding = f"{who}, and {_count(facts.due, 'subject')} due, the oldest for {minutes:,} minutes"
        return DoctorCheck(
            name="workers", outcome="fail", finding=finding, advice="scoop work" if facts.workers else START
        )
    if facts.workers:
        return DoctorCheck(name="workers", outcome="ok", finding=f"{_count(facts.workers, 'worker')} running")
    if facts.last_run_at is not None and now - facts.last_run_at < RECENT:
        return DoctorCheck(name="workers", outcome="ok", finding="none runs now; a run began in the last 24 hours")
    return DoctorCheck(
        name="workers",
        outcome="warn",
        finding="none runs, and nothing has run in the last 24 hours",
        advice=START,
    )


def _check_queue(quarantined: int) -> DoctorCheck:
    if not quarantined:
        return DoctorCheck(name="queue", outcome="ok", finding="nothing is quarantined")
    finding = f"{_count(quarantined, 'subject')} quarantined"
    return DoctorCheck(name="queue", outcome="warn", finding=finding, advice="scoop work quarantine list")


def _check_sources(facts: DeskFacts) -> DoctorCheck:
    if not facts.sources:
        advice = "scoop sources add URL --collection NAME"
        return DoctorCheck(name="sources", outcome="warn", finding="there are none", advice=advice)
    if not facts.failing:
        return DoctorCheck(name="sources", outcome="ok", finding=f"{_count(facts.sources, 'source')}, none failing")
    named = [f"{slug} ({health.replace('_', ' ')})" for slug, health in list(facts.failing.items())[:NAMED]]
    more = [f"{len(facts.failing) - NAMED:,} more"] if len(facts.failing) > NAMED else []
    return DoctorCheck(
        name="sources",
        outcome="warn",
        finding=f"{len(facts.failing):,} of {facts.sources:,} failing: {', '.join(named + more)}",
        advice="scoop sources list",
    )


def _check_digests(late: Sequence[str]) -> DoctorCheck:
    if not late:
        return DoctorCheck(name="digests", outcome="ok", finding="none is late")
    return DoctorCheck(name="digests", outcome="warn", finding="; ".join(late), advice="scoop alerts")


def _check_posts(held: int) -> DoctorCheck:
    if not held:
        return DoctorCheck(name="posts", outcome="ok", finding="none waits for a decision")
    finding = f"{_count(held, 'post')} may have been delivered"
    return DoctorCheck(name="posts", outcome="warn", finding=finding, advice="scoop posts held")


def _check_accounts(has_account: bool) -> DoctorCheck:
    if has_account:
        return DoctorCheck(name="accounts", outcome="ok", finding="there is an account")
    advice = "open the link that scoop up prints, or: scoop users add NAME --role admin"
    return DoctorCheck(name="accounts", outcome="warn", finding="there is no account", advice=advice)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
