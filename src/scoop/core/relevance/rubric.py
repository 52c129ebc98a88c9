"""The rubric of an article: how concrete, practical and deep it is, by what can be counted in its text."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import log

from scoop.core import signals, text
from scoop.core.curation import LIMITS
from scoop.core.relevance import ScoreParts

READ_CHARACTERS = 12_000
KNOWN_WORDS = 120  # from which on a text can be judged; a shorter one is partly judged as an ordinary article
ORDINARY = 0.9  # the quality of an ordinary article
LEAST = 0.6  # the quality of the thinnest one: the topic counts more than the writing
DEEP_WORDS = 900
DEEP_PARAGRAPHS = 10
MANY_STOCK_PHRASES = 5
STOCK_SHARE = 0.008  # of the words: five in 600

_CODE = re.compile(
    r"`[^`\n]+`|\b\w+\(\)|\b[a-z]{2,}[A-Z]\w+|\b\w+_\w+\b|^(?:\$ [a-z.]|>>> |#!/)|[{};]\s*\n|=>|->|::", re.MULTILINE
)
_VERSION = re.compile(r"\bv?\d+\.\d+(?:\.\d+)*\b|\b[A-Z]{2,}-\d+(?:-\d+)?\b")
_NAME = re.compile(r"(?<=[\w,] )[A-Z][\w'\u2019-]+|[A-Z]\w*[A-Z]\w*|[\u30a1-\u30fa\u30fc]{3,}")
_QUOTE = re.compile('["\u201c\u201e\u00ab\u300c][^"\u201d\u201c\u00bb\u300d\\n]{8,200}["\u201d\u201c\u00bb\u300d]')
_STEP = re.compile(r"^\s*(?:[-*\u2022]|\d{1,2}[.)]|#{1,4})\s+\S", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """How concrete, practical and deep an article is, each from LEAST to 1, and the counts behind it."""

    concreteness: float
    practicality: float
    depth: float
    numbers: int
    names: int
    code: int
    words: int


def quality(title: str, body_text: str) -> Quality:
    body = body_text[:READ_CHARACTERS]
    written = f"{title}\n{body}"
    words = max(1, text.word_count(written))
    numbers, code = len(signals.NUMBER.findall(written)), len(_CODE.findall(written))
    names = len(set(_NAME.findall(written)))
    facts = numbers + 2 * len(_VERSION.findall(written)) + 2 * code + names + 2 * len(_QUOTE.findall(written))
    folded = text.normalized(written)
    useful = sum(folded.count(word) for word in _practical_words()) + code + len(_STEP.findall(body))
    paragraphs = sum(1 for line in body.split("\n") if line.strip())
    length = log(1 + min(words, DEEP_WORDS)) / log(1 + DEEP_WORDS)
    structure = min(1.0, paragraphs / DEEP_PARAGRAPHS)
    known = min(1.0, words / KNOWN_WORDS)
    return Quality(
        concreteness=_scaled(_saturated(100 * facts / words, 4), known),
        practicality=_scaled(0.4 + 0.6 * _saturated(100 * useful / words, 1), known),
        depth=_scaled(0.7 * length + 0.3 * structure, known),
        numbers=numbers,
        names=names,
        code=code,
        words=words,
    )


def parts(topic_score: int, measured: Quality) -> ScoreParts:
    """The points of an article whose best topic has this score; they never add up to more than it."""
    share = topic_score / 100
    exact = {
        "topic_match": share * LIMITS["topic_match"],
        "concreteness": share * measured.concreteness * LIMITS["concreteness"],
        "practicality": share * measured.practicality * LIMITS["practicality"],
        "depth": share * measured.depth * LIMITS["depth"],
    }
    whole = {name: int(points) for name, points in exact.items()}
    missing = round(sum(exact.values())) - sum(whole.values())
    for name in sorted(exact, key=lambda name: whole[name] - exact[name])[:missing]:
        whole[name] += 1
    return ScoreParts(**whole)


def is_ai_written(title: str, body_text: str) -> bool:
    """Whether an article says that a machine wrote it, or consists of the phrases of one; in doubt it does not."""
    folded = text.normalized(f"{title} {body_text[:READ_CHARACTERS]}")
    phrases = _phrases()
    if any(phrase in folded for phrase in phrases["certain"]):
        return True
    stock = sum(phrase in folded for phrase in phrases["stock"])
    return stock >= MANY_STOCK_PHRASES and stock / max(1, text.word_count(folded)) >= STOCK_SHARE


def _saturated(amount: float, half: float) -> float:
    """From 0 to 1; 0.5 at `half`."""
    return amount / (amount + half)


def _scaled(measured: float, known: float) -> float:
    own = LEAST + (1 - LEAST) * min(1.0, measured)
    return known * own + (1 - known) * ORDINARY


@cache
def _phrases() -> dict[str, tuple[str, ...]]:
    stored = tomllib.loads(files(__package__).joinpath("phrases.toml").read_text("utf-8"))
    return {kind: tuple(map(text.normalized, stored[kind])) for kind in ("certain", "stock", "practical")}


def _practical_words() -> tuple[str, ...]:
    return _phrases()["practical"]
