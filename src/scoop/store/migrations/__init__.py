"""Migrations of the schema: plain SQL, forward only, one transaction each."""

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from typing import Any

from scoop.errors import DatabaseUnavailable
from scoop.store.db import Connection, Database, PermissionDenied, ReadOnly, describe_error

PREPARATION = """
    CREATE SCHEMA IF NOT EXISTS news;
    CREATE TABLE IF NOT EXISTS news.schema_migrations (
        version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL,
        applied_at TIMESTAMPTZ NOT NULL DEFAULT now());
"""
LOCK = 0x5C00B  # one process migrates at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    version: int
    name: str
    sql: str
    applied_at: datetime | None = None

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


def shipped() -> list[Migration]:
    """The migrations of this program, in order."""
    migrations = [
        Migration(version=int(match[1]), name=match[2], sql=file.read_text())
        for file in files(__name__).iterdir()
        if (match := re.fullmatch(r"(\d{4})_(\w+)\.sql", file.name))
    ]
    return sorted(migrations, key=lambda migration: migration.version)


async def migrate(database: Database) -> list[Migration]:
    """Apply all pending migrations; gives those that were applied."""
    async with database.connection() as conn:
        await conn.execute("SELECT pg_advisory_lock($1)", LOCK)
        try:
            await _prepare(conn)
            pending = await _pending(conn)
            for migration in pending:
                await _apply(conn, migration)
        finally:
            await conn.execute("SELECT pg_advisory_unlock($1)", LOCK)
    return pending


async def status(database: Database) -> list[Migration]:
    """All migrations of this program, with the time each was applied."""
    async with database.connection() as conn:
        applied = await _applied(conn)
    return [
        Migration(
            version=m.version,
            name=m.name,
            sql=m.sql,
            applied_at=applied[m.version]["applied_at"] if m.version in applied else None,
        )
        for m in shipped()
    ]


async def is_current(conn: Connection) -> bool:
    return not await _pending(conn)


async def _prepare(conn: Connection) -> None:
    try:
        await conn.execute("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
    except ReadOnly as error:
        raise DatabaseUnavailable(
            "the database is read-only; set SCOOP_DATABASE_URL to a server that accepts writes"
        ) from error
    except PermissionDenied as error:
        raise DatabaseUnavailable(
            "this role may not install pgvector; "
            "run CREATE EXTENSION vector in this database as a superuser, then try again"
        ) from error
    try:
        await conn.execute(PREPARATION)
    except PermissionDenied as error:
        raise DatabaseUnavailable(
            f"this role may not create the schema news ({describe_error(error)}); "
            "run GRANT CREATE ON DATABASE name TO role as the owner, then try again"
        ) from error


async def _applied(conn: Connection) -> dict[int, Any]:
    if await conn.fetchval("SELECT to_regclass('news.schema_migrations') IS NULL"):
        return {}
    return {row["version"]: row for row in await conn.fetch("SELECT * FROM news.schema_migrations")}


async def _pending(conn: Connection) -> list[Migration]:
    """The pending migrations; DatabaseUnavailable for a schema that is newer or was migrated by other SQL."""
    applied, known = await _applied(conn), shipped()
    newest = max(applied, default=0)
    if newest > known[-1].version:
        raise DatabaseUnavailable(
            f"the database is at schema version {newest}, this program has up to {known[-1].version}: update Scoop"
        )
    for migration in known:
        row = applied.get(migration.version)
        if row and row["checksum"] != migration.checksum:
            raise DatabaseUnavailable(
                f"migration {migration.version:04}_{migration.name} was applied with other SQL (the checksums differ): "
                "use the version of Scoop that this database belongs to"
            )
    return [migration for migration in known if migration.version not in applied]


async def _apply(conn: Connection, migration: Migration) -> None:
    async with conn.transaction():
        await conn.execute("SET LOCAL search_path = news, public")
        await conn.execute(migration.sql)
        await conn.execute(
            "INSERT INTO news.schema_migrations (version, name, checksum) VALUES ($1, $2, $3)",
            migration.version,
            migration.name,
            migration.checksum,
        )
