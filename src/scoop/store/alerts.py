"""Alerts: problems that an operator should look at."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    alert_id: int
    kind: str
    subject: str
    message: str
    raised_at: datetime
    resolved_at: datetime | None


async def settle(
    conn: Connection, messages: Mapping[tuple[str, str], str], *, subjects: Iterable[str], kinds: Iterable[str]
) -> list[tuple[str, str, str]]:
    """Raise alerts, by kind and subject, and resolve those of these subjects that ended; give the new ones."""
    pairs = [kind for kind, _ in messages], [subject for _, subject in messages]
    await conn.execute(SQL["resolve"], list(subjects), list(kinds), *pairs)
    if not messages:
        return []
    return [tuple(row) for row in await conn.fetch(SQL["raise"], *pairs, list(messages.values()))]


async def latest(conn: Connection, *, with_resolved: bool, before: int = db.LAST_ID, limit: int) -> list[Alert]:
    return [Alert(**row) for row in await conn.fetch(SQL["latest"], with_resolved, limit, before)]
