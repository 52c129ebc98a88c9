"""Measures the lessons of the demo's English articles at all six levels, by the local grader and by the scripted model.

python bench/demo_lessons.py

A lesson that is easier than one of a lower level of the same article is refused, as on a desk: `inverted` counts them.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from common import figure
from scoop.core.briefs import BadReply, Order, SourceText, lesson
from scoop.core.briefs.lesson import CheckedLesson
from scoop.core.grading import lessons
from scoop.core.levels.rules import LEVELS
from scoop.model import LessonSentence, Level
from scoop.newsstand import model_lessons, model_replies, world
from scoop.parsers import english
from scoop.stages.lessons import inversion

LEAST_WORDS = 150  # an article with less has no lesson of the higher levels
LENGTHS = ("length", "sentence_length")
Made = dict[Level, CheckedLesson]


def main() -> None:
    sources = list(articles())
    for writer, write in (("local grader", by_grader), ("scripted model", by_model)):
        report(writer, [write(source) for source in sources])


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


def report(writer: str, made: Sequence[Made]) -> None:
    kept = [without_inversions(each) for each in made]
    for level in LEVELS:
        ones = [each[level] for each in kept if level in each]
        if not ones:
            continue
        figure(
            f"{writer}: lessons at {level}",
            len(ones),
            "lessons",
            inverted=sum(level in each for each in made) - len(ones),
            measured=dict(sorted(Counter(one.measured_level for one in ones).items())),
            score=round(sum(one.score for one in ones) / len(ones), 2),
            lengths_met=share(ones, lambda one: all(rule.kind not in LENGTHS for rule in one.broken_rules)),
        )
    pairs = [pair for each in kept for pair in pairwise(each[level].score for level in LEVELS if level in each)]
    figure(f"{writer}: inversions", sum(higher < lower for lower, higher in pairs), "lessons", articles=len(made))


def without_inversions(made: Made) -> Made:
    kept: Made = {}
    for level, one in made.items():
        if not inversion(level, one.score, {other: known.score for other, known in kept.items()}):
            kept[level] = one
    return kept


def share(ones: Sequence[CheckedLesson], holds: Callable[[CheckedLesson], bool]) -> float:
    return round(sum(map(holds, ones)) / len(ones), 3)


if __name__ == "__main__":
    main()
