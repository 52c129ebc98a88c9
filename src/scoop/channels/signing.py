"""Signatures of POST requests, by the Standard Webhooks specification."""

import base64
import binascii

import can_ada

from scoop.channels import DeliveryRefused, Errand, http

PREFIX = "whsec_"  # of a secret that is base64, by Standard Webhooks


def headers(key: str, content: bytes, errand: Errand, *, secret: str | None) -> dict[str, str]:
    """The headers of a message: its key, the time, and the signature of all by the secret of this name."""
    seconds = str(int(errand.clock().timestamp()))
    signed_headers = {"webhook-id": key, "webhook-timestamp": seconds, "Idempotency-Key": key}
    if secret is not None:
        signed = f"{key}.{seconds}.".encode() + content
        signed_headers["webhook-signature"] = f"v1,{base64.b64encode(_signature(signed, errand, secret)).decode()}"
    return signed_headers


def check_address(url: str) -> None:
    """ValueError unless it is an http or https address without a password."""
    try:
        parsed = can_ada.parse(url)
    except (ValueError, TypeError):
        parsed = None
    if not parsed or parsed.protocol not in {"http:", "https:"} or parsed.username or parsed.password:
        raise ValueError("option url: must be an http or https address without a password")


def _signature(content: bytes, errand: Errand, name: str) -> bytes:
    try:
        return http.secret(errand, name).sign(content, key=_key)
    except binascii.Error:
        raise DeliveryRefused(
            f"the secret {name} must be base64 after {PREFIX}: correct SCOOP_SECRET_{name.upper()}"
        ) from None


def _key(value: str) -> bytes:
    """The bytes of a signing secret: base64 after whsec_, else the text itself."""
    return base64.b64decode(value.removeprefix(PREFIX), validate=True) if value.startswith(PREFIX) else value.encode()
