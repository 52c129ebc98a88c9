"""Requests to model servers: written before they are sent, so that budgets hold and nothing spent is forgotten."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from decimal import Decimal
from typing import Literal

from scoop.core.budgets import Usage
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)
BUDGET_LOCK = 0x5C04  # first key of the lock under which a worker takes from the budget of a task

CallOutcome = Literal["accepted", "rejected", "failed"]
SpendingBy = Literal["task", "day", "source", "model", "subject"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCall:
    """A request that is about to be sent; `source` is where the first document comes from."""

    brief_id: int
    task: str
    subject_kind: str
    subject_id: int
    source: str | None
    provider: str
    model: str
    endpoint: str
    prompt_id: str
    prompt_version: str
    input_hash: bytes
    is_repair: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedCall:
    """What a request gave and cost; `problem` says why its text is not used."""

    call_id: int
    outcome: CallOutcome
    problem: str | None = None
    model: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal = Decimal(0)
    currency: str = "USD"
    latency_ms: int = 0
    prompt_key: str | None = None
    response_key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """What the requests of one task, day, source, model or subject cost; `title` is that of an article or event."""

    label: str
    currency: str
    requests: int
    accepted: int
    failed: int
    input_tokens: int
    output_tokens: int
    cost: Decimal
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedCall:
    call_id: int
    response_key: str | None
    input_tokens: int
    output_tokens: int
    cost: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class TypicalTokens:
    """What a request of a task takes on average, over so many requests."""

    requests: int
    input_tokens: int
    output_tokens: int


async def take(conn: Connection, task: str, *, since: datetime, source: str | None = None) -> Usage:
    """What a task has used since a moment, and what of it for a source.

    It holds the lock of the task's budget until the caller's transaction ends.
    """
    await conn.execute(SQL["lock_task"], BUDGET_LOCK, task)
    return await get_usage(conn, task, since=since, source=source)


async def get_usage(conn: Connection, task: str, *, since: datetime, source: str | None = None) -> Usage:
    """What a task has used since a moment, and what of it for a source."""
    return Usage(**await conn.fetchrow(SQL["spent"], task, since, source))


async def get_typical_tokens(conn: Connection, task: str, *, since: datetime) -> TypicalTokens:
    """The mean tokens of the accepted requests of a task since a moment."""
    return TypicalTokens(**await conn.fetchrow(SQL["typical_tokens"], task, since))


async def open_call(conn: Connection, call: OpenCall) -> int:
    """Write a request down before it is sent; gives its number."""
    call_id: int = await conn.fetchval(
        SQL["open"],
        call.brief_id,
        call.task,
        call.subject_kind,
        call.subject_id,
        call.source,
        call.provider,
        call.model,
        call.endpoint,
        call.prompt_id,
        call.prompt_version,
        call.input_hash,
        call.is_repair,
    )
    return call_id


async def close_calls(conn: Connection, calls: Sequence[ClosedCall]) -> None:
    """Store what requests gave and cost."""
    if calls:
        await conn.execute(SQL["close"], [asdict(call) | {"cost": str(call.cost)} for call in calls])


async def list_spending(
    conn: Connection, *, since: datetime, until: datetime, by: SpendingBy, timezone: str, limit: int
) -> list[Spending]:
    """What was spent between two moments; days are those of the timezone."""
    rows = await conn.fetch(SQL["spending"], since, until, by, timezone, limit)
    return [Spending(**row) for row in rows]


async def list_archived(
    conn: Connection, *, since: datetime, until: datetime, after: int, limit: int
) -> list[ArchivedCall]:
    """Calls between two moments, by number, from a number on."""
    return [ArchivedCall(**row) for row in await conn.fetch(SQL["archived"], since, until, after, limit)]
