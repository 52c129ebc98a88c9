"""What overwhelms the sandbox costs its own work and nothing else."""

import os
import time

import pytest

from scoop.fetch.sandbox import Limits, SandboxExceeded, open_sandbox


def doubled(text: str) -> str:
    return text * 2


def hang() -> None:
    time.sleep(600)


def swallow() -> int:
    return len(bytearray(1 << 30))


def die() -> None:
    os._exit(1)


def fail() -> None:
    raise ValueError("an error of the function itself")


@pytest.mark.parametrize("greedy", [hang, swallow, die])
async def test_a_document_that_hangs_swallows_memory_or_kills_does_not_harm_the_next(greedy):
    async with open_sandbox(Limits(seconds=10 if greedy is swallow else 3)) as sandbox:
        assert await sandbox.run(doubled, "ab") == "abab"
        with pytest.raises(SandboxExceeded):
            await sandbox.run(greedy)
        assert await sandbox.run(doubled, "cd") == "cdcd"


async def test_an_error_of_the_function_is_told_as_it_is():
    async with open_sandbox() as sandbox:
        with pytest.raises(ValueError, match="of the function itself"):
            await sandbox.run(fail)
