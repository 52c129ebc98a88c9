"""User accounts with their sessions, API keys, and counted sign-in attempts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from scoop.core import access, front_page
from scoop.core.access import Right, Role, Visitor
from scoop.errors import Conflict, NotFound
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """An account; `language` is the one in which the person reads summaries (empty: that of the desk)."""

    user_id: int
    name: str
    role: Role
    enabled: bool
    has_password: bool
    has_oidc: bool
    created_at: datetime
    seen_at: datetime | None
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    user_id: int
    name: str
    role: Role
    password_hash: str | None
    is_network_known: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """An API key as it is listed: the key itself is not stored."""

    api_key_id: int
    user_id: int
    owner: str
    name: str
    hint: str
    scopes: list[Right]
    created_at: datetime
    expires_at: datetime | None
    used_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """An attempt to sign in; `full_since` is set if a limit was reached and it was not counted."""

    attempt_ids: list[int]
    full_since: datetime | None


async def list_users(conn: Connection) -> list[User]:
    return [User(**row) for row in await conn.fetch(SQL["users"], None)]


async def by_id(conn: Connection, user_id: int) -> User:
    row = await conn.fetchrow(SQL["users"], user_id)
    if row is None:
        raise NotFound(f"there is no user {user_id}")
    return User(**row)


async def by_name(conn: Connection, name: str) -> User:
    user_id = await conn.fetchval(SQL["named"], name)
    if user_id is None:
        raise NotFound(f"there is no user {name!r}; see `scoop users list`")
    return await by_id(conn, user_id)


async def find_credentials(
    conn: Connection, name: str, *, network: str, networks_since: datetime
) -> Credentials | None:
    """The credentials of an enabled user; a network is known if they have signed in from it since then."""
    row = await conn.fetchrow(SQL["credentials"], name, network, networks_since)
    return Credentials(**row) if row else None


async def is_empty(conn: Connection) -> bool:
    return not await conn.fetchval(SQL["has_users"])


async def lock(conn: Connection) -> None:
    """Block other changes of accounts until the caller's transaction ends."""
    await conn.execute(SQL["lock"])


async def add(
    conn: Connection, *, name: str, role: Role, password_hash: str | None = None, oidc_subject: str | None = None
) -> int:
    """Add an account in the caller's transaction; returns its id."""
    try:
        async with conn.transaction():
            return int(await conn.fetchval(SQL["add"], name, role, password_hash, oidc_subject))
    except db.UniqueViolation as error:
        raise Conflict(f"the name {name!r} is taken") from error


async def change(
    conn: Connection,
    user_id: int,
    *,
    role: Role | None = None,
    password_hash: str | None = None,
    enabled: bool | None = None,
    keep_session: bytes | None = None,
) -> User:
    """Change an account in the caller's transaction.

    A new password, or disabling it, ends all its sessions except the one with the hash `keep_session`.
    """
    await lock(conn)
    user = await by_id(conn, user_id)
    loses_admin = user.role == "admin" and (role not in {None, "admin"} or enabled is False)
    if loses_admin and not await conn.fetchval(SQL["other_admins"], user_id):
        raise Conflict(f"{user.name} is the only admin; make another user an admin first")
    await conn.execute(SQL["change"], user_id, role, password_hash, enabled)
    if password_hash is not None or enabled is False:
        await conn.execute(SQL["close_sessions"], user_id, keep_session)
    return await by_id(conn, user_id)


async def remove(conn: Connection, user_id: int) -> None:
    """Delete an account with its sessions and keys, in the caller's transaction."""
    await lock(conn)
    user = await by_id(conn, user_id)
    if user.role == "admin" and not await conn.fetchval(SQL["other_admins"], user_id):
        raise Conflict(f"{user.name} is the only admin; make another user an admin first")
    await conn.execute(SQL["remove"], user_id)


async def get_or_create_by_oidc(conn: Connection, subject: str, *, name: str, role: Role) -> Visitor | None:
    """The user with this OpenID Connect subject, added at the first sign-in; None if the account is disabled."""
    row = await conn.fetchrow(SQL["by_oidc"], subject)
    if row is None:
        user_id = await add(conn, name=name, role=role, oidc_subject=subject)
        return access.person(user_id, name, role)
    if not row["enabled"]:
        return None
    if row["role"] != role:
        await conn.execute(SQL["set_oidc_role"], row["user_id"], role)
    return access.person(row["user_id"], row["name"], role)


async def set_language(conn: Connection, user_id: int, language: str) -> None:
    """Set the language in which a person reads summaries (empty: that of the desk)."""
    await conn.execute(SQL["set_language"], user_id, language)


async def open_session(
    conn: Connection, session_hash: bytes, user_id: int, *, now: datetime, lifetime: timedelta
) -> None:
    await conn.execute(SQL["open_session"], session_hash, user_id, now, now + lifetime)
    await conn.execute(SQL["set_seen"], user_id, now)


async def close_session(conn: Connection, session_hash: bytes) -> None:
    await conn.execute(SQL["close_session"], session_hash)


async def close_other_sessions(conn: Connection, user_id: int, session_hash: bytes | None) -> None:
    await conn.execute(SQL["close_sessions"], user_id, session_hash)


async def begin_visit(conn: Connection, user_id: int, *, now: datetime, ended_at: datetime | None) -> datetime | None:
    """Begin a visit, unless one is going on; returns when the one before it ended, None if there was none."""
    await conn.execute(SQL["begin_visit"], user_id, now, ended_at, now - front_page.VISIT_ENDS_AFTER)
    previous_visit_at: datetime | None = await conn.fetchval(SQL["previous_visit"], user_id)
    return previous_visit_at


async def find_by_session(conn: Connection, session_hash: bytes, *, now: datetime) -> Visitor | None:
    row = await conn.fetchrow(SQL["session"], session_hash, now)
    return access.person(row["user_id"], row["name"], row["role"], row["language"]) if row else None


async def find_by_key(conn: Connection, key_hash: bytes, *, now: datetime) -> Visitor | None:
    row = await conn.fetchrow(SQL["key"], key_hash, now)
    return access.program(**row) if row else None


async def list_keys(conn: Connection, *, user_id: int | None = None) -> list[ApiKey]:
    """The keys of a user, or of all users."""
    return [ApiKey(**row) for row in await conn.fetch(SQL["keys"], user_id)]


async def add_key(
    conn: Connection,
    user_id: int,
    *,
    name: str,
    key_hash: bytes,
    hint: str,
    scopes: Sequence[Right],
    now: datetime,
    expires_at: datetime | None,
) -> int:
    return int(await conn.fetchval(SQL["add_key"], user_id, name, key_hash, hint, list(scopes), now, expires_at))


async def remove_key(conn: Connection, api_key_id: int, *, user_id: int | None = None) -> None:
    """Revoke a key; with `user_id`, only a key of this user."""
    if await conn.fetchval(SQL["remove_key"], api_key_id, user_id) is None:
        raise NotFound(f"there is no key {api_key_id}")


async def count_attempt(
    conn: Connection, limit_by_place: Mapping[str, int], *, since: datetime, now: datetime
) -> Attempt:
    """Count an attempt in the caller's transaction, unless a place has reached its limit since then."""
    places, limits = list(limit_by_place), list(limit_by_place.values())
    await conn.execute(SQL["lock_places"], places)
    return Attempt(**await conn.fetchrow(SQL["count_attempt"], places, limits, since, now))


async def withdraw_attempt(conn: Connection, attempt: Attempt) -> None:
    await conn.execute(SQL["withdraw_attempt"], attempt.attempt_ids)


async def clear_attempts(conn: Connection, places: Sequence[str]) -> None:
    await conn.execute(SQL["clear_attempts"], list(places))


async def put_network(conn: Connection, user_id: int, network: str, *, now: datetime) -> None:
    await conn.execute(SQL["put_network"], user_id, network, now)


async def forget_expired(
    conn: Connection, *, now: datetime, attempts_before: datetime, networks_before: datetime
) -> None:
    await conn.execute(SQL["forget_expired"], now, attempts_before, networks_before)


async def add_setup_code(conn: Connection, code_hash: bytes, *, now: datetime) -> None:
    await conn.execute(SQL["add_setup_code"], code_hash, now)


async def use_setup_code(conn: Connection, code_hash: bytes, *, made_after: datetime) -> bool:
    return bool(await conn.fetchval(SQL["use_setup_code"], code_hash, made_after))
