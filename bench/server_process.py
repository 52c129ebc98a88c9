"""The web server in a process of its own, without workers, and a key to read from it.

python bench/server_process.py HOME     serve the embedded database of a home until it is killed
"""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import uvloop

from scoop import asgi
from scoop.config import Config
from scoop.http import accounts
from scoop.serve import serving
from scoop.store import db, users
from scoop.store.db import Database
from scoop.store.embedded import EmbeddedServer


@asynccontextmanager
async def server(home: Path) -> AsyncIterator[tuple[str, int]]:
    """The URL and the process id of a server."""
    process = subprocess.Popen([sys.executable, __file__, str(home)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield (await asyncio.to_thread(process.stdout.readline)).strip(), process.pid
    finally:
        process.kill()
        process.wait()


async def a_key(database: Database) -> str:
    async with database.transaction() as conn:
        user_id = await users.add(conn, name="bench", role="reader", password_hash="-")
        made = await accounts.new_key(
            conn, user_id, "reader", name="bench", scopes=["read"], now=datetime.now(UTC), lasts=None
        )
    return made.key


def memory(pid: int, name: str) -> float:
    """MiB of a process: VmRSS now, VmHWM at its peak."""
    found = re.search(rf"{name}:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    assert found
    return int(found[1]) / 1024


def cpu_seconds(pid: int) -> float:
    """CPU time that a process has used, in the kernel and outside it."""
    values = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(values[11]) + int(values[12])) / os.sysconf("SC_CLK_TCK")


async def _serve(home: Path) -> None:
    """Run only the server, as `scoop up` does, until it is killed."""
    database = await db.connect(EmbeddedServer(home), size=8)
    config = Config(home=home, requests_per_minute=0)
    app = asgi.create_app(config, database, clock=lambda: datetime.now(UTC))
    asgi.prepare()
    async with serving(app, limits=asgi.connection_limits(config)) as url:
        print(url, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(_serve(Path(sys.argv[1])))
