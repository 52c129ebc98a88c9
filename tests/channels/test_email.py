"""Mail: what a real server receives, and what is known at each step at which a server can fail."""

import asyncio
import base64
import email
import email.policy
import socket
import ssl
from contextlib import asynccontextmanager

import msgspec
import pytest
import trustme
from aiosmtpd.smtp import SMTP, AuthResult
from hypothesis import given, settings
from hypothesis import strategies as st

from channels.posts import CANARY, MARKER, NOON, a_digest, a_post, an_errand, failure
from scoop.channels import DeliveryRefused, NotSent, Unknown
from scoop.channels.email import Email, composed
from scoop.fetch import smtp

LETTER = msgspec.json.encode({"subject": "AI News, 橋 closed", "text": "Brücke zu\n.\nend", "html": "<p>Brücke zu</p>"})
POST = a_post(payload=LETTER.decode())


@pytest.fixture
def resolving(monkeypatch):
    """Makes every name lead to these addresses."""

    def to(*addresses: str) -> None:
        async def resolve(_host, port, **_more):
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", resolve, raising=False)

    return to


def options(port: int, **changes) -> Email.Options:
    given = {
        "host": "mail.example",
        "port": port,
        "security": "none",
        "sender": "Scoop <scoop@desk.example>",
        "recipients": ("ann@reader.example",),
        "allow_private": True,
    }
    return Email.Options(**(given | changes))


def a_channel(port: int, **changes) -> Email:
    return Email(options(port, **changes))


class Inbox:
    """What a real server received."""

    def __init__(self) -> None:
        self.envelopes = []

    async def handle_DATA(self, _server, _session, envelope):  # noqa: N802
        self.envelopes.append(envelope)
        return "250 taken"

    def message(self):
        return email.message_from_bytes(self.envelopes[0].content, policy=email.policy.default)


def knows(_server, _session, _envelope, _mechanism, data) -> AuthResult:
    return AuthResult(success=(data.login, data.password) == (b"scoop", CANARY.encode()), handled=False)


@pytest.fixture
def certificate(tmp_path, monkeypatch) -> ssl.SSLContext:
    """A certificate of mail.example, by an authority that this machine trusts."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("mail.example").configure_cert(context)
    return context


@asynccontextmanager
async def mail_server(**settings):
    """A real one; `ssl` speaks it from the first byte."""
    inbox, implicit = Inbox(), settings.pop("ssl", None)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: SMTP(inbox, hostname="mail.example", loop=loop, **settings), "127.0.0.1", 0, ssl=implicit
    )
    try:
        yield server.sockets[0].getsockname()[1], inbox
    finally:
        server.close()
        await server.wait_closed()


async def test_a_mail_arrives_over_starttls_with_all_that_it_should_carry(resolving, certificate):
    resolving("127.0.0.1")
    settings = {"tls_context": certificate, "require_starttls": True, "auth_required": True, "authenticator": knows}
    async with mail_server(**settings) as (port, inbox):
        channel = a_channel(port, security="starttls", user="scoop", password="desk")
        sent = await channel.send(POST, an_errand(desk=CANARY))
    message = inbox.message()
    assert sent == message["Message-ID"] == f"<{MARKER}@desk.example>"
    assert (message["From"], message["To"]) == ("Scoop <scoop@desk.example>", "ann@reader.example")
    assert message["Subject"] == "AI News, 橋 closed"
    assert message["Date"].datetime == NOON
    assert (message["List-Id"], message["Auto-Submitted"]) == ("<ai_news.desk.example>", "auto-generated")
    assert message.get_body(("plain",)).get_content().split() == ["Brücke", "zu", ".", "end"]
    assert message.get_body(("html",)).get_content().strip() == "<p>Brücke zu</p>"


async def test_a_mail_arrives_over_tls_from_the_first_byte(resolving, certificate):
    resolving("127.0.0.1")
    async with mail_server(ssl=certificate) as (port, inbox):
        await a_channel(port, security="tls").send(POST, an_errand())
    assert inbox.envelopes[0].mail_from == "scoop@desk.example"


@pytest.mark.parametrize("security", ["starttls", "tls"])
async def test_a_certificate_of_another_name_is_not_trusted(resolving, certificate, security):
    resolving("127.0.0.1")
    settings = {"ssl": certificate} if security == "tls" else {"tls_context": certificate}
    async with mail_server(**settings) as (port, inbox):
        error = await failure(a_channel(port, host="other.example", security=security).send(POST, an_errand()))
    assert type(error) is NotSent
    assert "certificate" in str(error)
    assert inbox.envelopes == []


async def test_a_wrong_password_makes_the_channel_dead_and_is_not_told(resolving, certificate):
    resolving("127.0.0.1")
    async with mail_server(tls_context=certificate, authenticator=knows) as (port, _):
        channel = a_channel(port, security="starttls", user="scoop", password="desk")
        error = await failure(channel.send(POST, an_errand(desk=f"{CANARY}x")))
    assert (type(error), error.is_dead) == (DeliveryRefused, True)
    assert CANARY not in str(error)


async def test_many_recipients_do_not_see_each_other(resolving):
    resolving("127.0.0.1")
    async with mail_server() as (port, inbox):
        await a_channel(port, recipients=("ann@reader.example", "bob@reader.example")).send(POST, an_errand())
    assert inbox.envelopes[0].rcpt_tos == ["ann@reader.example", "bob@reader.example"]
    assert b"bob" not in inbox.envelopes[0].content


DROP, HANG = None, ...
USUAL = {
    "HELLO": b"220 mail", "EHLO": b"250 mail", "MAIL": b"250 ok", "RCPT": b"250 ok", "DATA": b"354 go on",
    "END": b"250 taken", "QUIT": b"221 bye", "RSET": b"250 ok",
}  # fmt: skip


@asynccontextmanager
async def scripted(**replies):
    """A server that keeps to the usual replies, but for these; RCPT may have one for each recipient."""
    replies = USUAL | {step: list(said) if isinstance(said, list) else said for step, said in replies.items()}
    heard: list[bytes] = []

    async def say(step: str, reader, writer) -> bool:
        said = replies.get(step, b"502 what?")
        said = said.pop(0) if isinstance(said, list) else said
        if said is HANG:
            await reader.read()
        if said in (DROP, HANG):
            return False
        writer.write(said + b"\r\n")
        return True

    async def serve(reader, writer) -> None:
        try:
            goes_on = await say("HELLO", reader, writer)
            while goes_on and (line := await reader.readline()):
                heard.append(line)
                step = line[:4].decode("ascii", "replace").upper().strip()
                goes_on = await say(step, reader, writer)
                if step == "DATA" and goes_on and replies["DATA"] == USUAL["DATA"]:
                    heard.append(await reader.readuntil(b"\r\n.\r\n"))
                    goes_on = await say("END", reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1], heard
    finally:
        server.close()


async def problem(*, changes=None, secrets=None, **replies):
    async with scripted(**replies) as (port, _):
        channel = a_channel(port, host="127.0.0.1", **(changes or {}))
        return await failure(channel.send(POST, an_errand(**(secrets or {}))))


@pytest.mark.parametrize("step", ["HELLO", "EHLO", "MAIL", "RCPT", "DATA", "END"])
@pytest.mark.parametrize("said", [b"421 busy", b"550 never", b"what?", DROP, HANG])
async def test_each_failure_at_each_step_has_one_meaning(monkeypatch, step, said):
    for name in ("REPLY_SECONDS", "LAST_REPLY_SECONDS", "QUIT_SECONDS"):
        monkeypatch.setattr(smtp, name, 0.2)
    replies = {step: said} | ({"HELO": said} if step == "EHLO" else {})
    lost = Unknown if step == "END" else NotSent
    meaning = {b"421 busy": NotSent, b"550 never": DeliveryRefused}.get(said, lost)
    error = await problem(**replies)
    assert type(error) is meaning
    assert str(error).startswith("127.0.0.1:")
    assert "\n" not in str(error)


async def test_a_server_that_forgets_its_manners_after_taking_a_mail_has_taken_it(monkeypatch):
    monkeypatch.setattr(smtp, "QUIT_SECONDS", 0.1)
    for said in (DROP, HANG, b"500 no"):
        async with scripted(QUIT=said) as (port, _):
            assert await a_channel(port, host="127.0.0.1").send(POST, an_errand()) == f"<{MARKER}@desk.example>"


async def test_a_recipient_that_is_unknown_does_not_keep_the_mail_from_the_others():
    recipients = ("gone@reader.example", "ann@reader.example")
    async with scripted(RCPT=[b"550 gone", b"250 ok"]) as (port, heard):
        assert await a_channel(port, host="127.0.0.1", recipients=recipients).send(POST, an_errand())
    assert any(line.endswith(b"\r\n.\r\n") for line in heard)


async def test_a_recipient_that_must_wait_lets_all_wait_so_that_none_is_left_out():
    changes = {"recipients": ("ann@reader.example", "slow@reader.example")}
    error = await problem(changes=changes, RCPT=[b"250 ok", b"451 greylisted"])
    assert type(error) is NotSent


@pytest.mark.parametrize(
    ("changes", "replies", "is_dead", "told"),
    [
        ({"security": "starttls"}, {}, False, "STARTTLS"),
        ({"user": "scoop", "password": "desk"}, {}, False, "AUTH"),
        ({}, {"MAIL": b"530 sign in first"}, True, "sign in first"),
    ],
)
async def test_what_the_server_does_not_offer_is_refused_with_its_name(changes, replies, is_dead, told):
    error = await problem(changes=changes, secrets={"desk": CANARY}, **replies)
    assert (type(error), error.is_dead) == (DeliveryRefused, is_dead)
    assert told in str(error)


async def test_a_server_that_repeats_the_password_is_not_quoted():
    plain = base64.b64encode(f"\0scoop\0{CANARY}".encode()).decode()
    error = await problem(
        changes={"user": "scoop", "password": "desk"},
        secrets={"desk": CANARY},
        EHLO=b"250-mail\r\n250 AUTH PLAIN",
        AUTH=f"535 AUTH PLAIN {plain} of {CANARY} is wrong".encode(),
    )
    assert "is wrong" in str(error)
    assert CANARY not in str(error)
    assert plain not in str(error)


@pytest.mark.parametrize("addresses", [["127.0.0.1"], ["93.184.216.34", "10.0.0.1"], ["169.254.169.254"]])
async def test_a_private_server_is_not_even_called_unless_it_is_allowed(resolving, monkeypatch, addresses):
    resolving(*addresses)
    called = []

    async def call(_socket, address):
        called.append(address)

    monkeypatch.setattr(asyncio.get_running_loop(), "sock_connect", call, raising=False)
    error = await failure(a_channel(25, security="starttls", allow_private=False).send(POST, an_errand()))
    assert type(error) is NotSent
    assert "allow_private" in str(error)
    assert called == []


async def test_the_next_address_is_called_when_the_first_does_not_answer(resolving):
    async with mail_server() as (port, inbox):
        resolving("127.0.0.2", "127.0.0.1")
        await a_channel(port).send(POST, an_errand())
    assert len(inbox.envelopes) == 1


async def test_a_password_that_is_not_set_says_what_to_set():
    error = await failure(a_channel(25, user="scoop", password="desk").send(POST, an_errand()))
    assert type(error) is DeliveryRefused
    assert "SCOOP_SECRET_DESK" in str(error)


@pytest.mark.parametrize(
    "wrong",
    [
        {"host": ""},
        {"host": "a b"},
        {"sender": "nobody"},
        {"sender": "a@b\r\nBcc: x@y"},
        {"recipients": ()},
        {"recipients": ("a@b\r\nBcc: x@y",)},
        {"recipients": ("Ann <a@b>",)},
        {"allow_private": False},
        {"password": "p4ss word"},
        {"port": 0},
    ],
)
def test_wrong_options_are_refused(wrong):
    right = {
        "host": "mail.example",
        "security": "none",
        "sender": "a@b.example",
        "recipients": ["c@d.example"],
        "allow_private": True,
    }
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(right | wrong, Email.Options)


@given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=60))
@settings(max_examples=60, deadline=None)
def test_no_text_can_add_a_header_or_break_the_mail(subject, body, name):
    letter = msgspec.json.encode({"subject": subject, "text": body, "html": body}).decode()
    sender = email.utils.formataddr((" ".join(name.split()), "scoop@desk.example"))
    try:
        told = options(25, sender=sender)
    except ValueError:
        return
    whole = composed(told, a_post(payload=letter), now=NOON).as_bytes()
    assert whole.isascii()
    assert max(map(len, whole.split(b"\r\n"))) < 998
    parsed = email.message_from_bytes(whole, policy=email.policy.default)
    assert set(parsed.keys()) == {
        "From",
        "To",
        "Subject",
        "Date",
        "Message-ID",
        "List-Id",
        "Auto-Submitted",
        "MIME-Version",
        "Content-Type",
    }
    assert parsed["Message-ID"] == f"<{MARKER}@desk.example>"


def test_a_long_domain_does_not_garble_the_messages_id():
    domain = f"{'x' * 60}.{'y' * 60}.example"
    whole = composed(options(25, sender=f"scoop@{domain}"), POST, now=NOON).as_bytes()
    assert f"<{MARKER}@{domain}>".encode() in whole


def test_a_digest_is_told_as_one_mail():
    (part,) = a_channel(25).parts(a_digest(), str)
    letter = msgspec.json.decode(part.payload)
    assert set(letter) == {"subject", "text", "html"}
    assert "Bridge closed" in letter["text"]
    assert "Bridge closed" in letter["html"]
    assert part.story_ids == (4, 9)
