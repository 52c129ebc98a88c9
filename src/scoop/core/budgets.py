"""Budgets of tasks: whether one more request may be sent, and how long to wait if not."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The limits of a task; 0 is no limit. `share_per_source`: the part of a day's limits that one source may use."""

    requests_per_day: int
    tokens_per_day: int
    money_per_day: float
    requests_per_minute: int
    share_per_source: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a task has used today, also for one source, and how many requests it made in the last minute."""

    requests: int
    tokens: int
    money: Decimal
    last_minute: int
    source_requests: int = 0
    source_tokens: int = 0
    source_money: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Denied:
    """Why no request may be sent now, and when the next one may; `is_spent`: the day's budget is used up."""

    reason: str
    after: timedelta
    is_spent: bool


def day_start(now: datetime, timezone: str) -> datetime:
    """When the day of a moment began in a timezone."""
    return now.astimezone(ZoneInfo(timezone)).replace(hour=0, minute=0, second=0, microsecond=0)


def until_tomorrow(now: datetime, timezone: str) -> timedelta:
    """How long it is to the next midnight of a timezone, however long the day is."""
    local = now.astimezone(ZoneInfo(timezone))
    midnight = datetime(local.year, local.month, local.day, tzinfo=local.tzinfo) + timedelta(days=1)
    return timedelta(seconds=max(1.0, midnight.timestamp() - now.timestamp()))


def deny(budget: Budget, used: Usage, *, now: datetime, timezone: str) -> Denied | None:
    """Why one more request may not be sent; None if it may.

    Tokens and money of a request are known afterwards, so the last requests of a day may exceed these two.
    """
    if spent := list_spent(budget, used):
        reason = f"the budget is spent: {', '.join(spent)}"
        return Denied(reason=reason, after=until_tomorrow(now, timezone), is_spent=True)
    if spent := _list_spent_by_source(budget, used):
        reason = f"the source has used its share of the budget: {', '.join(spent)}"
        return Denied(reason=reason, after=until_tomorrow(now, timezone), is_spent=True)
    if budget.requests_per_minute and used.last_minute >= budget.requests_per_minute:
        return Denied(reason="the limit of requests a minute is reached", after=MINUTE / 4, is_spent=False)
    return None


def list_spent(budget: Budget, used: Usage) -> list[str]:
    """The limits of a day that a task has reached, by name."""
    return _reached(budget, 1.0, (used.requests, used.tokens, used.money))


def _list_spent_by_source(budget: Budget, used: Usage) -> list[str]:
    if budget.share_per_source >= 1:
        return []
    return _reached(budget, budget.share_per_source, (used.source_requests, used.source_tokens, used.source_money))


def _reached(budget: Budget, share: float, used: Sequence[int | Decimal]) -> list[str]:
    limits: Sequence[float] = (budget.requests_per_day, budget.tokens_per_day, budget.money_per_day)
    return [
        f"{name} of {limit * share:,.12g} a day"
        for name, limit, value in zip(("requests", "tokens", "money"), limits, used, strict=True)
        if limit and float(value) >= limit * share
    ]
