"""Budgets of tasks: whether one more request may be sent, and how long to wait if not."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The limits of a task; 0 is no limit."""

    requests_per_day: int
    tokens_per_day: int
    money_per_day: float
    requests_per_minute: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a task has used today, and how many requests it made in the last minute."""

    requests: int
    tokens: int
    money: Decimal
    last_minute: int


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
    spent = [
        f"{name} of {limit:,} a day"
        for name, limit, value in (
            ("requests", budget.requests_per_day, used.requests),
            ("tokens", budget.tokens_per_day, used.tokens),
            ("money", budget.money_per_day, used.money),
        )
        if limit and value >= limit
    ]
    if spent:
        return Denied(
            reason=f"the budget is spent: {', '.join(spent)}", after=until_tomorrow(now, timezone), is_spent=True
        )
    if budget.requests_per_minute and used.last_minute >= budget.requests_per_minute:
        return Denied(reason="the limit of requests a minute is reached", after=MINUTE / 4, is_spent=False)
    return None
