"""Signals of documents, by which they are compared beside their embeddings."""

from collections.abc import Mapping

from scoop.core.signals import Signals
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)


async def put(conn: Connection, signals: Mapping[int, Signals]) -> None:
    """Store the signals of documents; they replace older ones."""
    if signals:
        await conn.execute(SQL["put"], list(signals), [packed.packed() for packed in signals.values()])
