"""Signing in where an organisation keeps its people: OpenID Connect, code flow with PKCE."""

import base64
import hashlib
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import jwt
import msgspec

from scoop.app import open_client
from scoop.config import Config
from scoop.core import text
from scoop.core.access import Role
from scoop.errors import FetchFailed, UsageError
from scoop.fetch.client import Request
from scoop.http.accounts import MAX_NAME

ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA"]  # of keys that only the provider has
KEPT_FOR = timedelta(hours=1)
ASKED_AGAIN_AFTER = timedelta(minutes=1)  # where a key is not known: it may be new
SCOPES = "openid profile email"


class Journey(msgspec.Struct, frozen=True, kw_only=True):
    """What the browser keeps while its person is away at the provider."""

    state: str
    nonce: str
    verifier: str
    next_page: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Vouched:
    """The identity that the provider asserts."""

    subject: str
    name: str
    role: Role


class _Provider(msgspec.Struct, frozen=True, kw_only=True):
    """What is used of the provider's own description."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str


class _Tokens(msgspec.Struct, frozen=True, kw_only=True):
    id_token: str


@dataclass(slots=True, kw_only=True)
class Oidc:
    """The provider that the settings name; what it says of itself is kept for an hour."""

    config: Config
    clock: Callable[[], datetime]
    _provider: _Provider | None = None
    _known_at: datetime | None = None
    _keys: dict[str, Any] = field(default_factory=dict)
    _asked_at: datetime | None = None

    async def departure(self, *, next_page: str, callback: str) -> tuple[str, Journey]:
        """Where to send the browser, and what it must bring back."""
        provider = await self._known()
        journey = Journey(
            state=secrets.token_urlsafe(24),
            nonce=secrets.token_urlsafe(24),
            verifier=secrets.token_urlsafe(48),
            next_page=next_page,
        )
        query = {
            "response_type": "code",
            "client_id": self.config.oidc_client_id,
            "redirect_uri": callback,
            "scope": SCOPES,
            "state": journey.state,
            "nonce": journey.nonce,
            "code_challenge": _challenge(journey.verifier),
            "code_challenge_method": "S256",
        }
        mark = "&" if "?" in provider.authorization_endpoint else "?"
        return f"{provider.authorization_endpoint}{mark}{urlencode(query)}", journey

    async def arrival(self, code: str, journey: Journey, *, callback: str) -> Vouched:
        """Who came back with this code; UsageError where the provider's word cannot be taken."""
        provider = await self._known()
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": callback,
            "client_id": self.config.oidc_client_id,
            "code_verifier": journey.verifier,
        }
        if self.config.oidc_client_secret:
            form["client_secret"] = self.config.oidc_client_secret
        tokens = await self._asked(Request(url=provider.token_endpoint, method="POST", form=form), _Tokens)
        claims = await self._claims(provider, tokens.id_token)
        if not secrets.compare_digest(str(claims.get("nonce", "")), journey.nonce):
            raise UsageError("the provider's answer belongs to another sign-in; try again")
        return Vouched(subject=f"{provider.issuer} {claims['sub']}", name=_name(claims), role=self._role(claims))

    async def _claims(self, provider: _Provider, id_token: str) -> Mapping[str, Any]:
        try:
            kid = str(jwt.get_unverified_header(id_token).get("kid", ""))
            key = await self._key(provider, kid)
            claims: dict[str, Any] = jwt.decode(
                id_token,
                key,
                algorithms=ALGORITHMS,
                audience=self.config.oidc_client_id,
                issuer=provider.issuer,
                leeway=60,
                options={"require": ["exp", "iat", "sub", "aud", "iss"]},
            )
        except jwt.PyJWTError as error:
            raise UsageError("the provider's answer cannot be trusted; check issuer and client id") from error
        return claims

    async def _key(self, provider: _Provider, kid: str) -> Any:
        """The provider's key of this name; it may have changed its keys since we asked."""
        may_ask = self._asked_at is None or self.clock() - self._asked_at >= ASKED_AGAIN_AFTER
        if kid not in self._keys and may_ask:
            found = await self._asked(Request(url=provider.jwks_uri), dict[str, Any])
            self._keys = {key.key_id or "": key for key in jwt.PyJWKSet.from_dict(found).keys}
            self._asked_at = self.clock()
        if kid not in self._keys:
            raise jwt.InvalidKeyError(kid)
        return self._keys[kid]

    async def _known(self) -> _Provider:
        is_old = self._known_at is None or self.clock() - self._known_at > KEPT_FOR
        if self._provider is None or is_old:
            address = f"{self.config.oidc_issuer.rstrip('/')}/.well-known/openid-configuration"
            found = await self._asked(Request(url=address), _Provider)
            if found.issuer != self.config.oidc_issuer:
                raise UsageError(f"the provider calls itself {found.issuer}; set oidc_issuer to exactly that")
            self._provider, self._known_at = found, self.clock()
        return self._provider

    async def _asked(self, request: Request, wanted: Any) -> Any:
        try:
            async with open_client(self.config) as client:
                answer = await client.send(replace(request, typed_url=self.config.oidc_issuer))
        except FetchFailed as error:
            raise UsageError(f"the provider does not answer ({error.health.replace('_', ' ')}); try again") from error
        if answer.status != 200:
            raise UsageError(f"the provider answered {answer.status}; see that client id and secret are right")
        try:
            return msgspec.json.decode(answer.body, type=wanted)
        except msgspec.MsgspecError as error:
            raise UsageError("the provider's answer is not as OpenID Connect has it") from error

    def _role(self, claims: Mapping[str, Any]) -> Role:
        """What the groups of the person make them: a reader, unless a group says more."""
        given = claims.get(self.config.oidc_role_claim)
        groups = {str(each) for each in given} if isinstance(given, list) else {given}
        if self.config.oidc_admin_group and self.config.oidc_admin_group in groups:
            return "admin"
        return "editor" if self.config.oidc_editor_group and self.config.oidc_editor_group in groups else "reader"


def _name(claims: Mapping[str, Any]) -> str:
    """What the person is called here: the first of what the provider tells that can be a name."""
    names = (text.one_line(str(claims.get(name) or "")) for name in ("preferred_username", "email", "name", "sub"))
    return next(name for name in names if name)[:MAX_NAME]


def _challenge(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
