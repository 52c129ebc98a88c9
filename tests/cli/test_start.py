"""Commands start quickly: what is slow to import is imported only by commands that use it."""

import os
import subprocess
import sys

import pytest

HEAVY = {"asyncpg", "aiohttp", "numpy", "rich", "structlog", "fastapi", "asyncio", "uvloop", "lxml"}
DRIVER = {"asyncpg", "asyncio", "uvloop"}


def imported(*arguments, database_url):
    """The packages that a command imports, of those that take long."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SCOOP_")}
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "scoop", *arguments],
        env=environ | {"SCOOP_DATABASE_URL": database_url},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    names = [line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")]
    return HEAVY & set(names)


@pytest.mark.parametrize(
    ("arguments", "allowed"),
    [
        (["--version"], set()),
        (["--help"], set()),
        (["help", "stories"], set()),
        (["config", "path"], set()),
        (["stories", "--json"], DRIVER),
        (["work"], DRIVER),
        (["runs"], DRIVER),
        (["stats"], DRIVER),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_command_imports_no_more_than_it_uses(arguments, allowed, database_url):
    assert imported(*arguments, database_url=database_url) <= allowed
