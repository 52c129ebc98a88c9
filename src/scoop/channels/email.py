"""The email channel: sends the digest by an SMTP server."""

import re
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from typing import Annotated

import msgspec
import structlog

from scoop import metrics
from scoop.channels import DeliveryRefused, Errand, Mark, NotSent, Unknown, http, whole
from scoop.core import text
from scoop.core.plugin_types import PluginOptions
from scoop.core.rendering import mail, plain
from scoop.errors import FetchFailed
from scoop.fetch.smtp import WRONG_PASSWORD, MailServer, Security, deliver
from scoop.model import Digest, DigestPart, Post

log = structlog.get_logger()

PORTS = {"starttls": 587, "tls": 465, "none": 25}
PASSWORD_WANTED = 530
DEAD = frozenset({PASSWORD_WANTED, WRONG_PASSWORD})
POLICY = SMTP.clone(cte_type="7bit")  # every server accepts it

_HOST = re.compile(r"[A-Za-z0-9._:-]{1,253}")
_MAILBOX = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*")


class _Letter(msgspec.Struct):
    """The stored part of a mail."""

    subject: str
    text: str
    html: str


class Email(http.Final):
    """Mail by an SMTP server of yours, as text and HTML; the recipients do not see each other.

    If the connection is lost while the server accepts the mail, it is unknown whether it was delivered: the post is
    held until you decide whether to send it again.
    """

    name = "email"
    access = "admin"
    repeats = False

    class Options(PluginOptions, frozen=True, kw_only=True):
        """The server, the sender and the recipients.

        `host`: the SMTP server, as smtp.example.org.
        `port`: the port; by default 587 for starttls, 465 for tls and 25 for none.
        `security`: starttls, tls (from the first byte), or none, which needs allow_private.
        `user`: the user name, if the server needs one.
        `password`: the name of the secret with the password, as mail_password for SCOOP_SECRET_MAIL_PASSWORD.
        `sender`: the sender, as Scoop <scoop@example.org>.
        `recipients`: the addresses of the recipients.
        `allow_private`: allow the server to have a private address.
        """

        host: str = ""
        port: Annotated[int, msgspec.Meta(ge=1, le=65535)] | None = None
        security: Security = "starttls"
        user: str | None = None
        password: str = "mail_password"  # noqa: S105  # its name
        sender: str = ""
        recipients: tuple[str, ...] = ()
        allow_private: bool = False

        def __post_init__(self) -> None:
            if not _HOST.fullmatch(self.host):
                raise ValueError("give the option host: a mail server, as smtp.example.org")
            if not self.sender.isprintable() or not _MAILBOX.fullmatch(parseaddr(self.sender)[1]):
                raise ValueError("give the option sender: an address, as Scoop <scoop@example.org>")
            if not self.recipients or not all(map(_MAILBOX.fullmatch, self.recipients)):
                raise ValueError("give the option recipients: addresses, as ann@example.org")
            if self.security == "none" and not self.allow_private:
                raise ValueError("option security: none is for a server of your own network; set allow_private with it")
            http.check_name("password", self.password)

    def __init__(self, options: Options) -> None:
        self._options = options

    def parts(self, digest: Digest, _mark: Mark) -> list[DigestPart]:
        letter = _Letter(subject=mail.subject(digest), text=plain.render(digest), html=mail.html(digest))
        return [DigestPart(payload=msgspec.json.encode(letter).decode(), story_ids=whole.story_ids(digest.tellings))]

    async def send(self, post: Post, errand: Errand) -> str:
        server = self._server(errand)
        message = composed(self._options, post, now=errand.clock())
        sender = parseaddr(self._options.sender)[1]
        metrics.CHANNEL_REQUESTS.add(channel=errand.channel)
        try:
            refused = await deliver(server, message.as_bytes(), sender=sender, recipients=self._options.recipients)
        except FetchFailed as failed:
            metrics.CHANNEL_ERRORS.add(channel=errand.channel, code=str(failed.status or failed.health))
            raise _outcome(failed) from failed
        if refused:
            log.warning("recipients refused", channel=post.channel, topic=post.topic_slug, recipients=refused)
        return str(message["Message-ID"])

    def _server(self, errand: Errand) -> MailServer:
        options = self._options
        return MailServer(
            host=options.host,
            port=options.port or PORTS[options.security],
            security=options.security,
            user=options.user,
            password=self._password(errand) if options.user else "",
            allow_private=options.allow_private,
        )

    def _password(self, errand: Errand) -> str:
        server = f"smtp://{self._options.host}"
        return http.secret(errand, self._options.password).bound_to(server).for_url(server)


def _outcome(failed: FetchFailed) -> NotSent | DeliveryRefused | Unknown:
    if failed.health == "refused_address":
        return NotSent(f"{failed}; allow it with the option allow_private")
    if failed.is_unsent and failed.status is not None and failed.status >= 500:
        return DeliveryRefused(str(failed), is_dead=failed.status in DEAD)
    return NotSent(str(failed)) if failed.is_unsent else Unknown(str(failed))


def composed(options: Email.Options, post: Post, *, now: datetime) -> EmailMessage:
    """The mail; no text of the digest can add a header."""
    letter = msgspec.json.decode(post.payload, type=_Letter)
    name, sender = parseaddr(options.sender)
    domain = sender.rpartition("@")[2]
    message = EmailMessage(policy=POLICY)
    message["From"] = Address(text.one_line(name), addr_spec=sender)
    message["To"] = options.recipients[0] if len(options.recipients) == 1 else "undisclosed-recipients:;"
    message["Subject"] = text.one_line(letter.subject)
    message["Date"] = format_datetime(now)
    message["Message-ID"] = f"<{post.marker}@{domain}>"
    message["List-Id"] = f"<{post.topic_slug}.{domain}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(letter.text)
    message.add_alternative(letter.html, subtype="html")
    return message
