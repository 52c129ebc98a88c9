"""ROUGE: how much of a reference a summary says, by shared words, pairs of words and longest common subsequences.

Words are in lower case and not stemmed; every Chinese or Japanese character is a word.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3005\u3006\u30fc"
_TOKEN = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")
_SPACES = re.compile(r"[ \t\u3000]+")
_LINES = re.compile(r"\n+")
_STOP = re.compile(r"([.!?…]+)([\"'”’»)\]]*)\s+(?=[\"'“‘„«(\[]*[A-ZÄÖÜÁÉÍÓÚÑÀÈÌÒÙ0-9])")
_INITIALS = re.compile(r"(?:\w\.)*\w")
_ORDINAL = re.compile(r"\d{1,2}")
_OPENERS, _CLOSERS, _WIDE_STOPS = "「『（(【《〈“", "」』）)】》〉”", "。！？!?"
MAX_QUOTED = 300  # characters
MAX_INITIALS = 6  # characters
_ABBREVIATIONS = {
    "en": """
        mr mrs ms dr prof st sen rep gov gen lt col sgt capt rev jr sr vs no inc ltd co corp jan feb mar apr jun jul aug
        sep sept oct nov dec fig approx dept est u.s u.k u.n d.c a.m p.m e.g i.e etc
    """,
    "de": """
        dr prof hr fr st nr bzw usw ca z.b d.h u.a o.ä v.a i.d.r s.o s.u mio mrd mag dipl ing str jan feb mär apr jun
        jul aug sep sept okt nov dez abs art vgl evtl ggf inkl exkl sog geb gest tel u.s k.o st.petersburg
    """,
    "es": "sr sra dr dra prof ud uds ee.uu p.ej etc núm pág",
    "it": "sig dott dr prof ecc pag es",
    "nl": "dhr mevr dr prof bijv enz nr blz",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rouge:
    """F1 of words, of pairs of words, of the longest common subsequence, and of its union over sentences."""

    rouge1: float
    rouge2: float
    rougeL: float  # noqa: N815  # the name of the figure
    rougeLsum: float  # noqa: N815

    @property
    def mean(self) -> float:
        return (self.rouge1 + self.rouge2 + self.rougeLsum) / 3


def rouge(summary: str, reference: str, language: str) -> Rouge:
    said, gold = tokens(summary), tokens(reference)
    return Rouge(
        rouge1=_shared_f1(said, gold),
        rouge2=_shared_f1(_pairs(said), _pairs(gold)),
        rougeL=_f1(len(_matched(gold, said)), len(said), len(gold)),
        rougeLsum=_f1(_union_hits(summary, reference, language), len(said), len(gold)),
    )


def tokens(text: str) -> list[str]:
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).lower())


def sentences(text: str, language: str) -> list[str]:
    """The sentences as the metric counts them; its rules are fixed, so that figures stay comparable."""
    primary = language[:2]
    lines = [line.strip() for line in _LINES.split(_SPACES.sub(" ", text.replace("\r", "")).strip())]
    split = _unspaced_sentences if is_unspaced(language) else _spaced_sentences
    return [sentence for line in lines for sentence in split(line, primary) if tokens(sentence)]


def is_unspaced(language: str) -> bool:
    return language[:2] in {"ja", "zh"}


def _f1(hits: int, said: int, gold: int) -> float:
    if not said or not gold or not hits:
        return 0.0
    precision, recall = hits / said, hits / gold
    return 2 * precision * recall / (precision + recall)


def _shared_f1(said: Sequence[Hashable], gold: Sequence[Hashable]) -> float:
    return _f1((Counter(said) & Counter(gold)).total(), len(said), len(gold))


def _pairs(words: Sequence[str]) -> list[tuple[str, str]]:
    return list(pairwise(words))


def _union_hits(summary: str, reference: str, language: str) -> int:
    """The words of the reference that any sentence of the summary matches; no word is counted more often than it is."""
    said = [tokens(sentence) for sentence in sentences(summary, language)]
    left = Counter(tokens(summary)) & Counter(tokens(reference))
    hits = 0
    for gold in [tokens(sentence) for sentence in sentences(reference, language)]:
        for at in set[int]().union(*(_matched(gold, words) for words in said)):
            hits += left[gold[at]] > 0
            left[gold[at]] -= 1
    return hits


def _matched(gold: Sequence[str], said: Sequence[str]) -> set[int]:
    """The places of one longest common subsequence in the reference."""
    table, matched = _lengths(gold, said), set()
    row, column = len(gold), len(said)
    while row and column:
        if gold[row - 1] == said[column - 1]:
            matched.add(row - 1)
            row, column = row - 1, column - 1
        elif table[row - 1][column] >= table[row][column - 1]:
            row -= 1
        else:
            column -= 1
    return matched


def _lengths(gold: Sequence[str], said: Sequence[str]) -> list[list[int]]:
    """The lengths of the longest common subsequences of all beginnings."""
    table = [[0] * (len(said) + 1)]
    for word in gold:
        above, row = table[-1], [0]
        for column, other in enumerate(said):
            row.append(above[column] + 1 if word == other else max(above[column + 1], row[column]))
        table.append(row)
    return table


def _unspaced_sentences(line: str, _language: str) -> list[str]:
    parts, start, depth, at = [], 0, 0, 0
    while at < len(line):
        depth = max(0, depth + (line[at] in _OPENERS) - (line[at] in _CLOSERS))
        if line[at] in _WIDE_STOPS and (depth == 0 or at - start > MAX_QUOTED):
            while line[at + 1 : at + 2] and line[at + 1] in _WIDE_STOPS + _CLOSERS:
                at += 1
            parts.append(line[start : at + 1].strip())
            start, depth = at + 1, 0
        at += 1
    return [*parts, line[start:].strip()]


def _spaced_sentences(line: str, language: str) -> list[str]:
    parts, start = [], 0
    for stop in _STOP.finditer(line):
        if not (stop[1] == "." and _is_abbreviated(line[start : stop.start()], language)):
            parts.append(line[start : stop.end()].strip())
            start = stop.end()
    return [*parts, line[start:].strip()]


def _is_abbreviated(before: str, language: str) -> bool:
    last = (before.split() or [""])[-1].lstrip("\"'“‘„«(").lower()
    if last in _abbreviations().get(language, frozenset()):
        return True
    if _INITIALS.fullmatch(last) and not last.isdigit() and len(last) < MAX_INITIALS:
        return True
    return language == "de" and _ORDINAL.fullmatch(last) is not None


@cache
def _abbreviations() -> Mapping[str, frozenset[str]]:
    return {language: frozenset(words.split()) for language, words in _ABBREVIATIONS.items()}
