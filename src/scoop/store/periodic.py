"""Chores: what is done now and then, by whichever worker comes first."""

from datetime import timedelta

from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)


async def claim(conn: Connection, name: str, *, every: timedelta) -> bool:
    """Whether it falls to us; a chore that is cut short is done again when it is due the next time."""
    return await conn.fetchval(SQL["claim"], name, every) is not None
