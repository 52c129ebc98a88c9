"""The words that the rules know, by list."""

import tomllib
from functools import cache
from importlib.resources import files


def words(name: str) -> frozenset[str]:
    return frozenset(_lists()[name])


@cache
def _lists() -> dict[str, list[str]]:
    return tomllib.loads(files(__package__).joinpath("words.toml").read_text("utf-8"))
