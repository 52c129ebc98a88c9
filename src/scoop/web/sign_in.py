"""Pages for signing in and out, and for the first account."""

from http import HTTPStatus
from typing import Annotated

from fastapi import Form, Request, Response
from starlette.responses import RedirectResponse

from scoop.errors import Conflict, UsageError
from scoop.http import accounts, auth, middleware, passwords, routes
from scoop.http.deps import CurrentDesk, Desk
from scoop.http.errors import Busy, TooManyRequests
from scoop.http.routes import needs
from scoop.store import users
from scoop.web import pages
from scoop.web.context import PageContext

router = routes.for_pages()
WRONG = "The name or the password is wrong."
Field = Annotated[str, Form()]


@router.get("/welcome")
@needs(None)
async def welcome_page(desk: CurrentDesk, context: PageContext, code: str = "") -> Response:
    """The form for the first account; a redirect to the sign-in page once there is one."""
    async with desk.reading() as conn:
        if not await users.is_empty(conn):
            return RedirectResponse("/sign-in", status_code=HTTPStatus.SEE_OTHER)
    return _welcome(context, code=code)


@router.post("/welcome")
@needs(None)
async def set_up(
    request: Request,
    desk: CurrentDesk,
    context: PageContext,
    code: Field = "",
    name: Field = "",
    password: Field = "",
    again: Field = "",
) -> Response:
    try:
        _check_same(password, again)
        _, session = await accounts.set_up(desk, code, name, password, address=auth.client_address(request))
    except (UsageError, Busy, TooManyRequests) as error:
        return _welcome(context, code=code, name=name, error=str(getattr(error, "message", error)))
    except Conflict:
        return RedirectResponse("/sign-in", status_code=HTTPStatus.SEE_OTHER)
    return start_session(request, session, "/", notice=f"Welcome, {name}. You are the admin of this desk.")


def _check_same(password: str, again: str) -> None:
    if password != again:
        raise UsageError("the two passwords differ")


def _welcome(context: PageContext, *, code: str = "", name: str = "", error: str = "") -> Response:
    status = HTTPStatus.BAD_REQUEST if error else HTTPStatus.OK
    return pages.page("welcome.html", context, status=status, code=code, name=name, error=error)


@router.get("/sign-in")
@needs(None)
async def sign_in_page(request: Request, desk: CurrentDesk, context: PageContext) -> Response:
    async with desk.reading() as conn:
        if await users.is_empty(conn):
            return RedirectResponse("/welcome", status_code=HTTPStatus.SEE_OTHER)
    if (await auth.authenticate(request)).is_known:
        return RedirectResponse(_within(request.query_params.get("next", "/")), status_code=HTTPStatus.SEE_OTHER)
    return _sign_in(context, desk, next_page=request.query_params.get("next", "/"))


@router.post("/sign-in")
@needs(None)
async def sign_in(
    request: Request,
    desk: CurrentDesk,
    context: PageContext,
    name: Field = "",
    password: Field = "",
    next_page: Field = "/",
) -> Response:
    try:
        signed_in = await accounts.sign_in(desk, name, password, address=auth.client_address(request))
    except (Busy, TooManyRequests) as error:
        response = _sign_in(context, desk, name=name, next_page=next_page, error=error.message, status=error.status)
        response.headers.update(error.headers or {})
        return response
    if signed_in is None:
        return _sign_in(context, desk, name=name, next_page=next_page, error=WRONG, status=HTTPStatus.UNAUTHORIZED)
    return start_session(request, signed_in[1], _within(next_page))


def _sign_in(
    context: PageContext,
    desk: Desk,
    *,
    name: str = "",
    next_page: str = "/",
    error: str = "",
    status: HTTPStatus = HTTPStatus.OK,
) -> Response:
    has_oidc = bool(desk.config.oidc_issuer)
    return pages.page(
        "sign_in.html", context, status=status, name=name, next_page=_within(next_page), error=error, has_oidc=has_oidc
    )


@router.post("/sign-out")
@needs(None)
async def sign_out(request: Request, desk: CurrentDesk) -> Response:
    if session := request.cookies.get(auth.COOKIE):
        async with desk.writing() as conn:
            await users.close_session(conn, passwords.hashed(session))
        auth.clear_cache(request)
    response = RedirectResponse("/sign-in", status_code=HTTPStatus.SEE_OTHER)
    response.delete_cookie(auth.COOKIE)
    return response


def start_session(request: Request, session: str, next_page: str, *, notice: str = "") -> Response:
    """Set the session cookie and redirect."""
    response = pages.redirect_with_notice(next_page, notice=notice)
    response.set_cookie(
        auth.COOKIE,
        session,
        max_age=int(accounts.SESSION_LASTS.total_seconds()),
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return response


def _within(next_page: str) -> str:
    return next_page if middleware.is_within(next_page) else "/"
