"""The database: connection pool, named SQL blocks, driver errors. The only module that imports the driver."""

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

LAST_ID = 2**63 - 1  # the largest BIGINT: the cursor before the newest row
MIN_POSTGRESQL = 15
MIN_PGVECTOR = (0, 8)
CONNECT_SECONDS = 10.0
RECONNECT_PAUSES = (0.1, 0.3, 1.0, 2.0)  # seconds between attempts to connect; the last one repeats
RECONNECT_SECONDS = 8.0  # for a server that does not answer
RECOVERY_SECONDS = 60.0  # for a server that is recovering from a crash
GONE = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncio.TimeoutError,
)
"""Driver errors of a server that is down or starting."""
SHUTTING_DOWN = (asyncpg.AdminShutdownError, asyncpg.CrashShutdownError, asyncpg.PostgresConnectionError)
ServerError = asyncpg.PostgresError
OutOfResources = asyncpg.InsufficientResourcesError
Unstorable = (
    asyncpg.DataError,
    asyncpg.CheckViolationError,
    asyncpg.ProgramLimitExceededError,
    asyncpg.StatementTooComplexError,
)
UniqueViolation = asyncpg.UniqueViolationError
Deadlock = asyncpg.DeadlockDetectedError
ReadOnly = asyncpg.ReadOnlySQLTransactionError
PermissionDenied = asyncpg.InsufficientPrivilegeError
Canceled = asyncpg.QueryCanceledError
DriverMisuse = asyncpg.InterfaceError


TROUBLE = (
    *SHUTTING_DOWN,
    OutOfResources,
    asyncpg.InternalClientError,
    asyncpg.CannotConnectNowError,
)
"""Driver errors that are the server's, not the statement's; an InterfaceError is a defect of the program."""


def is_server_trouble(conn: Connection, error: Exception) -> bool:
    """Whether the server failed (gone, stopping, disk full) and not the statement."""
    return _is_closed(conn) or isinstance(error, TROUBLE)


def _is_closed(conn: Connection) -> bool:
    try:
        return bool(conn.is_closed())
    except DriverMisuse:  # the pool has taken back a connection that has ended
        return True


async def copy(
    conn: Connection, table: str, *, columns: Sequence[str], records: Iterable[Any], schema: str = "news"
) -> None:
    """COPY rows into a table; unlike the driver's method, it does not hang when the connection ends."""
    copying = asyncio.ensure_future(
        conn.copy_records_to_table(table, schema_name=schema, columns=columns, records=records)
    )
    ended = asyncio.get_running_loop().create_future()

    def end(_conn: Connection) -> None:
        if not ended.done():
            ended.set_result(None)

    conn.add_termination_listener(end)
    await asyncio.wait((copying, ended), return_when=asyncio.FIRST_COMPLETED)
    if not _is_closed(conn):
        conn.remove_termination_listener(end)
    if not copying.done():
        copying.add_done_callback(lambda task: task.cancelled() or task.exception())
        copying.cancel()
        raise asyncpg.ConnectionDoesNotExistError("the server ended the connection")
    await copying


class Server(Protocol):
    """A PostgreSQL server: the embedded one, or one by URL."""

    is_ours: bool

    @property
    def advice(self) -> str:
        """What the user can do when it does not answer."""

    def attach(self) -> str: ...
    def ensure(self) -> None: ...
    def detach(self) -> None: ...


class ExternalServer:
    """A server that is not managed by Scoop."""

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
        """Scoop does not start it."""

    def detach(self) -> None:
        """Scoop does not stop it."""


@cache
def blocks(module: str) -> Mapping[str, str]:
    """The named blocks of the `.sql` file beside a module: `-- name: claim`, a sentence, the SQL."""
    package, _, name = module.rpartition(".")
    text = files(package).joinpath(f"{name}.sql").read_text()
    parts = re.split(r"^-- name: (\w+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


class Database:
    """A connection pool that reconnects after the server restarted."""

    def __init__(self, server: Server, pool: asyncpg.Pool) -> None:
        self.server = server
        self._pool = pool

    @asynccontextmanager
    async def connection(self, *, waits: bool = True) -> AsyncIterator[Connection]:
        """A connection of the pool; `waits` for a server that is away, and restarts the embedded one if it died."""
        conn = await self._acquire(waits=waits)
        try:
            yield conn
        except DriverMisuse as error:
            if _is_closed(conn):
                raise asyncpg.ConnectionDoesNotExistError(describe_error(error)) from error
            conn.terminate()  # the driver was misused: the connection may be in any state
            raise
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

    async def _acquire(self, *, waits: bool) -> Connection:
        try:
            return await _reached(self.server, self._pool.acquire, GONE if waits else ())
        except (*GONE, DriverMisuse) as error:  # the latter: the pool is closed
            raise DatabaseUnavailable(f"the database does not answer: {describe_error(error)}") from error


async def connect(server: Server, *, size: int, name: str = "scoop") -> Database:
    """Open a pool; DatabaseUnavailable says why that is not possible and what to do."""
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
    """The result of `reach`; retries on errors that are `passing`, and restarts the embedded server."""
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
    """Refuse a server that is too old or lacks pgvector."""
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
    """The problem with a server's pgvector, if any; filtered vector searches need version 0.8."""
    if version is None:
        return "the server has no pgvector; install its package (for example postgresql-16-pgvector) and try again"
    if tuple(map(int, version.split(".")[:2])) < MIN_PGVECTOR:
        needed = ".".join(map(str, MIN_PGVECTOR))
        return f"the server has pgvector {version}; install {needed} or newer, run ALTER EXTENSION vector UPDATE"
    return None


async def snapshot(conn: Connection) -> str:
    """The id of the current snapshot: the same as long as nothing is written."""
    name: str = await conn.fetchval("SELECT pg_current_snapshot()::text")
    return name


async def get_server_info(conn: Connection) -> dict[str, str]:
    """Version, database, role and size for `scoop db` and the settings page."""
    row = await conn.fetchrow(
        "SELECT current_setting('server_version') AS postgresql, current_database() AS database, current_user AS role,"
        " pg_size_pretty(pg_database_size(current_database())) AS size,"
        " coalesce((SELECT extversion FROM pg_extension WHERE extname = 'vector'), 'not installed') AS pgvector"
    )
    return dict(row)


def _unreachable(url: str, error: BaseException) -> str:
    where = re.sub(r"//.*@", "//", url).split("?")[0]  # greedy: a password may hold an @
    reason = describe_error(error)
    if type(error) is ValueError and "@" in url:  # the URL parser quotes a part that may be the password
        reason = "the URL cannot be parsed; percent-encode special characters of the password"
    return f"the database at {where} does not answer: {reason}"


def describe_error(error: BaseException) -> str:
    """The message of the driver or server, with details and hints, on one line."""
    if isinstance(error, asyncio.TimeoutError):
        return f"no response within {CONNECT_SECONDS:.0f} seconds"
    return " ".join(str(error).split()) or type(error).__name__
