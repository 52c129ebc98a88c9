"""One embedded PostgreSQL for the whole run; every test that asks for a database gets a migrated clone of its own."""

import asyncio
import gc
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

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


def pytest_collection_finish() -> None:
    """Ten thousand tests and their modules live until the end: looking for garbage among them takes seconds."""
    gc.collect()
    gc.freeze()


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
    """A migrated database for what a worker reads and never changes."""
    name = f"lasting_{worker_id}"
    asyncio.run(administer(postgres, f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy"))
    return url_of(postgres, name)


class Clones:
    """Clones of the template: one is made ahead and used ones are dropped while tests run, by a thread of its own."""

    def __init__(self, server: EmbeddedServer, template: str, worker_id: str) -> None:
        self._server, self._template, self._worker_id = server, template, worker_id
        self._thread = ThreadPoolExecutor(1)
        self._runner = asyncio.Runner()
        self._admin = self._thread.submit(self._run, db.connect(server, size=1)).result()
        self._next = self._thread.submit(self._make)

    def take(self) -> str:
        """The URL of a clone that nobody has used."""
        made, self._next = self._next, self._thread.submit(self._make)
        return url_of(self._server, made.result())

    def drop(self, url: str) -> None:
        name = urlsplit(url).path.strip("/")
        self._thread.submit(self._execute, f"DROP DATABASE {name} WITH (FORCE)")

    def close(self) -> None:
        self._thread.submit(self._run, self._admin._pool.close()).result()
        self._thread.submit(self._runner.close).result()
        self._thread.shutdown()

    def _make(self) -> str:
        name = f"test_{self._worker_id}_{next(numbers)}"
        self._execute(f"CREATE DATABASE {name} TEMPLATE {self._template} STRATEGY file_copy")
        return name

    def _execute(self, statement: str) -> None:
        async def execute() -> None:
            async with self._admin.connection() as conn:
                await conn.execute(statement)

        self._run(execute())

    def _run(self, what: Coroutine[Any, Any, Any]) -> Any:
        return self._runner.run(what)


@pytest.fixture(scope="session")
def clones(postgres: EmbeddedServer, template: str, worker_id: str) -> Iterator[Clones]:
    made = Clones(postgres, template, worker_id)
    yield made
    made.close()


@pytest.fixture
def database_url(clones: Clones) -> Iterator[str]:
    """The URL of a migrated, empty database of this test's own."""
    url = clones.take()
    yield url
    clones.drop(url)


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    opened = await db.connect(ExternalServer(database_url), size=POOL_SIZE)
    yield opened
    await opened.close()


@pytest.fixture
def database_pair_urls(clones: Clones, database_url: str) -> Iterator[tuple[str, str]]:
    """Two databases, to compare what two ways through the house lead to."""
    url = clones.take()
    yield database_url, url
    clones.drop(url)


@pytest.fixture
async def database_pair(database_pair_urls: tuple[str, str]) -> AsyncIterator[tuple[Database, Database]]:
    one, other = [await db.connect(ExternalServer(url), size=POOL_SIZE) for url in database_pair_urls]
    yield one, other
    await one.close()
    await other.close()


@pytest.fixture
def home() -> Iterator[Path]:
    """A home folder of this test's own, with nothing in it."""
    folder = Path(make_home(_quick_folder()))
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
