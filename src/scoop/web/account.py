"""Pages of the visitor's own account: password, sessions and API keys."""

from collections.abc import Sequence
from datetime import timedelta
from http import HTTPStatus
from typing import Annotated, cast

from fastapi import Form, Path, Request, Response

from scoop.core import access, text
from scoop.core.access import Right, Visitor
from scoop.errors import UsageError
from scoop.http import accounts, auth, routes
from scoop.http.accounts import NewKey
from scoop.http.deps import CurrentDesk, CurrentVisitor, ReadConn, WriteConn
from scoop.http.errors import Busy, HttpProblem, TooManyRequests, Unauthenticated
from scoop.http.routes import needs
from scoop.store import db, users
from scoop.store.db import Connection
from scoop.web import labels, pages
from scoop.web.context import PageContext

router = routes.for_pages()

LASTS: dict[str, timedelta | None] = {
    "30": timedelta(days=30), "90": timedelta(days=90), "365": timedelta(days=365), "never": None,
}  # fmt: skip
"""Lifetimes of a new key, by their value in the form."""
USUAL_LASTS = "90"
PRIVATE = {"Cache-Control": "no-store"}  # the page may show a new key

FormText = Annotated[str, Form()]
KeyId = Annotated[int, Path(ge=1, le=db.LAST_ID)]


def session_user(by: Visitor) -> int:
    """The id of a user with a session; a key must neither create keys nor change the password of its owner."""
    if not by.is_known:
        raise Unauthenticated
    if by.via != "session" or by.user_id is None:
        raise HttpProblem(HTTPStatus.FORBIDDEN, "this needs a session: sign in with a browser instead of an API key")
    return by.user_id


@router.get("/settings/account")
@needs("read")
async def account_page(conn: ReadConn, context: PageContext, by: CurrentVisitor) -> Response:
    return await _account(conn, context, session_user(by))


@router.post("/settings/account/password")
@needs("read")
async def change_password(
    request: Request,
    desk: CurrentDesk,
    context: PageContext,
    by: CurrentVisitor,
    current: FormText = "",
    password: FormText = "",
    again: FormText = "",
) -> Response:
    user_id = session_user(by)
    try:
        if password != again:
            raise UsageError("the two new passwords differ")  # noqa: TRY301 - shown like all other errors
        await accounts.change_password(
            desk,
            by,
            current,
            password,
            session=request.cookies.get(auth.COOKIE),
            address=auth.client_address(request),
        )
    except (UsageError, Busy, TooManyRequests) as error:
        async with desk.reading() as conn:
            return await _account(conn, context, user_id, error=str(getattr(error, "message", error)))
    auth.clear_cache(request)
    return pages.redirect_with_notice("/settings/account", notice="Password changed. Your other sessions ended.")


@router.post("/settings/account/language")
@needs("read")
async def change_language(
    request: Request, desk: CurrentDesk, context: PageContext, by: CurrentVisitor, language: FormText = ""
) -> Response:
    """Set the language in which the visitor reads summaries."""
    user_id = session_user(by)
    if language and language not in labels.LANGUAGES:
        async with desk.reading() as conn:
            return await _account(conn, context, user_id, error="choose a language of the list")
    async with desk.writing() as conn:
        await users.set_language(conn, user_id, language)
    auth.clear_cache(request)
    name = labels.language_name(language) if language else "the language of the desk"
    return pages.redirect_with_notice("/settings/account", notice=f"Summaries are shown in {name}, where there is one.")


@router.post("/settings/account/sign-out")
@needs("read")
async def sign_out_everywhere(request: Request, conn: WriteConn, by: CurrentVisitor) -> Response:
    await users.close_other_sessions(conn, session_user(by), None)
    auth.clear_cache(request)
    response = pages.redirect_with_notice("/sign-in", notice="You are signed out everywhere.")
    response.delete_cookie(auth.COOKIE)
    return response


async def _account(conn: Connection, context: PageContext, user_id: int, *, error: str = "") -> Response:
    status = HTTPStatus.BAD_REQUEST if error else HTTPStatus.OK
    person = await users.by_id(conn, user_id)
    return pages.page(
        "settings_account.html",
        context,
        status=status,
        person=person,
        error=error,
        rights=access.ABOUT_RIGHTS,
        languages=[("", "as the desk"), *labels.LANGUAGES.items()],
    )


@router.get("/settings/keys")
@needs("read")
async def keys_page(conn: ReadConn, context: PageContext, by: CurrentVisitor) -> Response:
    """The visitor's own keys; for an admin, all keys."""
    return await _keys(conn, context, session_user(by))


@router.post("/settings/keys")
@needs("read")
async def make_key(
    conn: WriteConn,
    context: PageContext,
    by: CurrentVisitor,
    name: FormText = "",
    scopes: Annotated[Sequence[str], Form()] = (),
    lasts: FormText = USUAL_LASTS,
) -> Response:
    """Create a key and show it once."""
    user_id, name = session_user(by), text.readable(name)
    try:
        made = await accounts.new_key(
            conn,
            user_id,
            by.role or "reader",
            name=name,
            scopes=_checked_scopes(scopes),
            now=context.now,
            lasts=_checked_lasts(lasts),
        )
    except UsageError as error:
        return await _keys(conn, context, user_id, name=name, scopes=scopes, lasts=lasts, error=str(error))
    return await _keys(conn, context, user_id, made=made)


def _checked_scopes(scopes: Sequence[str]) -> list[Right]:
    for scope in scopes:
        if scope not in access.RIGHTS:
            raise UsageError(f"unknown scope {scope!r}; choose from {', '.join(access.RIGHTS)}")
    return cast(list[Right], list(scopes))


def _checked_lasts(lasts: str) -> timedelta | None:
    if lasts not in LASTS:
        raise UsageError(f"choose one of {', '.join(LASTS)} for the days until the key expires")
    return LASTS[lasts]


@router.post("/settings/keys/{api_key_id}/remove")
@needs("read")
async def remove_key(
    request: Request, conn: WriteConn, context: PageContext, by: CurrentVisitor, api_key_id: KeyId
) -> Response:
    """Revoke a key: the visitor's own, or any for an admin."""
    own = session_user(by)
    await users.remove_key(conn, api_key_id, user_id=None if context.may("admin") else own)
    auth.clear_cache(request)
    return pages.redirect_with_notice("/settings/keys", notice="Key revoked.")


async def _keys(
    conn: Connection,
    context: PageContext,
    user_id: int,
    *,
    made: NewKey | None = None,
    name: str = "",
    scopes: Sequence[str] = ("read",),
    lasts: str = USUAL_LASTS,
    error: str = "",
) -> Response:
    status = HTTPStatus.BAD_REQUEST if error else HTTPStatus.CREATED if made else HTTPStatus.OK
    keys = await users.list_keys(conn, user_id=None if context.may("admin") else user_id)
    response = pages.page(
        "settings_keys.html",
        context,
        status=status,
        keys=keys,
        made=made,
        name=name,
        chosen=scopes,
        lasts=lasts,
        error=error,
        own=user_id,
        rights=_rights(context),
        choices=_choices(),
        plain=text.one_line,
    )
    response.headers.update(PRIVATE)
    return response


def _rights(context: PageContext) -> dict[Right, str]:
    """The scopes that the visitor's keys can have, with their descriptions."""
    return {right: about for right, about in access.ABOUT_RIGHTS.items() if context.may(right)}


def _choices() -> list[tuple[str, str]]:
    return [(name, f"{name} days" if lasts else "never") for name, lasts in LASTS.items()]
