"""Any program that takes a signed POST."""

import msgspec

from scoop import channels
from scoop.channels import Errand, Mark, http, signing, whole
from scoop.model import Digest, DigestPart, Post

DEAD = frozenset({404, 410})
MAX_ID = 200


class _Accepted(msgspec.Struct):
    id: str | int


class WebhookChannel(http.Final):
    """Any program that takes the digest as JSON by POST, signed as Standard Webhooks says.

    Every try of one post has the same `webhook-id` and `Idempotency-Key`: the receiver takes it once, and a post whose
    answer was lost is sent again. The answer may name the message's id, as {"id": "..."}.
    """

    name = "webhook"
    access = "editor"
    repeats = True

    class Options(channels.HttpOptions, frozen=True, kw_only=True):
        """Where, and how it is signed.

        `url`: the address, http or https.
        `secret`: the name of the secret that signs the posts, as desk for SCOOP_SECRET_DESK; whsec_ and base64, or any
        text; without it they are not signed.
        """

        url: str = ""
        secret: str | None = None

        def __post_init__(self) -> None:
            signing.check_address(self.url)
            if self.secret is not None:
                http.check_name("secret", self.secret)

    def __init__(self, options: Options) -> None:
        self._options = options

    def parts(self, digest: Digest, mark: Mark) -> list[DigestPart]:
        return [whole.part(digest, mark)]

    async def send(self, post: Post, errand: Errand) -> str:
        content = post.payload.encode()
        headers = signing.headers(post.key, content, errand, secret=self._options.secret)
        asked = http.request(self._options, self._options.url, method="POST", content=content, headers=headers)
        given = await http.answer(errand, asked)
        if not http.is_success(given):
            said = http.line(given.body.decode("utf-8", "replace"))
            raise http.outcome(given, errand, said=said, dead=DEAD)
        accepted = http.decoded(given.body, _Accepted)
        named = http.line(str(accepted.id))[:MAX_ID] if accepted else ""
        return named or post.key
