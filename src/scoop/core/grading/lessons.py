"""Lessons: the statements of a document that give what happened, at the length and difficulty of a level."""

import re
from calendar import day_name, month_name
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scoop.core import extract_features, extract_sentences, extracts
from scoop.core.briefs import SourceText
from scoop.core.extract_sentences import Candidate
from scoop.core.grading import mentions, orphans, selection
from scoop.core.grading.selection import Aims, Group
from scoop.core.grading.statements import facts, statements, word_count
from scoop.core.grading.trees import Parse, Tree
from scoop.core.levels import reading
from scoop.core.levels.rules import LEVELS, RULES, Level
from scoop.errors import Reject
from scoop.model import Citation

MAX_SENTENCES = 34  # that are parsed: parsing is most of the work, and a lesson has the room of fifteen
CALENDAR = frozenset({*day_name, *month_name})
ABOUT = "This news is about"
LEAD = 2  # sentences that say what happened
MARGIN = 0.1  # words a sentence, or grades of school, that keep a lesson inside its limits
SPARE = 1.1  # times the usual length, which may be 1.2 times as long at most
GRADES: Mapping[Level, float] = {"A1": 4.5, "A2": 6.5, "B1": 9.0, "B2": 11.0, "C1": 14.0, "C2": 18.0}
"""The highest Flesch-Kincaid grade that a lesson should have."""
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
    """The grade of school and the mean words a sentence of the lesson below."""

    grade: float
    mean: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """A usable sentence with its trees."""

    candidate: Candidate
    importance: float
    trees: tuple[Tree, ...]
    document: SourceText

    @property
    def citation(self) -> Citation:
        return Citation(document_id=self.document.document_id, start=self.candidate.start, end=self.candidate.end)


def grade(
    documents: Sequence[SourceText], levels: Sequence[Level] = LEVELS, *, parse: Parse
) -> dict[Level, GradedLesson]:
    """Lessons at some levels from documents in English; Reject names the reason if none can be made.

    A level is missing if the documents have too little text for it. Lessons never invert: each is at least as hard as
    those of lower levels in the same call.
    """
    english = [one for one in documents if one.language.split("-")[0].lower() == "en"]
    if not english:
        raise Reject("the local grader simplifies English texts only: set a model as the writer of lessons")
    sources = _sources(english, parse)
    if not sources:
        raise Reject("the documents have no sentences to make a lesson from")
    lessons: dict[Level, GradedLesson] = {}
    floor = Floor(grade=0.0, mean=0.0)
    for level in sorted(levels, key=LEVELS.index):
        lesson = _lesson(level, sources, floor)
        if lesson is not None:
            lessons[level] = lesson
            floor = Floor(grade=max(floor.grade, difficulty(lesson.text)), mean=max(floor.mean, _mean(lesson)))
    return lessons


def _mean(lesson: GradedLesson) -> float:
    return word_count(lesson.text) / len(lesson.sentences)


def difficulty(text: str) -> float:
    return reading.flesch_kincaid(reading.read(text))


def _sources(documents: Sequence[SourceText], parse: Parse) -> list[_Source]:
    candidates = [
        one for one in extract_sentences.candidates(documents) if _is_narrative(one, documents[one.document].body_text)
    ]
    if not candidates:
        return []
    scores = extracts.scores(extract_features.features(documents, candidates).table)
    ranked = sorted(range(len(candidates)), key=lambda at: (candidates[at].place >= LEAD, -scores[at]))
    used = sorted(ranked[:MAX_SENTENCES])
    parsed = parse([candidates[at].text for at in used])
    top, low = max(scores), min(scores)
    return [
        _Source(
            candidate=candidates[at],
            importance=float((scores[at] - low) / ((top - low) or 1)),
            trees=tuple(Tree(tokens=tuple(tokens)) for tokens in sentences if tokens),
            document=documents[candidates[at].document],
        )
        for at, sentences in zip(used, parsed, strict=True)
    ]


def _is_narrative(candidate: Candidate, body: str) -> bool:
    """Whether a sentence speaks for the author: no question, no part of a longer quotation, no I or we."""
    paragraph = body[body.rfind("\n", 0, candidate.start) + 1 : candidate.start]
    is_quoted = paragraph.count('"') % 2 == 1 or paragraph.count("“") > paragraph.count("”")
    outside = _QUOTED.sub("", candidate.text)
    has_author = any(map(str.isalpha, outside))
    return not is_quoted and has_author and "?" not in candidate.text and not _FIRST_PERSON.search(outside)


_QUOTED = re.compile(r'"[^"]*"|“[^”]*”')
_FIRST_PERSON = re.compile(r"\b(?:I|we|We|my|My|our|Our|me|us|you|You|your|Your)\b")


def _lesson(level: Level, sources: Sequence[_Source], floor: Floor) -> GradedLesson | None:
    """A lesson that is not easier than `floor`, if the sentences allow it."""
    groups = _groups(level, sources)
    low, high = RULES[level].sentence_words or FREE_SENTENCE_WORDS[level]
    words = RULES[level].words
    aims = Aims(
        words=(words[0], round(words[1] * SPARE)),
        mean=(min(max(low + 6 * MARGIN, floor.mean), high - 2 * MARGIN), high - MARGIN),
        grades=(floor.grade + MARGIN, max(GRADES[level], floor.grade + 2 * MARGIN)),
    )
    chosen = selection.select(groups, aims)
    if not chosen:
        return None
    body = tuple(_sentence(sources, groups, one) for one in chosen)
    opened = GradedLesson(level=level, sentences=(*_introduction(level, sources, body), *body))
    is_balanced = low <= _mean(opened) <= high and difficulty(opened.text) >= floor.grade
    lesson = opened if is_balanced else GradedLesson(level=level, sentences=body)
    least = RULES[level].least_words
    return lesson if word_count(lesson.text) >= least else None


def _introduction(level: Level, sources: Sequence[_Source], body: Sequence[GradedSentence]) -> list[GradedSentence]:
    """A first sentence with the names of the lead that the lesson has not: who and what the news is about."""
    rules = RULES[level]
    if rules.longest_sentence is None:
        return []
    written = " ".join(one.text for one in body).lower()
    words = {match[0] for match in reading.TOKEN.finditer(written)}
    leads = [one for one in sources if one.candidate.place < LEAD]
    names = [
        name
        for one in leads
        for tree in one.trees
        for name in mentions.names(tree)
        if not {part.lower() for part in reading.TOKEN.findall(name)} & words
    ]
    kept = _fitting(list(dict.fromkeys(names)), rules.longest_sentence - word_count(ABOUT))
    names = [name for name in names if name not in CALENDAR]
    room = rules.most_words - word_count(written)
    if not kept or word_count(" ".join(kept)) + word_count(ABOUT) > room:
        return []
    text = f"{ABOUT} {', '.join(kept[:-1])}{' and ' if len(kept) > 1 else ''}{kept[-1]}."
    return [GradedSentence(text=text, citations=tuple(one.citation for one in leads))]


def _fitting(names: Sequence[str], room: int) -> list[str]:
    """The first names that fit a sentence; "and" is a word too."""
    kept: list[str] = []
    for name in names:
        if word_count(" ".join([*kept, name])) + (1 if kept else 0) <= room:
            kept.append(name)
    return kept


def _groups(level: Level, sources: Sequence[_Source]) -> list[Group]:
    lead = frozenset[str]().union(*(facts(one.candidate.text) for one in sources if one.candidate.place < LEAD))
    groups = []
    for at, source in enumerate(sources):
        follows = at > 0 and source.candidate.follows and sources[at - 1].candidate.place == source.candidate.place - 1
        before = [tree for one in sources[max(0, at - 3) : at] for tree in one.trees] if follows else []
        found = [one for tree in source.trees for one in statements(tree, level)]
        opened = orphans.resolved(source.trees[0], before, found) if found else []
        groups.append(
            Group(
                statements=tuple(opened if opened is not None else found),
                importance=source.importance,
                is_lead=source.candidate.place < LEAD,
                lead_facts=lead,
                needs=at - 1 if opened is None and follows else None,
                is_usable=opened is not None or follows,
            )
        )
    return groups


def _sentence(sources: Sequence[_Source], groups: Sequence[Group], place: tuple[int, int]) -> GradedSentence:
    group, at = place
    return GradedSentence(text=groups[group].statements[at].text, citations=(sources[group].citation,))
