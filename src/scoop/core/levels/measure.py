"""The level of a text, with the reasons: its sentences, its words, its clauses."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from scoop.core.levels import features, reading, reasons, scores, vocabulary
from scoop.core.levels.reading import ReadSentence
from scoop.core.levels.rules import LEVELS, Level
from scoop.core.levels.scores import Array, TextScore

MAX_CHARACTERS = 30_000  # that are read: the level of a longer text is that of its beginning
MIN_WORDS = 3
MIN_ENGLISH = 0.4  # of the words that are no names must be in the dictionary
FEW_SENTENCES = 2  # which are measured as one sentence: counts of a text need more
FEW_WORDS = 70


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredSentence:
    """A sentence of the text: its characters from `start` to `end`, its words and its level."""

    start: int
    end: int
    words: int
    score: float
    level: Level


@dataclass(frozen=True, slots=True, kw_only=True)
class HardWord:
    """A word above a level, with its place in the text."""

    text: str
    start: int
    end: int
    level: Level


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelMeasurement:
    """The level of a text; None, with the cause in `reasons`, if it cannot be measured.

    `score` rises with the difficulty, from 0 (A1) to 6 (C2). `hard_words` are those above the level of the text.
    """

    level: Level | None
    score: float
    words: int
    sentences: tuple[MeasuredSentence, ...]
    hard_words: tuple[HardWord, ...]
    reasons: tuple[str, ...]


def measure(text: str) -> LevelMeasurement:
    """Measure an English text."""
    part = text[:MAX_CHARACTERS]
    sentences = reading.read(part)
    refusal = _refusal(part, sentences)
    if refusal:
        return _unmeasured(refusal, sentences)
    table = np.array([features.of_sentence(one, part) for one in sentences], dtype=np.float32)
    raw = scores.raw_sentence_scores(table)
    scored = _scored(sentences, part, raw)
    return LevelMeasurement(
        level=scored.level,
        score=scored.score,
        words=_word_count(sentences),
        sentences=_measured_sentences(sentences, raw),
        hard_words=tuple(hard_words(sentences, above=scored.level)),
        reasons=(*_cautions(text, part, sentences), *reasons.of(sentences)),
    )


def _refusal(text: str, sentences: Sequence[ReadSentence]) -> str:
    """Why a text cannot be measured; empty if it can."""
    tokens = [token for sentence in sentences for token in sentence.tokens]
    letters = sum(map(str.isalpha, text))
    if letters and sum(sum(map(str.isalpha, token.text)) for token in tokens) < letters / 2:
        return "The text is not in English: only English texts have a level."
    if not tokens:
        return "The text has no words."
    if len(tokens) < MIN_WORDS:
        levels = ", ".join(f"“{token.text}” is {vocabulary.estimated_level(token.text)}" for token in tokens)
        return f"The text is too short to have a level; as vocabulary, {levels}."
    words = [token for token in tokens if not token.is_name and not token.is_number]
    if len(words) >= MIN_WORDS and sum(bool(token.word.senses) for token in words) < MIN_ENGLISH * len(words):
        return "Most words are not English: only English texts have a level."
    return ""


def _unmeasured(reason: str, sentences: Sequence[ReadSentence]) -> LevelMeasurement:
    return LevelMeasurement(
        level=None, score=0.0, words=_word_count(sentences), sentences=(), hard_words=(), reasons=(reason,)
    )


def _word_count(sentences: Sequence[ReadSentence]) -> int:
    return sum(len(sentence.tokens) for sentence in sentences)


def _scored(sentences: Sequence[ReadSentence], text: str, raw: Array) -> TextScore:
    if len(sentences) > FEW_SENTENCES or _word_count(sentences) > FEW_WORDS:
        return scores.text_score(sentences, text, raw)
    if len(sentences) > 1:
        whole = features.of_sentence(reading.joined(sentences), text)
        raw = scores.raw_sentence_scores(np.array([whole], dtype=np.float32))
    score = float(scores.sentence_scores(raw)[0])
    return TextScore(level=scores.level_of(score), score=score)


def _measured_sentences(sentences: Sequence[ReadSentence], raw: Array) -> tuple[MeasuredSentence, ...]:
    return tuple(
        MeasuredSentence(
            start=sentence.start,
            end=sentence.end,
            words=len(sentence.tokens),
            score=score,
            level=scores.level_of(score),
        )
        for sentence, score in zip(sentences, scores.sentence_scores(raw).tolist(), strict=True)
    )


def _cautions(text: str, part: str, sentences: Sequence[ReadSentence]) -> list[str]:
    """What makes a measurement less sure."""
    cautions = []
    if len(part) < len(text):
        cautions.append(f"Only the first {MAX_CHARACTERS:,} characters were measured.")
    if reading.is_shouted(part):
        cautions.append("The text is in capitals, so names count as words: write it in small letters.")
    if reading.has_open_lines(part, sentences):
        cautions.append(
            "Most lines have no full stop, as in a poem, a list or a table: each counts as a sentence, so the level "
            "may be too low."
        )
    return cautions


def hard_words(sentences: Sequence[ReadSentence], *, above: Level) -> list[HardWord]:
    """The words of higher levels; names and numbers have none."""
    return [
        HardWord(text=token.text, start=token.start, end=token.end, level=level)
        for sentence in sentences
        for token in sentence.tokens
        if not token.is_name and not token.is_number and (level := vocabulary.estimated_level(token.text)) > above
    ]


def inversions(measured: Sequence[tuple[Level, float]]) -> list[tuple[Level, Level]]:
    """The neighbouring levels of one article whose lessons are in the wrong order: the higher one is easier."""
    ordered = sorted(measured, key=lambda one: LEVELS.index(one[0]))
    return [(easier, harder) for (easier, low), (harder, high) in pairwise(ordered) if high < low]
