"""The schema's history: applied once, in order, by one process at a time, never onto what it does not know."""

import asyncio
from dataclasses import replace

import pytest

from scoop.errors import DatabaseUnavailable
from scoop.store import db, migrations
from scoop.store.db import ExternalServer


@pytest.fixture
async def empty(postgres, worker_id):
    """A database without any schema."""
    from conftest import administer, numbers, url_of

    name = f"empty_{worker_id}_{next(numbers)}"
    await administer(postgres, f"CREATE DATABASE {name}")
    yield url_of(postgres, name)
    await administer(postgres, f"DROP DATABASE {name} WITH (FORCE)")


async def opened(url):
    return await db.connect(ExternalServer(url), size=2)


async def test_a_second_migration_has_nothing_to_do(empty):
    database = await opened(empty)
    assert [m.version for m in await migrations.migrate(database)] == [m.version for m in migrations.shipped()]
    assert await migrations.migrate(database) == []
    await database.close()


async def test_processes_that_start_together_do_not_collide(empty):
    databases = [await opened(empty) for _ in range(4)]
    applied = await asyncio.gather(*(migrations.migrate(database) for database in databases))
    assert sorted(len(each) for each in applied) == [0, 0, 0, len(migrations.shipped())]
    for database in databases:
        await database.close()


async def test_a_broken_migration_leaves_nothing_of_itself_behind(empty, monkeypatch):
    broken = migrations.Migration(version=9999, name="broken", sql="CREATE TABLE half_made (n int); SELECT 1 / 0;")
    known = [*migrations.shipped(), broken]
    monkeypatch.setattr(migrations, "shipped", lambda: known)
    database = await opened(empty)
    with pytest.raises(Exception, match="division by zero"):
        await migrations.migrate(database)
    async with database.connection() as conn:
        assert await conn.fetchval("SELECT to_regclass('news.half_made')") is None
        assert await conn.fetchval("SELECT max(version) FROM schema_migrations") == known[-2].version
    await database.close()


async def test_an_old_program_refuses_a_newer_schema(database):
    async with database.connection() as conn:
        await conn.execute("INSERT INTO schema_migrations (version, name, checksum) VALUES (9999, 'later', 'x')")
    with pytest.raises(DatabaseUnavailable, match="update Scoop"):
        await migrations.migrate(database)


async def test_a_migration_that_was_changed_after_it_was_applied_is_refused(database, monkeypatch):
    changed = [replace(migration, sql=migration.sql + "-- changed") for migration in migrations.shipped()]
    monkeypatch.setattr(migrations, "shipped", lambda: changed)
    with pytest.raises(DatabaseUnavailable, match="checksums differ"):
        await migrations.migrate(database)
