"""Sends mail over SMTP: to a checked address, encrypted, with one error for every kind of failure."""

import asyncio
import base64
import socket
import ssl
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Literal

from aiosmtplib import (
    SMTP,
    SMTPAuthenticationError,
    SMTPDataError,
    SMTPException,
    SMTPRecipientRefused,
    SMTPResponseException,
    SMTPServerDisconnected,
)

from scoop.core import text
from scoop.errors import FetchFailed
from scoop.fetch.addresses import is_public
from scoop.model import Health

CONNECT_SECONDS = 10.0
REPLY_SECONDS = 30.0
LAST_REPLY_SECONDS = 120.0  # servers scan for spam and viruses before the last one
QUIT_SECONDS = 5.0
DEADLINE_SECONDS = 180.0
GO_ON = 354
WRONG_PASSWORD = 535
NOT_OFFERED = 502
MAX_REASON = 300

Security = Literal["starttls", "tls", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MailServer:
    """The SMTP server and our credentials."""

    host: str
    port: int
    security: Security
    user: str | None = None
    password: str = field(default="", repr=False)
    allow_private: bool = False

    @property
    def address(self) -> str:
        return f"{self.host}:{self.port}"


async def deliver(server: MailServer, message: bytes, *, sender: str, recipients: Sequence[str]) -> dict[str, str]:
    """Send a message; returns the recipients that the server rejects permanently, with its reasons.

    FetchFailed with the status of the server; `is_unsent` if the message was certainly not accepted. A temporary
    rejection of one recipient fails the whole message, so that the next try reaches everybody.
    """
    trail = SimpleNamespace(is_ending=False)
    smtp = SMTP(
        hostname=server.host,
        username=server.user,
        password=server.password,
        timeout=REPLY_SECONDS,
        local_hostname=sender.rpartition("@")[2],
        use_tls=server.security == "tls",
        start_tls=server.security == "starttls",
        tls_context=ssl.create_default_context(),
    )
    try:
        async with asyncio.timeout(DEADLINE_SECONDS):
            await smtp.connect(sock=await _connect(server))
            return await _hand_over(smtp, message, sender=sender, recipients=recipients, trail=trail)
    except (SMTPException, OSError, ValueError) as error:
        raise _failed(server, error, is_ending=trail.is_ending) from error
    finally:
        with suppress(SMTPException, OSError):
            await smtp.quit(timeout=QUIT_SECONDS)
        smtp.close()


async def _connect(server: MailServer) -> socket.socket:
    """A connection to one of the addresses of the server; the address that was checked is the one that is used."""
    loop = asyncio.get_running_loop()
    infos = await loop.getaddrinfo(server.host, server.port, type=socket.SOCK_STREAM)
    if not server.allow_private and not all(is_public(str(entry[4][0])) for entry in infos):
        raise FetchFailed(
            f"{server.host} has a private address, which is refused", health="refused_address", is_unsent=True
        )
    for family, kind, protocol, _, address in infos[:-1]:
        with suppress(OSError):
            return await _dial(family, kind, protocol, address)
    family, kind, protocol, _, address = infos[-1]
    return await _dial(family, kind, protocol, address)


async def _dial(family: int, kind: int, protocol: int, address: tuple[object, ...]) -> socket.socket:
    connection = socket.socket(family, kind, protocol)
    connection.setblocking(False)
    with ExitStack() as undo:
        undo.enter_context(connection)
        async with asyncio.timeout(CONNECT_SECONDS):
            await asyncio.get_running_loop().sock_connect(connection, address)
        undo.pop_all()
    return connection


async def _hand_over(
    smtp: SMTP, message: bytes, *, sender: str, recipients: Sequence[str], trail: SimpleNamespace
) -> dict[str, str]:
    await smtp.mail(sender)
    refusals = [refusal for recipient in recipients if (refusal := await _refusal(smtp, recipient))]
    if len(refusals) == len(recipients):
        raise refusals[0]
    started = await smtp.execute_command(b"DATA")
    if started.code != GO_ON:
        raise SMTPDataError(started.code, started.message)
    await _end(smtp, message, trail)
    return {refusal.recipient: f"{refusal.code} {refusal.message}" for refusal in refusals}


async def _refusal(smtp: SMTP, recipient: str) -> SMTPRecipientRefused | None:
    try:
        await smtp.rcpt(recipient)
    except SMTPRecipientRefused as refusal:
        if refusal.code < 500:
            raise
        return refusal
    return None


async def _end(smtp: SMTP, message: bytes, trail: SimpleNamespace) -> None:
    """Write the message and its final dot: from here on it may have been accepted, until the server replies.

    The library's `data` does not distinguish a connection that was lost before from one that was lost after.
    """
    if smtp.protocol is None:
        raise SMTPServerDisconnected("the connection was lost")
    trail.is_ending = True
    lines = (b"." + line if line.startswith(b".") else line for line in message.splitlines())
    smtp.protocol.write(b"\r\n".join([*lines, b".", b""]))
    ended = await smtp.protocol.read_response(timeout=LAST_REPLY_SECONDS)
    if not 200 <= ended.code < 300:
        raise SMTPDataError(ended.code, ended.message)


def _failed(server: MailServer, error: Exception, *, is_ending: bool) -> FetchFailed:
    code = _code(error)
    reason = f"{server.address} {_reason(server, error)}"
    is_refused = code is not None and 400 <= code < 600
    health: Health = "timeout" if isinstance(error, TimeoutError) else "http_error" if code else "unreachable"
    return FetchFailed(reason, health=health, status=code, is_unsent=is_refused or not is_ending)


def _code(error: Exception) -> int | None:
    """The status of the server; for a feature that it does not offer, the status of a request for it."""
    if isinstance(error, SMTPAuthenticationError) and error.code >= 500:
        return WRONG_PASSWORD
    if isinstance(error, SMTPResponseException):
        return error.code
    return NOT_OFFERED if type(error) is SMTPException else None


def _reason(server: MailServer, error: Exception) -> str:
    """The reason as text, without the password, which a server may repeat."""
    cause = error.__cause__ if isinstance(error.__cause__, OSError) else error
    match cause:
        case SMTPResponseException():
            return f"answered {cause.code}: {_shown(server, cause.message)}"
        case socket.gaierror():
            return "cannot be reached: the name cannot be resolved"
        case ssl.SSLError():
            return f"has an invalid certificate or encryption ({_shown(server, str(cause))})"
        case TimeoutError():
            return "did not answer in time"
        case ConnectionRefusedError():
            return "cannot be reached: connection refused"
        case OSError():
            return "closed the connection"
    return f"cannot be used: {_shown(server, str(cause))}"


def _shown(server: MailServer, reply: str) -> str:
    plain = f"\0{server.user}\0{server.password}"
    forms = [server.password, *(base64.b64encode(form.encode()).decode() for form in (server.password, plain))]
    for form in forms if server.password else []:
        reply = reply.replace(form, "…")
    return text.truncated(text.one_line(reply), MAX_REASON)
