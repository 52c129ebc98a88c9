"""Where two articles differ in what can be checked: numbers, names and dates that only one of them has."""

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from scoop.core import novelty, signals, text

DetailKind = Literal["number", "name", "date"]

MOSTLY_CAPITALS = 0.6  # of a headline's words: there a capital letter makes no name
CAPITALISED_LANGUAGES = frozenset({"de", "lb"})  # where it makes none anywhere

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
    """A stretch of a text; `kind` where it says something that the other article does not."""

    text: str
    kind: DetailKind | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedArticle:
    """An article with its differences from another one marked."""

    title: list[MarkedSpan]
    body: list[MarkedSpan]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fact:
    start: int
    end: int
    kind: DetailKind
    key: Hashable


def mark_differences(article: ComparedArticle, other: ComparedArticle) -> MarkedArticle:
    """The article with the numbers, names and dates that the other one does not have."""
    known = _known(other)
    names = _names(article)
    return MarkedArticle(title=_pieces(article.title, names, known), body=_pieces(article.body, names, known))


def _known(article: ComparedArticle) -> frozenset[Hashable]:
    """What an article says, as far as another one is compared with it; of names any word will do."""
    whole = f"{article.title}\n{article.body}"
    facts = {fact.key for fact in (*_dates(whole), *_numbers(whole))}
    return frozenset(facts | {_plain(word) for word in _WORD.findall(whole)})


def _names(article: ComparedArticle) -> frozenset[str]:
    """The words that a capital letter makes a name, where the sentence or the language does not ask for one."""
    if article.language.partition("-")[0] in CAPITALISED_LANGUAGES:
        return frozenset()
    words = _WORD.findall(article.title)
    capitals = sum(word[0].isupper() for word in words)
    title = "" if capitals > MOSTLY_CAPITALS * len(words) else article.title
    found = (*signals.NAME.findall(title), *signals.NAME.findall(_QUOTATION.sub("\n", f"\n{article.body}")))
    return frozenset(_plain(name) for name in found if name[0].isupper() and not name.startswith(_I))


def _plain(word: str) -> str:
    """A word however it is inflected, as far as signals look at it."""
    return text.normalized(word).removesuffix("'s").removesuffix("’s").rstrip("s")


def _pieces(written: str, names: frozenset[str], known: frozenset[Hashable]) -> list[MarkedSpan]:
    pieces, at, covered = [], 0, 0
    found = (*_dates(written), *_numbers(written), *_named(written, names))
    # A date is one thing, not the numbers in it: what begins first, and of those the longest, is taken.
    for fact in sorted(found, key=lambda fact: (fact.start, -fact.end)):
        if fact.start < covered:
            continue
        covered = fact.end
        if fact.key in known:
            continue
        pieces += [
            MarkedSpan(text=written[at : fact.start]),
            MarkedSpan(text=written[fact.start : fact.end], kind=fact.kind),
        ]
        at = fact.end
    return [piece for piece in (*pieces, MarkedSpan(text=written[at:])) if piece.text]


def _dates(written: str) -> Iterator[_Fact]:
    for match in _DATE.finditer(written):
        yield _Fact(start=match.start(), end=match.end(), kind="date", key=_date_key(match))


def _date_key(match: re.Match[str]) -> Hashable:
    """A day of the year, or of the week, in whichever form it is written."""
    if match["weekday"]:
        return "weekday", _WEEKDAY[match["weekday"].lower()]
    if named := match["month"] or match["us_month"]:
        return "day", _MONTH[named.lower()], int(match["day"] or match["us_day"])
    return "day", int(match["iso_month"] or match["cjk_month"]), int(match["iso_day"] or match["cjk_day"])


def _numbers(written: str) -> Iterator[_Fact]:
    """Numbers that are part of no date; a year is a date by itself."""
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


def split_spans(pieces: Sequence[MarkedSpan], at: int) -> tuple[list[MarkedSpan], list[MarkedSpan]]:
    """The pieces up to a place in the text, and those after it."""
    head: list[MarkedSpan] = []
    for number, piece in enumerate(pieces):
        if len(piece.text) > at:
            return (
                [*head, *([replace(piece, text=piece.text[:at])] if at else [])],
                [replace(piece, text=piece.text[at:]), *pieces[number + 1 :]],
            )
        head.append(piece)
        at -= len(piece.text)
    return head, []
