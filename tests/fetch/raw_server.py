"""A server that sends exactly the bytes it is told, for faults that no web framework can express."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

Script = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]
"""Answers one request, whose head is given, on the connection."""


def reply(body: bytes = b"", *, status: str = "200 OK", **headers: str) -> bytes:
    """A whole answer; header names are written with underscores."""
    lines = {"Content-Length": str(len(body)), "Connection": "close"}
    lines |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + body


def saying(*answers: bytes) -> Script:
    """The answers in turn, the last one for ever."""
    left = list(answers)

    async def answer(_head: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(left.pop(0) if len(left) > 1 else left[0])

    return answer


@asynccontextmanager
async def raw_server(script: Script) -> AsyncIterator[tuple[str, list[bytes]]]:
    """Gives its address, as 127.0.0.1:4711, and the heads of the requests it was sent."""
    heads: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            heads.append(head)
            await script(head, writer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    try:
        yield f"{host}:{port}", heads
    finally:
        server.close()
