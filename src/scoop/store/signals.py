"""Signals: what each document is compared by, beside its embedding."""

from collections.abc import Mapping

from scoop.core.signals import Signals
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)


async def put(conn: Connection, signals: Mapping[int, Signals]) -> None:
    """Keep the signals of documents, in place of older ones."""
    if signals:
        await conn.execute(SQL["put"], list(signals), [each.packed() for each in signals.values()])
