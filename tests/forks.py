"""The command line as a process of its own, without the seconds that its imports and the encoder's weights take.

Each command is forked from a process that has all of it in memory and has run nothing. What such a process is by itself
(its start, its memory, its signals) is for the tests that start one anew.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import cache
from multiprocessing import connection, forkserver, get_context
from multiprocessing.context import ForkServerContext
from pathlib import Path
from threading import Lock

import pytest

from scoop.cli import COMMANDS, main

STREAMS = ("stdin", "stdout", "stderr")
_books = Lock()  # multiprocessing keeps one book of all children; two who look into it at once lose an exit code


def run(
    arguments: Sequence[str], *, stdin: bytes, timeout: float, environ: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory(prefix="scoop-command-") as folder:
        paths = [Path(folder, name) for name in STREAMS]
        paths[0].write_bytes(stdin)
        with _books:
            process = _forks().Process(target=_become, args=(arguments, dict(environ), paths))
            process.start()
        if not connection.wait([process.sentinel], timeout):
            process.kill()
            raise subprocess.TimeoutExpired(list(arguments), timeout)
        with _books:
            process.join()
        output, errors = (path.read_text("utf-8") if path.exists() else "" for path in paths[1:])
        assert process.exitcode is not None
        return subprocess.CompletedProcess(["scoop", *arguments], process.exitcode, output, errors)


@cache
def _forks() -> ForkServerContext:
    forks = get_context("forkserver")
    forks.set_forkserver_preload(["forks_ready", *(f"scoop.cli.{name.replace('-', '_')}" for name in COMMANDS)])
    with pytest.MonkeyPatch.context() as environ:
        environ.setenv("PYTHONPATH", str(Path(__file__).parent))  # where it finds forks_ready
        forkserver.ensure_running()
    return forks


def _become(arguments: Sequence[str], environ: Mapping[str, str], paths: Sequence[Path]) -> None:
    os.environ.clear()
    os.environ.update(environ)
    time.tzset()
    os.chdir("/tmp")
    for number, (path, flags) in enumerate(zip(paths, (os.O_RDONLY, *2 * [os.O_WRONLY | os.O_CREAT]), strict=True)):
        opened = os.open(path, flags)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", errors="backslashreplace", buffering=1, closefd=False)
    sys.argv = ["scoop", *arguments]
    main()
