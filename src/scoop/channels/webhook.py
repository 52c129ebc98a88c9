"""The webhook channel: a signed POST to any program."""

import msgspec

from scoop import channels
from scoop.channels import Errand, Mark, http, signing, whole
from scoop.model import Digest, DigestPart, Post

DEAD = frozenset({404, 410})
MAX_ID = 200


class _Accepted(msgspec.Struct):
    id: str | int


class WebhookChannel(http.Final):
    """Any program that accepts the digest as JSON by POST, signed by the Standard Webhooks specification.

    Every attempt for one post has the same `webhook-id` and `Idempotency-Key`, so that the receiver accepts it once; if
    a response is lost, the post is sent again. The response may contain the id of the message, as {"id": "..."}.
    """

    name = "webhook"
    access = "editor"
    repeats = True

    class Options(channels.HttpOptions, frozen=True, kw_only=True):
        """The address and the signature.

        `url`: the http or https address.
        `secret`: the name of the secret that signs the posts, as desk for SCOOP_SECRET_DESK: whsec_ and base64, or any
        text. Without it, posts are not signed.
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
        request = http.request(self._options, self._options.url, method="POST", content=content, headers=headers)
        response = await http.send(errand, request)
        if not http.is_success(response):
            reason = http.one_line(response.body.decode("utf-8", "replace"))
            raise http.failure(response, errand, reason=reason, dead=DEAD)
        accepted = http.decode(response.body, _Accepted)
        message_id = http.one_line(str(accepted.id))[:MAX_ID] if accepted else ""
        return message_id or post.key
