"""To the organisation's sign-in and back."""

import base64
import secrets
from http import HTTPStatus

import msgspec
from fastapi import Request, Response
from starlette.responses import RedirectResponse

from scoop.errors import NotFound, UsageError
from scoop.http import accounts, middleware, routes
from scoop.http.deps import CurrentDesk, Desk
from scoop.http.oidc import Journey, Oidc
from scoop.http.routes import needs
from scoop.store import users
from scoop.web import sign_in

router = routes.for_pages()
COOKIE = "scoop_journey"
AWAY_SECONDS = 600
PATH = "/sign-in/oidc"


@router.get(PATH)
@needs(None)
async def leave(request: Request, desk: CurrentDesk) -> Response:
    next_page = request.query_params.get("next", "/")
    next_page = next_page if middleware.is_within(next_page) else "/"
    address, journey = await _oidc(request, desk).departure(next_page=next_page, callback=_callback(request))
    response = RedirectResponse(address, status_code=HTTPStatus.SEE_OTHER)
    packed = base64.urlsafe_b64encode(msgspec.json.encode(journey)).decode()
    response.set_cookie(
        COOKIE,
        packed,
        max_age=AWAY_SECONDS,
        path=PATH,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return response


@router.get(f"{PATH}/callback")
@needs(None)
async def come_back(request: Request, desk: CurrentDesk) -> Response:
    journey = _journey(request)
    params = request.query_params
    if not secrets.compare_digest(params.get("state", ""), journey.state):
        raise UsageError("this is not the sign-in that was begun here; begin again")
    if "code" not in params:
        raise UsageError(f"the provider refused the sign-in: {params.get('error', 'it gave no reason')[:100]}")
    vouched = await _oidc(request, desk).arrival(params["code"], journey, callback=_callback(request))
    async with desk.writing() as conn:
        visitor = await users.get_or_create_by_oidc(conn, vouched.subject, name=vouched.name, role=vouched.role)
        if visitor is None or visitor.user_id is None:
            raise UsageError("your account is disabled: ask an admin")
        session = await accounts.open_session(conn, visitor.user_id, now=desk.clock())
    response = sign_in.come_in(request, session, journey.next_page)
    response.delete_cookie(COOKIE, path=PATH)
    return response


def _oidc(request: Request, desk: Desk) -> Oidc:
    if not desk.config.oidc_issuer:
        raise NotFound("no provider to sign in with is set")
    found: Oidc = request.app.state.oidc
    return found


def _callback(request: Request) -> str:
    return f"{str(request.base_url).rstrip('/')}{PATH}/callback"


def _journey(request: Request) -> Journey:
    try:
        return msgspec.json.decode(base64.urlsafe_b64decode(request.cookies.get(COOKIE, "")), type=Journey)
    except (ValueError, msgspec.MsgspecError) as error:
        raise UsageError("this sign-in took too long, or was begun elsewhere; begin again") from error
