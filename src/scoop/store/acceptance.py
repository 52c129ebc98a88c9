"""Counts for the acceptance checks of a handover."""

from scoop.core.acceptance import Counts
from scoop.stage_names import StageName
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)


async def get_counts(conn: Connection) -> Counts:
    return Counts(**await conn.fetchrow(SQL["counts"], [StageName.PAGES, StageName.NORMALIZE]))
