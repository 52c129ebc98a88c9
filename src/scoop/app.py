"""The only constructor of things: configuration in, a running application out."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scoop.config import Config
from scoop.store import db, migrations
from scoop.store.db import Database, External, Server
from scoop.store.embedded import Embedded
from scoop.store.runs import Trigger

if TYPE_CHECKING:
    from scoop.fetch.client import Client
    from scoop.stages.stage import Stage

POOL_SIZE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    config: Config
    database: Database
    client: "Client"
    stages: "list[Stage[Any, Any]]"


def server(config: Config) -> Server:
    """The database that the configuration names."""
    return External(config.database_url) if config.database_url else Embedded(config.home)


@asynccontextmanager
async def open_database(config: Config, *, name: str = "scoop") -> AsyncIterator[Database]:
    """The database, migrated to this program's schema."""
    database = await db.connect(server(config), size=POOL_SIZE, name=name)
    try:
        await migrations.migrate(database)
        yield database
    finally:
        await database.close()


@asynccontextmanager
async def open_app(config: Config, *, name: str = "scoop", trigger: Trigger = "schedule") -> AsyncIterator[App]:
    """The database with all that works on it."""
    # Imported here: the HTTP client and numpy take 0.4 s, which commands that only read need not wait for.
    from scoop import pipeline
    from scoop.fetch.client import open_client

    async with open_database(config, name=name) as database, open_client() as client:
        yield App(config=config, database=database, client=client, stages=pipeline.stages(client, trigger))
