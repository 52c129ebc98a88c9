"""The health of a source after a fetch: a typed state, a sentence, advice, and whether an operator is alerted."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from scoop.core import retry_after, urls
from scoop.model import Health, Source

QUIET_AFTER = timedelta(days=14)
DEAD_AFTER = timedelta(hours=24)
DEAD_AFTER_FAILURES = 5

ANSWERED: frozenset[Health] = frozenset({"ok", "not_modified", "empty", "stale"})
PASSING: frozenset[Health] = frozenset({"timeout", "unreachable"})  # retried soon; all others wait for an hour
SENTENCES: dict[Health, str] = {
    "new": "not fetched yet",
    "ok": "ok",
    "not_modified": "ok; nothing has changed since the last fetch",
    "empty": "it answers, but has no items",
    "stale": "it answers, but has published nothing new for two weeks",
    "parse_error": "its response cannot be read",
    "http_error": "it answers with an error",
    "timeout": "it does not answer in time",
    "unreachable": "it cannot be reached",
    "robots": "its robots.txt forbids the fetch",
    "refused_address": "its address is private and not allowed",
    "gone": "it is gone for good",
}
ADVICE: dict[Health, str] = {
    "parse_error": "Give the address of a feed, or read the page as a site without a feed (kind site).",
    "http_error": "Open the address in a browser: it may have moved, or need a key.",
    "timeout": "Try again later: the server may be busy.",
    "unreachable": "Check the spelling of the address.",
    "robots": "The site does not want programs at this address; look for a feed that it offers.",
    "refused_address": "An admin can allow a private address: for one source by its option allow_private or connect_to "
    "(scoop sources add --allow-private, --connect-to ADDRESS:PORT), for the whole desk by SCOOP_ALLOW_PRIVATE.",
    "gone": "Look for its new address.",
}
"""What to do about a fetch that failed."""
ORDER: tuple[Health, ...] = (
    "refused_address", "robots", "http_error", "parse_error", "unreachable", "timeout", "gone", "stale", "empty", "new",
    "not_modified", "ok",
)  # fmt: skip
"""The states by urgency: first those that an operator has to do something about."""

Alarm = Literal["source_died", "source_quiet"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The result of one fetch."""

    health: Health
    note: str = ""
    new_items: int = 0
    moved_to: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """The new state of a source; `alarm` is the alert that an operator gets, if any."""

    health: Health
    health_note: str
    health_since: datetime
    failures: int
    last_item_at: datetime | None
    base_url: str
    moved_to: str | None
    moves: int
    enabled: bool
    alarm: Alarm | None


def after(source: Source, finding: Finding, *, now: datetime) -> Condition:
    has_answered = finding.health in ANSWERED
    last_item_at = now if finding.new_items else source.last_item_at
    health: Health = finding.health
    if has_answered and _is_quiet(source, last_item_at, now=now):
        health = "stale"
    since = source.health_since if _sort(health) == _sort(source.health) else now
    failures = 0 if has_answered else source.failures + 1
    base_url, moved_to, moves = _moved(source, finding.moved_to, has_answered)
    return Condition(
        health=health,
        health_note=finding.note or SENTENCES[health],
        health_since=since,
        failures=failures,
        last_item_at=last_item_at,
        base_url=base_url,
        moved_to=moved_to,
        moves=moves,
        enabled=source.enabled and health != "gone",
        alarm=_alarm(health, failures, since, now=now),
    )


def _sort(health: Health) -> str:
    """States that alternate count as one, so that `health_since` is when the source began to work or to fail."""
    if health in {"ok", "not_modified"}:
        return "ok"
    return health if health in ANSWERED or health == "new" else "failing"


def _is_quiet(source: Source, last_item_at: datetime | None, *, now: datetime) -> bool:
    if last_item_at is not None:
        return now - last_item_at > QUIET_AFTER
    return source.health != "new" and now - source.health_since > QUIET_AFTER


def _moved(source: Source, moved_to: str | None, has_answered: bool) -> tuple[str, str | None, int]:
    """A permanent redirect is followed after several fetches that agree; a failed fetch does not count."""
    if not has_answered:
        return source.base_url, source.moved_to, source.moves
    if moved_to is None or moved_to == source.base_url or _leaves_allowed_host(source, moved_to):
        return source.base_url, None, 0
    moves = source.moves + 1 if moved_to == source.moved_to else 1
    return (moved_to, None, 0) if moves >= retry_after.MOVES_BELIEVED else (source.base_url, moved_to, moves)


def _leaves_allowed_host(source: Source, moved_to: str) -> bool:
    """Whether a move would carry the permission to ask a private host over to a host that nobody allowed."""
    return bool(source.options.get("allow_private")) and (
        urls.host_and_port(moved_to) != urls.host_and_port(source.base_url)
    )


def _alarm(health: Health, failures: int, since: datetime, *, now: datetime) -> Alarm | None:
    if health == "gone" or (failures >= DEAD_AFTER_FAILURES and now - since >= DEAD_AFTER):
        return "source_died"
    return "source_quiet" if health == "stale" else None
