"""What commands about curators share: reading their files, and how scores are shown."""

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scoop.config import Config
from scoop.core import text
from scoop.errors import FetchFailed, InputError

if TYPE_CHECKING:
    from scoop.core.interests import CuratorFile

SHOWN_CHARACTERS = 60  # of a title in a list
PART_NAMES = {"topic_match": "topic", "concreteness": "concrete", "practicality": "practical", "depth": "depth"}

of_curator = click.argument("slug", metavar="NAME")


async def read_file(config: Config, place: str) -> "CuratorFile":
    """The interests and settings of a file, of a URL, or of standard input if the place is `-`."""
    from scoop.actions import curator_files

    written = await _read(config, place)
    try:
        return curator_files.parse(written, config.plugins)
    except InputError as error:
        raise InputError(f"{'standard input' if place == '-' else place}: {error}") from error


async def _read(config: Config, place: str) -> str:
    from scoop.app import open_client
    from scoop.stages import curate

    if place == "-":
        return sys.stdin.buffer.read(curate.MAX_FILE_BYTES).decode("utf-8-sig", "replace")
    try:
        async with open_client(config) as client:
            return await curate.read_file(place, client, now=datetime.now(UTC))
    except FetchFailed as error:
        raise InputError(f"cannot read {place}: {error}") from error


def absolute(place: str) -> str:
    """A file as an absolute path, since a worker has another current folder; a URL stays as it is."""
    return place if "://" in place else str(Path(place).absolute())


def score(points: int | None) -> str:
    return "-" if points is None else f"{points}/100"


def parts(points: Mapping[str, int]) -> str:
    """`topic 25, concrete 18, practical 12, depth 9`."""
    return ", ".join(f"{shown} {points[name]}" for name, shown in PART_NAMES.items() if name in points)


def names(topics: Sequence[str]) -> str:
    return ", ".join(topics) or "-"


def title(written: str) -> str:
    return text.truncated(text.one_line(written), SHOWN_CHARACTERS)
