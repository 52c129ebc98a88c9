"""An OpenID Connect provider that does as it is told."""

import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from scoop.serve import serving

CLIENT = "scoop-desk"


@dataclass(kw_only=True)
class Provider:
    address: str = ""
    claims: dict[str, Any] = field(default_factory=dict)
    kid: str = "first"
    algorithm: str = "RS256"
    is_down: bool = False
    asked: dict[str, str] = field(default_factory=dict)
    key: Any = field(default_factory=lambda: rsa.generate_private_key(public_exponent=65537, key_size=2048))

    def rotate(self) -> None:
        self.key, self.kid = rsa.generate_private_key(public_exponent=65537, key_size=2048), secrets.token_hex(4)

    def agree(self, address: str) -> str:
        """What the provider sends a person back with, who signed in at the address they were sent to."""
        parts = urlsplit(address)
        self.asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        assert address.startswith(f"{self.address}/authorize?")
        return f"/sign-in/oidc/callback?code=good&state={self.asked['state']}"

    async def configuration(self, _request: Request) -> Response:
        if self.is_down:
            return Response(status_code=503)
        endpoints = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
        return JSONResponse({"issuer": self.address, **{n: f"{self.address}/{p}" for n, p in endpoints.items()}})

    async def keys(self, _request: Request) -> Response:
        public = jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        return JSONResponse({"keys": [{**public, "kid": self.kid, "use": "sig", "alg": "RS256"}]})

    async def token(self, request: Request) -> Response:
        form = await request.form()
        if form["code"] != "good" or form["client_id"] != CLIENT or not form["code_verifier"]:
            return JSONResponse({"error": "invalid_grant"}, status_code=400)
        now = int(time.time())
        claims = {
            "iss": self.address,
            "aud": CLIENT,
            "sub": "42",
            "iat": now,
            "exp": now + 300,
            "nonce": self.asked["nonce"],
            "preferred_username": "ada",
            **self.claims,
        }
        key = None if self.algorithm == "none" else self.key
        return JSONResponse(
            {
                "id_token": jwt.encode(claims, key, algorithm=self.algorithm, headers={"kid": self.kid}),
                "access_token": "-",
                "token_type": "Bearer",
            }
        )


@asynccontextmanager
async def providing(**settings: Any) -> AsyncIterator[Provider]:
    provider = Provider(**settings)
    routes = [
        Route("/.well-known/openid-configuration", provider.configuration),
        Route("/keys", provider.keys),
        Route("/token", provider.token, methods=["POST"]),
    ]
    async with serving(Starlette(routes=routes)) as provider.address:
        yield provider
