"""Whether an ambiguous name means the tool or the ordinary word: one model for all names, by case and context."""

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from scoop.core.levels import vocabulary
from scoop.core.mentions.occurrences import Occurrence

WORD_BITS = 15  # of the tables of words
NEIGHBOUR_BITS = 11
ORDINARY_FROM = 2.4  # Zipf frequency
WINDOW, REACH = 70, 700  # characters on either side
MAX_CONTEXT = 2  # context words that count for one name
MIN_LETTERS = 3  # a shorter name is never clear by itself

_WORD = re.compile(r"[^\W\d_][\w'’+#]*")
_NEXT = re.compile(r"[^\w\n]{0,3}(\w[\w'’+#]*)")
_PREVIOUS_REVERSED = re.compile(r"[^\w\n]{0,3}?([\w'’+#]*\w)")  # backwards, as only the last word is wanted
_SENTENCE_START = re.compile(r"(?:^|[.!?:;\n•*>\"“(\-][\s\"“‘'(*\->]*)\Z")
_VERSION = re.compile(r"[ -]?v?\d+(?:\.\d+)*\b|\.js\b|\.NET\b", re.IGNORECASE)
_MAY_BE_CODE = re.compile(r"[a-z][A-Z]|[_{};]|\(\)|://|\.\w+\(")  # is in all that _CODE finds, and quicker
_CODE = re.compile(r"(?<![a-z])[a-z]++[A-Z]\w*|\b\w+_\w+|\b\w+\(\)|[{};]|https?://|\w\.\w+\(")


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_ARTICLES = _words("a an")
_OWNERS = _words("this that his her their my your our its these those some any every each no one")
_TOOL_CUES = _words("using use uses used via with in on install installed from run running ditched tried try learn")
_VERB_CUES = _words("to will would can could should may might must i we you they he she it who let don't didn't")
_FOLLOWERS = _words("is has was can does and or for users app version project")

Table = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextModel:
    """`technical` and `capital` say of a word how often it is in texts of developers, and in capitals.

    `bonus` is what a context word of the tool near its name adds.
    """

    technical: Sequence[int]
    capital: Sequence[int]
    weights: Table
    neighbours: Table
    bias: float
    bonus: float


def is_ordinary(folded: str) -> bool:
    """Whether a name is also a word or the name of persons and places, so that its context must decide."""
    if not folded.isascii() or not folded.isalpha():
        return False
    return len(folded) < MIN_LETTERS or vocabulary.look_up(folded).zipf >= ORDINARY_FROM


def technicality(content: str) -> float:
    """How much the words of a text are those of developers: the mean of their log odds, 0 if they say nothing."""
    return _mean(_shipped(), _WORD.findall(content))


def begins_sentence(before: str) -> bool:
    """Whether what follows is the beginning of a sentence, where a capital letter says nothing."""
    return not before or _SENTENCE_START.search(before[-8:]) is not None


def is_tool(text: str, start: int, end: int, found: Occurrence, others: Sequence[Occurrence]) -> bool:
    """Whether an ordinary name at `text[start:end]` means the tool; `others` are all names of the text."""
    model = _shipped()
    dense, neighbours = features_of(model, text, (start, end), found, others)
    margin = float(dense @ model.weights) + sum(float(model.neighbours[one]) for one in neighbours) + model.bias
    near = count_context_words(text, (start, end), found.alias.tool.context_words, found.alias.folded)
    return margin + model.bonus * near > 0


def count_context_words(text: str, place: tuple[int, int], words: Sequence[str], name: str) -> int:
    """How many of these words are within WINDOW characters of a name, at most MAX_CONTEXT."""
    pattern = _context_pattern(tuple(words), name)
    if pattern is None:
        return 0
    around = f"{text[max(0, place[0] - WINDOW) : place[0]]} {text[place[1] : place[1] + WINDOW]}"
    return min(MAX_CONTEXT, len(set(pattern.findall(around.lower()))))


@lru_cache(maxsize=1 << 12)
def _context_pattern(words: tuple[str, ...], name: str) -> re.Pattern[str] | None:
    """Finds context words, also with an s behind them; the name itself is none."""
    listed = sorted({word.lower() for word in words} - {name, ""}, key=len, reverse=True)
    return re.compile("|".join(map(_bounded, listed))) if listed else None


def _bounded(word: str) -> str:
    """The pattern of a word: Latin letters begin and end at a boundary, others may touch their neighbours."""
    before = r"(?<![a-z0-9])" if word[0].isascii() and word[0].isalnum() else ""
    after = r"(?=s?(?![a-z0-9]))" if word[-1].isascii() and word[-1].isalnum() else ""
    return f"{before}{re.escape(word)}{after}"


def features_of(
    model: ContextModel, text: str, place: tuple[int, int], found: Occurrence, others: Sequence[Occurrence]
) -> tuple[Table, list[int]]:
    """The features of an occurrence, and the buckets of the words beside it and of the name."""
    start, end = place
    before, after = text[max(0, start - REACH) : start], text[end : end + REACH]
    left, right = _words_beside(before, after)
    near = [*_WORD.findall(before[-WINDOW:]), *_WORD.findall(after[:WINDOW])]
    values = (
        *_case_features(text[start:end], found.alias.written, before),
        *_word_features(found.alias.folded, model),
        *_neighbour_features(left, right, after),
        *_topic_features(model, near, [*_WORD.findall(before), *_WORD.findall(after)]),
        *_company_features(found, others, f"{before} {after}"),
    )
    form = "A" if text[start:end].isupper() else "Aa" if text[start].isupper() else "a"
    signs = (f"<{left.lower()}", f">{right.lower()}", f"={found.alias.folded}", f"={found.alias.folded} {form}")
    buckets = [_bucket(sign, NEIGHBOUR_BITS) for sign in signs]
    capital = values[1]  # what a capital letter means depends on the word
    crossed = (capital * values[7], capital * values[8], (1 - capital) * values[8], capital * values[18])
    return np.array((*values, *crossed), dtype=np.float32), buckets


def _words_beside(before: str, after: str) -> tuple[str, str]:
    previous, following = _PREVIOUS_REVERSED.match(before[::-1]), _NEXT.match(after)
    return previous[1][::-1] if previous else "", following[1] if following else ""


def _case_features(own: str, written: str, before: str) -> tuple[float, ...]:
    is_start = begins_sentence(before)
    is_capital = own[0].isupper()
    return (
        float(own == written),
        float(is_capital and not is_start),
        float(is_capital and is_start),
        float(own.islower() and not written.islower()),
        float(own.isupper() and len(own) > 1 and not written.isupper()),
        float(written.isupper() and own.islower()),
    )


def _word_features(folded: str, model: ContextModel) -> tuple[float, ...]:
    word = vocabulary.look_up(folded)
    levels = [vocabulary.rank(sense.level) for sense in word.senses if sense.level is not None]
    return (
        float(len(folded) < MIN_LETTERS),
        word.zipf - 3.5,
        model.capital[_bucket_of_word(folded)] / 32,
        float(not levels),
        float(any(sense.word_class == "verb" for sense in word.senses)),
        model.technical[_bucket_of_word(folded)] / 32,
    )


def _neighbour_features(left: str, right: str, after: str) -> tuple[float, ...]:
    small, other = left.lower(), right.lower()
    return (
        float(small == "the"),
        float(small in _ARTICLES),
        float(small in _OWNERS),
        float(small in _TOOL_CUES),
        float(small in _VERB_CUES),
        float(bool(left) and left[0].isupper() and small != "i"),
        float(right[:1].isupper()),
        float(_VERSION.match(after) is not None),
        float(after[:2] in ("'s", "’s")),
        float(other in _FOLLOWERS),
        float(after[:1] in ",.)/" or not after),
    )


def _topic_features(model: ContextModel, near: Sequence[str], every: Sequence[str]) -> tuple[float, ...]:
    of_all = _mean(model, every)
    return (_mean(model, near), of_all, of_all * min(1.0, len(every) / 40))


def _mean(model: ContextModel, words: Sequence[str]) -> float:
    technical = model.technical
    return sum([technical[_bucket_of_word(word)] for word in words]) / len(words) / 32 if words else 0.0


def _company_features(found: Occurrence, others: Sequence[Occurrence], around: str) -> tuple[float, ...]:
    clear = {one.alias.tool.tool_id for one in others if not one.alias.is_ordinary}
    same = any(one.alias.tool is found.alias.tool and not one.alias.is_ordinary for one in others)
    return (
        min(3.0, float(len(clear - {found.alias.tool.tool_id}))),
        float(same),
        min(3.0, float(len(_CODE.findall(around)))) if _MAY_BE_CODE.search(around) else 0.0,
    )


@lru_cache(maxsize=1 << 16)
def _bucket_of_word(word: str) -> int:
    return _bucket(word.lower(), WORD_BITS)


@lru_cache(maxsize=1 << 16)
def _bucket(word: str, bits: int) -> int:
    return zlib.crc32(word.encode("utf-8", "replace")) >> (32 - bits)


@cache
def _shipped() -> ContextModel:
    with np.load(BytesIO(files(__package__).joinpath("context.npz").read_bytes()), allow_pickle=False) as arrays:
        return ContextModel(
            technical=arrays["technical"].tolist(),
            capital=arrays["capital"].tolist(),
            weights=arrays["weights"],
            neighbours=arrays["neighbours"],
            bias=float(arrays["bias"]),
            bonus=float(arrays["bonus"]),
        )
