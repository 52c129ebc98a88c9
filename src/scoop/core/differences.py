"""Differences of two articles: numbers, names and dates that only one of them has."""

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from scoop.core import novelty, signals, text

DetailKind = Literal["number", "name", "date"]

MOSTLY_CAPITALS = 0.6  # of the words of a headline in title case, where a capital letter marks no name
CAPITALISED_LANGUAGES = frozenset({"de", "lb"})  # nouns have capital letters

_MONTHS = (
    "january januar jan",
    "february februar feb",
    "march märz mar",
    "april apr",
    "may mai",
    "june juni jun",
    "july juli jul",
    "august aug",
    "september sept sep",
    "october oktober oct",
    "november nov",
    "december dezember dec",
)
_WEEKDAYS = (
    "monday montag",
    "tuesday dienstag",
    "wednesday mittwoch",
    "thursday donnerstag",
    "friday freitag",
    "saturday samstag",
    "sunday sonntag",
)
_MONTH = {word: number for number, words in enumerate(_MONTHS, start=1) for word in words.split()}
_WEEKDAY = {word: number for number, words in enumerate(_WEEKDAYS, start=1) for word in words.split()}
_A_MONTH = "|".join(sorted(_MONTH, key=len, reverse=True))
_DATE = re.compile(
    rf"(?<![\w.,-])(?:"
    rf"\d{{4}}-(?P<iso_month>\d{{2}})-(?P<iso_day>\d{{2}})(?![\w-])"
    rf"|(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?\s(?:of\s)?(?P<month>{_A_MONTH})\b(?:,?\s\d{{4}}\b)?"
    rf"|(?P<us_month>{_A_MONTH})\.?\s(?P<us_day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,\s\d{{4}}\b)?"
    rf"|(?P<weekday>{'|'.join(_WEEKDAY)})\b"
    rf")|(?<!\d)(?P<cjk_month>\d{{1,2}})月(?P<cjk_day>\d{{1,2}})日",
    re.IGNORECASE,
)
_SPELLED_NUMBER = re.compile(rf"\b(?:{'|'.join(novelty.SPELLED)})\b", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d")
_THOUSANDS = re.compile(r"(?<=\d)[.,](?=\d{3}(?!\d))")
_QUOTATION = re.compile(r"[\"“„«]")  # after which a sentence may begin
_I = ("I'", "I’")  # as in I'm
_WORD = re.compile(r"[^\W\d_][\w'’-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedArticle:
    title: str
    body: str
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedSpan:
    """A part of a text; `kind` is set if the other article does not have it."""

    text: str
    kind: DetailKind | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedArticle:
    """An article with its differences from another marked."""

    title: list[MarkedSpan]
    body: list[MarkedSpan]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fact:
    start: int
    end: int
    kind: DetailKind
    key: Hashable


def mark_differences(article: ComparedArticle, other: ComparedArticle) -> MarkedArticle:
    """Mark the numbers, names and dates of an article that the other one does not have."""
    shared = _facts(other)
    names = _names(article)
    return MarkedArticle(title=_spans(article.title, names, shared), body=_spans(article.body, names, shared))


def _facts(article: ComparedArticle) -> frozenset[Hashable]:
    """The keys of all facts of an article; any of its words counts as a name."""
    whole = f"{article.title}\n{article.body}"
    facts = {fact.key for fact in (*_dates(whole), *_numbers(whole))}
    return frozenset(facts | {_plain(word) for word in _WORD.findall(whole)})


def _names(article: ComparedArticle) -> frozenset[str]:
    """The words whose capital letter neither the sentence, the headline nor the language explains."""
    if article.language.partition("-")[0] in CAPITALISED_LANGUAGES:
        return frozenset()
    words = _WORD.findall(article.title)
    capitals = sum(word[0].isupper() for word in words)
    title = "" if capitals > MOSTLY_CAPITALS * len(words) else article.title
    found = (*signals.NAME.findall(title), *signals.NAME.findall(_QUOTATION.sub("\n", f"\n{article.body}")))
    return frozenset(_plain(name) for name in found if name[0].isupper() and not name.startswith(_I))


def _plain(word: str) -> str:
    """A word without a possessive or plural ending."""
    return text.normalized(word).removesuffix("'s").removesuffix("’s").rstrip("s")


def _spans(written: str, names: frozenset[str], shared: frozenset[Hashable]) -> list[MarkedSpan]:
    spans, at, covered = [], 0, 0
    facts = (*_dates(written), *_numbers(written), *_named(written, names))
    # The numbers in a date are part of it: of overlapping facts the first and longest counts.
    for fact in sorted(facts, key=lambda fact: (fact.start, -fact.end)):
        if fact.start < covered:
            continue
        covered = fact.end
        if fact.key in shared:
            continue
        spans += [
            MarkedSpan(text=written[at : fact.start]),
            MarkedSpan(text=written[fact.start : fact.end], kind=fact.kind),
        ]
        at = fact.end
    return [span for span in (*spans, MarkedSpan(text=written[at:])) if span.text]


def _dates(written: str) -> Iterator[_Fact]:
    for match in _DATE.finditer(written):
        yield _Fact(start=match.start(), end=match.end(), kind="date", key=_date_key(match))


def _date_key(match: re.Match[str]) -> Hashable:
    """A day of the year or of the week, whatever its format."""
    if match["weekday"]:
        return "weekday", _WEEKDAY[match["weekday"].lower()]
    if named := match["month"] or match["us_month"]:
        return "day", _MONTH[named.lower()], int(match["day"] or match["us_day"])
    return "day", int(match["iso_month"] or match["cjk_month"]), int(match["iso_day"] or match["cjk_day"])


def _numbers(written: str) -> Iterator[_Fact]:
    """Numbers outside dates; a year is a date."""
    dated = [match.span() for match in _DATE.finditer(written)]
    for match in signals.NUMBER.finditer(written):
        if not any(start <= match.start() < end for start, end in dated):
            kind: DetailKind = "date" if _YEAR.fullmatch(match[0]) else "number"
            yield _Fact(start=match.start(), end=match.end(), kind=kind, key=("number", _THOUSANDS.sub("", match[0])))
    for match in _SPELLED_NUMBER.finditer(written):
        number = novelty.NUMBER_OF_WORD[match[0].lower()]
        yield _Fact(start=match.start(), end=match.end(), kind="number", key=("number", number))


def _named(written: str, names: frozenset[str]) -> Iterator[_Fact]:
    for match in _WORD.finditer(written):
        if match[0][0].isupper() and (name := _plain(match[0])) in names:
            yield _Fact(start=match.start(), end=match.end(), kind="name", key=name)


def is_date_word(word: str) -> bool:
    """Whether a word is the name of a month or a day of the week."""
    return word.lower() in _MONTH or word.lower() in _WEEKDAY


def split_spans(spans: Sequence[MarkedSpan], at: int) -> tuple[list[MarkedSpan], list[MarkedSpan]]:
    """The spans before a position in the text, and those after it."""
    head: list[MarkedSpan] = []
    for number, span in enumerate(spans):
        if len(span.text) > at:
            return (
                [*head, *([replace(span, text=span.text[:at])] if at else [])],
                [replace(span, text=span.text[at:]), *spans[number + 1 :]],
            )
        head.append(span)
        at -= len(span.text)
    return head, []
