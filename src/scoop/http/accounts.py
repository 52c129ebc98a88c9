"""Accounts: the first one by a setup code, sign-in by name and password with a limit on guesses, API keys."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from scoop.core import access, text
from scoop.core.access import Right, Role, Visitor
from scoop.errors import Conflict, UsageError
from scoop.http import passwords
from scoop.http.deps import Desk
from scoop.http.errors import Busy, TooManyRequests
from scoop.store import users
from scoop.store.db import Connection
from scoop.store.users import Attempt, Credentials

SESSION_LASTS = timedelta(days=30)
CODE_LASTS = timedelta(hours=24)
ATTEMPTS_WINDOW = timedelta(minutes=15)
MAX_ATTEMPTS = {"pair": 5, "network": 30, "name": 50}  # that failed, within the window
NETWORK_KNOWN_FOR = timedelta(days=90)  # after a sign-in; guesses from elsewhere do not lock its person out there
MAX_NAME = 64
MAX_KEY_NAME = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey:
    """A new key, shown only once."""

    api_key_id: int
    name: str
    key: str
    scopes: list[Right]
    expires_at: datetime | None


async def sign_in(desk: Desk, name: str, password: str, *, address: str) -> tuple[Visitor, str] | None:
    """The visitor and their new session; None if the name or the password is wrong."""
    name, network = text.readable(name), access.network(address)
    attempt, user = await _begin_attempt(desk, name, network)
    async with _withdrawn_if_busy(desk, attempt):
        is_right = await passwords.is_password(password, user.password_hash if user else None)
    if user is None or not is_right:
        return None
    async with desk.writing() as conn:
        await _end_attempt(conn, attempt, user, network, now=desk.clock())
        session = await open_session(conn, user.user_id, now=desk.clock())
    return access.person(user.user_id, user.name, user.role), session


async def open_session(conn: Connection, user_id: int, *, now: datetime) -> str:
    session = passwords.new_session()
    await users.forget_expired(
        conn, now=now, attempts_before=now - ATTEMPTS_WINDOW, networks_before=now - NETWORK_KNOWN_FOR
    )
    await users.open_session(conn, passwords.hashed(session), user_id, now=now, lifetime=SESSION_LASTS)
    return session


async def new_setup_code(conn: Connection, *, now: datetime) -> str | None:
    """A code for the first account, shown in the terminal; None once there is an account."""
    if not await users.is_empty(conn):
        return None
    code = passwords.new_code()
    await users.add_setup_code(conn, passwords.hashed_code(code), now=now)
    return code


async def set_up(desk: Desk, code: str, name: str, password: str, *, address: str) -> tuple[Visitor, str]:
    """Make the first account, an admin's, and sign it in."""
    name, now = checked_name(name), desk.clock()
    passwords.check_password(password)
    async with desk.writing() as conn:
        limits = {f"set-up from {access.network(address)}": MAX_ATTEMPTS["network"]}
        attempt = await _count_attempt(conn, limits, now=now)
    async with _withdrawn_if_busy(desk, attempt):
        password_hash = await passwords.hash_password(password)
    async with desk.writing() as conn:
        await users.lock(conn)
        if not await users.is_empty(conn):
            raise Conflict("there is an account already; sign in")
        if not await users.use_setup_code(conn, passwords.hashed_code(code), made_after=now - CODE_LASTS):
            raise UsageError("the code is wrong or has expired; `scoop up` shows a new one when it starts")
        user_id = await users.add(conn, name=name, role="admin", password_hash=password_hash)
        await users.withdraw_attempt(conn, attempt)
        return access.person(user_id, name, "admin"), await open_session(conn, user_id, now=now)


async def change_password(
    desk: Desk, visitor: Visitor, password: str, new: str, *, session: str | None, address: str
) -> None:
    """Change a person's password, if they know the current one; sign out their browsers except this session's."""
    network = access.network(address)
    attempt, user = await _begin_attempt(desk, visitor.name, network)
    async with _withdrawn_if_busy(desk, attempt):
        if user is None or not await passwords.is_password(password, user.password_hash):
            raise UsageError("the current password is wrong")
    async with desk.writing() as conn:
        await _end_attempt(conn, attempt, user, network, now=desk.clock())
    password_hash = await passwords.hash_password(new)
    kept = passwords.hashed(session) if session else None
    async with desk.writing() as conn:
        await users.change(conn, user.user_id, password_hash=password_hash, keep_session=kept)


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
    """A key for a person's programs, with no more rights than the person has."""
    if beyond := sorted(set(scopes) - access.RIGHTS_BY_ROLE[role]):
        raise UsageError(f"a key of a {role} cannot have the scope {beyond[0]}")
    if not scopes:
        raise UsageError(f"a key needs a scope: {', '.join(access.RIGHTS)}")
    key, expires_at = passwords.new_key(), now + lasts if lasts else None
    ordered = [right for right in access.RIGHTS if right in scopes]
    api_key_id = await users.add_key(
        conn,
        user_id,
        name=checked_name(name, most=MAX_KEY_NAME),
        key_hash=passwords.hashed(key),
        hint=passwords.hint(key),
        scopes=ordered,
        now=now,
        expires_at=expires_at,
    )
    return NewKey(api_key_id=api_key_id, name=name, key=key, scopes=ordered, expires_at=expires_at)


def checked_name(name: str, *, most: int = MAX_NAME) -> str:
    """The name without spaces around it; UsageError if it cannot be shown or typed again."""
    plain = text.one_line(name).strip()
    if not plain or plain != name.strip() or len(plain) > most:
        raise UsageError(f"a name must be 1 to {most} characters on one line, without control characters")
    return plain


async def _begin_attempt(desk: Desk, name: str, network: str) -> tuple[Attempt, Credentials | None]:
    """Count an attempt with a person's password before it is tried, or parallel guesses would all pass the limit."""
    now, place_by_kind = desk.clock(), _places(name, network)
    async with desk.writing() as conn:
        user = await users.find_credentials(conn, name, network=network, networks_since=now - NETWORK_KNOWN_FOR)
        if user and user.is_network_known:
            del place_by_kind["name"]
        limits = {place: MAX_ATTEMPTS[kind] for kind, place in place_by_kind.items()}
        return await _count_attempt(conn, limits, now=now), user


async def _end_attempt(conn: Connection, attempt: Attempt, user: Credentials, network: str, *, now: datetime) -> None:
    """The password was right: neither this attempt nor earlier ones from this network count any more."""
    places = _places(user.name, network)
    await users.withdraw_attempt(conn, attempt)
    await users.clear_attempts(conn, [places["pair"], places["network"]])
    await users.put_network(conn, user.user_id, network, now=now)


async def _count_attempt(conn: Connection, limits: Mapping[str, int], *, now: datetime) -> Attempt:
    attempt = await users.count_attempt(conn, limits, since=now - ATTEMPTS_WINDOW, now=now)
    if attempt.full_since is not None:
        wait = attempt.full_since + ATTEMPTS_WINDOW - now
        raise TooManyRequests("too many failed attempts; wait a few minutes", after=wait)
    return attempt


@asynccontextmanager
async def _withdrawn_if_busy(desk: Desk, attempt: Attempt) -> AsyncIterator[None]:
    """An attempt that could not be tried does not count: a busy server must not lock anybody out."""
    try:
        yield
    except Busy:
        async with desk.writing() as conn:
            await users.withdraw_attempt(conn, attempt)
        raise


def _places(name: str, network: str) -> dict[str, str]:
    """The places where an attempt counts, by kind of limit."""
    folded = name.casefold()[:MAX_NAME]
    return {"pair": f"{folded} from {network}", "network": f"from {network}", "name": f"as {folded}"}
