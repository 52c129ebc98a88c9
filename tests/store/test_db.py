"""Which servers will do, and which are waited for."""

import asyncio
from contextlib import asynccontextmanager
from urllib.parse import parse_qs, urlsplit

import pytest

from scoop.errors import DatabaseUnavailable
from scoop.store import db
from scoop.store.db import ExternalServer

COMING_BACK = b"SFATAL\0VFATAL\0C57P03\0Mthe database system is not yet accepting connections\0\0"


@pytest.mark.parametrize(
    ("version", "said"),
    [(None, "no pgvector"), ("0.7.4", "pgvector 0.7.4; install 0.8"), ("0.8.0", None), ("0.10.1", None), ("1.0", None)],
)
def test_a_server_needs_a_pgvector_that_can_search_on(version, said):
    problem = db.pgvector_problem(version)
    assert problem is None if said is None else said in problem


def test_what_the_server_says_is_told_on_one_line():
    assert db.describe_error(OSError("no space left\nHINT:  Check free disk space.")) == (
        "no space left HINT: Check free disk space."
    )


async def test_a_server_that_is_just_coming_back_is_waited_for(database_url):
    async with recovering(database_url, refusals=2) as url:
        database = await db.connect(ExternalServer(url), size=1)
        async with database.connection() as conn:
            assert await conn.fetchval("SELECT 1") == 1
        await database.close()


async def test_a_server_that_never_comes_back_is_told_with_its_own_words(database_url, monkeypatch):
    monkeypatch.setattr(db, "RECOVERY_SECONDS", 0.2)
    async with recovering(database_url, refusals=100) as url:
        with pytest.raises(DatabaseUnavailable, match="not yet accepting connections"):
            await db.connect(ExternalServer(url), size=1)


async def test_a_statement_with_too_few_arguments_is_a_defect_and_costs_its_connection(database):
    pids = []

    async def misuse():
        async with database.connection() as conn:
            pids.append(await conn.fetchval("SELECT pg_backend_pid()"))
            await conn.fetchval("SELECT $1::int + $2::int", 1)

    with pytest.raises(db.DriverMisuse, match="expects 2 arguments") as defect:
        await misuse()
    assert not isinstance(defect.value, (*db.GONE, *db.TROUBLE))
    async with database.connection() as conn:
        assert await conn.fetchval("SELECT pg_backend_pid()") not in pids


async def test_a_statement_on_a_connection_that_has_ended_is_trouble_of_the_server(database):
    async def use_after_close():
        async with database.connection() as conn:
            await conn.close()
            await conn.fetchval("SELECT 1")

    with pytest.raises(db.GONE):
        await use_after_close()


@asynccontextmanager
async def recovering(url, refusals):
    """The URL of a way to the server, on which it seems to be in recovery at first."""
    parts = urlsplit(url)
    options = {name: values[0] for name, values in parse_qs(parts.query).items()}
    left = iter(range(refusals))

    async def answer(reader, writer):
        if next(left, None) is None:
            other = await asyncio.open_unix_connection(f"{options['host']}/.s.PGSQL.{options['port']}")
            await asyncio.gather(pass_on(reader, other[1]), pass_on(other[0], writer))
            return
        await reader.read(1024)
        writer.write(b"E" + (len(COMING_BACK) + 4).to_bytes(4) + COMING_BACK)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    yield f"postgresql://{parts.username}@127.0.0.1:{port}{parts.path}?passfile={options['passfile']}&sslmode=disable"
    server.close()


async def pass_on(reader, writer):
    while said := await reader.read(65536):
        writer.write(said)
    writer.close()
