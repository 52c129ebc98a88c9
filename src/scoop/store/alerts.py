"""Alerts: problems that an operator should look at, raised, resolved, and announced."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog

from scoop.core import alerts, redaction
from scoop.core.alerts import AlertKind, AlertNews
from scoop.model import AlertLevel
from scoop.store import db, webhooks
from scoop.store.db import Connection

SQL = db.blocks(__name__)

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    alert_id: int
    kind: str
    level: AlertLevel
    subject: str
    message: str
    raised_at: datetime
    resolved_at: datetime | None


async def settle(
    conn: Connection,
    messages: Mapping[tuple[AlertKind, str], str],
    *,
    subjects: Iterable[str],
    kinds: Iterable[AlertKind],
) -> None:
    """Raise alerts, by kind and subject, and resolve those of these kinds and subjects that ended; notify webhooks."""
    pairs = [kind for kind, _ in messages], [subject for _, subject in messages]
    levels = [alerts.level_of(kind) for kind, _ in messages]
    async with conn.transaction():
        resolved = await conn.fetch(SQL["resolve"], list(subjects), list(kinds), *pairs)
        raised = await conn.fetch(SQL["raise"], *pairs, list(messages.values()), levels) if messages else []
        await webhooks.enqueue_alerts(conn, "alert.raised", list(map(_payload, raised)))
        await webhooks.enqueue_alerts(conn, "alert.resolved", list(map(_payload, resolved)))
    for row in raised:
        log.warning("alert", kind=row["kind"], urgency=row["level"], subject=row["subject"], message=row["message"])
    for row in resolved:
        log.info("alert resolved", kind=row["kind"], urgency=row["level"], subject=row["subject"])


def _payload(row: Mapping[str, Any]) -> dict[str, Any]:
    """An alert as webhooks get it; its message may quote an address with a password."""
    return {**row, "message": redaction.redact_text(row["message"])}


async def latest(
    conn: Connection,
    *,
    with_resolved: bool,
    levels: Sequence[AlertLevel] = alerts.LEVELS,
    kinds: Sequence[AlertKind] | None = None,
    before: int = db.LAST_ID,
    limit: int,
) -> list[Alert]:
    """Alerts of these levels and kinds, the newest first."""
    rows = await conn.fetch(SQL["latest"], with_resolved, limit, before, list(levels), kinds)
    return [Alert(**row) for row in rows]


async def list_subjects(conn: Connection, kinds: Sequence[AlertKind]) -> list[str]:
    """The subjects of the open alerts of these kinds."""
    return [row["subject"] for row in await conn.fetch(SQL["subjects"], list(kinds))]


async def list_news(conn: Connection, levels: Sequence[AlertLevel], *, flap: timedelta) -> list[AlertNews]:
    """The alerts that began or ended and were not announced, locked until the caller's transaction ends.

    One that was announced less than `flap` ago, ended and began again waits until then.
    """
    return [AlertNews(**row) for row in await conn.fetch(SQL["news"], list(levels), flap)]


async def mark_announced(conn: Connection, alert_ids: Sequence[int]) -> None:
    await conn.execute(SQL["mark_announced"], alert_ids)


async def last_announced_at(conn: Connection) -> datetime | None:
    """When alerts were last announced."""
    moment: datetime | None = await conn.fetchval(SQL["last_announced"])
    return moment
