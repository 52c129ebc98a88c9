"""Lessons: the statements of a document that give what happened, at the length and difficulty of a level."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scoop.core.briefs import SourceText
from scoop.core.grading import groups, orphans, selection, sources, terms
from scoop.core.grading.selection import Aims, Group
from scoop.core.grading.soundness import word_count
from scoop.core.grading.sources import ParsedSentence
from scoop.core.grading.trees import Parse, Tree
from scoop.core.levels import measure, reading
from scoop.core.levels.rules import LEVELS, RULES, Level
from scoop.errors import Reject
from scoop.model import Citation

MARGIN = 0.1  # words a sentence, or grades of school, that keep a lesson inside its limits
SPARE = 1.1  # times the usual length, which may be 1.2 times as long at most
STEPS = (0.5, 1.0, 1.5, 2.0)  # grades of school by which a lesson is raised that is easier than the one below
GRADES: Mapping[Level, float] = {"A1": 4.5, "A2": 6.5, "B1": 9.0, "B2": 11.0, "C1": 14.0, "C2": 18.0}
"""The highest Flesch-Kincaid grade that a lesson should have."""
EXPLAINED: frozenset[Level] = frozenset({"A2"})
"""The levels whose lessons explain a term."""
GOING_ON = orphans.PERSONAL | orphans.POINTING | {"but", "there"}
SHORTEST_EXTRACT = 0.5  # of the fewest words of C1 and C2
FREE_SENTENCE_WORDS: Mapping[Level, tuple[int, int]] = {"C1": (16, 40), "C2": (18, 50)}


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedSentence:
    """A sentence of a lesson, and the passages that it rests on."""

    text: str
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedLesson:
    """The sentences of a lesson, in order."""

    level: Level
    sentences: tuple[GradedSentence, ...]

    @property
    def text(self) -> str:
        return " ".join(sentence.text for sentence in self.sentences)


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """The grade of school, the mean words a sentence and the measured score of the lesson below."""

    grade: float
    mean: float
    score: float


def grade(
    documents: Sequence[SourceText], levels: Sequence[Level] = LEVELS, *, parse: Parse
) -> dict[Level, GradedLesson]:
    """Lessons at some levels from documents in English; Reject names the reason if none can be made.

    A level is missing if the documents have too little text for it, or only text that is easier than the lesson below.
    Lessons never invert: each is at least as hard as those of lower levels in the same call.
    """
    english = [one for one in documents if one.language.split("-")[0].lower() == "en"]
    if not english:
        raise Reject("the local grader simplifies English texts only: set a model as the writer of lessons")
    found = sources.sources(english, parse)
    if not found:
        raise Reject("the documents have no sentences to make a lesson from")
    lessons: dict[Level, GradedLesson] = {}
    floor = Floor(grade=0.0, mean=0.0, score=0.0)
    for level in sorted(levels, key=LEVELS.index):
        lesson = _harder_lesson(level, found, floor)
        if lesson is not None:
            lessons[level] = lesson
            floor = Floor(
                grade=max(floor.grade, difficulty(lesson.text)),
                mean=max(floor.mean, _mean(lesson)),
                score=max(floor.score, _score(lesson)),
            )
    return lessons


def _harder_lesson(level: Level, found: Sequence[ParsedSentence], floor: Floor) -> GradedLesson | None:
    """A lesson, made again at a higher grade if it is easier than the one below; None if that is in vain.

    The measured score decides. The grade of school must rise too, unless no lesson is found where both do.
    """
    kept = None
    for step in (0.0, *STEPS):
        lesson = _lesson(level, found, replace(floor, grade=floor.grade + step))
        if lesson is None:
            break
        if _score(lesson) >= floor.score:
            if difficulty(lesson.text) >= floor.grade + MARGIN:
                return lesson
            kept = kept or lesson
    return kept


def _score(lesson: GradedLesson) -> float:
    return measure.measure(lesson.text).score or 0.0


def _mean(lesson: GradedLesson) -> float:
    return word_count(lesson.text) / len(lesson.sentences)


def difficulty(text: str) -> float:
    return reading.flesch_kincaid(reading.read(text))


def _lesson(level: Level, found: Sequence[ParsedSentence], floor: Floor) -> GradedLesson | None:
    """A lesson that is not easier than `floor`, if the sentences allow it.

    Where its usual sentences are too few or too short, those that are long for the level stay whole. C1 and C2 are
    extracts: a short article may give a shorter one, with sentences of any length.
    """
    rules, mean = RULES[level], _mean_words(level, floor)
    lesson = _made(level, groups.groups(level, found), found, mean, floor)
    if not _has_lengths(lesson):
        mean = mean if rules.sentence_words else (floor.mean, mean[1])
        other = _made(level, groups.groups(level, found, is_whole=True), found, mean, floor)
        lesson = max(lesson, other, key=lambda one: (_has_lengths(one), word_count(one.text)))
    least = rules.least_words * (1 if rules.sentence_words else SHORTEST_EXTRACT)
    return lesson if word_count(lesson.text) >= least else None


def _has_lengths(lesson: GradedLesson) -> bool:
    """Whether a lesson is long enough, and its sentences too."""
    rules = RULES[lesson.level]
    is_long = word_count(lesson.text) >= rules.least_words
    return is_long and (rules.sentence_words is None or _mean(lesson) >= rules.sentence_words[0])


def _mean_words(level: Level, floor: Floor) -> tuple[float, float]:
    """The mean words a sentence that a lesson should have."""
    low, high = RULES[level].sentence_words or FREE_SENTENCE_WORDS[level]
    return min(max(low + 2 * MARGIN, floor.mean), high - 2 * MARGIN), high


def _made(
    level: Level,
    body: Sequence[Group],
    found: Sequence[ParsedSentence],
    mean: tuple[float, float],
    floor: Floor,
) -> GradedLesson:
    """A lesson of some groups; it has no sentence if none fits."""
    words = RULES[level].words
    aims = Aims(
        level=level,
        words=(words[0], round(words[1] * SPARE)),
        mean=mean,
        grades=(floor.grade + MARGIN, max(GRADES[level], floor.grade + 2 * MARGIN)),
        facts=groups.lead_facts(found),
    )
    return GradedLesson(level=level, sentences=_sentences(level, body, found, aims, floor))


def _sentences(
    level: Level, body: Sequence[Group], found: Sequence[ParsedSentence], aims: Aims, floor: Floor
) -> tuple[GradedSentence, ...]:
    """The sentences of a lesson; a second search has the choice of an introduction with the names that are missing."""
    first = selection.select(body, aims)
    written = " ".join(body[group].statements[at].text for group, at in first)
    full = [groups.introduction(level, found, written), *body[1:]]
    chosen = selection.select(full, aims)
    sentences = tuple(
        GradedSentence(text=full[group].statements[at].text, citations=_citations(full[group], group, found))
        for group, at in chosen
    )
    if level not in EXPLAINED:
        return sentences
    trees = [found[full[group].source].trees if group else () for group, _ in chosen]
    return _explained(level, sentences, trees, floor)


def _explained(
    level: Level, sentences: Sequence[GradedSentence], trees: Sequence[Sequence[Tree]], floor: Floor
) -> tuple[GradedSentence, ...]:
    """The sentences with an explanation of the first term for which the lesson has room."""
    for at, (sentence, own) in enumerate(zip(sentences, trees, strict=True), start=1):
        for text in terms.explanations(sentence.text, own):
            longer = (*sentences[:at], replace(sentence, text=text), *sentences[at:])
            if not any(map(_goes_on, sentences[at : at + 1])) and _has_room(level, longer, floor):
                return longer
    return tuple(sentences)


def _goes_on(sentence: GradedSentence) -> bool:
    """Whether a sentence begins with a word that the one before it explains."""
    return sentence.text.split()[0].lower() in GOING_ON


def _has_room(level: Level, sentences: tuple[GradedSentence, ...], floor: Floor) -> bool:
    """Whether sentences are no longer than a lesson may be, and not easier than the one below."""
    lesson = GradedLesson(level=level, sentences=sentences)
    least = max(floor.mean, (RULES[level].sentence_words or (0, 0))[0])
    return (
        word_count(lesson.text) <= RULES[level].most_words
        and _mean(lesson) >= least
        and difficulty(lesson.text) >= floor.grade + MARGIN
        and _score(lesson) >= floor.score
    )


def _citations(group: Group, at: int, found: Sequence[ParsedSentence]) -> tuple[Citation, ...]:
    if at == 0:
        return tuple(one.citation for one in found if one.is_lead)
    return (found[group.source].citation,)
