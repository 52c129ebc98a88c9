"""Publishers: change their names."""

from scoop.core import text
from scoop.errors import UsageError
from scoop.store import publishers as store
from scoop.store.db import Connection
from scoop.store.publishers import Publisher

MAX_NAME = 128


async def rename(conn: Connection, family: str, name: str | None) -> Publisher:
    """Change the name of a publisher, inside the caller's transaction; None is the default again."""
    if name is None:
        return await store.rename(conn, family, None)
    line = text.one_line(name)
    if not 1 <= len(line) <= MAX_NAME:
        raise UsageError(f"name: must be 1 to {MAX_NAME} characters")
    return await store.rename(conn, family, line)
