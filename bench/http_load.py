"""Clients that ask a server one request after the other, and how long each takes."""

import asyncio
import re
import time
from dataclasses import dataclass

from server_process import cpu_seconds

CONNECTIONS, REQUESTS, WARM_UP = 10, 500, 50


@dataclass(frozen=True)
class Load:
    rate: float
    p99_ms: float
    cpu_ms: float


async def load(url: str, path: str, key: str, pid: int) -> Load:
    """The load of ten clients that ask one request after the other."""
    host, port = url.removeprefix("http://").split(":")
    request = f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {key}\r\n\r\n".encode()
    await asyncio.gather(*(ask(host, int(port), request, WARM_UP) for _ in range(CONNECTIONS)))
    began, cpu = time.perf_counter(), cpu_seconds(pid)
    waits = await asyncio.gather(*(ask(host, int(port), request, REQUESTS) for _ in range(CONNECTIONS)))
    took, used = time.perf_counter() - began, cpu_seconds(pid) - cpu
    latencies = sorted(wait for each in waits for wait in each)
    count = len(latencies)
    return Load(rate=count / took, p99_ms=1000 * latencies[int(count * 0.99)], cpu_ms=1000 * max(used, 0.01) / count)


async def ask(host: str, port: int, request: bytes, times: int) -> list[float]:
    """The seconds that each of some requests on one connection takes."""
    reader, writer = await asyncio.open_connection(host, port)
    waits = []
    for _ in range(times):
        began = time.perf_counter()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        await reader.readexactly(int(re.search(rb"content-length: (\d+)", head.lower())[1]))  # type: ignore[index]
        waits.append(time.perf_counter() - began)
    writer.close()
    return waits
