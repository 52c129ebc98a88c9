"""The page of user accounts and their roles, for admins."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated

from fastapi import Form, Path, Request, Response

from scoop.core import access, text
from scoop.core.access import Role
from scoop.errors import Conflict, ScoopError, UsageError
from scoop.http import accounts, auth, passwords, routes
from scoop.http.deps import CurrentDesk, Desk
from scoop.http.routes import needs
from scoop.store import db, users
from scoop.web import pages
from scoop.web.context import PageContext

router = routes.for_pages()

PRIVATE = {"Cache-Control": "no-store"}  # the page may show a new password

PersonField = Annotated[str, Form()]
UserId = Annotated[int, Path(ge=1, le=db.LAST_ID)]


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedPassword:
    """A generated password, shown once."""

    name: str
    password: str


@router.get("/settings/people")
@needs("admin")
async def people_page(desk: CurrentDesk, context: PageContext) -> Response:
    return await _people(desk, context)


@router.post("/settings/people")
@needs("admin")
async def add_person(
    desk: CurrentDesk,
    context: PageContext,
    name: PersonField = "",
    role: PersonField = "reader",
    password: PersonField = "",
) -> Response:
    """Add a user with the typed password, or a generated one."""
    first_password = password or passwords.new_code()
    try:
        name, new_role = accounts.checked_name(name), _checked_role(role)
        password_hash = await passwords.hash_password(first_password)
        async with desk.writing() as conn:
            await users.add(conn, name=name, role=new_role, password_hash=password_hash)
    except (UsageError, Conflict) as error:
        return await _people(desk, context, name=name, role=role, error=error)
    if password:
        return pages.redirect_with_notice("/settings/people", notice=f"{name} added as {_a(new_role)}.")
    return await _people(desk, context, shown=GeneratedPassword(name=name, password=first_password))


@router.post("/settings/people/{user_id}/role")
@needs("admin")
async def change_role(
    request: Request, desk: CurrentDesk, context: PageContext, user_id: UserId, role: PersonField = ""
) -> Response:
    try:
        new_role = _checked_role(role)
        async with desk.writing() as conn:
            person = await users.change(conn, user_id, role=new_role)
    except (UsageError, Conflict) as error:
        return await _people(desk, context, error=error)
    return _done(request, f"{person.name} is now {_a(new_role)}.")


@router.post("/settings/people/{user_id}/disable")
@needs("admin")
async def disable_person(request: Request, desk: CurrentDesk, context: PageContext, user_id: UserId) -> Response:
    """Disable an account: its sessions end, and its keys are refused."""
    try:
        async with desk.writing() as conn:
            person = await users.change(conn, user_id, enabled=False)
    except Conflict as error:
        return await _people(desk, context, error=error)
    return _done(request, f"{person.name} disabled: signed out everywhere, and all keys are refused.")


@router.post("/settings/people/{user_id}/enable")
@needs("admin")
async def enable_person(request: Request, desk: CurrentDesk, user_id: UserId) -> Response:
    async with desk.writing() as conn:
        person = await users.change(conn, user_id, enabled=True)
    return _done(request, f"{person.name} enabled.")


@router.post("/settings/people/{user_id}/password")
@needs("admin")
async def set_password(
    request: Request, desk: CurrentDesk, context: PageContext, user_id: UserId, password: PersonField = ""
) -> Response:
    """Set the typed password, or a generated one; the user's sessions end."""
    new_password = password or passwords.new_code()
    try:
        password_hash = await passwords.hash_password(new_password)
    except UsageError as error:
        return await _people(desk, context, error=error)
    async with desk.writing() as conn:
        person = await users.change(conn, user_id, password_hash=password_hash)
    done = _done(request, f"Password of {person.name} changed. All their sessions ended.")
    shown = GeneratedPassword(name=person.name, password=new_password)
    return done if password else await _people(desk, context, shown=shown)


@router.post("/settings/people/{user_id}/remove")
@needs("admin")
async def remove_person(request: Request, desk: CurrentDesk, context: PageContext, user_id: UserId) -> Response:
    try:
        async with desk.writing() as conn:
            person = await users.by_id(conn, user_id)
            await users.remove(conn, user_id)
    except Conflict as error:
        return await _people(desk, context, error=error)
    return _done(request, f"{person.name} removed, with all keys.")


def _checked_role(role: str) -> Role:
    if role not in access.ROLES:
        raise UsageError(f"unknown role; choose one of {', '.join(access.ROLES)}")
    return role


def _done(request: Request, notice: str) -> Response:
    auth.clear_cache(request)
    return pages.redirect_with_notice("/settings/people", notice=notice)


def _a(role: Role) -> str:
    return f"an {role}" if role[0] in "ae" else f"a {role}"


async def _people(
    desk: Desk,
    context: PageContext,
    *,
    shown: GeneratedPassword | None = None,
    name: str = "",
    role: str = "reader",
    error: ScoopError | None = None,
) -> Response:
    async with desk.reading() as conn:
        people = await users.list_users(conn)
    status = HTTPStatus.OK
    if error:
        status = HTTPStatus.CONFLICT if isinstance(error, Conflict) else HTTPStatus.BAD_REQUEST
    response = pages.page(
        "settings_people.html",
        context,
        status=status,
        people=people,
        shown=shown,
        name=text.readable(name),
        role=role,
        error=str(error or ""),
        roles=[(name, _a(name)) for name in access.ROLES],
        RIGHTS_BY_ROLE=access.RIGHTS_BY_ROLE,
        ABOUT_RIGHTS=access.ABOUT_RIGHTS,
    )
    response.headers.update(PRIVATE)
    return response
