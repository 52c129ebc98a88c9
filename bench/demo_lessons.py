"""Measures the lessons of the demo's English articles at all six levels, by the local grader and by the scripted model.

python bench/demo_lessons.py

A lesson that is easier than one of a lower level of the same article is refused, as on a desk: `inverted` counts them,
and the other figures are without them. `facts_of_source` is the share of the names and numbers of the lessons that
their articles have, `lead_facts_kept` the share of those of the first two sentences that a lesson has.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import fmean

from common import figure
from scoop.core.briefs import BadReply, Order, SourceText, lesson
from scoop.core.briefs.lesson import CheckedLesson
from scoop.core.grading import lessons
from scoop.core.levels import facts, reading
from scoop.core.levels.rules import LEVELS
from scoop.model import LessonSentence, Level
from scoop.newsstand import model_lessons, model_replies, world
from scoop.parsers import english
from scoop.stages.lessons import inversion

LEAST_WORDS = 150  # an article with less has no lesson of the higher levels
Made = dict[Level, CheckedLesson]
Written = tuple[SourceText, Made]


def main() -> None:
    sources = list(articles())
    for writer, write in (("local grader", by_grader), ("scripted model", by_model)):
        report(writer, [(source, write(source)) for source in sources])


def articles() -> Iterable[SourceText]:
    """The English articles, each text once."""
    bodies = set()
    for article in world.load(world.SHIPPED).articles:
        if article.language == "en" and article.body not in bodies and len(article.body.split()) >= LEAST_WORDS:
            bodies.add(article.body)
            yield SourceText(
                document_id=len(bodies), title=article.title, body_text=article.body, language="en", publisher=""
            )


def by_grader(source: SourceText) -> Made:
    graded = lessons.grade([source], parse=english.parse)
    made = {}
    for level, one in graded.items():
        sentences = [LessonSentence(text=each.text, citations=each.citations) for each in one.sentences]
        made[level] = checked(sentences, order(source, level, is_final=True, is_local=True))
    return {level: one for level, one in made.items() if one is not None}


def by_model(source: SourceText) -> Made:
    """The lessons that the model of the newsstand writes; it repeats what it wrote when it is asked to repair it."""
    made = {}
    for level in LEVELS:
        first = order(source, level)
        asked = lesson.prompt(first)
        text = f"{asked.system}\n{asked.user}"
        reply = json.dumps(model_lessons.lesson(model_replies.read_documents(text), text))
        sentences = lesson.parse(reply, first)
        made[level] = checked(sentences, first) or checked(sentences, order(source, level, is_final=True))
    return {level: one for level, one in made.items() if one is not None}


def order(source: SourceText, level: Level, *, is_final: bool = False, is_local: bool = False) -> Order:
    return Order(kind="lesson", language="en", documents=(source,), level=level, is_final=is_final, is_local=is_local)


def checked(sentences: Sequence[LessonSentence], wanted: Order) -> CheckedLesson | None:
    try:
        return lesson.check(sentences, wanted)
    except BadReply:
        return None


def report(writer: str, written: Sequence[Written]) -> None:
    kept = [(source, without_inversions(made)) for source, made in written]
    for level in LEVELS:
        ones = [(source, made[level]) for source, made in kept if level in made]
        lessons_of_level = [one for _, one in ones]
        figure(
            f"{writer}: lessons at {level}",
            len(ones),
            "lessons",
            articles=len(written),
            inverted=sum(level in made for _, made in written) - len(ones),
            measured=dict(sorted(Counter(one.measured_level for one in lessons_of_level).items())),
            score=mean(one.score for one in lessons_of_level),
            lengths_met=mean(keeps(one, "length") for one in lessons_of_level),
            sentences_met=mean(keeps(one, "sentence_length") for one in lessons_of_level),
            both_met=mean(keeps(one, "length", "sentence_length") for one in lessons_of_level),
            facts_of_source=facts_of_source(ones),
            lead_facts_kept=mean(facts.lost(one.lesson_text, [source]).share_kept for source, one in ones),
        )
    inverted = sum(len(made) - len(without_inversions(made)) for _, made in written)
    pairs = [pair for _, made in kept for pair in pairwise(made[level].score for level in LEVELS if level in made)]
    left = sum(higher < lower for lower, higher in pairs)
    figure(f"{writer}: inversions", left, "lessons", refused_as_inverted=inverted, articles=len(written))


def keeps(one: CheckedLesson, *kinds: str) -> bool:
    return all(rule.kind not in kinds for rule in one.broken_rules)


def facts_of_source(ones: Sequence[tuple[SourceText, CheckedLesson]]) -> float:
    """The share of the names and numbers of lessons that their articles have."""
    named = new = 0
    for source, one in ones:
        sentences = reading.read(one.lesson_text)
        named += sum(token.is_name or token.is_number for sentence in sentences for token in sentence.tokens)
        new += len(facts.new(sentences, [source]))
    return round(1 - new / named, 4) if named else 1.0


def mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return round(fmean(found), 3) if found else None


def without_inversions(made: Made) -> Made:
    kept: Made = {}
    for level, one in made.items():
        if not inversion(level, one.score, {other: known.score for other, known in kept.items()}):
            kept[level] = one
    return kept


if __name__ == "__main__":
    main()
