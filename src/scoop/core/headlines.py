"""The form of a headline: whether it says what happened, what followed, or something beside the event."""

import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain
from typing import Literal

from scoop.core import text

Form = Literal["news", "follow_up", "side_piece"]

MIN_WORDS = 4
MAX_CHARACTERS = 180
CACHED_TITLES = 1 << 14


@lru_cache(maxsize=CACHED_TITLES)
def form(title: str) -> Form:
    """The form that the patterns of `headlines.toml` tell; a shout or a few words are a side piece."""
    if not is_sentence(title):
        return "side_piece"
    return next((form for form, pattern in _patterns() if pattern.search(title)), "news")


def is_sentence(title: str) -> bool:
    """Whether a title is long enough to say what happened, short enough to be a title, and not shouted."""
    is_shouted = title.isupper() and len(title) > 2 * MIN_WORDS
    return len(text.words(text.normalized(title))) >= MIN_WORDS and len(title) <= MAX_CHARACTERS and not is_shouted


@cache
def _patterns() -> tuple[tuple[Form, re.Pattern[str]], ...]:
    """The patterns of `headlines.toml`, in its order: one for the languages of each form."""
    tables: dict[Form, dict[str, list[str]]] = tomllib.loads(  # type: ignore[assignment]
        files(__package__).joinpath("headlines.toml").read_text("utf-8")
    )
    return tuple(
        (form, re.compile("|".join(chain.from_iterable(table.values())), re.IGNORECASE))
        for form, table in tables.items()
    )
