"""Coming in: the first account by a code from the terminal, then by name and password; who guesses is slowed down."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from scoop.core import access, text
from scoop.core.access import Right, Role, Visitor
from scoop.errors import Conflict, UsageError
from scoop.http import passwords
from scoop.http.errors import TooManyRequests
from scoop.store import users
from scoop.store.db import Connection, Database

SESSION_LASTS = timedelta(days=30)
CODE_LASTS = timedelta(hours=24)
WATCHED = timedelta(minutes=15)  # in which failures count
MOST_FAILURES = {"pair": 5, "address": 30, "name": 50}  # a name alone must not be enough to lock its owner out
MAX_NAME = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey:
    """A key, shown this once."""

    api_key_id: int
    name: str
    key: str
    scopes: list[Right]
    expires_at: datetime | None


async def sign_in(
    database: Database, name: str, password: str, *, address: str, now: datetime
) -> tuple[Visitor, str] | None:
    """Who this is, and the session of their browser; None where name or password are wrong."""
    name = text.readable(name)  # what no name can hold cannot even be looked up
    places = _places(name, address)
    async with database.connection() as conn:
        await check_failures(conn, places, now=now)
        known = await users.find_credentials(conn, name)
    fits = await passwords.is_password(password, known.password_hash if known else None)
    async with database.transaction() as conn:
        if known is None or not fits:
            await users.fail(conn, list(places.values()), now=now)
            return None
        await users.forgive(conn, [places["pair"], places["address"]])
        session = await open_session(conn, known.user_id, now=now)
    return access.person(known.user_id, known.name, known.role), session


async def open_session(conn: Connection, user_id: int, *, now: datetime) -> str:
    session = passwords.new_session()
    await users.forget_expired(conn, now=now, failures_before=now - WATCHED)
    await users.open_session(conn, passwords.hashed(session), user_id, now=now, lasts=SESSION_LASTS)
    return session


async def new_setup_code(conn: Connection, *, now: datetime) -> str | None:
    """A code for the terminal while nobody has an account; None afterwards."""
    if not await users.is_empty(conn):
        return None
    code = passwords.new_code()
    await users.add_setup_code(conn, passwords.hashed_code(code), now=now)
    return code


async def set_up(
    database: Database, code: str, name: str, password: str, *, address: str, now: datetime
) -> tuple[Visitor, str]:
    """Make the first account, an admin's, and sign it in."""
    name = checked_name(name)
    places = {"address": f"set-up from {address}"}
    async with database.connection() as conn:
        await check_failures(conn, places, now=now)
    password_hash = await passwords.hash_password(password)
    async with database.transaction() as conn:
        await users.lock(conn)
        if not await users.is_empty(conn):
            raise Conflict("there is an account already; sign in")
        if await users.use_setup_code(conn, passwords.hashed_code(code), made_after=now - CODE_LASTS):
            user_id = await users.add(conn, name=name, role="admin", password_hash=password_hash)
            return access.person(user_id, name, "admin"), await open_session(conn, user_id, now=now)
        await users.fail(conn, list(places.values()), now=now)
    raise UsageError("this is not the code that the terminal shows; `scoop up` shows a new one when it starts")


async def change_password(
    database: Database, visitor: Visitor, password: str, new: str, *, session: str | None, address: str, now: datetime
) -> None:
    """Give a person another password, by the one they have; all their browsers but this session are signed out."""
    places = _places(visitor.name, address)
    async with database.connection() as conn:
        await check_failures(conn, places, now=now)
        known = await users.find_credentials(conn, visitor.name)
    if known is None or not await passwords.is_password(password, known.password_hash):
        async with database.transaction() as conn:
            await users.fail(conn, list(places.values()), now=now)
        raise UsageError("this is not the password you have")
    password_hash = await passwords.hash_password(new)
    async with database.transaction() as conn:
        await users.change(
            conn, known.user_id, password_hash=password_hash, but=passwords.hashed(session) if session else None
        )


async def new_key(
    conn: Connection,
    user_id: int,
    role: Role,
    *,
    name: str,
    scopes: Sequence[Right],
    now: datetime,
    lasts: timedelta | None,
) -> NewKey:
    """A key for a person's programs, no wider than the person's own rights."""
    if beyond := sorted(set(scopes) - access.RIGHTS_BY_ROLE[role]):
        raise UsageError(f"a key of a {role} cannot have the scope {beyond[0]}")
    if not scopes:
        raise UsageError(f"a key needs a scope: {', '.join(access.RIGHTS)}")
    key, expires_at = passwords.new_key(), now + lasts if lasts else None
    wanted = [right for right in access.RIGHTS if right in scopes]
    api_key_id = await users.add_key(
        conn,
        user_id,
        name=checked_name(name, most=100),
        key_hash=passwords.hashed(key),
        hint=passwords.hint(key),
        scopes=wanted,
        now=now,
        expires_at=expires_at,
    )
    return NewKey(api_key_id=api_key_id, name=name, key=key, scopes=wanted, expires_at=expires_at)


def checked_name(name: str, *, most: int = MAX_NAME) -> str:
    """A name that can be shown and typed again."""
    plain = text.one_line(name).strip()
    if not plain or plain != name.strip() or len(plain) > most:
        raise UsageError(f"a name must be 1 to {most} characters on one line, without control characters")
    return plain


def _places(name: str, address: str) -> dict[str, str]:
    spelled = name.casefold()[:MAX_NAME]
    return {"pair": f"{spelled} from {address}", "address": f"from {address}", "name": f"as {spelled}"}


async def check_failures(conn: Connection, places: dict[str, str], *, now: datetime) -> None:
    """TooManyRequests where one of these places has failed too often lately."""
    found = await users.failures(conn, list(places.values()), since=now - WATCHED)
    for kind, place in places.items():
        if place in found and found[place].failures >= MOST_FAILURES[kind]:
            wait = found[place].since + WATCHED - now
            raise TooManyRequests("too many wrong passwords or codes; wait some minutes", after=wait)
