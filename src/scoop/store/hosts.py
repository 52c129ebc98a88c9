"""Hosts: rate limits, Retry-After and robots.txt."""

from collections.abc import Sequence
from datetime import datetime

from scoop.model import RobotsFile
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)


async def pause(conn: Connection, until_by_host: dict[str, datetime]) -> None:
    """Send hosts no requests until a time; a later time that is stored already is kept."""
    if until_by_host:
        await conn.execute(SQL["pause"], list(until_by_host), list(until_by_host.values()))


async def list_robots_files(conn: Connection, origins: Sequence[str]) -> list[RobotsFile]:
    return [RobotsFile(**row) for row in await conn.fetch(SQL["list_robots_files"], origins)]


async def put_robots_files(conn: Connection, files: Sequence[RobotsFile]) -> None:
    if files:
        rows = [(file.origin, file.status, file.text, file.fetched_at) for file in files]
        await conn.execute(SQL["put_robots_files"], *map(list, zip(*rows, strict=True)))
