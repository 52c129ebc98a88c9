"""Shared parts of the benchmarks: a scratch database, commands as processes, figures as JSON lines."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scoop.app import POOL_SIZE
from scoop.store import db, migrations
from scoop.store.db import Database
from scoop.store.embedded import EmbeddedServer

# Runs the program and prints its peak memory in KiB to standard error.
WATCHED = """
import re, runpy, sys
from pathlib import Path
sys.argv = ["scoop", *sys.argv[1:]]
try:
    runpy.run_module("scoop", run_name="__main__")
except SystemExit:
    pass
print(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1], file=sys.stderr)
"""


@dataclass(frozen=True)
class Run:
    """The time and peak memory of a command."""

    seconds: float
    peak_mib: float


def figure(name: str, value: float, unit: str, **more: Any) -> None:
    print(json.dumps({"figure": name, "value": round(value, 4), "unit": unit, **more}, ensure_ascii=False), flush=True)


def run(home: Path, *arguments: str) -> Run:
    """Run a command as a process."""
    began = time.perf_counter()
    read_end, write_end = os.pipe()  # a worker process runs until it is closed
    try:
        done = subprocess.run(
            [sys.executable, "-c", WATCHED, *arguments],
            env={**os.environ, "SCOOP_HOME": str(home), "SCOOP_LOG_LEVEL": "error"},
            check=True,
            stdin=read_end,
            capture_output=True,
            text=True,
        )
    finally:
        os.close(read_end)
        os.close(write_end)
    numbers = re.findall(r"^\d+$", done.stderr, re.MULTILINE)
    return Run(seconds=time.perf_counter() - began, peak_mib=int(numbers[-1]) / 1024)


@contextlib.contextmanager
def two_workers(home: Path, *stages: str) -> Iterator[None]:
    """Run two worker processes for these stages."""
    with _working(home, "-m", "scoop", "worker", "--processes", "2", *(f"--stage={stage}" for stage in stages)):
        yield


@contextlib.contextmanager
def two_exact_workers(home: Path, *stages: str) -> Iterator[None]:
    """Run two worker processes with the exact rules alone."""
    program = (str(Path(__file__).with_name("exact_worker.py")), *(f"--stage={stage}" for stage in stages))
    with _working(home, *program), _working(home, *program):
        yield


@contextlib.contextmanager
def _working(home: Path, *program: str) -> Iterator[None]:
    worker = subprocess.Popen(
        [sys.executable, *program],
        env={**os.environ, "SCOOP_HOME": str(home), "SCOOP_LOG_LEVEL": "error"},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        worker.terminate()
        worker.wait()


@contextlib.asynccontextmanager
async def fresh_database() -> AsyncIterator[tuple[Path, Database]]:
    folder = Path(tempfile.mkdtemp(prefix="scoop-bench-", dir=os.environ.get("TMPDIR", "/tmp")))
    folder.chmod(0o711)
    database = await db.connect(EmbeddedServer(folder / "home"), size=POOL_SIZE)
    await migrations.migrate(database)
    try:
        yield folder, database
    finally:
        await database.close()
        EmbeddedServer(folder / "home").stop()
        shutil.rmtree(folder, ignore_errors=True)
