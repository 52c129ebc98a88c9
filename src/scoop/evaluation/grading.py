"""The tasks of the local grader: substitutes of words, split and simplified sentences, lessons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from scoop.core.briefs import SourceText
from scoop.core.grading import lessons, rewriting, substitutes
from scoop.core.grading.lessons import GradedLesson
from scoop.core.grading.trees import Tree
from scoop.core.item_stream import split_items
from scoop.core.levels import check, facts, measure, reading
from scoop.core.levels.rules import LEVELS, RULES, Level
from scoop.errors import InputError, Reject
from scoop.evaluation import datasets, simplicity
from scoop.evaluation.simplicity import Simplified
from scoop.evaluation.tasks import EvaluationTask
from scoop.parsers import english

REPLACED_TO: Level = "A2"  # the hardest words of the easiest lessons
RULED: tuple[Level, ...] = tuple(level for level in LEVELS if RULES[level].sentence_words is not None)
"""The levels with rules for sentences, at which lessons are made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceRow:
    """A sentence to split; `refs` are lists of sentences that people made of it."""

    id: str | int
    source: str
    refs: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SimplificationRow:
    """A sentence to simplify to a level; `refs` are simpler texts."""

    id: str | int
    source: str
    refs: tuple[str, ...] = ()
    target: Level = "A2"


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonSource:
    """A text to make lessons from."""

    id: str | int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SubstituteRow:
    """A word of a sentence, at `start`; `gold` are easier words that may stand for it, in its form if `inflected`."""

    id: str | int
    sentence: str
    start: int
    gold: tuple[str, ...] = ()
    inflected: bool = True


def substitution() -> EvaluationTask:
    return EvaluationTask(
        read=lambda file: _rows(file, SubstituteRow), predict=_predict_substitutes, measure=_measure_substitutes
    )


def splitting() -> EvaluationTask:
    return EvaluationTask(read=lambda file: _rows(file, SentenceRow), predict=_predict_splits, measure=_measure_splits)


def simplification() -> EvaluationTask:
    return EvaluationTask(
        read=lambda file: _rows(file, SimplificationRow), predict=_predict_simpler, measure=_measure_simpler
    )


def lesson_task() -> EvaluationTask:
    return EvaluationTask(
        read=lambda file: _rows(file, LessonSource), predict=_predict_lessons, measure=_measure_lessons
    )


def _rows(file: str, shape: type[Any]) -> list[Any]:
    with datasets.opened(file) as stream:
        read: list[Any] = [datasets.decoded(piece, shape) for piece in split_items(stream)]
    if not read:
        raise InputError("the file has no rows")
    return read


def _trees(texts: Sequence[str]) -> list[list[Tree]]:
    return [[Tree(tokens=tuple(tokens)) for tokens in sentences] for sentences in english.parse(texts)]


# Substitutes


def _predict_substitutes(rows: Sequence[SubstituteRow]) -> list[dict[str, Any]]:
    """All proposals, the best first, and the word that the grader itself would write instead, or null."""
    parsed = _trees([row.sentence for row in rows])
    return [_substitutes(row, trees) for row, trees in zip(rows, parsed, strict=True)]


def _substitutes(row: SubstituteRow, trees: Sequence[Tree]) -> dict[str, Any]:
    places = [(tree, at) for tree in trees for at, one in enumerate(tree.tokens) if one.start <= row.start < one.end]
    if not places:
        return {"id": row.id, "subs": [], "replacement": None}
    tree, at = places[0]
    return {
        "id": row.id,
        "subs": substitutes.proposals(tree.tokens[at], is_inflected=row.inflected),
        "replacement": substitutes.replacement(tree, at, REPLACED_TO, is_inflected=row.inflected),
    }


def _measure_substitutes(rows: Sequence[SubstituteRow], predictions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    by_id = {one["id"]: one for one in predictions}
    gold = [(by_id[row.id], set(row.gold)) for row in rows if row.gold]
    replaced = [(one["replacement"], words) for one, words in gold if one["replacement"]]
    return {
        "acc1": _mean([bool(words & set(one["subs"][:1])) for one, words in gold]),
        "potential3": _mean([bool(words & set(one["subs"][:3])) for one, words in gold]),
        "replaced": _mean([one["replacement"] is not None for one, _ in gold]),
        "right_when_replaced": _mean([word in words for word, words in replaced]),
        "n": len(gold),
    }


# Splitting


def _predict_splits(rows: Sequence[SentenceRow]) -> list[dict[str, Any]]:
    parsed = _trees([row.source for row in rows])
    return [
        {"id": row.id, "sentences": rewriting.split(trees) or [row.source]}
        for row, trees in zip(rows, parsed, strict=True)
    ]


def _measure_splits(rows: Sequence[SentenceRow], predictions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    by_id = {one["id"]: one["sentences"] for one in predictions}
    gold = [row for row in rows if row.refs]
    compared = [
        Simplified(source=row.source, output=" ".join(by_id[row.id]), references=[" ".join(ref) for ref in row.refs])
        for row in gold
    ]
    return {**_likeness(compared), "sentences": _mean([len(by_id[row.id]) for row in gold]), "n": len(gold)}


def _likeness(compared: Sequence[Simplified]) -> dict[str, Any]:
    """SARI, BLEU and the grade; null without references."""
    if not compared:
        return dict.fromkeys(("sari", "add", "keep", "delete", "bleu", "grade", "copied"))
    return {
        **simplicity.sari(compared),
        "bleu": simplicity.bleu(compared),
        "grade": _mean([_grade(one.output) for one in compared]),
        "copied": _mean([one.output == one.source for one in compared]),
    }


def _grade(text: str) -> float:
    return reading.flesch_kincaid(reading.read(text))


def _mean(values: Sequence[float]) -> float | None:
    return round(fmean(values), 4) if values else None


# Simplification


def _predict_simpler(rows: Sequence[SimplificationRow]) -> list[dict[str, Any]]:
    parsed = _trees([row.source for row in rows])
    return [
        {"id": row.id, "text": " ".join(rewriting.simplify(tree, row.target) for tree in trees) or row.source}
        for row, trees in zip(rows, parsed, strict=True)
    ]


def _measure_simpler(rows: Sequence[SimplificationRow], predictions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    by_id = {one["id"]: one["text"] for one in predictions}
    gold = [row for row in rows if row.refs]
    compared = [Simplified(source=row.source, output=by_id[row.id], references=row.refs) for row in gold]
    return {**_likeness(compared), "n": len(gold)}


# Lessons


def _source(row: LessonSource) -> SourceText:
    return SourceText(document_id=1, title="", body_text=row.text, language="en", publisher="")


def _predict_lessons(rows: Sequence[LessonSource]) -> list[dict[str, Any]]:
    """A prediction for each level that the text is long enough for."""
    return [
        {"id": row.id, "level": level, "text": lesson.text} for row in rows for level, lesson in _graded(row).items()
    ]


def _graded(row: LessonSource) -> Mapping[Level, GradedLesson]:
    try:
        return lessons.grade([_source(row)], RULED, parse=english.parse)
    except Reject:
        return {}


def _measure_lessons(rows: Sequence[LessonSource], predictions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """For each level: the lessons that there are, meet all rules, and keep the names and numbers of the lead."""
    by_id = {row.id: row for row in rows}
    by_level = {level: [one for one in predictions if one["level"] == level] for level in RULED}
    figures = {
        level: _lesson_figures([(by_id[one["id"]], one["text"]) for one in made], level, len(rows))
        for level, made in by_level.items()
    }
    inverted = _mean([_is_inverted(row, predictions) for row in rows])
    return {**{str(level): one for level, one in figures.items()}, "inverted": inverted, "n": len(rows)}


def _lesson_figures(made: Sequence[tuple[LessonSource, str]], level: Level, texts: int) -> dict[str, Any]:
    every = [check.check(text, level, [_source(row)]) for row, text in made]
    findings = [[one for one in found if one.is_required] for found in every]
    return {
        "made": round(len(made) / texts, 4) if texts else None,
        "all_rules": _mean([not found for found in findings]),
        "no_new_fact": _mean([all(one.kind != "facts" for one in found) for found in findings]),
        "lead_facts": _mean([facts.lost(text, [_source(row)]).share_kept for row, text in made]),
        "grammar_met": _mean([all(one.kind != "grammar" for one in found) for found in every]),
        "vocabulary_met": _mean([all(one.kind != "vocabulary" for one in found) for found in every]),
    }


def _is_inverted(row: LessonSource, predictions: Sequence[Mapping[str, Any]]) -> bool:
    measured = [(one["level"], measure.measure(one["text"]).score) for one in predictions if one["id"] == row.id]
    return bool(measure.inversions(measured))
