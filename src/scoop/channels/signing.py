"""What is sent by POST, signed as Standard Webhooks says."""

import base64
import binascii
import hashlib
import hmac

import can_ada

from scoop.channels import DeliveryRefused, Errand, http

PREFIX = "whsec_"  # of a secret that is base64, by Standard Webhooks


def headers(key: str, content: bytes, errand: Errand, *, secret: str | None) -> dict[str, str]:
    """What goes with a message: its key, the time, and the signature of all by the secret of this name."""
    seconds = str(int(errand.clock().timestamp()))
    told = {"webhook-id": key, "webhook-timestamp": seconds, "Idempotency-Key": key}
    if secret is not None:
        signed = f"{key}.{seconds}.".encode() + content
        code = hmac.digest(_key(errand, secret), signed, hashlib.sha256)
        told["webhook-signature"] = f"v1,{base64.b64encode(code).decode()}"
    return told


def check_address(url: str) -> None:
    """ValueError for what is no address of the web, or has a password in it."""
    try:
        parsed = can_ada.parse(url)
    except (ValueError, TypeError):
        parsed = None
    if not parsed or parsed.protocol not in {"http:", "https:"} or parsed.username or parsed.password:
        raise ValueError("option url: must be an http or https address without a password in it")


def _key(errand: Errand, name: str) -> bytes:
    value = http.secret(errand, name)
    if not value.startswith(PREFIX):
        return value.encode()
    try:
        return base64.b64decode(value.removeprefix(PREFIX), validate=True)
    except binascii.Error:
        raise DeliveryRefused(
            f"the secret {name} must be base64 after {PREFIX}: mend SCOOP_SECRET_{name.upper()}"
        ) from None
