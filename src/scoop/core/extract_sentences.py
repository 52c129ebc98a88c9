"""The sentences of documents that an extract may use: no boilerplate, no fragments, no broken quotations."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from scoop.core import prompt_injection, sentences, signals, text
from scoop.core.briefs import SourceText

MAX_CHARACTERS = 30_000  # of a body that are read: a report says what matters before
MAX_SENTENCES = 160  # of all documents together: the work grows with the square
MIN_SENTENCES = 12  # of each document, if there are many
SPARE = 2  # sentences are looked at for each that may be used
MIN_WORDS = 4
MAX_SENTENCE_CHARACTERS = 700
MAX_WORD_CHARACTERS = 100  # a longer "word" is code or noise
MIN_LETTERS = 0.45  # share of a sentence's characters: less is a table, a score or code
MAX_CAPITALS = 0.6  # share of the letters: more is a heading

_SEMICOLON = "；"  # joins what could be sentences, in Chinese
# Sentences that are not divided: enumerations, and those that name the speaker of all clauses at the end.
_INSEPARABLE = re.compile("一是|第一，|其一|，[^，；]{1,20}(?:说|表示|指出|认为)。")
_ENDED = re.compile(r"[.!?…。！？｡।॥።۔؟։；][\"'’“”»«)\]」』）]*(?:\[\d{1,3}\])*\Z")
_CUT = re.compile(r"(?:\.\.\.|…|\[…\]|\[\.\.\.\])\W*\Z")
_QUOTATION = re.compile(r"[\"“„«»「『][^\"“”„«»「」『』]+[\"“”«»」』]\W*")  # without a word about its speaker
_SPACES = re.compile(r"\s+")
_LONG_WORD = re.compile(rf"[!-~]{{{MAX_WORD_CHARACTERS}}}")
_PAIRS = (("“", "”"), ("«", "»"), ("「", "」"), ("『", "』"), ("(", ")"), ("（", "）"), ("[", "]"))
_OPENING, _CLOSING = ("".join(signs) for signs in zip(*_PAIRS, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Notices:
    """Phrases of boilerplate and orders to models that a text may have; most texts have none, and need no search."""

    phrases: Sequence[str]
    orders: Sequence[re.Pattern[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A sentence that may be chosen: its range, its place in the document, and its words and informative terms.

    `place` counts the document's sentences; `follows` says that the one before is a candidate too.
    """

    document: int
    start: int
    end: int
    place: int
    follows: bool
    is_first_of_paragraph: bool
    is_dangling: bool
    is_bare_quotation: bool
    is_first_person: bool
    text: str
    words: int
    vocabulary: frozenset[str]
    terms: frozenset[int]

    @property
    def needs_the_one_before(self) -> bool:
        """Whether the sentence before names who or what this one is about, or who says it."""
        return self.is_dangling or self.is_bare_quotation


def candidates(documents: Sequence[SourceText]) -> list[Candidate]:
    """The usable sentences of all documents, by document and place; without repetitions."""
    limit = max(MIN_SENTENCES, MAX_SENTENCES // max(1, len(documents)))
    split = [_ranges(document)[: SPARE * limit] for document in documents]
    fitting = [_usable(document.body_text, ranges)[:limit] for document, ranges in zip(documents, split, strict=True)]
    if not any(fitting):
        fitting = [
            _what_is_there(document.body_text, ranges) for document, ranges in zip(documents, split, strict=True)
        ]
    every = [one for at, document in enumerate(documents) for one in _candidates(at, document, fitting[at])]
    return list({one.text: one for one in reversed(every)}.values())[::-1]


def _ranges(document: SourceText) -> list[tuple[int, int]]:
    body = document.body_text[:MAX_CHARACTERS]
    ranges = sentences.split(body, document.language)
    if len(document.body_text) > MAX_CHARACTERS and len(ranges) > 1:  # the last one is cut off
        ranges = ranges[:-1]
    if _primary(document.language) == "zh":
        ranges = [part for start, end in ranges for part in _clauses(body, start, end)]
    return [_without_dateline(body, start, end) for start, end in ranges]


def _clauses(body: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The parts of a sentence that semicolons outside quotations and brackets end."""
    if _INSEPARABLE.search(body, start, end):
        yield start, end
        return
    depth = 0
    for at in range(start, end - 1):
        depth += (body[at] in _OPENING) - (body[at] in _CLOSING)
        if body[at] == _SEMICOLON and depth == 0:
            yield start, at + 1
            start = end - len(body[at + 1 : end].lstrip())
    yield start, end


def _what_is_there(body: str, ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Place and range of what a text has instead of sentences: a few words, or lines that never end."""
    notices = _notices(body)
    return [
        (place, start, start + len(text.truncated(body[start:end], MAX_SENTENCE_CHARACTERS)))
        for place, (start, end) in enumerate(ranges[:MIN_SENTENCES])
        if not _is_boilerplate(body[start : min(end, start + MAX_SENTENCE_CHARACTERS)], notices)
    ]


def _usable(body: str, ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Place and range of the sentences that can be shown; of text that has only fragments, the fragments."""
    notices = _notices(body)
    readable = [
        (place, start, end) for place, (start, end) in enumerate(ranges) if _is_readable(body[start:end], notices)
    ]
    whole = [(place, start, end) for place, start, end in readable if _ENDED.search(body[max(start, end - 8) : end])]
    if len(whole) * 4 < len(readable):  # a script or an author without full stops
        return readable
    return [(place, start, end) for place, start, end in whole if not _is_cut(body, end)]


def _is_cut(body: str, end: int) -> bool:
    """Whether a teaser was cut off here."""
    return end == len(body.rstrip()) and _CUT.search(body, max(0, end - 8), end) is not None


def _notices(body: str) -> _Notices:
    lowered = body[:MAX_CHARACTERS].lower()
    phrases = [phrase for phrase in _lists()["phrases"] if phrase in lowered]
    return _Notices(phrases=phrases, orders=prompt_injection.possible_orders(lowered))


def _is_readable(sentence: str, notices: _Notices) -> bool:
    if len(sentence) > MAX_SENTENCE_CHARACTERS or text.word_count(sentence) < MIN_WORDS:
        return False
    letters = sum(map(str.isalpha, sentence))
    if letters < MIN_LETTERS * len(sentence) or sum(map(str.isupper, sentence)) > MAX_CAPITALS * letters:
        return False
    if _LONG_WORD.search(sentence) or not _is_balanced(sentence):
        return False
    return not _is_boilerplate(sentence, notices)


def _is_boilerplate(sentence: str, notices: _Notices) -> bool:
    lowered = sentence.lower()
    if any(map(lowered.__contains__, notices.phrases)) or prompt_injection.has_order(sentence, notices.orders):
        return True
    return _pattern("boilerplate").match(lowered.lstrip("-–—>»›•▶►●■◆*|[ ")) is not None


def _is_balanced(sentence: str) -> bool:
    """Whether every quotation and bracket that opens also closes; German quotations open low."""
    signs = Counter(sentence)
    if signs['"'] % 2 or signs["„"] > signs["“"] + signs["”"] + signs['"']:
        return False
    pairs = _PAIRS[1:] if signs["„"] else _PAIRS
    return all(signs[left] == signs[right] for left, right in pairs)


def _without_dateline(body: str, start: int, end: int) -> tuple[int, int]:
    dateline = _pattern("dateline").match(body, start, end)
    return (dateline.end() if dateline and dateline.end() < end else start), end


def _candidates(at: int, document: SourceText, fitting: Sequence[tuple[int, int, int]]) -> Iterator[Candidate]:
    place_before = end_before = -1
    for place, start, end in fitting:
        shown = _SPACES.sub(" ", document.body_text[start:end])
        opening = shown.lstrip("\"'“„«»「『‘( ").lower()
        vocabulary = frozenset(text.words(text.normalized(shown)))
        yield Candidate(
            document=at,
            start=start,
            end=end,
            place=place,
            follows=place == place_before + 1,
            is_first_of_paragraph=place == 0 or "\n" in document.body_text[max(0, end_before) : start],
            is_dangling=_continues(document.body_text, start) or _begins(opening, "dangling", document.language),
            is_bare_quotation=_QUOTATION.fullmatch(shown) is not None,
            is_first_person=_begins(opening, "opinion", document.language),
            text=shown,
            words=text.word_count(shown),
            vocabulary=vocabulary,
            terms=signals.informative_terms(vocabulary),
        )
        place_before, end_before = place, end


def _continues(body: str, start: int) -> bool:
    """Whether this is what follows a semicolon: its subject or its speaker may be named before."""
    return body[max(0, start - 4) : start].rstrip()[-1:] == _SEMICOLON


def _begins(opening: str, kind: str, language: str) -> bool:
    """Whether a sentence begins with an opener of its language: "die" is a pronoun in Dutch, an article in German."""
    pattern = _openers(kind, _primary(language))
    return pattern is not None and pattern.match(opening) is not None


def _primary(language: str) -> str:
    return language.split("-")[0].lower()


def states_purpose(sentence: str) -> bool:
    """Whether a sentence says what a paper does."""
    return _pattern("purpose").match(sentence.lower()) is not None


def reports_speech(sentence: str) -> bool:
    """Whether a sentence says what somebody said."""
    return _pattern("speech").search(sentence) is not None


@cache
def _openers(kind: str, language: str) -> re.Pattern[str] | None:
    patterns = _lists()[kind].get(language)
    return _joined(patterns) if patterns else None


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return _joined(_lists()[name])


def _joined(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


@cache
def _lists() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("extracts.toml").read_text("utf-8"))
