"""Any program that takes a signed POST."""

import base64
import binascii
import hashlib
import hmac

import can_ada
import msgspec

from scoop import channels
from scoop.channels import Errand, Mark, Refused, answers, whole
from scoop.model import Digest, Part, Post

DEAD = frozenset({404, 410})
MAX_ID = 200
PREFIX = "whsec_"  # of a secret that is base64, by Standard Webhooks


class _Accepted(msgspec.Struct):
    id: str | int


class Webhook(answers.Final):
    """Any program that takes the digest as JSON by POST, signed as Standard Webhooks says.

    Every try of one post has the same `webhook-id` and `Idempotency-Key`: the receiver takes it once, and a post whose
    answer was lost is sent again. The answer may name the message's id, as {"id": "..."}.
    """

    name = "webhook"
    repeats = True

    class Options(channels.Options, frozen=True, kw_only=True):
        """Where, and how it is signed.

        `url`: the address, http or https.
        `secret`: the name of the secret that signs the posts, as desk for SCOOP_SECRET_DESK; whsec_ and base64, or any
        text; without it they are not signed.
        """

        url: str = ""
        secret: str | None = None

        def __post_init__(self) -> None:
            _check_address(self.url)
            if self.secret is not None:
                answers.check_name("secret", self.secret)

    def __init__(self, options: Options) -> None:
        self._options = options

    def parts(self, digest: Digest, mark: Mark) -> list[Part]:
        return [whole.part(digest, mark)]

    async def send(self, post: Post, errand: Errand) -> str:
        content = post.payload.encode()
        headers = self._headers(post.key, content, errand)
        asked = answers.request(self._options, self._options.url, method="POST", content=content, headers=headers)
        given = await answers.answer(errand, asked)
        if not answers.is_success(given):
            said = answers.line(given.body.decode("utf-8", "replace"))
            raise answers.outcome(given, errand, said=said, dead=DEAD)
        accepted = answers.decoded(given.body, _Accepted)
        named = answers.line(str(accepted.id))[:MAX_ID] if accepted else ""
        return named or post.key

    def _headers(self, key: str, content: bytes, errand: Errand) -> dict[str, str]:
        seconds = str(int(errand.clock().timestamp()))
        headers = {"webhook-id": key, "webhook-timestamp": seconds, "Idempotency-Key": key}
        if self._options.secret is not None:
            signed = f"{key}.{seconds}.".encode() + content
            code = hmac.digest(_key(errand, self._options.secret), signed, hashlib.sha256)
            headers["webhook-signature"] = f"v1,{base64.b64encode(code).decode()}"
        return headers


def _check_address(url: str) -> None:
    try:
        parsed = can_ada.parse(url)
    except ValueError:
        parsed = None
    if not parsed or parsed.protocol not in {"http:", "https:"} or parsed.username or parsed.password:
        raise ValueError("option url: must be an http or https address without a password in it")


def _key(errand: Errand, name: str) -> bytes:
    value = answers.secret(errand, name)
    if not value.startswith(PREFIX):
        return value.encode()
    try:
        return base64.b64decode(value.removeprefix(PREFIX), validate=True)
    except binascii.Error:
        raise Refused(f"the secret {name} must be base64 after {PREFIX}: mend SCOOP_SECRET_{name.upper()}") from None
