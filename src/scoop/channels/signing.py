"""What is sent by POST, signed as Standard Webhooks says."""

import base64
import binascii

import can_ada

from scoop.channels import DeliveryRefused, Errand, http

PREFIX = "whsec_"  # of a secret that is base64, by Standard Webhooks


def headers(key: str, content: bytes, errand: Errand, *, secret: str | None) -> dict[str, str]:
    """What goes with a message: its key, the time, and the signature of all by the secret of this name."""
    seconds = str(int(errand.clock().timestamp()))
    told = {"webhook-id": key, "webhook-timestamp": seconds, "Idempotency-Key": key}
    if secret is not None:
        signed = f"{key}.{seconds}.".encode() + content
        told["webhook-signature"] = f"v1,{base64.b64encode(_signature(signed, errand, secret)).decode()}"
    return told


def check_address(url: str) -> None:
    """ValueError for what is no address of the web, or has a password in it."""
    try:
        parsed = can_ada.parse(url)
    except (ValueError, TypeError):
        parsed = None
    if not parsed or parsed.protocol not in {"http:", "https:"} or parsed.username or parsed.password:
        raise ValueError("option url: must be an http or https address without a password in it")


def _signature(content: bytes, errand: Errand, name: str) -> bytes:
    try:
        return http.secret(errand, name).sign(content, key=_key)
    except binascii.Error:
        raise DeliveryRefused(
            f"the secret {name} must be base64 after {PREFIX}: mend SCOOP_SECRET_{name.upper()}"
        ) from None


def _key(value: str) -> bytes:
    """The bytes of a signing secret: base64 after whsec_, else the text itself."""
    return base64.b64decode(value.removeprefix(PREFIX), validate=True) if value.startswith(PREFIX) else value.encode()
