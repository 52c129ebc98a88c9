"""One embedded PostgreSQL for the whole run; every test that asks for a database gets a migrated clone of its own."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from scoop.app import POOL_SIZE
from scoop.store import db, migrations
from scoop.store.db import Database, ExternalServer
from scoop.store.embedded import EmbeddedServer

HOME = "TEST_SCOOP_HOME"
NO_DURABILITY = {"fsync": "off", "shared_buffers": "128MB", "synchronous_commit": "off", "full_page_writes": "off"}
# The shipped topics are due at 09:00 of the real clock: a run that passes that hour must not make their digests.
NOT_DUE = "UPDATE topics SET created_at = now() + interval '1 day'"
numbers = count()
# How fast a machine is says nothing about the program.
settings.register_profile("scoop", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("scoop")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        os.environ[HOME] = make_home(_quick_folder())


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Half again as many as there are cores: tests wait a third of the time, for processes, servers and browsers."""
    cores = os.cpu_count() or 1
    return cores + max(1, cores // 2)


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        EmbeddedServer(Path(os.environ[HOME])).stop()
        shutil.rmtree(os.environ[HOME], ignore_errors=True)


def _quick_folder() -> str:
    """Memory where there is some: cloning a database there takes a tenth of the time."""
    memory = Path("/dev/shm")
    is_roomy = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 2 << 30
    return str(memory) if is_roomy else "/tmp"


def make_home(parent: str = "/tmp") -> str:
    """A home in a folder that the server's user can pass through, as pytest's own folders cannot for root."""
    folder = tempfile.mkdtemp(prefix="scoop-test-", dir=parent)
    Path(folder).chmod(0o711)
    return folder


@pytest.fixture(scope="session")
def postgres() -> Iterator[EmbeddedServer]:
    """The server of this run."""
    server = EmbeddedServer(Path(os.environ[HOME]), NO_DURABILITY)
    server.attach()
    yield server
    server.detach()


@pytest.fixture(scope="session")
def template(postgres: EmbeddedServer, worker_id: str) -> str:
    """A migrated database to clone."""
    name = f"template_{worker_id}"

    async def make() -> None:
        await administer(postgres, f"CREATE DATABASE {name}")
        database = await db.connect(ExternalServer(url_of(postgres, name)), size=1)
        await migrations.migrate(database)
        async with database.connection() as conn:
            await conn.execute(NOT_DUE)
        await database.close()

    asyncio.run(make())
    return name


@pytest.fixture(scope="session")
def lasting_url(postgres: EmbeddedServer, template: str, worker_id: str) -> str:
    """A migrated database for what a worker prepares once."""
    name = f"lasting_{worker_id}"
    asyncio.run(administer(postgres, f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy"))
    return url_of(postgres, name)


@pytest.fixture
async def database_url(postgres: EmbeddedServer, template: str, worker_id: str) -> AsyncIterator[str]:
    """The URL of a migrated, empty database of this test's own."""
    name = f"test_{worker_id}_{next(numbers)}"
    await administer(postgres, f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
    yield url_of(postgres, name)
    await administer(postgres, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    opened = await db.connect(ExternalServer(database_url), size=POOL_SIZE)
    yield opened
    await opened.close()


@pytest.fixture
async def database_pair_urls(
    postgres: EmbeddedServer, template: str, database_url: str, worker_id: str
) -> AsyncIterator[tuple[str, str]]:
    """Two databases, to compare what two ways through the house lead to."""
    name = f"test_{worker_id}_{next(numbers)}"
    await administer(postgres, f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
    yield database_url, url_of(postgres, name)
    await administer(postgres, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
async def database_pair(database_pair_urls: tuple[str, str]) -> AsyncIterator[tuple[Database, Database]]:
    one, other = [await db.connect(ExternalServer(url), size=POOL_SIZE) for url in database_pair_urls]
    yield one, other
    await one.close()
    await other.close()


@pytest.fixture
def home() -> Iterator[Path]:
    """A home folder of this test's own, with nothing in it."""
    folder = Path(make_home())
    yield folder
    EmbeddedServer(folder).stop()
    shutil.rmtree(folder, ignore_errors=True)


def url_of(server: EmbeddedServer, name: str) -> str:
    return server.url.replace("@/scoop?", f"@/{name}?")


async def administer(server: EmbeddedServer, statement: str) -> None:
    admin = await db.connect(server, size=1)
    try:
        async with admin.connection() as conn:
            await conn.execute(statement)
    finally:
        await admin._pool.close()
