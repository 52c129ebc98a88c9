"""User accounts and API keys; passwords are never returned, a key only when it is created."""

from datetime import timedelta
from http import HTTPStatus
from typing import Annotated

from fastapi import Request, Response
from pydantic import Field

from scoop.api import document
from scoop.core.access import Right, Role, Visitor
from scoop.http import accounts, auth, passwords, responses, routes
from scoop.http.accounts import NewKey
from scoop.http.deps import CurrentDesk, CurrentVisitor, ReadConn, WriteConn
from scoop.http.errors import Forbidden, Unauthenticated
from scoop.http.params import LongText, RecordId, RequestModel
from scoop.http.routes import needs
from scoop.store import users
from scoop.store.users import ApiKey, User

router = routes.for_programs("People")

CONFLICTS = document.problems(HTTPStatus.CONFLICT)
Password = Annotated[str, Field(min_length=1, max_length=passwords.MAX_PASSWORD)]


class NewUser(RequestModel):
    name: Annotated[LongText, Field(min_length=1, max_length=accounts.MAX_NAME)]
    role: Role = "reader"
    password: Password


class UserChanges(RequestModel):
    """Fields to change. A new password, or disabling the account, ends all its sessions."""

    role: Role | None = None
    password: Password | None = None
    enabled: bool | None = None


class NewPassword(RequestModel):
    password: Password
    new_password: Password


class KeyRequest(RequestModel):
    name: Annotated[LongText, Field(min_length=1, max_length=100)]
    scopes: Annotated[list[Right], Field(min_length=1, max_length=4)]
    days: Annotated[int, Field(ge=1, le=3650)] | None = None


@router.get("/users", response_model=list[User])
@needs("admin")
async def list_users(request: Request, conn: ReadConn) -> Response:
    """List all users."""
    return responses.json(request, await users.list_users(conn))


@router.post("/users", response_model=User, status_code=201, responses=CONFLICTS)
@needs("admin")
async def add_user(request: Request, desk: CurrentDesk, body: NewUser) -> Response:
    """Add a user with a first password."""
    name, password_hash = accounts.checked_name(body.name), await passwords.hash_password(body.password)
    async with desk.writing() as conn:
        user = await users.by_id(conn, await users.add(conn, name=name, role=body.role, password_hash=password_hash))
    headers = {"Location": f"/api/v1/users/{user.user_id}"}
    return responses.json(request, user, status=HTTPStatus.CREATED, headers=headers)


@router.post("/users/me/password", status_code=204)
@needs("read")
async def change_own_password(request: Request, desk: CurrentDesk, by: CurrentVisitor, body: NewPassword) -> Response:
    """Change your own password; your other sessions end."""
    _check_person(by)
    await accounts.change_password(
        desk,
        by,
        body.password,
        body.new_password,
        session=request.cookies.get(auth.COOKIE),
        address=auth.client_address(request),
    )
    auth.clear_cache(request)
    return Response(status_code=HTTPStatus.NO_CONTENT)


@router.get("/users/{user_id}", response_model=User)
@needs("admin")
async def get_user(request: Request, conn: ReadConn, user_id: RecordId) -> Response:
    """One user."""
    return responses.json(request, await users.by_id(conn, user_id))


@router.patch("/users/{user_id}", response_model=User, responses=CONFLICTS)
@needs("admin")
async def change_user(request: Request, desk: CurrentDesk, user_id: RecordId, body: UserChanges) -> Response:
    """Change a user's role or password, or disable the account. The last enabled admin cannot be changed."""
    password_hash = await passwords.hash_password(body.password) if body.password is not None else None
    async with desk.writing() as conn:
        user = await users.change(conn, user_id, role=body.role, password_hash=password_hash, enabled=body.enabled)
    auth.clear_cache(request)
    return responses.json(request, user)


@router.delete("/users/{user_id}", status_code=204, responses=CONFLICTS)
@needs("admin")
async def remove_user(request: Request, desk: CurrentDesk, user_id: RecordId) -> Response:
    """Delete a user with all sessions and keys. The last enabled admin cannot be deleted."""
    async with desk.writing() as conn:
        await users.remove(conn, user_id)
    auth.clear_cache(request)
    return Response(status_code=HTTPStatus.NO_CONTENT)


@router.get("/keys", response_model=list[ApiKey])
@needs("read")
async def list_keys(request: Request, by: CurrentVisitor, conn: ReadConn) -> Response:
    """Your keys; for an admin, those of all users. Only the last characters of a key are shown."""
    if not by.is_known:
        raise Unauthenticated()
    return responses.json(request, await users.list_keys(conn, user_id=None if "admin" in by.rights else by.user_id))


@router.post("/keys", response_model=NewKey, status_code=201)
@needs("read")
async def add_key(
    request: Request, desk: CurrentDesk, by: CurrentVisitor, conn: WriteConn, body: KeyRequest
) -> Response:
    """Create an API key. Its scopes are limited to your own rights; the key is shown only in this response."""
    user_id, role = _check_person(by)
    lasts = timedelta(days=body.days) if body.days is not None else None
    key = await accounts.new_key(conn, user_id, role, name=body.name, scopes=body.scopes, now=desk.clock(), lasts=lasts)
    return responses.json(request, key, status=HTTPStatus.CREATED)


@router.delete("/keys/{api_key_id}", status_code=204)
@needs("read")
async def remove_key(request: Request, desk: CurrentDesk, by: CurrentVisitor, api_key_id: RecordId) -> Response:
    """Revoke one of your keys; for an admin, any key."""
    if not by.is_known:
        raise Unauthenticated()
    async with desk.writing() as conn:
        await users.remove_key(conn, api_key_id, user_id=None if "admin" in by.rights else by.user_id)
        _check_person(by)  # here, so that an unknown key is 404 for everybody
    auth.clear_cache(request)
    return Response(status_code=HTTPStatus.NO_CONTENT)


def _check_person(by: Visitor) -> tuple[int, Role]:
    """The user and role; Forbidden for a key without the scope admin, which must not create keys or set passwords."""
    if by.user_id is None or by.role is None:
        raise Unauthenticated()
    if by.via == "key" and "admin" not in by.rights:
        raise Forbidden("admin")
    return by.user_id, by.role
