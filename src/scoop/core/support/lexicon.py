"""The words of `words.toml`: numbers, dates, negations, words of saying, opposites."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

PERCENT = "%"
SAYING = "@say"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """The words of one language; a word of none of them is compared as it is."""

    numbers: Mapping[str, int]
    scales: Mapping[str, float]
    symbols: Mapping[str, str]
    negations: frozenset[str]
    saying: frozenset[str]
    opposites: Mapping[str, frozenset[str]]


@cache
def words_of(language: str) -> Lexicon:
    """The lexicon of a language, by the first part of its tag."""
    stored, name = _stored(), language[:2].lower()
    return Lexicon(
        numbers=_german_numbers(stored["numbers"][name]) if name == "de" else stored["numbers"].get(name, {}),
        scales=stored["scales"].get(name, {}),
        symbols=_symbols(stored, name),
        negations=frozenset(stored["negations"].get(name, "").split()),
        saying=frozenset(stored["saying"].get(name, "").split()),
        opposites=_opposites(stored["opposites"].get(name, [])),
    )


@cache
def unspaced_phrases() -> tuple[str, ...]:
    """Words of Japanese and Chinese that are one token each; the longest first."""
    stored = _stored()
    phrases = {word for kind in ("negations", "saying") for name in ("ja", "zh") for word in stored[kind][name].split()}
    named = [*stored["currencies"].values(), stored["percent"]["any"]]
    phrases |= {word for words in named for word in words.split() if not word.isascii()}
    return tuple(sorted((word for word in phrases if not word[0].isascii()), key=lambda word: (-len(word), word)))


@cache
def _stored() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("words.toml").read_text("utf-8"))


def _symbols(stored: dict[str, Any], name: str) -> dict[str, str]:
    """Words by the one symbol for all their spellings."""
    symbols = dict.fromkeys(stored["percent"]["any"].split(), PERCENT)
    for currency, words in stored["currencies"].items():
        symbols |= dict.fromkeys(words.split(), f"¤{currency}")
    for mark, kind in (("m", "months"), ("w", "weekdays")):
        for number, words in enumerate(stored[kind].get(name, []), 1):
            symbols |= dict.fromkeys(words.split(), f"@{mark}{number}")
    return symbols


def _german_numbers(units: Mapping[str, int]) -> dict[str, int]:
    """With the compounds: German writes 21 as one word, the units first."""
    ones = {"ein": 1} | {word: value for word, value in units.items() if 1 < value < 10 and not word.endswith("mal")}
    tens = {word: value for word, value in units.items() if value >= 20}
    compounds = {f"{one}und{ten}": low + high for one, low in ones.items() for ten, high in tens.items()}
    return dict(units) | compounds


def _opposites(pairs: list[str]) -> dict[str, frozenset[str]]:
    opposites: dict[str, set[str]] = {}
    for one, other in map(str.split, pairs):
        opposites.setdefault(one, set()).add(other)
        opposites.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in opposites.items()}
