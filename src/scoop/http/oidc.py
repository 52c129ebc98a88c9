"""Sign-in with OpenID Connect: authorization code flow with PKCE."""

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

ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA"]  # asymmetric only
CACHED_FOR = timedelta(hours=1)
REFETCH_KEYS_AFTER = timedelta(minutes=1)  # for an unknown key id, which may be a new key
SCOPES = "openid profile email"


class PendingSignIn(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a sign-in, kept in a cookie while the browser is at the provider."""

    state: str
    nonce: str
    verifier: str
    next_page: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OidcIdentity:
    """The identity that the provider asserts, and the role that follows from its groups."""

    subject: str
    name: str
    role: Role


class _Provider(msgspec.Struct, frozen=True, kw_only=True):
    """The fields used from the provider's discovery document."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str


class _Tokens(msgspec.Struct, frozen=True, kw_only=True):
    id_token: str


@dataclass(slots=True, kw_only=True)
class Oidc:
    """A client of the configured provider; its discovery document is cached for an hour."""

    config: Config
    clock: Callable[[], datetime]
    _provider: _Provider | None = None
    _discovered_at: datetime | None = None
    _keys: dict[str, Any] = field(default_factory=dict)
    _keys_fetched_at: datetime | None = None

    async def begin_sign_in(self, *, next_page: str, callback: str) -> tuple[str, PendingSignIn]:
        """The URL to redirect the browser to, and the state that its callback is checked against."""
        provider = await self._discover()
        pending = PendingSignIn(
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
            "state": pending.state,
            "nonce": pending.nonce,
            "code_challenge": _challenge(pending.verifier),
            "code_challenge_method": "S256",
        }
        separator = "&" if "?" in provider.authorization_endpoint else "?"
        return f"{provider.authorization_endpoint}{separator}{urlencode(query)}", pending

    async def complete_sign_in(self, code: str, pending: PendingSignIn, *, callback: str) -> OidcIdentity:
        """Exchange the code for the user's identity; UsageError if the ID token is not valid for this sign-in."""
        provider = await self._discover()
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": callback,
            "client_id": self.config.oidc_client_id,
            "code_verifier": pending.verifier,
        }
        if self.config.oidc_client_secret:
            form["client_secret"] = self.config.oidc_client_secret
        tokens = await self._fetch(Request(url=provider.token_endpoint, method="POST", form=form), _Tokens)
        claims = await self._claims(provider, tokens.id_token)
        if not secrets.compare_digest(str(claims.get("nonce", "")), pending.nonce):
            raise UsageError("the provider's response belongs to another sign-in; try again")
        return OidcIdentity(subject=f"{provider.issuer} {claims['sub']}", name=_name(claims), role=self._role(claims))

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
            raise UsageError("the provider's ID token is not valid; check oidc_issuer and oidc_client_id") from error
        return claims

    async def _key(self, provider: _Provider, kid: str) -> Any:
        """The provider's signing key with this id; the keys are fetched again if it is unknown."""
        fetched_at = self._keys_fetched_at
        may_fetch = fetched_at is None or self.clock() - fetched_at >= REFETCH_KEYS_AFTER
        if kid not in self._keys and may_fetch:
            key_set = await self._fetch(Request(url=provider.jwks_uri), dict[str, Any])
            self._keys = {key.key_id or "": key for key in jwt.PyJWKSet.from_dict(key_set).keys}
            self._keys_fetched_at = self.clock()
        if kid not in self._keys:
            raise jwt.InvalidKeyError(kid)
        return self._keys[kid]

    async def _discover(self) -> _Provider:
        is_old = self._discovered_at is None or self.clock() - self._discovered_at > CACHED_FOR
        if self._provider is None or is_old:
            url = f"{self.config.oidc_issuer.rstrip('/')}/.well-known/openid-configuration"
            provider: _Provider = await self._fetch(Request(url=url), _Provider)
            if provider.issuer != self.config.oidc_issuer:
                raise UsageError(f"the provider's issuer is {provider.issuer}; set oidc_issuer to exactly that")
            self._provider, self._discovered_at = provider, self.clock()
        return self._provider

    async def _fetch(self, request: Request, response_type: Any) -> Any:
        try:
            async with open_client(self.config) as client:
                response = await client.send(replace(request, typed_url=self.config.oidc_issuer))
        except FetchFailed as error:
            raise UsageError(f"the provider does not respond ({error.health.replace('_', ' ')}); try again") from error
        if response.status != 200:
            raise UsageError(f"the provider responded with {response.status}; check oidc_client_id and the secret")
        try:
            return msgspec.json.decode(response.body, type=response_type)
        except msgspec.MsgspecError as error:
            raise UsageError("the provider's response does not follow OpenID Connect; check oidc_issuer") from error

    def _role(self, claims: Mapping[str, Any]) -> Role:
        """The role that the user's groups give; reader if none does."""
        claim = claims.get(self.config.oidc_role_claim)
        groups = {str(group) for group in claim} if isinstance(claim, list) else {claim}
        if self.config.oidc_admin_group and self.config.oidc_admin_group in groups:
            return "admin"
        return "editor" if self.config.oidc_editor_group and self.config.oidc_editor_group in groups else "reader"


def _name(claims: Mapping[str, Any]) -> str:
    """The user's name: the first of these claims that is not empty."""
    names = (text.one_line(str(claims.get(name) or "")) for name in ("preferred_username", "email", "name", "sub"))
    return next(name for name in names if name)[:MAX_NAME]


def _challenge(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
