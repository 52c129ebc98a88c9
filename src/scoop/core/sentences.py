"""The sentences of a text, as ranges of its characters, in every language."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

MAX_QUOTED = 300  # characters; a bracket that stays open longer was never closed
MIN_WRAPPED_LINE = 40  # characters; a shorter line that has no full stop is a heading
MAX_TOKEN = 24  # characters before a full stop in which an abbreviation is looked for

_OPENERS = "「『（【《〈〔［“"
_CLOSERS = "」』）】》〉〕］”"
_HAN_AND_KANA = "\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
_BULLETS = "•‣◦▪▫■□●○◆◇►▶"
_CLOSING = rf"(?:[\"'’“»«)\]{_CLOSERS}]|[\u00a0\u202f ]»(?=[\s,;.]|$)|\[\d{{1,3}}\])*+"

# Runs are matched whole and never from their middle: 500,000 full stops take the time of 500,000 letters.
# The set of first signs rejects a letter at once: the search takes an eighth of the time.
_MARK = re.compile(
    rf"(?=[\n{_BULLETS}{_OPENERS}{_CLOSERS}。｡！？．।॥።۔؟։.!?…‥])(?:"
    rf"(?P<line>\n\s*)|(?P<bullet>[{_BULLETS}])|(?P<open>[{_OPENERS}])"
    rf"|(?P<wide>[。｡！？．]+[{_CLOSERS}。｡！？]*|(?<=[{_HAN_AND_KANA}])[!?]++[{_CLOSERS}]*+(?![\s0-9A-Za-z]))"
    rf"|(?P<always>[।॥።۔؟։]+{_CLOSING})"
    rf"|(?<![.!?…‥])(?P<stop>[.!?…‥]++{_CLOSING})(?=\s|$)"
    rf"|(?P<close>[{_CLOSERS}]))"
)
_NEXT = re.compile(r"[^\S\n]+[\"'“‘„«»(\[¿¡–—\-]{0,4}[^\S\n]?(?P<word>[^\W_]*)")
_TOKEN = re.compile(r"[^\s\"“‘„«»(\[/–—]*\Z")
_INITIAL = re.compile(r"(?:[^\W\d_][.\-])*[^\W\d_]")
_ROMAN = re.compile(r"[IVX]{1,5}")
_LIST_NUMBER = re.compile(r"\s*[(\[]?(?:\d{1,3}|[^\W\d_])\Z")
_MARKER = re.compile(rf"(?:[\s{_BULLETS}]|[*·\-–—]\s|・)*")
_WORD = re.compile(r"[^\W_]")
_GOING_ON = "、，,；;：:と"  # after ！？ or a quotation: the sentence goes on


@dataclass(frozen=True, slots=True, kw_only=True)
class _Abbreviations:
    never: frozenset[str]
    numbered: frozenset[str]
    last: frozenset[str]
    whole: tuple[str, ...]
    openers: frozenset[str]
    ordinals: bool


def split(text: str, language: str) -> list[tuple[int, int]]:
    """The range of each sentence, trimmed, in order; lines, headings and list items end a sentence too.

    List markers and sentences without a letter or digit are left out.
    """
    ranges, start = [], 0
    for end in _ends(text, _abbreviations(language.split("-")[0].lower())):
        ranges.append(_trimmed(text, start, end))
        start = end
    ranges.append(_trimmed(text, start, len(text)))
    return [(first, last) for first, last in ranges if _WORD.search(text, first, last)]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    marker = _MARKER.match(text, start, end)
    first = marker.end() if marker else start
    while end > first and (text[end - 1].isspace() or text[end - 1] in _BULLETS):
        end -= 1
    return first, end


def _ends(text: str, words: _Abbreviations) -> Iterator[int]:
    """The ends of all sentences but the last."""
    depth = start = 0
    for mark in _MARK.finditer(text):
        kind = mark.lastgroup
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(0, depth - 1)
        elif _is_end(text, mark, start, depth, words):
            depth, start = 0, mark.end() if kind != "bullet" else mark.start()
            yield start
        elif kind == "wide":
            depth = max(0, depth - _closed(mark[0]))


def _is_end(text: str, mark: re.Match[str], start: int, depth: int, words: _Abbreviations) -> bool:
    match mark.lastgroup:
        case "line":
            return not _is_wrapped(text, mark)
        case "stop":
            return _is_stop(text, mark, start, words)
        case "wide":
            return _is_wide_end(text, mark, start, depth)
        case _:
            return True


def _is_wrapped(text: str, mark: re.Match[str]) -> bool:
    """Whether a line break is inside a sentence: between long lines, before a small letter."""
    if mark[0].count("\n") > 1 or not text[mark.end() : mark.end() + 1].islower():
        return False
    is_long = text.rfind("\n", max(0, mark.start() - MIN_WRAPPED_LINE), mark.start()) < 0
    return is_long and mark.start() >= MIN_WRAPPED_LINE and text[mark.start() - 1] not in ".!?:;…"


def _is_wide_end(text: str, mark: re.Match[str], start: int, depth: int) -> bool:
    """Whether 。 or ！ ends the sentence: not inside brackets, and not before the rest of a sentence that quotes."""
    if mark.start() - start > MAX_QUOTED:
        return True
    closed = _closed(mark[0])
    if depth > closed:
        return False
    if closed:
        return _ends_quotation(text, mark, start)
    follower = text[mark.end() : mark.end() + 1]
    return mark[0][-1] in "。｡．" or not follower or follower not in _GOING_ON


def _closed(mark: str) -> int:
    return sum(sign in _CLOSERS for sign in mark)


def _ends_quotation(text: str, mark: re.Match[str], start: int) -> bool:
    """Whether the sentence ends with its quotation: a particle or, after an opening quotation, a speaker goes on."""
    follower = text[mark.end() : mark.end() + 1]
    if not follower or follower.isspace() or follower in _OPENERS:
        return True
    if mark[0][-1] not in "」』”":  # an aside
        return False
    is_hiragana = "\u3041" <= follower <= "\u309f"
    return not is_hiragana and follower not in _GOING_ON and text[start : start + 3].lstrip()[:1] not in _OPENERS


def _is_stop(text: str, mark: re.Match[str], start: int, words: _Abbreviations) -> bool:
    upcoming = _NEXT.match(text, mark.end())
    if upcoming is None:  # the line ends here, which is a boundary of its own
        return False
    word = upcoming["word"]
    if word[:1].islower() and not word[1:2].isupper():  # but: iPhone
        return False
    if mark["stop"][0] == "." and mark["stop"].count(".") == 1:
        return not _is_abbreviated(text, mark, start, word, words)
    return not text[max(0, mark.start() - MAX_TOKEN) : mark.start() + 1].lower().endswith(words.whole)


def _is_abbreviated(text: str, mark: re.Match[str], start: int, word: str, words: _Abbreviations) -> bool:
    """Whether a full stop belongs to the word before it."""
    before = text[max(start, mark.start() - MAX_TOKEN) : mark.start()]
    if _LIST_NUMBER.fullmatch(before):
        return True
    found = _TOKEN.search(before)
    token = found[0] if found else ""
    small, opens = token.lower(), word.lower() in words.openers
    if small in words.last or ("." in token and _INITIAL.fullmatch(token) and small not in words.never):
        return not opens
    if small in words.numbered and word[:1].isdigit():
        return True
    if small in words.never or (len(token) == 1 and token.lower() != token.upper()):
        return True
    return words.ordinals and not opens and _is_ordinal(token)


def _is_ordinal(token: str) -> bool:
    return (token.isdecimal() and len(token) <= 2) or _ROMAN.fullmatch(token) is not None


@cache
def _abbreviations(language: str) -> _Abbreviations:
    common, own = _lists()["all"], _lists().get(language, {})
    return _Abbreviations(
        never=frozenset([*common["never"], *own.get("never", ())]),
        numbered=frozenset([*common["numbered"], *own.get("numbered", ())]),
        last=frozenset([*common["last"], *own.get("last", ())]),
        whole=tuple(common["whole"]),
        openers=frozenset(own.get("openers", ())),
        ordinals=own.get("ordinals", False),
    )


@cache
def _lists() -> dict[str, dict[str, Any]]:
    return tomllib.loads(files(__package__).joinpath("sentences.toml").read_text("utf-8"))
