"""What each publisher adds to an event: figures and names that no other publisher of it has."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from scoop.core import differences, novelty, text

COMPARED_CHARACTERS = 3_000  # of each document
MAX_FIGURES = 2  # of each publisher
MAX_FACTS = 4
SHORTEST_NAME = 4  # characters: shorter ones are mostly titles and abbreviations

# A figure with what it counts right behind it, as it is written: `4.2 million litres`, `41 injured`, `$90,000`, `38棟`.
# The patterns begin with the characters that they look for, which is faster than to look behind everywhere.
_FIGURE = re.compile(
    r"[\d$€£¥](?:\d|[.,]\d)*(?:\s(?:thousand|million|billion|trillion|Millionen|Milliarden)\b)?"
    r"(?P<counted>\s[^\W\d_]{3,30}\b|[\u30a0-\u30ff\u4e00-\u9fff]{1,2})?"
)
_CURRENCIES = "$€£¥"
# Lengths of time, which every report words differently; `novelty.COMMON_UNITS` has most of the English ones.
_TIMES = frozenset(
    [
        "seconds",
        "second",
        "decades",
        "sekunden",
        "minuten",
        "stunde",
        "tagen",
        "wochen",
        "woche",
        "monate",
        "monaten",
        "jahren",
        "jahr",
    ]
)
_CJK_DATES = frozenset("年月日時分秒週第号")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_MARKS = re.compile(r"[.,]")
_NAME = re.compile(r"[A-ZÄÖÜ][^\W\d_]+(?:[-'’][^\W\d_]+)*(?:\s[A-ZÄÖÜ][^\W\d_]+(?:[-'’][^\W\d_]+)*){0,3}")
_POSSESSIVE = re.compile(r"['’]s?$")
_WORD = re.compile(r"[^\W\d_]+")
# `Iranian` adds nothing to `Iran`, nor `Ukrainian` to `Ukraine`.
_ENDING = re.compile(r"(?<=\w{4})(?:ian|an|any|ese|ish|ia|i|a|e|y)$")
_YEAR = re.compile(r"(?:19|20)\d\d\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class PublisherText:
    """The text of one document, and its publisher."""

    publisher: str
    language: str
    title: str
    body: str

    @property
    def whole(self) -> str:
        return f"{self.title}\n{self.body[:COMPARED_CHARACTERS]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _OwnFact:
    """A figure or name as it is written; `keys` are the words or digits that no other publisher may have."""

    shown: str
    keys: frozenset[str]


def list_contributions(reports: Sequence[PublisherText]) -> dict[str, list[str]]:
    """Figures and names that only one publisher has, by publisher; those with none are left out.

    It is cautious: a number that another publisher has of anything, or a word of a name that another publisher has
    anywhere, is no contribution.
    """
    texts: dict[str, list[PublisherText]] = {}
    for report in reports:
        texts.setdefault(report.publisher, []).append(report)
    if len(texts) < 2:
        return {}
    words = {publisher: _vocabulary(own) for publisher, own in texts.items()}
    owners = _owners(words)
    found = {publisher: _only_here(own, publisher, owners) for publisher, own in texts.items()}
    return {publisher: facts for publisher, facts in found.items() if facts}


def _owners(words: Mapping[str, frozenset[str]]) -> dict[str, str | None]:
    """The publisher of each word; None if several have it."""
    owners: dict[str, str | None] = {}
    for publisher, own in words.items():
        for word in own:
            owners[word] = None if word in owners else publisher
    return owners


def _only_here(own: Iterable[PublisherText], publisher: str, owners: Mapping[str, str | None]) -> list[str]:
    figures: dict[str, str] = {}
    names: dict[str, str] = {}
    for report in own:
        for shown, facts in ((figures, _figures(report)), (names, _names(report))):
            for fact in facts:
                if all(owners.get(key) == publisher for key in fact.keys):
                    shown.setdefault(text.normalized(fact.shown), fact.shown)
    chosen = list(figures.values())[:MAX_FIGURES]
    return [*chosen, *list(names.values())[: MAX_FACTS - len(chosen)]]


def _vocabulary(own: Iterable[PublisherText]) -> frozenset[str]:
    """All words and numbers of a publisher's documents, as facts are compared by."""
    whole = "\n".join(report.whole for report in own).casefold()
    words = set(_WORD.findall(whole))
    spelled = {novelty.NUMBER_OF_WORD[word] for word in words & novelty.NUMBER_OF_WORD.keys()}
    return frozenset(
        {_plain(word) for word in words} | spelled | {_number(digits) for digits in set(_DIGITS.findall(whole))}
    )


def _figures(report: PublisherText) -> Iterator[_OwnFact]:
    whole = report.whole
    for match in _FIGURE.finditer(whole):
        figure = text.one_line(match[0])
        counted = (match["counted"] or "").strip()
        is_part = match.start() > 0 and (whole[match.start() - 1].isalnum() or whole[match.start() - 1] in ".,/:-")
        if not is_part and _DIGITS.search(figure) and _says_what(figure, counted, report.language):
            yield _OwnFact(shown=figure, keys=frozenset(_number(digits) for digits in _DIGITS.findall(figure)))


def _says_what(figure: str, counted: str, language: str) -> bool:
    """Whether a figure is an amount of money, or is followed by what it counts."""
    if figure[0] in _CURRENCIES:
        return counted.casefold() not in novelty.FILLERS
    plain = counted.casefold()
    is_counting = counted != "" and plain not in novelty.FILLERS | novelty.COMMON_UNITS | _TIMES
    is_noun = not counted[:1].isupper() or _has_capital_nouns(language)
    return is_counting and is_noun and not set(counted) & _CJK_DATES and not _YEAR.match(figure)


def _names(report: PublisherText) -> Iterator[_OwnFact]:
    """Names in the middle of a sentence, where only a name has a capital letter; none if every noun has one."""
    if _has_capital_nouns(report.language):
        return
    body = report.body[:COMPARED_CHARACTERS]
    for match in _NAME.finditer(body):
        before = body[max(0, match.start() - 3) : match.start()]
        name = _POSSESSIVE.sub("", text.one_line(match[0]))
        if _is_inside_sentence(before) and len(name) >= SHORTEST_NAME and not differences.is_date_word(name):
            yield _OwnFact(shown=name, keys=frozenset(_plain(word.casefold()) for word in _WORD.findall(name)))


def _is_inside_sentence(before: str) -> bool:
    """Whether a word follows another word that is not capitalised, with or without a comma."""
    return before[-1:].isspace() and before.rstrip().rstrip(",")[-1:].islower()


def _has_capital_nouns(language: str) -> bool:
    return language.partition("-")[0] in differences.CAPITALISED_LANGUAGES


def _plain(word: str) -> str:
    """A word without its plural and the endings that turn a country into its people."""
    return _ENDING.sub("", word.rstrip("s"))


def _number(digits: str) -> str:
    return _MARKS.sub("", digits)
