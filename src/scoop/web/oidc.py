"""Sign-in with OpenID Connect: redirect to the provider, and its callback."""

import base64
import secrets
from http import HTTPStatus

import msgspec
from fastapi import Request, Response
from starlette.responses import RedirectResponse

from scoop.errors import NotFound, UsageError
from scoop.http import accounts, middleware, routes
from scoop.http.deps import CurrentDesk, Desk
from scoop.http.oidc import Oidc, PendingSignIn
from scoop.http.routes import needs
from scoop.store import users
from scoop.web import sign_in

router = routes.for_pages()
COOKIE = "scoop_oidc"
SIGN_IN_SECONDS = 600
PATH = "/sign-in/oidc"


@router.get(PATH)
@needs(None)
async def begin_sign_in(request: Request, desk: CurrentDesk) -> Response:
    next_page = request.query_params.get("next", "/")
    next_page = next_page if middleware.is_within(next_page) else "/"
    url, pending = await _oidc(request, desk).begin_sign_in(next_page=next_page, callback=_callback(request))
    response = RedirectResponse(url, status_code=HTTPStatus.SEE_OTHER)
    encoded = base64.urlsafe_b64encode(msgspec.json.encode(pending)).decode()
    response.set_cookie(
        COOKIE,
        encoded,
        max_age=SIGN_IN_SECONDS,
        path=PATH,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return response


@router.get(f"{PATH}/callback")
@needs(None)
async def complete_sign_in(request: Request, desk: CurrentDesk) -> Response:
    pending = _pending(request)
    params = request.query_params
    if not secrets.compare_digest(params.get("state", ""), pending.state):
        raise UsageError("this response belongs to another sign-in; start again")
    if "code" not in params:
        raise UsageError(f"the provider refused the sign-in: {params.get('error', 'it gave no reason')[:100]}")
    identity = await _oidc(request, desk).complete_sign_in(params["code"], pending, callback=_callback(request))
    async with desk.writing() as conn:
        visitor = await users.get_or_create_by_oidc(conn, identity.subject, name=identity.name, role=identity.role)
        if visitor is None or visitor.user_id is None:
            raise UsageError("your account is disabled: ask an admin")
        session = await accounts.open_session(conn, visitor.user_id, now=desk.clock())
    response = sign_in.start_session(request, session, pending.next_page)
    response.delete_cookie(COOKIE, path=PATH)
    return response


def _oidc(request: Request, desk: Desk) -> Oidc:
    if not desk.config.oidc_issuer:
        raise NotFound("OpenID Connect is not configured: set oidc_issuer")
    oidc: Oidc = request.app.state.oidc
    return oidc


def _callback(request: Request) -> str:
    return f"{str(request.base_url).rstrip('/')}{PATH}/callback"


def _pending(request: Request) -> PendingSignIn:
    try:
        return msgspec.json.decode(base64.urlsafe_b64decode(request.cookies.get(COOKIE, "")), type=PendingSignIn)
    except (ValueError, msgspec.MsgspecError) as error:
        raise UsageError("this sign-in took too long, or started in another browser; start again") from error
