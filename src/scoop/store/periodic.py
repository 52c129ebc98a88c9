"""When each periodic job last ran, and which worker runs it next."""

from datetime import datetime

from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)


async def claim(conn: Connection, name: str, *, done_before: datetime, now: datetime) -> bool:
    """Whether the caller is the worker that runs a job which last ran before then.

    Both times come from the caller's clock: with the database's for one of them, a worker whose clock is ahead would
    run the job in every round. A job that is cut short runs again when it is next due.
    """
    return await conn.fetchval(SQL["claim"], name, done_before, now) is not None
