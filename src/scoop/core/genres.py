"""The genre of an article, by patterns of its title and URL: a report, or one of the forms that surround reports."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain
from typing import Any, Final, Literal, NamedTuple
from urllib.parse import unquote, urlsplit

Genre = Literal["report", "roundup", "ticker", "quiz", "podcast", "video", "gallery", "opinion", "explainer"]

OF_MANY_EVENTS: Final[frozenset[Genre]] = frozenset({"roundup", "ticker", "quiz"})
"""Genres that mention many events and report none of them: they are related to events and belong to none."""

CACHED_TITLES = 1 << 14


class _Patterns(NamedTuple):
    genre: Genre
    title: re.Pattern[str]
    segments: frozenset[str]


def genre(title: str, url: str | None) -> Genre:
    """The genre that a title names, else the one that the URL's path names, else a report."""
    return _genre_of_title(title) or _genre_of_path(url or "") or "report"


@lru_cache(maxsize=CACHED_TITLES)
def _genre_of_title(title: str) -> Genre | None:
    lowered = title.lower()  # a search that ignores the case takes three times as long
    return next((patterns.genre for patterns in _patterns() if patterns.title.search(lowered)), None)


def _genre_of_path(url: str) -> Genre | None:
    segments = frozenset(unquote(_path(url)).lower().split("/"))
    return next((patterns.genre for patterns in _patterns() if patterns.segments & segments), None)


def _path(url: str) -> str:
    try:
        return urlsplit(url).path
    except ValueError:  # brackets that hold no IPv6 address
        return ""


@cache
def _patterns() -> tuple[_Patterns, ...]:
    """The patterns of `genres.toml`, in its order."""
    tables: dict[Genre, Any] = tomllib.loads(files(__package__).joinpath("genres.toml").read_text("utf-8"))  # type: ignore[assignment]
    return tuple(
        _Patterns(genre, _title_pattern(table["labels"], table.get("phrases", {})), frozenset(table["paths"]))
        for genre, table in tables.items()
    )


def _title_pattern(labels: Mapping[str, list[str]], phrases: Mapping[str, list[str]]) -> re.Pattern[str]:
    """One pattern for the labels and phrases of all languages."""
    label = f"(?:{'|'.join(chain.from_iterable(labels.values()))})"
    opening = rf"^[\W_]*{label}\s*(?:[:：|]|\s[-–—]\s)"
    closing = rf"(?:[:：|,]\s*|\s[-–—]\s*){label}[\W_]*$"
    bracketed = rf"[【\[(（]{label}[】\])）]"
    return re.compile("|".join([opening, closing, bracketed, *_by_anchor([*chain.from_iterable(phrases.values())])]))


def _by_anchor(phrases: Sequence[str]) -> Iterator[str]:
    """The phrases with a common beginning taken out, so that most places in a title are skipped at once."""
    for anchor in ("^", r"\b"):
        if anchored := [phrase.removeprefix(anchor) for phrase in phrases if phrase.startswith(anchor)]:
            yield f"{anchor}(?:{'|'.join(anchored)})"
    yield from (phrase for phrase in phrases if not phrase.startswith(("^", r"\b")))
