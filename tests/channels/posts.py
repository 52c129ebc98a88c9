"""A post, an errand, and a server that does with a post whatever it is told."""

import asyncio
import json
import re
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

import pytest

from scoop.channels import DeliveryRefused, Errand, NotSent, Unknown
from scoop.core.secrets import Secret
from scoop.fetch.client import Client, open_client
from scoop.model import Digest, Post, Telling

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
MARKER = "k7f2abcdefghijklmnop"
CANARY = "c4nary-T0KEN_that-nobody-may-see"
LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)


def a_post(**changes: Any) -> Post:
    given = {
        "post_id": 7,
        "digest_run_id": 1,
        "topic_slug": "ai_news",
        "run_date": date(2026, 11, 15),
        "channel": "main",
        "kind": "test",
        "options": {},
        "part_no": 1,
        "parts": 1,
        "key": "desk:ai_news:2026-11-15:main:1",
        "marker": MARKER,
        "payload": '{"content": "Brücke zu", "embeds": []}',
        "state": "sending",
        "sending_at": NOON,
    }
    return Post(**(given | changes))


def a_digest() -> Digest:
    twin = Telling(story_id=9, story_uuid="u9", title="Twin", url=None, summary="", publishers=())
    story = Telling(
        story_id=4,
        story_uuid="u4",
        title="Bridge closed",
        url="https://tribune.example/1",
        summary="It is closed.",
        publishers=("tribune",),
        twins=(twin,),
    )
    return Digest(
        topic_slug="ai_news",
        topic_name="AI News",
        run_date=date(2026, 11, 15),
        timezone="Europe/Berlin",
        tellings=(story,),
    )


def an_errand(client: Client | None = None, **secrets: str) -> Errand:
    named = {name: Secret(value, name=name) for name, value in secrets.items()}
    return Errand(channel="test", client=client, secrets=named, clock=lambda: NOON)


@asynccontextmanager
async def on_an_errand(**secrets: str) -> AsyncIterator[Errand]:
    async with open_client() as client:
        yield an_errand(client, **secrets)


async def failure(sending: Awaitable[Any]) -> NotSent | DeliveryRefused | Unknown:
    with pytest.raises((NotSent, DeliveryRefused, Unknown)) as caught:
        await sending
    return caught.value


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A request as it came in."""

    head: str
    body: bytes

    @property
    def line(self) -> str:
        return self.head.partition("\r\n")[0]

    @property
    def headers(self) -> dict[str, str]:
        lines = (line.partition(": ") for line in self.head.splitlines()[1:] if line)
        return {name.lower(): value for name, _, value in lines}

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Script = Callable[[Asked, asyncio.StreamWriter], Awaitable[None]]


@dataclass(kw_only=True)
class Server:
    address: str
    asked: list[Asked] = field(default_factory=list)


def answer(status: int = 200, body: Any = None, **headers: str) -> bytes:
    """A whole answer; what is not bytes is sent as JSON."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = {"Content-Length": str(len(content)), "Connection": "close"}
    lines |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status} X\r\n{head}\r\n".encode() + content


def saying(*answers: bytes) -> Script:
    """The answers in turn, the last one for ever."""
    left = list(answers)

    async def script(_asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(left.pop(0) if len(left) > 1 else left[0])

    return script


def by_path(answers: Mapping[str, bytes]) -> Script:
    """The answer of the first path that the request line holds; 404 for others."""

    async def script(asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(next((said for path, said in answers.items() if path in asked.line), answer(404)))

    return script


async def hanging(_asked: Asked, writer: asyncio.StreamWriter) -> None:
    await writer.wait_closed()


async def resetting(_asked: Asked, writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


@asynccontextmanager
async def serving(script: Script) -> AsyncIterator[Server]:
    """A server that reads every request whole, records it and answers by script."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = LENGTH.search(head)
            body = await reader.readexactly(int(length[1]) if length else 0)
            server.asked.append(asked := Asked(head=head.decode(), body=body))
            await script(asked, writer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    server = Server(address=f"127.0.0.1:{listener.sockets[0].getsockname()[1]}")
    try:
        yield server
    finally:
        listener.close()


def closed_port() -> str:
    """An address at which nobody answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"127.0.0.1:{listener.getsockname()[1]}"
