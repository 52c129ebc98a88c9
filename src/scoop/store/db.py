"""The database: its pool, its named blocks of SQL, its migrations. The only importer of the driver."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cache
from importlib.resources import files
from itertools import chain, repeat
from typing import Any, Protocol, TypeAlias, TypeVar

import asyncpg
import msgspec

from scoop.errors import ConfigError, DatabaseUnavailable

Connection: TypeAlias = asyncpg.Connection
T = TypeVar("T")

LAST_ID = 2**63 - 1  # no BIGINT is larger: a list of the newest begins before it
MIN_POSTGRESQL = 15
MIN_PGVECTOR = (0, 8)
CONNECT_SECONDS = 10.0
RECONNECT_PAUSES = (0.1, 0.3, 1.0, 2.0)  # seconds between tries to reach a server; the last again and again
RECONNECT_SECONDS = 8.0  # for a server that went away
RECOVERY_SECONDS = 60.0  # for a server that says that it is coming back, as after a crash
GONE = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.InterfaceError,
    asyncio.TimeoutError,
)
"""What the driver raises when the server is away or just coming back."""
SHUTTING_DOWN = (asyncpg.AdminShutdownError, asyncpg.CrashShutdownError, asyncpg.PostgresConnectionError)
OutOfResources = asyncpg.InsufficientResourcesError
Unstorable = (
    asyncpg.DataError,
    asyncpg.CheckViolationError,
    asyncpg.ProgramLimitExceededError,
    asyncpg.StatementTooComplexError,
)
Doubled = asyncpg.UniqueViolationError
Deadlock = asyncpg.DeadlockDetectedError
ReadOnly = asyncpg.ReadOnlySQLTransactionError
NoRight = asyncpg.InsufficientPrivilegeError
Canceled = asyncpg.QueryCanceledError


TROUBLE = (
    *SHUTTING_DOWN,
    OutOfResources,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.CannotConnectNowError,
)
"""What the driver raises when the server, not the statement, is the problem."""


def is_server_trouble(conn: Connection, error: Exception) -> bool:
    """Whether the server failed (gone, stopping, disk full) and not the statement."""
    return conn.is_closed() or isinstance(error, TROUBLE)


async def copy(
    conn: Connection, table: str, *, columns: Sequence[str], records: Iterable[Any], schema: str = "news"
) -> None:
    """COPY rows into a table; unlike the driver's own, it does not wait for ever on a connection that has ended."""
    copying = asyncio.ensure_future(
        conn.copy_records_to_table(table, schema_name=schema, columns=columns, records=records)
    )
    ended = asyncio.get_running_loop().create_future()

    def end(_conn: Connection) -> None:
        if not ended.done():
            ended.set_result(None)

    conn.add_termination_listener(end)
    await asyncio.wait((copying, ended), return_when=asyncio.FIRST_COMPLETED)
    if not conn.is_closed():
        conn.remove_termination_listener(end)
    if not copying.done():
        copying.add_done_callback(lambda task: task.cancelled() or task.exception())
        copying.cancel()
        raise asyncpg.ConnectionDoesNotExistError("the server ended the connection")
    await copying


class Server(Protocol):
    """A PostgreSQL that can be used: the embedded one, or one by URL."""

    is_ours: bool

    @property
    def advice(self) -> str:
        """What to do when it does not answer."""

    def attach(self) -> str: ...
    def ensure(self) -> None: ...
    def detach(self) -> None: ...


class External:
    """A server that somebody else runs."""

    is_ours = False
    advice = "check SCOOP_DATABASE_URL and that the server runs, or unset it to use the embedded database"

    def __init__(self, url: str) -> None:
        if not re.match(r"postgres(ql)?://", url):
            raise ConfigError(
                "SCOOP_DATABASE_URL must begin with postgresql://, as in postgresql://user@host:5432/name"
            )
        self.url = url

    def attach(self) -> str:
        return self.url

    def ensure(self) -> None:
        """Nothing to start: it is somebody else's."""

    def detach(self) -> None:
        """Nothing to stop either."""


@cache
def blocks(module: str) -> Mapping[str, str]:
    """The named blocks of the `.sql` file beside a module: `-- name: claim`, a sentence, the SQL."""
    package, _, name = module.rpartition(".")
    text = files(package).joinpath(f"{name}.sql").read_text()
    parts = re.split(r"^-- name: (\w+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


class Database:
    """A pool of connections that finds its server again after it died."""

    def __init__(self, server: Server, pool: asyncpg.Pool) -> None:
        self.server = server
        self._pool = pool

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """One connection of the pool; starts the embedded server again if it has died."""
        conn = await self._acquire()
        try:
            yield conn
        finally:
            await self._pool.release(conn)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Connection]:
        async with self.connection() as conn, conn.transaction():
            yield conn

    async def close(self) -> None:
        try:
            await asyncio.wait_for(self._pool.close(), CONNECT_SECONDS)
        except TimeoutError:
            self._pool.terminate()
        self.server.detach()

    async def _acquire(self) -> Connection:
        try:
            return await _reached(self.server, self._pool.acquire, GONE)
        except GONE as error:
            raise DatabaseUnavailable(f"the database went away: {sentence(error)}") from error


async def connect(server: Server, *, size: int, name: str = "scoop") -> Database:
    """Open a pool on the server, or say plainly why it cannot be used."""
    url = await asyncio.to_thread(server.attach)

    async def opened() -> asyncpg.Pool:
        return await asyncpg.create_pool(
            url,
            min_size=1,
            max_size=size,
            timeout=CONNECT_SECONDS,
            init=_prepare,
            server_settings={"search_path": "news,public", "application_name": name, "timezone": "UTC", "jit": "off"},
        )

    async with AsyncExitStack() as undo:
        undo.callback(server.detach)
        try:
            pool = await _reached(server, opened, GONE if server.is_ours else (asyncpg.CannotConnectNowError,))
        except (*GONE, asyncpg.PostgresError, ValueError) as error:
            raise DatabaseUnavailable(f"{_unreachable(url, error)}; {server.advice}") from error
        database = Database(server, pool)
        undo.push_async_callback(database.close)
        await _check(database)
        undo.pop_all()
    return database


async def _reached(server: Server, reach: Callable[[], Awaitable[T]], passing: tuple[type[Exception], ...]) -> T:
    """What `reach` gives, once the server does: errors that are `passing` are waited out, ours is started again."""
    pauses, begun = chain(RECONNECT_PAUSES, repeat(RECONNECT_PAUSES[-1])), time.monotonic()
    while True:
        try:
            return await reach()
        except passing as error:
            is_coming = isinstance(error, asyncpg.CannotConnectNowError)
            if time.monotonic() - begun > (RECOVERY_SECONDS if is_coming else RECONNECT_SECONDS):
                raise
        await asyncio.sleep(next(pauses))
        await asyncio.to_thread(server.ensure)


async def _prepare(conn: Connection) -> None:
    await conn.set_type_codec(
        "jsonb",
        schema="pg_catalog",
        format="binary",
        encoder=lambda value: b"\x01" + msgspec.json.encode(value),
        decoder=lambda value: msgspec.json.decode(value[1:]),
    )


async def _check(database: Database) -> None:
    """Refuse a server that is too old or lacks pgvector, before anything is written."""
    async with database.connection() as conn:
        version = conn.get_server_version()
        pgvector = await conn.fetchval(
            "SELECT coalesce(installed_version, default_version) FROM pg_available_extensions WHERE name = 'vector'"
        )
    if version.major < MIN_POSTGRESQL:
        raise DatabaseUnavailable(f"the server is PostgreSQL {version.major}; Scoop needs {MIN_POSTGRESQL} or newer")
    if problem := pgvector_problem(pgvector):
        raise DatabaseUnavailable(f"{problem}, or unset SCOOP_DATABASE_URL to use the embedded database")


def pgvector_problem(version: str | None) -> str | None:
    """What is wrong with the pgvector that a server has; searches in one collection of many need its version 0.8."""
    if version is None:
        return "the server has no pgvector; install its package (for example postgresql-16-pgvector) and try again"
    if tuple(map(int, version.split(".")[:2])) < MIN_PGVECTOR:
        needed = ".".join(map(str, MIN_PGVECTOR))
        return f"the server has pgvector {version}; install {needed} or newer, run ALTER EXTENSION vector UPDATE"
    return None


async def snapshot(conn: Connection) -> str:
    """The name of what is to be seen: the same as long as nothing is written."""
    name: str = await conn.fetchval("SELECT pg_current_snapshot()::text")
    return name


async def about(conn: Connection) -> dict[str, str]:
    """What a person wants to know of the server."""
    row = await conn.fetchrow(
        "SELECT current_setting('server_version') AS postgresql, current_database() AS database, current_user AS role,"
        " pg_size_pretty(pg_database_size(current_database())) AS size,"
        " coalesce((SELECT extversion FROM pg_extension WHERE extname = 'vector'), 'not installed') AS pgvector"
    )
    return dict(row)


def _unreachable(url: str, error: BaseException) -> str:
    where = re.sub(r"//.*@", "//", url).split("?")[0]  # greedy: a password may hold an @
    told = sentence(error)
    if type(error) is ValueError and "@" in url:  # of the URL's reader, who quotes what may be the password
        told = "this is not a URL that can be read; percent-encode what is special in the password"
    return f"the database at {where} does not answer: {told}"


def sentence(error: BaseException) -> str:
    """What the driver or the server says, with its details and hints, on one line."""
    if isinstance(error, asyncio.TimeoutError):
        return f"no answer within {CONNECT_SECONDS:.0f} seconds"
    return " ".join(str(error).split()) or type(error).__name__
